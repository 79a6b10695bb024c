/**
 * Loaded before a program (`node -r`): on SIGUSR2 it writes what held up the main thread since the last time, in milliseconds, to
 * the file that LOOP_PROBE_FILE names. `maxMs` is the longest stall of the event loop; `workMs` is the most processor time that the
 * thread used between two turns of it, which other processes can't lengthen (undefined where Node can't tell).
 */
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { renameSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

// A program's worker threads load this too.
if (isMainThread) probe(process.env.LOOP_PROBE_FILE ?? '');

/** @param {string} file */
function probe(file) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let longestWork = 0;
  let before = worked();
  if (before !== undefined) setInterval(look, 1).unref();
  process.on('SIGUSR2', () => {
    look();
    const figures = { maxMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6, workMs: before && longestWork };
    delays.reset();
    longestWork = 0;
    writeFileSync(`${file}.tmp`, JSON.stringify(figures));
    renameSync(`${file}.tmp`, file);
  });

  function look() {
    const now = worked();
    longestWork = Math.max(longestWork, (now ?? 0) - (before ?? 0));
    before = now;
  }
}

/** Milliseconds of processor time that this thread used so far. */
function worked() {
  const used = process.threadCpuUsage?.();
  return used && (used.user + used.system) / 1_000;
}
