/** Durable, acknowledged events per second, beside a server that only answers. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { median, quantile, ratio } from './frame.mjs';
import { sendLoad } from './load.mjs';
import { startBareServer, startCollector } from './servers.mjs';

const DEFAULT_RUNS = 3;
const CLIENTS = [1, 32];
const EVENTS = { 1: 1000, 32: 4000 };
const WARM_UP_EVENTS = 300;

/** @type {import('./frame.mjs').Bench} */
export const ingest = {
  name: 'ingest',
  about: 'POST /ingest until the answer, events on disk, against a bare node:http server',
  async run(context) {
    const { scratch, signal, runs = DEFAULT_RUNS } = context;
    const home = path.join(scratch, 'mascot');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const collector = await startCollector(context, home);
    const bare = await startBareServer(context).catch(async (error) => {
      await collector.stop();
      throw error;
    });
    try {
      const servers = { collector, bare };
      for (const server of Object.values(servers))
        await sendLoad(server, { clients: 4, events: WARM_UP_EVENTS, signal });
      const rows = [];
      for (const clients of CLIENTS) {
        /** @type {Record<'collector' | 'bare', { perSecond: number[], p50: number[], p99: number[] }>} */
        const seen = { collector: { perSecond: [], p50: [], p99: [] }, bare: { perSecond: [], p50: [], p99: [] } };
        for (let round = 0; round < runs; round++) {
          /** @type {('collector' | 'bare')[]} */
          const order = round % 2 === 0 ? ['collector', 'bare'] : ['bare', 'collector'];
          for (const name of order) {
            const events = EVENTS[/** @type {keyof typeof EVENTS} */ (clients)];
            const { perSecond, latencies } = await sendLoad(servers[name], { clients, events, signal });
            seen[name].perSecond.push(perSecond);
            seen[name].p50.push(median(latencies));
            seen[name].p99.push(quantile(latencies, 0.99));
          }
        }
        for (const [name, { perSecond, p50, p99 }] of Object.entries(seen)) {
          rows.push({
            what: `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
            value: `${Math.round(median(perSecond))} /s`,
            ratio: ratio(median(perSecond), median(seen.bare.perSecond)),
            note: `p50 ${median(p50).toFixed(2)} ms, p99 ${median(p99).toFixed(2)} ms`,
          });
        }
      }
      return rows;
    } finally {
      await bare.stop();
      await collector.stop();
    }
  },
};
