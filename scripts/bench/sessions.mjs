/** What hooks cost the collector while fifty sessions live, each with a transcript of 50 MB that it follows and that grows. */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, statfs } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile, ratio } from './frame.mjs';
import { post } from './load.mjs';
import { cpuMs, shareOf, untilQuiet } from './processFigures.mjs';
import { startCollector } from './servers.mjs';

const SESSIONS = 50;
const TRANSCRIPT_BYTES = 50 * 1024 * 1024;
const HOOKS = 2_000;
const HOOK_EVERY_MS = 5;
const FOLLOW_SECONDS = 10;
const GROW_EVERY_MS = 20;

/** @type {import('./frame.mjs').Bench} */
export const sessions = {
  name: 'sessions',
  about: `hooks beside ${SESSIONS} live sessions with transcripts of ${TRANSCRIPT_BYTES / 1024 / 1024} MB, and what following those costs`,
  async run(context) {
    if (process.platform !== 'linux')
      return [
        { what: 'sessions', value: 'not measured', note: 'processor time is read from /proc, which only Linux has' },
      ];
    const { bavail, bsize } = await statfs(context.scratch);
    if (bavail * bsize < SESSIONS * TRANSCRIPT_BYTES * 1.2)
      return [{ what: 'sessions', value: 'not measured', note: 'needs 3 GB of free space' }];
    const without = await measure(context, 'without', false);
    const withThem = await measure(context, 'with', true);
    const hooks = (/** @type {string} */ what, /** @type {Measured} */ { latencies, cpuPerHook }) => ({
      what,
      value: `median ${median(latencies).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms`,
      ratio: ratio(median(latencies), median(without.latencies)),
      note: `until the answer, event on disk; ${cpuPerHook.toFixed(2)} ms of processor a hook`,
    });
    return [
      hooks('a hook, no transcripts', without),
      hooks('a hook, transcripts followed and growing', withThem),
      {
        what: 'following, quiet',
        value: `${(withThem.quietShare * 100).toFixed(2)} % of one processor`,
        note: 'nothing is written anywhere',
      },
      {
        what: `following, ${1000 / GROW_EVERY_MS} lines/s in all`,
        value: `${(withThem.growShare * 100).toFixed(2)} % of one processor`,
        note: 'no hooks meanwhile',
      },
      {
        what: 'reading all from the start, once',
        value: `${(withThem.catchUpMs / 1000).toFixed(1)} s of processor`,
        note: `${((SESSIONS * TRANSCRIPT_BYTES) / 1e9).toFixed(1)} GB`,
      },
    ];
  },
};

/**
 * @typedef {object} Measured
 * @property {number[]} latencies
 * @property {number} cpuPerHook
 * @property {number} quietShare
 * @property {number} growShare
 * @property {number} catchUpMs
 */

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} name
 * @param {boolean} transcripts
 * @returns {Promise<Measured>}
 */
async function measure(context, name, transcripts) {
  const home = path.join(context.scratch, name);
  const config = path.join(home, 'claude');
  const folder = path.join(config, 'projects', '-home-dev-project');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const ids = Array.from({ length: SESSIONS }, () => randomUUID());
  const fileOf = (/** @type {string} */ id) => path.join(folder, `${id}.jsonl`);
  if (transcripts) await writeTranscripts(ids.map(fileOf), context);
  const collector = await startCollector(context, home);
  try {
    const send = (/** @type {string} */ id, /** @type {object} */ hook) =>
      post(
        collector,
        undefined,
        body({ session_id: id, transcript_path: fileOf(id), cwd: '/home/dev/project', ...hook }),
      );
    const began = await cpuMs(collector.pid);
    for (const id of ids) {
      await send(id, { hook_event_name: 'SessionStart', source: 'resume' });
      await send(id, { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' });
    }
    await untilQuiet(collector.pid, { signal: context.signal, share: 0.05, seconds: 3 });
    const catchUpMs = (await cpuMs(collector.pid)) - began;
    const quietShare = await shareOf(collector.pid, () => pause(FOLLOW_SECONDS * 1000));
    const growing = transcripts ? grow(ids.map(fileOf)) : undefined;
    const growShare = await shareOf(collector.pid, () => pause(FOLLOW_SECONDS * 1000));
    const before = await cpuMs(collector.pid);
    const latencies = [];
    for (let n = 0; n < HOOKS; n++) {
      context.signal.throwIfAborted();
      const since = performance.now();
      await send(ids[n % SESSIONS] ?? '', toolHook(n));
      latencies.push(performance.now() - since);
      await pause(HOOK_EVERY_MS);
    }
    const cpuPerHook = ((await cpuMs(collector.pid)) - before) / HOOKS;
    await growing?.stop();
    return { latencies, cpuPerHook, quietShare, growShare, catchUpMs };
  } finally {
    await collector.stop();
  }
}

/** @param {number} n */
function toolHook(n) {
  return {
    hook_event_name: n % 2 === 0 ? 'PreToolUse' : 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: `toolu_${n - (n % 2)}`,
    tool_input: { command: `npm test -- --run ${n}` },
    ...(n % 2 === 0 ? {} : { tool_response: { stdout: 'ok '.repeat(200) } }),
  };
}

/** @param {object} payload */
function body(payload) {
  const _meta = { delivery_id: randomUUID(), collected_at: new Date().toISOString(), provider: 'claude' };
  return JSON.stringify({ ...payload, _meta });
}

/**
 * @param {readonly string[]} files
 * @param {import('./frame.mjs').BenchContext} context
 */
async function writeTranscripts(files, { signal, log }) {
  const [first = '', ...others] = files;
  log(`writing ${files.length} transcripts of ${TRANSCRIPT_BYTES / 1024 / 1024} MB`);
  const handle = await open(first, 'w', 0o600);
  for (let size = 0, n = 0; size < TRANSCRIPT_BYTES;) {
    const lines = Array.from({ length: 200 }, () => line(n++)).join('');
    size += (await handle.write(lines)).bytesWritten;
  }
  await handle.close();
  for (const file of others) {
    signal.throwIfAborted();
    await copyFile(first, file);
  }
}

/** An hour ago: nothing that a session's present state could depend on. */
const PAST = new Date(Date.now() - 3_600_000).toISOString();

/**
 * Of eight lines one is long, as a tool's result is, and two are none of ours, as in a real transcript.
 * @param {number} n
 */
function line(n, timestamp = PAST) {
  const common = { uuid: randomUUID(), timestamp, cwd: '/home/dev/project', entrypoint: 'cli', version: '2.1.327' };
  const kinds = [
    () => ({ type: 'assistant', message: message(n, { type: 'text', text: 'I look at the next file. '.repeat(8) }) }),
    () => ({
      type: 'assistant',
      message: message(n - 1, { type: 'tool_use', id: `t${n}`, name: 'Read', input: { file_path: '/a' } }),
    }),
    () => ({
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${n - 1}`, content: 'x'.repeat(6_000) }],
      },
    }),
    () => ({ type: 'attachment', attachment: { type: 'environment', text: 'y'.repeat(1_000) } }),
    () => ({ type: 'assistant', message: message(n, { type: 'thinking', thinking: 'What next? '.repeat(20) }) }),
    () => ({
      type: 'assistant',
      message: message(n - 1, { type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: 'ls' } }),
    }),
    () => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n - 1}`, content: 'ok' }] },
    }),
    () => ({ type: 'file-history-snapshot', snapshot: {} }),
  ];
  return `${JSON.stringify({ ...common, ...(kinds[n % kinds.length]?.() ?? {}) })}\n`;
}

/**
 * @param {number} n
 * @param {object} block
 */
function message(n, block) {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 40_000,
    output_tokens: 180,
  };
  return { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-5-5', content: [block], usage };
}

/**
 * Every session writes in its turn.
 * @param {readonly string[]} files
 */
function grow(files) {
  let stopped = false;
  const run = async () => {
    const handles = await Promise.all(files.map((file) => open(file, 'a')));
    for (let n = 1_000_000; !stopped; n++) {
      await handles[n % handles.length]?.write(line(n, new Date().toISOString()));
      await pause(GROW_EVERY_MS);
    }
    await Promise.all(handles.map((handle) => handle.close()));
  };
  const running = run();
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}
