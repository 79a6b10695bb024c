/**
 * Loaded before a program (`node -r`): on SIGUSR2 it writes the longest stall of the event loop since the last time, in
 * milliseconds, to the file that LOOP_PROBE_FILE names.
 */
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { renameSync, writeFileSync } = require('node:fs');

const file = process.env.LOOP_PROBE_FILE ?? '';
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on('SIGUSR2', () => {
  const told = { maxMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6 };
  delays.reset();
  writeFileSync(`${file}.tmp`, JSON.stringify(told));
  renameSync(`${file}.tmp`, file);
});
