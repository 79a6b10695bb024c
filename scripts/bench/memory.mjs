/** What the collector keeps in memory when many events have gone through. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sendLoad } from './load.mjs';
import { startCollector } from './servers.mjs';

const EVENTS = 100_000;
const CLIENTS = 32;

/** @type {import('./frame.mjs').Bench} */
export const memory = {
  name: 'memory',
  about: `resident memory of the collector's process before and after ${EVENTS.toLocaleString('en')} events of 8 sessions`,
  async run(context) {
    if (process.platform !== 'linux')
      return [{ what: 'memory', value: 'not measured', note: 'read from /proc, which only Linux has' }];
    const home = path.join(context.scratch, 'mascot');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const collector = await startCollector(context, home);
    try {
      const before = await residentMiB(collector.pid);
      const { perSecond } = await sendLoad(collector, { clients: CLIENTS, events: EVENTS, signal: context.signal });
      const after = await residentMiB(collector.pid);
      return [
        { what: 'before', value: `${before.toFixed(0)} MiB` },
        {
          what: 'after',
          value: `${after.toFixed(0)} MiB`,
          ratio: `${(after / before).toFixed(2)}×`,
          note: `${Math.round(perSecond)} events/s over all`,
        },
      ];
    } finally {
      await collector.stop();
    }
  },
};

/** @param {number} pid */
async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
