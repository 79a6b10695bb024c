/** SNK-1: how fast the copies go to the team's PostgreSQL, and what they cost the editor's thread. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { bundled } from './bundled.mjs';
import { median, ratio } from './frame.mjs';
import { watchHoldUps } from './holdUp.mjs';

const SESSIONS = 50;
const TURNS = 500;
/** Three interactions and a session event each. */
const ROWS = SESSIONS * TURNS * 4;
const DEFAULT_RUNS = 3;
/** Every row is read, masked and put into words here, and looked for there: plain COPY does nothing of that. */
const TIMES_COPY = 10;

const OUTAGE_MS = 60_000;
/** Some agents at once: a turn of four events. */
const TURN_EVERY_MS = 2_000;

/** @typedef {typeof import('../../test/process/postgres.testkit.ts') & typeof import('../../test/process/sinkMachine.testkit.ts') & typeof import('../../src/app/sink/sink.testkit.ts') & typeof import('../../src/node/store/eventStore.ts') & typeof import('../../src/node/machine/clock.ts')} Source */
/** @typedef {import('../../test/process/postgres.testkit.ts').Postgres} Postgres */

/** @type {import('./frame.mjs').Bench} */
export const postgres = {
  name: 'postgres',
  about: `${ROWS.toLocaleString('en')} rows into a real PostgreSQL, beside COPY of the same rows`,
  async run({ root, scratch, runs = DEFAULT_RUNS, signal, log }) {
    const files = [
      'test/process/postgres.testkit.ts',
      'test/process/sinkMachine.testkit.ts',
      'src/app/sink/sink.testkit.ts',
      'src/node/store/eventStore.ts',
      'src/node/machine/clock.ts',
    ];
    /** @type {Source} */
    const source = await bundled(root, scratch, files, ['pg-native', 'cloudflare:sockets']);
    if (source.binaries === undefined) {
      log('There is no PostgreSQL on this machine: nothing is measured.');
      return [{ what: 'nothing', value: 'no PostgreSQL on this machine' }];
    }
    const wasm = await readFile(path.join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'));
    const silent = { debug() {}, info() {}, warn: log, error: log };
    /** @param {string} name */
    const open = async (name) => {
      const folder = path.join(scratch, name);
      const kept = { folder, wasm, log: silent, generation: 1, mayWrite: () => true, sealAfterBytes: Infinity };
      return (await source.openEventStore(kept)).store;
    };
    const server = await source.startPostgres();
    try {
      await server.kill();
      // As a team's server runs.
      server.options.push('fsync=on', 'full_page_writes=on', 'autovacuum=on');
      await server.start();
      const store = await open('backlog');
      await source.seed(store, SESSIONS, TURNS);
      /** @type {(Awaited<ReturnType<typeof copyAll>> & Awaited<ReturnType<typeof plainCopies>>)[]} */
      const rounds = [];
      for (let round = 0; round < runs; round++) {
        signal.throwIfAborted();
        const url = await server.database(`bench${round}`);
        rounds.push({ ...(await copyAll(source, store, url)), ...(await plainCopies(source, server, url)) });
      }
      await store.close();
      /** @param {(round: typeof rounds[number]) => number} of */
      const middle = (of) => median(rounds.map(of));
      const [copied, client, psql] = [
        middle(({ ms }) => ms),
        middle(({ client }) => client),
        middle(({ psql }) => psql),
      ];
      const lag = await afterOutage(source, server, await open('outage'), signal);
      if (copied > client * TIMES_COPY)
        throw new Error(`copying took ${(copied / client).toFixed(1)} times as long as COPY`);
      /** @param {number} ms */
      const rate = (ms) => `${Math.round((ROWS / ms) * 1_000).toLocaleString('en')} rows/s`;
      return [
        { what: 'COPY from the same client', value: rate(client), ratio: ratio(client, client) },
        ...(psql === 0 ? [] : [{ what: 'psql \\copy', value: rate(psql), ratio: ratio(psql, client) }]),
        {
          what: 'copied from the store',
          value: rate(copied),
          ratio: ratio(copied, client),
          note: `of the time ${(middle(({ ms, cpuMs }) => cpuMs / ms) * 100).toFixed(0)} % on a processor here`,
        },
        {
          what: 'hold-up of the thread meanwhile',
          value: `longest ${middle(({ meanwhile }) => meanwhile.longest).toFixed(0)} ms, p99 ${middle(({ meanwhile }) => meanwhile.p99).toFixed(0)} ms`,
          note: `of its own work at most ${Math.max(...rounds.map(({ meanwhile }) => meanwhile.longestWork)).toFixed(0)} ms; doing nothing as long: ${middle(({ without }) => without.longest).toFixed(0)} ms, p99 ${middle(({ without }) => without.p99).toFixed(0)} ms`,
        },
        {
          what: 'the last row is there, after an outage of a minute',
          value: `${(lag.ms / 1_000).toFixed(1)} s`,
          note: `after the server accepts connections; ${lag.events} events came meanwhile`,
        },
      ];
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
};

/**
 * @param {Source} source
 * @param {import('../../src/app/ports.ts').EventStore} store
 * @param {string} url
 */
async function copyAll(source, store, url) {
  const one = source.machineWith(store, 'bench', url, { clock: source.systemClock });
  const done = one.standing();
  const [since, cpu] = [performance.now(), process.cpuUsage()];
  const holdUps = watchHoldUps();
  one.start();
  await done;
  const meanwhile = holdUps();
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  await one.stop();
  const idle = watchHoldUps();
  await pause(ms);
  return { ms, cpuMs: (user + system) / 1_000, meanwhile, without: idle() };
}

/**
 * The rows that were copied, once more into tables of the same form.
 * @param {Source} source
 * @param {Postgres} server
 * @param {string} url
 */
async function plainCopies(source, server, url) {
  const names = ['interactions', 'session_events'];
  const files = names.map((name) => path.join(server.folder, `${name}.copy`));
  for (const [index, name] of names.entries()) {
    rmSync(files[index] ?? '', { force: true });
    await server.query(url, `COPY agent_mascot.${name} TO '${files[index]}'`);
    chmodSync(files[index] ?? '', 0o644);
    await server.query(url, `CREATE TABLE ${name} (LIKE agent_mascot.${name} INCLUDING ALL)`);
  }
  const psql = [source.binaries ?? '', '/usr/bin'].map((folder) => path.join(folder, 'psql')).find(existsSync);
  /** @param {() => Promise<void>} copy */
  const timed = async (copy) => {
    await server.query(url, `TRUNCATE ${names.join(', ')}`);
    const since = performance.now();
    await copy();
    return performance.now() - since;
  };
  const client = await timed(() => copyIn(url, names, files));
  if (psql === undefined) return { client, psql: 0 };
  const commands = names.flatMap((name, index) => ['-c', `\\copy ${name} FROM '${files[index]}'`]);
  return { client, psql: await timed(async () => void execFileSync(psql, [url, '-q', ...commands])) };
}

const PIECE = 65_536;

/** COPY as pg's own connection speaks it, which has no more of it than this. */
class CopyIn extends pg.Query {
  /** @type {Buffer} */
  data = Buffer.alloc(0);

  /** @param {{ sendCopyFromChunk(chunk: Buffer): void, endCopyFrom(): void }} connection */
  handleCopyInResponse(connection) {
    for (let at = 0; at < this.data.length; at += PIECE)
      connection.sendCopyFromChunk(this.data.subarray(at, at + PIECE));
    connection.endCopyFrom();
  }
}

/**
 * @param {string} url
 * @param {readonly string[]} names
 * @param {readonly string[]} files
 */
async function copyIn(url, names, files) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [index, name] of names.entries()) {
    const data = readFileSync(files[index] ?? '');
    await new Promise((resolve, reject) => {
      const query = new CopyIn(`COPY ${name} FROM STDIN`);
      query.data = data;
      query.once('end', resolve);
      query.once('error', reject);
      client.query(query);
    });
  }
  await client.end();
}

/**
 * @param {Source} source
 * @param {Postgres} server
 * @param {import('../../src/app/ports.ts').EventStore} store
 * @param {AbortSignal} signal
 */
async function afterOutage(source, server, store, signal) {
  const url = await server.database('outage');
  const one = source.machineWith(store, 'outage', url, { clock: source.systemClock });
  const ready = one.standing();
  await one.say(source.turns('s', 0, 1));
  one.start();
  await ready;
  await server.kill();
  let turn = 1;
  for (const end = performance.now() + OUTAGE_MS; performance.now() < end; turn++) {
    await one.say(source.turns('s', turn, 1));
    await pause(TURN_EVERY_MS, undefined, { signal });
  }
  await server.start();
  const since = performance.now();
  const all = `SELECT count(*)::int AS n FROM agent_mascot.interactions`;
  while ((await server.query(url, all))[0]?.['n'] !== turn * 3) await pause(50, undefined, { signal });
  const ms = performance.now() - since;
  await one.stop();
  await store.close();
  return { ms, events: (turn - 1) * 4 };
}
