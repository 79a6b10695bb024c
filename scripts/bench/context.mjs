/** MEM-4: how long it takes to make what a starting agent is told, with a thousand sessions behind it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundled } from './bundled.mjs';
import { median, quantile, ratio } from './frame.mjs';

const SOURCES = [
  'src/node/store/eventStore.ts',
  'src/node/collector/pastSessions.ts',
  'src/app/memory.ts',
  'src/domain/reduce.ts',
  'src/domain/restore.ts',
];
const SESSIONS = 1_000;
const CALLS = 40;
const TOLD = 5;
const TOKENS = 1_000;
const DEFAULT_RUNS = 20;
/** What an agent waits for at its start; a machine under load may take this many times as long as its rule. */
const RULE_MS = 50;
const PATIENCE = 3;

/** @type {import('./frame.mjs').Bench} */
export const context = {
  name: 'context',
  about: `what a starting agent is told, made of ${SESSIONS.toLocaleString('en')} sessions of ${CALLS} calls`,
  async run({ root, scratch, runs = DEFAULT_RUNS, signal, log }) {
    const { openEventStore, createPastSessions, createMemory, reduceAll, rowOf } = await bundled(
      root,
      scratch,
      SOURCES,
    );
    const wasm = await readFile(path.join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'));
    const silent = { debug() {}, info() {}, warn: log, error: log };
    const folder = path.join(scratch, 'store');
    const { store } = await openEventStore({ folder, wasm, log: silent, generation: 1, mayWrite: () => true });
    const rows = Array.from({ length: SESSIONS }, (_, number) => rowOf(reduceAll(eventsOf(number))));
    store.saveSessions(rows);
    const now = () => Date.UTC(2026, 1, 1);
    const nobody = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };
    const source = { snapshot: () => nobody };
    const past = createPastSessions({ source, store, now }, 60_000);
    const rules = { sessions: () => TOLD, tokens: () => TOKENS, agentWords: () => true, excludes: () => false };
    const memory = createMemory({ past, rules, clock: { now }, work: () => [] });
    /** @param {string | undefined} project */
    const told = async (project) => {
      const since = performance.now();
      const recalled = await memory.recall({ project });
      const text = recalled.textWithin(recalled.tokens);
      return { ms: performance.now() - since, text };
    };
    const results = [];
    for (const [what, project] of CASES) {
      const times = [];
      const parsing = [];
      let text;
      for (let round = 0; round <= runs; round++) {
        signal.throwIfAborted();
        const one = await told(project);
        const since = performance.now();
        for (const { json } of rows) JSON.parse(json);
        if (round > 0) times.push(one.ms);
        if (round > 0) parsing.push(performance.now() - since);
        text = one.text;
      }
      if (median(times) > RULE_MS * PATIENCE) throw new Error(`${what} took ${median(times).toFixed(0)} ms`);
      results.push({
        what,
        value: `p50 ${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms`,
        ratio: ratio(median(times), median(parsing)),
        note: `${text.sessions} sessions in ${text.tokens} tokens; of parsing all rows`,
      });
    }
    await store.close();
    return results;
  },
};

/** @type {readonly (readonly [string, string | undefined])[]} */
const CASES = [
  ['the five newest are of the project', '/w/new'],
  ['the five oldest are', '/w/old'],
  ['none is', '/w/none'],
  ['all projects', undefined],
];

/** @param {number} number */
function eventsOf(number) {
  const isOld = number < TOLD;
  const isNew = number >= SESSIONS - TOLD;
  const project = { path: isOld ? '/w/old' : isNew ? '/w/new' : `/w/p${number}` };
  const own = { session_id: `s${number}`, agent_id: `s${number}/main`, project };
  let index = number * (CALLS * 2 + 4);
  /**
   * @param {string} event_type
   * @param {object} payload
   */
  const event = (event_type, payload) => ({
    ...{ id: `e${++index}`, version: '1.1', source: 'hook', provider: 'claude', workspace_id: 'w' },
    ...{ terminal_session_id: 't', severity: 'info', raw: {}, event_type, payload },
    ts: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
    ...own,
  });
  const calls = Array.from({ length: CALLS }, (_, call) => {
    const file = `${project.path}/src/part-${call % 12}/file-${call % 17}.ts`;
    const kinds = [
      { tool_name: 'Read', mood: 'reading', target: file },
      { tool_name: 'Edit', mood: 'writing', target: file },
      { tool_name: 'Bash', mood: 'running', target: `npm test -- part-${call % 12}` },
    ];
    const payload = { ...kinds[call % kinds.length], tool_use_id: `toolu_${number}_${call}` };
    return [event('tool_started', payload), event('tool_succeeded', payload)];
  });
  return [
    event('user_prompt', {
      prompt: `Job ${number}: let the orders of a customer be sorted by their date`,
      cwd: project.path,
    }),
    ...calls.flat(),
    event('user_prompt', { prompt: 'and say in the log which of them were left out, with the reason for each' }),
    event('turn_ended', {
      reason: 'completed',
      message: 'The orders are sorted by date; what is left out is logged. '.repeat(5),
    }),
    event('session_ended', { reason: 'prompt_input_exit' }),
  ];
}
