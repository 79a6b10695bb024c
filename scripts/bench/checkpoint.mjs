/** STO-4: how long a checkpoint of a large store holds up the process that serves hooks and windows. */
import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { median } from './frame.mjs';
import { sendLoad } from './load.mjs';
import { holdUpOf, PROBE } from './processFigures.mjs';
import { startCollector } from './servers.mjs';

const IMAGE_BYTES = 50_000_000;
/** A tool call that printed a page or two. */
const EVENT_BYTES = 8_000;
const CLIENTS = 2;
const STRETCH_EVENTS = 100;
const DEFAULT_ROUNDS = 5;

/** @type {import('./frame.mjs').Bench} */
export const checkpoint = {
  name: 'checkpoint',
  about: `the longest stall of the event loop under ${CLIENTS} clients: store of ${IMAGE_BYTES / 1e6} MB with its checkpoints, against a small one`,
  async run(context) {
    const { scratch, signal, runs = DEFAULT_ROUNDS } = context;
    /** @param {string} name */
    const started = async (name) => {
      const home = path.join(scratch, name);
      await mkdir(home, { recursive: true, mode: 0o700 });
      const env = { LOOP_PROBE_FILE: probeFile(home) };
      return { home, server: await startCollector(context, home, { env, nodeArgs }) };
    };
    const nodeArgs = ['-r', PROBE];
    const large = await started('large');
    const small = await started('small');
    try {
      while ((await imageOf(large.home)).bytes < IMAGE_BYTES)
        await sendLoad(large.server, { clients: 8, events: 500, signal, bytes: EVENT_BYTES });
      await stallOf(large);
      /** @type {Record<'small' | 'between' | 'checkpoint', number[]>} */
      const stalls = { small: [], between: [], checkpoint: [] };
      for (let round = 0; round < runs; round++) {
        const before = (await imageOf(large.home)).name;
        const stretches = [];
        // Whenever the journal has grown enough for the next one, which takes more with each.
        while ((await imageOf(large.home)).name === before) {
          await sendLoad(large.server, { clients: CLIENTS, events: STRETCH_EVENTS, signal, bytes: EVENT_BYTES });
          stretches.push(await stallOf(large));
        }
        // A checkpoint is somewhere in the last ones; most are without.
        stalls.checkpoint.push(Math.max(...stretches));
        stalls.between.push(median(stretches));
        // Below the first checkpoint of all: the same work without one.
        await sendLoad(small.server, { clients: CLIENTS, events: STRETCH_EVENTS, signal, bytes: EVENT_BYTES });
        stalls.small.push(await stallOf(small));
      }
      const megabytes = Math.round((await imageOf(large.home)).bytes / 1e6);
      return [
        row('small store, no checkpoint', stalls.small),
        row(`${megabytes} MB, most stretches`, stalls.between),
        row(`${megabytes} MB, the worst up to each checkpoint`, stalls.checkpoint),
      ];
    } finally {
      await small.server.stop();
      await large.server.stop();
    }
  },
};

/**
 * @param {string} what
 * @param {readonly number[]} ms
 */
function row(what, ms) {
  return {
    what,
    value: `${median(ms).toFixed(1)} ms`,
    note: `longest of ${ms.length}: ${Math.max(...ms).toFixed(1)} ms`,
  };
}

/** @param {string} home */
const probeFile = (home) => path.join(home, 'loop.json');

/** @param {{ home: string, server: import('./servers.mjs').BenchServer }} of */
async function stallOf({ home, server }) {
  return (await holdUpOf(server.pid, probeFile(home))).maxMs;
}

/** @param {string} home */
async function imageOf(home) {
  const folder = path.join(home, 'storage');
  const name = (await readdir(folder))
    .filter((each) => each.endsWith('.sqlite'))
    .sort()
    .at(-1);
  return { name, bytes: name === undefined ? 0 : (await stat(path.join(folder, name))).size };
}
