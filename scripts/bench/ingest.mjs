/** Durable, acknowledged events per second, beside a server that only answers. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { median, quantile, ratio } from './frame.mjs';
import { sendLoad } from './load.mjs';
import { startBareServer, startCollector } from './servers.mjs';

const DEFAULT_RUNS = 3;
const CLIENTS = /** @type {const} */ ([1, 32]);
const EVENTS = { 1: 1000, 32: 4000 };
const WARM_UP_EVENTS = 300;

/** @type {import('./frame.mjs').Bench} */
export const ingest = {
  name: 'ingest',
  about: 'POST /ingest until the answer, events on disk, against a bare node:http server',
  async run(context) {
    const measured = await measureIngest(context, path.join(context.scratch, 'mascot'), CLIENTS);
    return measured.flatMap(({ clients, collector, bare }) =>
      Object.entries({ collector, bare }).map(([name, { perSecond, p50, p99 }]) => ({
        what: `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        value: `${Math.round(perSecond)} /s`,
        ratio: ratio(perSecond, bare.perSecond),
        note: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      })),
    );
  },
};

/**
 * @typedef {{ perSecond: number, p50: number, p99: number }} Served  medians over the rounds; latencies in milliseconds
 */

/**
 * Measures the collector of `context.root` and a bare server in turn, for each number of clients.
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} home  of the collector; it is made
 * @param {readonly (keyof typeof EVENTS)[]} numbersOfClients
 * @returns {Promise<{ clients: number, collector: Served, bare: Served }[]>}
 */
export async function measureIngest(context, home, numbersOfClients) {
  const { signal, runs = DEFAULT_RUNS } = context;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const collector = await startCollector(context, home);
  const bare = await startBareServer(context).catch(async (error) => {
    await collector.stop();
    throw error;
  });
  try {
    const servers = { collector, bare };
    for (const server of Object.values(servers)) await sendLoad(server, { clients: 4, events: WARM_UP_EVENTS, signal });
    const measured = [];
    for (const clients of numbersOfClients) {
      /** @type {Record<'collector' | 'bare', Served[]>} */
      const seen = { collector: [], bare: [] };
      for (let round = 0; round < runs; round++) {
        /** @type {('collector' | 'bare')[]} */
        const order = round % 2 === 0 ? ['collector', 'bare'] : ['bare', 'collector'];
        for (const name of order) {
          const { perSecond, latencies } = await sendLoad(servers[name], { clients, events: EVENTS[clients], signal });
          seen[name].push({ perSecond, p50: median(latencies), p99: quantile(latencies, 0.99) });
        }
      }
      measured.push({ clients, collector: medians(seen.collector), bare: medians(seen.bare) });
    }
    return measured;
  } finally {
    await bare.stop();
    await collector.stop();
  }
}

/**
 * @param {readonly Served[]} rounds
 * @returns {Served}
 */
function medians(rounds) {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
  };
}
