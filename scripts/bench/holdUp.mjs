import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * How long this thread lets others wait, as anyone sees it, and how much of it was this thread's own work: on a machine that others use it
 * is kept from the processor, too, and no code can help that.
 */
export function watchHoldUps() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let longestWork = 0;
  let before = worked();
  const timer = setInterval(() => {
    const now = worked();
    longestWork = Math.max(longestWork, now - before);
    before = now;
  }, 1);
  delay.enable();
  return () => {
    clearInterval(timer);
    delay.disable();
    return { longest: delay.max / 1e6, p99: delay.percentile(99) / 1e6, longestWork };
  };
}

/** In milliseconds. */
function worked() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
