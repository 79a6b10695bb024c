/** Fills a log with records like those of hooks, in a process of its own, and prints what that took as one line of JSON. */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const [source = '', sealer = '', folder = '', count = '0', samples = ''] = process.argv.slice(2);
const { RecordLog, nodeFileSystem, sealerInThread } = await import(pathToFileURL(source).href);
const bodies = JSON.parse(readFileSync(samples, 'utf8')).map((/** @type {string} */ text) => Buffer.from(text));
const complain = (/** @type {string} */ message) => console.error(message);
const log = { debug() {}, info() {}, warn: complain, error: complain };
const options = {
  folder,
  fs: nodeFileSystem,
  log,
  generation: 1,
  mayWrite: () => true,
  sealer: sealerInThread(sealer),
};

/** As many hooks as are written together when 32 clients send at once. */
const BATCH = 16;
const memory = () => process.memoryUsage().rss;

const { log: records } = await RecordLog.open(options);
const [emptyMemory, emptyCpu] = [memory(), process.cpuUsage()];
let [peak, given] = [emptyMemory, 0];
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const began = performance.now();
/** @type {Promise<void>} */
let compressing = Promise.resolve();
for (let number = 0; number < Number(count); number += BATCH) {
  const drafts = Array.from({ length: BATCH }, (_, index) => {
    const body = bodies[(number + index) % bodies.length];
    given += body.length;
    return { kind: 'event', session: `session-${(number + index) % 5}-${Math.floor(number / 500)}`, at: number, body };
  });
  await records.append(drafts);
  if (number % 256 === 0) {
    compressing = records.compress();
    peak = Math.max(peak, memory());
    await new Promise((resolve) => setImmediate(resolve));
  }
}
await compressing;
await records.compress();
delay.disable();
const seconds = (performance.now() - began) / 1000;
const cpu = process.cpuUsage(emptyCpu);
globalThis.gc?.();
const held = memory() - emptyMemory;
await records.close();
const opening = performance.now();
const { log: again } = await RecordLog.open({ ...options, generation: 2 });
const openMs = performance.now() - opening;
console.log(
  JSON.stringify({
    seconds,
    given,
    bytes: again.bytes,
    held,
    peak: peak - emptyMemory,
    cpuMs: (cpu.user + cpu.system) / 1000,
    longestMs: delay.max / 1e6,
    openMs,
    records: again.lastSeq,
  }),
);
await again.close();
