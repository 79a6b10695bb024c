/** CNV-3: how long a search over everything that was ever said takes, in the real store. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bundled } from './bundled.mjs';
import { median, quantile, ratio } from './frame.mjs';
import { createTexts } from './searchTexts.mjs';

const INTERACTIONS = 100_000;
const BATCH = 500;
const SESSIONS = 2_000;
const PAGE = 50;
const DEFAULT_RUNS = 20;
/** Every query has to be so much quicker than the walk through everything that it replaces. */
const TIMES_QUICKER = 10;

/** Said in these interactions, newest first, and nowhere else. */
const PLANTED = {
  '은하수를 건너는 고양이': [77_000, 3_000],
  createSearchIndexOf: [60_000, 500],
  횃불: [41_000],
};

const QUERIES = [
  ['Korean, common', '검색'],
  ['Korean, rare', '횃불'],
  ['Korean, absent', '꿩먹고알먹고'],
  ['Korean, a long phrase', '은하수를 건너는 고양이'],
  ['Korean, one syllable', '뷁'],
  ['Japanese', '検索'],
  ['Chinese, absent', '葡萄牙'],
  ['English, common', 'the'],
  ['English, short, absent', 'zq'],
  ['a code identifier', 'createSearchIndexOf'],
];

/** @type {import('./frame.mjs').Bench} */
export const search = {
  name: 'search',
  about: `the newest ${PAGE} of ${INTERACTIONS.toLocaleString('en')} interactions in five scripts that contain a text, or all of them`,
  async run({ root, scratch, runs = DEFAULT_RUNS, signal, log }) {
    /** @type {typeof import('../../src/node/store/eventStore.ts')} */
    const { openEventStore } = await bundled(root, scratch, ['src/node/store/eventStore.ts']);
    const wasm = await readFile(path.join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'));
    const silent = { debug() {}, info() {}, warn: log, error: log };
    const open = () =>
      openEventStore({
        folder: path.join(scratch, 'store'),
        wasm,
        log: silent,
        generation: 1,
        mayWrite: () => true,
      });
    const filled = await open();
    const characters = await fill(filled.store, signal);
    await filled.store.checkpoint();
    await filled.store.close();
    const { store } = await open();
    /** @param {string} text */
    const look = (text) => {
      const [since, cpu] = [performance.now(), process.cpuUsage()];
      const items = [];
      let [slice, slowest] = [since, 0];
      /** @type {string | undefined} */
      let cursor;
      do {
        const page = store.searchSayings({ text }, { limit: PAGE - items.length, cursor });
        items.push(...page.items);
        cursor = page.next ?? undefined;
        slowest = Math.max(slowest, performance.now() - slice);
        slice = performance.now();
      } while (cursor !== undefined && items.length < PAGE);
      const { user, system } = process.cpuUsage(cpu);
      return { ms: performance.now() - since, cpuMs: (user + system) / 1000, hits: items.length, slowest };
    };
    const before = usedBytes();
    const loading = look('꿩먹고알먹고');
    const bytes = usedBytes() - before;
    const walk = walkThrough(store, '꿩먹고알먹고');
    const rows = QUERIES.map(([what = '', text = '']) => {
      const seen = Array.from({ length: runs }, () => look(text));
      signal.throwIfAborted();
      const times = seen.map(({ ms }) => ms);
      const p95 = quantile(times, 0.95);
      if (median(times) * TIMES_QUICKER > walk)
        throw new Error(`${what}: ${median(times).toFixed(0)} ms, a walk ${walk.toFixed(0)}`);
      return {
        what,
        value: `p50 ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
        ratio: ratio(median(times), walk),
        note: `${seen[0]?.hits} hits; ${median(seen.map(({ cpuMs }) => cpuMs)).toFixed(1)} ms of processor; longest slice ${Math.max(...seen.map(({ slowest }) => slowest)).toFixed(1)} ms`,
      };
    });
    return [
      { what: 'a walk through everything, once', value: `${walk.toFixed(0)} ms`, ratio: '1.00×' },
      ...rows,
      {
        what: 'the first search after a start',
        value: `${loading.ms.toFixed(0)} ms`,
        note: `${loading.cpuMs.toFixed(0)} ms of processor, in slices, the longest ${loading.slowest.toFixed(1)} ms`,
      },
      { what: 'memory for it', value: `${(bytes / INTERACTIONS).toFixed(0)} bytes an interaction` },
      ...(await insertCost(store, characters)),
    ];
  },
};

/** Without what is only waiting to be collected. */
function usedBytes() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/**
 * Gives how many characters an interaction has.
 * @param {import('../../src/app/ports.ts').EventStore} store
 * @param {AbortSignal} signal
 */
async function fill(store, signal) {
  const textOf = createTexts(1);
  let characters = 0;
  for (let from = 0; from < INTERACTIONS; from += BATCH) {
    signal.throwIfAborted();
    const batch = Array.from({ length: BATCH }, (_, offset) => {
      const record = saying(from + offset, textOf(from + offset) + plantedIn(from + offset));
      characters += saidIn(record.event).length;
      return record;
    });
    await store.append(batch);
  }
  return characters / INTERACTIONS;
}

/** @param {number} number */
function plantedIn(number) {
  const texts = Object.entries(PLANTED).filter(([, numbers]) => numbers.includes(number));
  return texts.map(([text]) => ` ${text}`).join('');
}

/**
 * @param {number} number
 * @param {string} text
 * @returns {import('../../src/app/ports.ts').EventRecord}
 */
function saying(number, text) {
  const isPrompt = number % 2 === 0;
  const said = isPrompt ? { prompt: text } : { message: text, reason: 'completed' };
  const raw = isPrompt ? { prompt: text } : { last_assistant_message: text };
  return {
    event: {
      id: `evt-${String(number).padStart(12, '0')}`,
      version: '1.1',
      ts: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
      event_type: isPrompt ? 'user_prompt' : 'turn_ended',
      source: 'hook',
      provider: 'claude',
      workspace_id: 'w',
      terminal_session_id: 't',
      session_id: `session-${Math.floor(number / (INTERACTIONS / SESSIONS))}`,
      agent_id: 'a',
      severity: 'info',
      payload: said,
      raw: { cwd: '/home/dev/project', ...raw },
    },
    keys: [`delivery/${number}`],
    rank: 0,
  };
}

/**
 * What was done before there was an index.
 * @param {import('../../src/app/ports.ts').EventStore} store
 * @param {string} text
 */
function walkThrough(store, text) {
  const since = performance.now();
  for (let session = 0; session < SESSIONS; session++) {
    /** @type {string | undefined} */
    let cursor;
    do {
      const page = store.sayings(`session-${session}`, { limit: 50, cursor });
      for (const event of page.items) saidIn(event).normalize('NFKC').toLowerCase().includes(text);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
  return performance.now() - since;
}

/**
 * @param {import('../../src/app/ports.ts').EventStore} store
 * @param {number} characters
 */
async function insertCost(store, characters) {
  const textOf = createTexts(2);
  const times = { said: 0, silent: 0 };
  const count = 2_000;
  for (let n = 0; n < count; n++) {
    const record = saying(INTERACTIONS + n, textOf(n));
    const silent = { ...record, event: { ...record.event, event_type: /** @type {const} */ ('tool_started') } };
    const told = n % 2 === 0 ? record : silent;
    const since = performance.now();
    await store.append([told]);
    times[told === silent ? 'silent' : 'said'] += performance.now() - since;
  }
  const [said, silent] = [times.said, times.silent].map((ms) => (ms * 1000) / (count / 2));
  return [
    {
      what: 'storing what was said',
      value: `${said?.toFixed(0)} µs each`,
      ratio: ratio(said ?? 0, silent ?? 1),
      note: `to an event of the same size that nobody said, ${silent?.toFixed(0)} µs; ${characters.toFixed(0)} characters on average`,
    },
  ];
}

/**
 * @param {import('../../src/protocol/event.ts').AgentEvent} event
 * @returns {string}
 */
function saidIn({ payload }) {
  const { prompt, message } = /** @type {{ prompt?: string, message?: string }} */ (payload);
  return String(prompt ?? message);
}
