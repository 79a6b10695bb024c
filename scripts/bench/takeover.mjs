/** MWN-2: how long nobody owns when the owner ends, is killed, or hangs and another process waits for its turn. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { median, ratio } from './frame.mjs';
import { sendLoad } from './load.mjs';
import { startBareServer, startCollector } from './servers.mjs';

const DEFAULT_RUNS = 100;
/** A hang takes seconds each time. */
const HANGS_SHARE = 0.05;
const STORED_EVENTS = 2_000;

/** @type {readonly (readonly [what: string, signal: NodeJS.Signals])[]} */
const ENDS = [
  ['killed', 'SIGKILL'],
  ['closed', 'SIGTERM'],
  ['hung', 'SIGSTOP'],
];

/** @type {import('./frame.mjs').Bench} */
export const takeover = {
  name: 'takeover',
  about: `from the owner's end until the next one is ready, store of ${STORED_EVENTS.toLocaleString('en')} events, against the start of a bare server`,
  async run(context) {
    const { scratch, runs = DEFAULT_RUNS } = context;
    const home = path.join(scratch, 'mascot');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const bare = await timesOf(runs, context, async () => {
      const since = performance.now();
      const server = await startBareServer(context);
      const took = performance.now() - since;
      await server.stop('SIGKILL');
      return took;
    });
    let owner = await startCollector(context, home);
    try {
      await sendLoad(owner, { clients: 8, events: STORED_EVENTS, signal: context.signal });
      const rows = [row('bare server, started anew', bare, bare)];
      for (const [what, signal] of ENDS) {
        const times = await timesOf(signal === 'SIGSTOP' ? Math.ceil(runs * HANGS_SHARE) : runs, context, async () => {
          const { follows, owns } = successor(context, home);
          await follows;
          const since = performance.now();
          // A process that is stopped can't be waited for.
          if (signal === 'SIGSTOP') process.kill(owner.pid, signal);
          const ended = signal === 'SIGSTOP' ? undefined : owner.stop(signal);
          const next = await owns;
          const took = performance.now() - since;
          await (ended ?? owner.stop('SIGKILL'));
          owner = next;
          return took;
        });
        rows.push(row(`owner ${what}`, times, bare));
      }
      return rows;
    } finally {
      await owner.stop('SIGKILL');
    }
  },
};

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} home
 */
function successor(context, home) {
  /** @type {() => void} */
  let told = () => undefined;
  const follows = new Promise((resolve) => (told = () => resolve(undefined)));
  const owns = startCollector(context, home, {
    onStderr: (text) => text.includes('waiting for it to end') && told(),
  });
  // Either it follows, or it could not be started at all.
  return { follows: Promise.race([follows, owns]), owns };
}

/**
 * @param {number} count
 * @param {import('./frame.mjs').BenchContext} context
 * @param {() => Promise<number>} once
 */
async function timesOf(count, { signal }, once) {
  const times = [];
  for (let number = 0; number < count; number++) {
    signal.throwIfAborted();
    times.push(await once());
  }
  return times;
}

/**
 * @param {string} what
 * @param {readonly number[]} times
 * @param {readonly number[]} bare
 */
function row(what, times, bare) {
  return {
    what,
    value: `${median(times).toFixed(0)} ms`,
    ratio: ratio(median(times), median(bare)),
    note: `worst of ${times.length}: ${Math.max(...times).toFixed(0)} ms`,
  };
}
