/** One life of a collector: started empty, given hooks until it falls quiet, started again with them, searched. */
import http from 'node:http';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bodyOf, createHookSessions, PLANTED_WORDS } from './hookSessions.mjs';
import { get, post } from './load.mjs';
import { cpuMs, holdUpOf, memoryOf, PROBE, shareOf, untilQuiet, writtenBy } from './processFigures.mjs';
import { startCollector } from './servers.mjs';

export const SEED = 1;

const CLIENTS = 8;
const LIVE_SESSIONS = 40;
const DEFAULT_STARTS = 3;
/** A store of a million hooks may take long, and that is what is measured. */
const START_LIMIT_MS = 300_000;

/** The probe's timer alone uses some hundredths of a processor. */
const QUIET = { share: 0.1, seconds: 10, limitSeconds: 300 };
const IDLE_MS = 3_000;
const WITHOUT_PROC_MS = 10_000;
const TRY_AGAIN_MS = 100;

const BLOCK_BYTES = 64 * 1024;
const SAMPLE_BYTES = 2_000_000;

const SEARCHES_A_KIND = 40;
const HITS_OF_A_SEARCH = 50;
/** Words that are in many of the texts, in two of them, and in none. */
const SEARCHED = {
  common: ['the', 'session', '세션', '오류'],
  rare: PLANTED_WORDS,
  absent: ['zqxjkvbw', '꿩먹고알먹고'],
};

/** Retention must not delete anything during the run: that would count as saved. */
const SETTINGS = { 'agentMascot.retention.days': 3_650, 'agentMascot.retention.megabytes': 1_000 };

/**
 * @typedef {object} Footprint  sizes in bytes; undefined: can't be measured on this machine
 * @property {number} hooks
 * @property {number} sessions
 * @property {number} interactions
 * @property {number} bytes  of the hooks' bodies
 * @property {number} gzipped  their size in gzipped blocks, as a share
 * @property {number} retried
 * @property {number} seconds
 * @property {boolean} wentQuiet
 * @property {{ empty: number, held: number, peak: number, restarted: number, searched: number } | undefined} memory
 * @property {{ quiet: number, stopped: number }} disk
 * @property {{ toDisk: number, byCalls: number } | undefined} written
 * @property {{ intake: HoldUp, after: HoldUp } | undefined} holdUp
 * @property {number | undefined} cpuMs  beyond what an empty collector, with the probe in it, uses in that time
 * @property {number[]} ready  milliseconds
 * @property {number[] | undefined} readyCpu  processor time until then, in milliseconds
 * @property {Record<keyof typeof SEARCHED, { times: number[], hits: number }>} searches  milliseconds
 *
 * @typedef {Awaited<ReturnType<typeof holdUpOf>>} HoldUp
 */

/**
 * @param {import('./frame.mjs').BenchContext} context  its `root` is the release
 * @param {number} hooks
 * @param {string} name  of its home, in the scratch folder
 * @returns {Promise<Footprint>}
 */
export async function measureFootprint(context, hooks, name) {
  const home = path.join(context.scratch, name);
  const settings = path.join(context.scratch, `${name}.settings.json`);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(settings, JSON.stringify(SETTINGS));
  const how = { options: ['--settings', settings], startLimitMs: START_LIMIT_MS };
  const filled = await fill(context, home, how, hooks);
  const stopped = (await bytesIn(home)) - filled.disk.empty;
  const started = await startAgain(context, home, how);
  const { memory } = filled;
  return {
    ...filled,
    memory: memory && { ...memory, restarted: started.memory?.now ?? 0, searched: started.searched?.now ?? 0 },
    disk: { quiet: filled.disk.quiet - filled.disk.empty, stopped },
    ready: started.ready,
    readyCpu: started.readyCpu,
    searches: started.searches,
  };
}

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} home
 * @param {import('./servers.mjs').CollectorStart} how
 * @param {number} hooks
 */
async function fill(context, home, how, hooks) {
  const isProbed = process.platform !== 'win32';
  const probeFile = `${home}.loop.json`;
  const probed = { ...how, env: { LOOP_PROBE_FILE: probeFile }, nodeArgs: ['-r', PROBE] };
  const collector = await startCollector(context, home, isProbed ? probed : how);
  const { pid } = collector;
  const holdUp = () => holdUpOf(pid, probeFile);
  try {
    await settle(context, pid);
    const idleShare = process.platform === 'linux' ? await shareOf(pid, () => pause(IDLE_MS)) : 0;
    const [before, emptyBytes] = [await figuresOf(pid), await bytesIn(home)];
    if (isProbed) await holdUp();
    const since = performance.now();
    const sent = await sendHooks(context, collector, hooks);
    const seconds = (performance.now() - since) / 1_000;
    const intake = isProbed ? await holdUp() : undefined;
    const wentQuiet = await settle(context, pid);
    const after = isProbed ? await holdUp() : undefined;
    const [now, quietBytes] = [await figuresOf(pid), await bytesIn(home)];
    const idleMs = idleShare * (performance.now() - since);
    return {
      hooks,
      ...sent,
      seconds,
      wentQuiet,
      disk: { empty: emptyBytes, quiet: quietBytes },
      memory: now && before && { empty: before.memory.now, held: now.memory.now, peak: now.memory.peak },
      written: now?.written &&
        before?.written && {
          toDisk: now.written.toDisk - before.written.toDisk,
          byCalls: now.written.byCalls - before.written.byCalls,
        },
      cpuMs: now && before && now.cpu - before.cpu - idleMs,
      holdUp: intake && after && { intake, after },
    };
  } finally {
    await collector.stop();
  }
}

/**
 * Starts the collector some times with what is stored; the last one is searched.
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} home
 * @param {import('./servers.mjs').CollectorStart} how
 */
async function startAgain(context, home, how) {
  const { runs = DEFAULT_STARTS, signal } = context;
  const [ready, readyCpu] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let run = 1; ; run++) {
    signal.throwIfAborted();
    const since = performance.now();
    const collector = await startCollector(context, home, how);
    try {
      await read(collector, undefined, '/api/state');
      ready.push(performance.now() - since);
      const figures = await figuresOf(collector.pid);
      if (figures) readyCpu.push(figures.cpu);
      if (run < runs) continue;
      await settle(context, collector.pid);
      const memory = (await figuresOf(collector.pid))?.memory;
      const searches = await searchAll(collector, signal);
      const searched = (await figuresOf(collector.pid))?.memory;
      return { ready, readyCpu: figures && readyCpu, memory, searches, searched };
    } finally {
      await collector.stop();
    }
  }
}

/**
 * Each client has its own sessions and waits for the answer to a hook before it sends the next. A hook counts once it was answered
 * with 200.
 * @param {import('./frame.mjs').BenchContext} context
 * @param {import('./servers.mjs').BenchServer} server
 * @param {number} hooks
 */
async function sendHooks({ signal, log }, server, hooks) {
  const hooksOf = createHookSessions(SEED);
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const totals = { sessions: 0, interactions: 0, bytes: 0, retried: 0 };
  let [sent, sample] = [0, ''];
  /** @param {number} number */
  const client = async (number) => {
    const share = Math.floor((hooks + CLIENTS - 1 - number) / CLIENTS);
    const places = placesOf(number);
    for (let n = 0; n < share; n++) {
      signal.throwIfAborted();
      const hook = nextHook(/** @type {Place} */ (places[n % places.length]));
      const body = bodyOf(hook);
      totals.bytes += Buffer.byteLength(body);
      if (hook.isInteraction) totals.interactions++;
      if (sample.length < SAMPLE_BYTES) sample += `${body}\n`;
      totals.retried += await deliver(server, agent, body);
      if (++sent % Math.ceil(hooks / 4) === 0)
        log(`${sent.toLocaleString('en')} of ${hooks.toLocaleString('en')} hooks`);
    }
  };
  /** @typedef {{ session: number, hooks: ReturnType<typeof hooksOf> | undefined }} Place  of one live session */
  /** @param {number} number @returns {Place[]} */
  const placesOf = (number) =>
    Array.from({ length: LIVE_SESSIONS / CLIENTS }, (_, n) => ({
      session: number + n * CLIENTS - LIVE_SESSIONS,
      hooks: undefined,
    }));
  /** Of the session in this place, or of the one that follows it there. @param {Place} place */
  const nextHook = (place) => {
    const next = place.hooks?.next();
    if (next && !next.done) return next.value;
    place.session += LIVE_SESSIONS;
    place.hooks = hooksOf(place.session);
    totals.sessions++;
    return /** @type {import('./hookSessions.mjs').Hook} */ (place.hooks.next().value);
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  } finally {
    agent.destroy();
  }
  return { ...totals, gzipped: gzippedShare(Buffer.from(sample)) };
}

/**
 * Resolves, once the hook was taken, to how often it had to be sent again because the collector was busy.
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent} agent
 * @param {string} body
 */
async function deliver(server, agent, body) {
  for (let again = 0; ; again++) {
    const { status, text } = await post(server, agent, body);
    if (status === 200) {
      const { ok, id, duplicate } = JSON.parse(text);
      // A hook that was sent again may have been taken the first time.
      if (ok !== true || !id || (duplicate && again === 0))
        throw new Error(`a hook was not stored: ${text.slice(0, 200)}`);
      return again;
    }
    if (status !== 503) throw new Error(`a hook was answered ${status}: ${text.slice(0, 200)}`);
    await pause(TRY_AGAIN_MS);
  }
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {AbortSignal} signal
 */
async function searchAll(server, signal) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const empty = () => ({ times: /** @type {number[]} */ ([]), hits: 0 });
  const searches = { common: empty(), rare: empty(), absent: empty() };
  try {
    for (let n = 0; n < SEARCHES_A_KIND; n++) {
      for (const kind of /** @type {const} */ (['common', 'rare', 'absent'])) {
        signal.throwIfAborted();
        const words = SEARCHED[kind];
        const since = performance.now();
        const hits = await search(server, agent, words[n % words.length] ?? '');
        searches[kind].times.push(performance.now() - since);
        searches[kind].hits = Math.max(searches[kind].hits, hits);
      }
    }
  } finally {
    agent.destroy();
  }
  return searches;
}

/**
 * Reads on until a page is full or all was searched, as a person waits; resolves to the number of hits.
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent} agent
 * @param {string} text
 */
async function search(server, agent, text) {
  let hits = 0;
  /** @type {string | null} */
  let cursor = null;
  do {
    const query = new URLSearchParams({
      q: text,
      limit: String(HITS_OF_A_SEARCH - hits),
      ...(cursor === null ? {} : { cursor }),
    });
    const page = /** @type {{ items: unknown[], next: string | null }} */ (
      JSON.parse(await read(server, agent, `/api/search?${query}`))
    );
    hits += page.items.length;
    cursor = page.next;
  } while (cursor !== null && hits < HITS_OF_A_SEARCH);
  return hits;
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent | undefined} agent
 * @param {string} route
 */
async function read(server, agent, route) {
  const { status, text } = await get(server, agent, route);
  if (status !== 200) throw new Error(`${route} was answered ${status}: ${text.slice(0, 200)}`);
  return text;
}

/**
 * Waits until the process has nothing left to do; false if it never came to that.
 * @param {import('./frame.mjs').BenchContext} context
 * @param {number} pid
 */
async function settle({ signal }, pid) {
  if (process.platform === 'linux') return untilQuiet(pid, { ...QUIET, signal });
  await pause(WITHOUT_PROC_MS, undefined, { signal });
  return true;
}

/**
 * Undefined where there is no /proc.
 * @param {number} pid
 */
async function figuresOf(pid) {
  if (process.platform !== 'linux') return undefined;
  const [memory, cpu] = [await memoryOf(pid), await cpuMs(pid)];
  // Some containers hide this file.
  return { memory, cpu, written: await writtenBy(pid).catch(() => undefined) };
}

/**
 * The sizes of all files below a folder.
 * @param {string} folder
 */
async function bytesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  // The collector may remove a file meanwhile.
  const found = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return found.reduce((sum, each) => sum + (each?.isFile() ? each.size : 0), 0);
}

/** @param {Buffer} bytes */
function gzippedShare(bytes) {
  let size = 0;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) size += gzipSync(bytes.subarray(at, at + BLOCK_BYTES)).length;
  return size / bytes.length;
}
