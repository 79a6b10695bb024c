export interface Turns {
  /** How much the count grew by in one turn of the event loop, at most. */
  readonly most: number;
  /**
   * How much this thread worked in one turn, at most, in yardsticks. A thread's own time does not grow with what else the machine
   * does as the clock's does, but grow it does: caches and cores are shared, and so it is held against a known piece of work.
   */
  readonly longest: number;
  readonly longestMs: number;
}

/** About 10 ms on a quiet machine: reading, objects, and the collection of both, as in what is measured. */
const YARDSTICK = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ id: n, text: `number ${n}`, list: [n] })));

/** So often that a busy moment of the machine is met by one. */
const BETWEEN_YARDSTICKS_MS = 100;

/** What is not done at the end of a turn counts as one of its own. */
export function watchTurns(count: () => number = () => 0): { stop(): Turns } {
  let [yardstickMs, measuredAt] = [0, process.threadCpuUsage()];
  measure();
  let [counted, since] = [count(), process.threadCpuUsage()];
  let [most, longestMs] = [0, 0];
  let next = setImmediate(turn);

  function measure(): void {
    const begin = process.threadCpuUsage();
    JSON.parse(YARDSTICK);
    yardstickMs = Math.max(yardstickMs, workedMs(begin));
    measuredAt = process.threadCpuUsage();
  }

  function look(): void {
    most = Math.max(most, count() - counted);
    longestMs = Math.max(longestMs, workedMs(since));
    if (workedMs(measuredAt) > BETWEEN_YARDSTICKS_MS) measure();
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
      measure();
      return { most, longest: longestMs / yardstickMs, longestMs };
    },
  };
}

function workedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}
