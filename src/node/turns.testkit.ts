export interface Turns {
  /** How much the count grew by in one turn of the event loop, at most. */
  readonly most: number;
  /** How long this thread worked in one turn, at most, and in all. Unlike the clock, it does not grow with what else the machine does. */
  readonly longestMs: number;
  readonly allMs: number;
}

/** What is not done at the end of a turn counts as one of its own. */
export function watchTurns(count: () => number = () => 0): { stop(): Turns } {
  const begin = process.threadCpuUsage();
  let [counted, since] = [count(), begin];
  let [most, longestMs] = [0, 0];
  let next = setImmediate(turn);

  function look(): void {
    most = Math.max(most, count() - counted);
    longestMs = Math.max(longestMs, workedMs(since));
    [counted, since] = [count(), process.threadCpuUsage()];
  }

  function turn(): void {
    look();
    next = setImmediate(turn);
  }

  return {
    stop() {
      clearImmediate(next);
      look();
      return { most, longestMs, allMs: workedMs(begin) };
    },
  };
}

function workedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}
