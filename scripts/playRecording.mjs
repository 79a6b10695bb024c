#!/usr/bin/env node
/**
 * Plays a recorded session of an agent through the built forwarder, as if the agent ran now: one process for each hook, at
 * its time or when the one before has ended, because the collector goes by the order in which they start. Every id is made
 * anew, so that a recording can be played again and again without being taken for a repeat. Prompts are put into words for
 * people.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { friendly } from './start/friendlyPrompts.mjs';

const root = path.join(import.meta.dirname, '..');
const recordingsFolder = path.join(root, 'test', 'recordings');
const builtForwarder = path.join(root, 'dist', 'forwarder', 'forward-to-mascot.mjs');

/** Where the recordings were made. */
const recordedFolder = '/home/dev/project';

/** People don't watch for the minutes that somebody once thought about a permission. */
const GAP_MAX_MS = 3000;

/** Their values are re-made wherever they occur. A task's id is a small number and stays. */
const idKeys = new Set(
  'session_id sessionId prompt_id tool_use_id toolUseId agent_id agentId turn_id message_id msg_id'.split(' '),
);

/**
 * @typedef {{ t_ms: number, event: string, installedFor?: string, hook_cwd?: string, stdin: Record<string, unknown> }} HookLine
 * @typedef {{ t_ms: number, note: string }} NoteLine
 * @typedef {{ name: string, file: string }} Recording
 * @typedef {{ at: number, event: string, why: string }} Failure
 * @typedef {object} Play
 * @property {string} file               a recording: a path, or a name as `recordings()` lists it
 * @property {number} [speed]            1 as recorded, 10 ten times as fast
 * @property {string} [forwarder]        the built forwarder
 * @property {string} [node]             the program that runs it
 * @property {NodeJS.ProcessEnv} [env]   what the hooks see, beside CLAUDE_PROJECT_DIR
 * @property {string} [cwd]              the folder that the agent seems to work in
 * @property {number} [lingerMs]         how long the agents stay before the session's end, which then comes even to a stopped play
 * @property {(line: string) => void} [log]
 * @property {AbortSignal} [signal]      ends the play; what was started is waited for
 */

/**
 * Resolves when the last forwarder has ended.
 * @param {Play} play
 * @returns {Promise<{ played: number, failed: Failure[] }>}
 */
export async function playRecording(play) {
  const { speed = 1, forwarder = builtForwarder, node = process.execPath, lingerMs = 0, signal } = play;
  const { env = process.env, cwd = process.cwd(), log = console.log } = play;
  if (!(speed > 0 && Number.isFinite(speed))) throw new Error(`speed must be a number above 0, not ${speed}`);
  if (!existsSync(forwarder)) throw new Error(`${forwarder} is not there; run "npm run build" first`);
  const file = await fileOf(play.file);
  const provider = providerOf(file);
  /** @type {Map<number, number>} */
  const moments = new Map();
  const lines = renew(friendly(parseRecording(await readFile(file, 'utf8'), play.file)), cwd);
  const count = lines.filter((line) => 'event' in line).length;
  let end = lines.findLast((line) => 'event' in line && /^sessionEnd$/i.test(line.event));

  /** @type {Promise<Failure | undefined>[]} */
  const running = [];
  /** @param {HookLine | NoteLine} line */
  const fire = (line) => {
    if (!('event' in line)) return log(`        (${line.note})`);
    if (line === end) end = undefined;
    const at = running.length + 1;
    log(`${String(at).padStart(String(count).length)}/${count} ${line.event}${subject(line.stdin)}`);
    const folder = line.hook_cwd !== undefined && existsSync(line.hook_cwd) ? line.hook_cwd : cwd;
    const hookEnv = isClaude(line) ? { ...env, CLAUDE_PROJECT_DIR: cwd } : env;
    const whose = line.installedFor ?? provider;
    const told = [...(whose === undefined ? [] : ['--provider', whose]), '--event', line.event];
    const hook = runHook([node, forwarder, ...told], { cwd: folder, env: hookEnv }, stampedNow(line.stdin, moments));
    running.push(hook.then((why) => (why === undefined ? undefined : { at, event: line.event, why })));
  };

  let before = 0;
  /** @type {unknown} */
  let stopped;
  for (const line of lines) {
    const gap = Math.min(Math.max(line.t_ms - before, 0), GAP_MAX_MS) / speed;
    before = Math.max(before, line.t_ms);
    const stay = line === end ? lingerMs : 0;
    if (stay > gap) log(`        (the mascots stay for ${stay / 1000} s, then the session ends)`);
    try {
      await Promise.all([delay(Math.max(gap, stay), undefined, { signal }), running.at(-1)]);
      signal?.throwIfAborted();
    } catch (error) {
      stopped = error;
      break;
    }
    fire(line);
  }
  if (stopped !== undefined && lingerMs > 0 && end !== undefined && running.length > 0) {
    // Without its end the session would go on waiting for somebody.
    await Promise.all(running);
    fire(end);
  }
  const failed = (await Promise.all(running)).filter((failure) => failure !== undefined);
  for (const { at, event, why } of failed) log(`failed: ${at}/${count} ${event}: ${why}`);
  if (stopped !== undefined) throw stopped;
  return { played: running.length, failed };
}

/**
 * What can be played, by name: the path below test/recordings without its ending. Transcripts are the agents' own files.
 * @returns {Promise<Recording[]>}
 */
export async function recordings() {
  const files = existsSync(recordingsFolder) ? await readdir(recordingsFolder, { recursive: true }) : [];
  return files
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.jsonl') && !file.includes('/transcripts/'))
    .map((file) => ({ name: file.replace(/\.jsonl$/, ''), file: path.join(recordingsFolder, file) }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/**
 * A path, a whole name, or the last part of one: then the newest version that has it.
 * @param {string} wanted
 */
async function fileOf(wanted) {
  if (wanted.endsWith('.jsonl') && existsSync(wanted)) return wanted;
  const known = await recordings();
  const found = known.findLast(({ name }) => name === wanted || name.endsWith(`/${wanted}`));
  if (!found)
    throw new Error(
      `there is no recording "${wanted}"; there are:\n${known.map(({ name }) => `  ${name}`).join('\n')}`,
    );
  return found.file;
}

/**
 * Whose hooks they are; undefined for a file from elsewhere, where the forwarder sees it by the payload.
 * @param {string} file
 */
function providerOf(file) {
  const inside = path.relative(recordingsFolder, path.resolve(file));
  if (inside.startsWith('..') || path.isAbsolute(inside)) return undefined;
  const [folder] = inside.split(path.sep);
  // There Copilot CLI's own hooks stand beside those of Claude's settings. Else the folder is called as the provider.
  return folder === 'dialects' ? 'copilot' : folder;
}

/**
 * @param {string} text
 * @param {string} file
 * @returns {(HookLine | NoteLine)[]}
 */
export function parseRecording(text, file) {
  return text.split('\n').flatMap((row, index) => (row.trim() === '' ? [] : parseLine(row, `${file}:${index + 1}`)));
}

/**
 * A line that has a time and neither a payload nor a note is a call that was no hook.
 * @param {string} row
 * @param {string} where
 * @returns {(HookLine | NoteLine)[]}
 */
function parseLine(row, where) {
  const { t_ms, dt_ms, event, note, stdin, hook_cwd } = parseJson(row) ?? {};
  const at = t_ms ?? dt_ms;
  if (typeof at !== 'number')
    throw new Error(`${where} is no line of a recording: {"t_ms","event","stdin"} or {"t_ms","note"}`);
  if (typeof note === 'string') return [{ t_ms: at, note }];
  if (typeof event !== 'string' || typeof stdin !== 'object' || stdin === null || Array.isArray(stdin)) return [];
  // Copilot has two forms of every name; "P:" marks those that were recorded in Pascal case. "claude:" marks the hooks of
  // Claude's settings where another program ran them.
  const isOfClaude = event.startsWith('claude:');
  const plain = event.replace(/^(?:P|claude):/, '');
  return [{ t_ms: at, event: plain, hook_cwd, stdin, ...(isOfClaude && { installedFor: 'claude' }) }];
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The recording with fresh ids and in another folder; one mapping for all lines, so that what belonged together still does.
 * @param {(HookLine | NoteLine)[]} lines
 * @param {string} cwd
 * @returns {(HookLine | NoteLine)[]}
 */
function renew(lines, cwd) {
  /** @type {Map<string, string>} */
  const fresh = new Map();
  for (const line of lines) if ('stdin' in line) collectIds(line.stdin, fresh);
  /** The agent names its folder of transcripts after the project. @param {string} folder */
  const asFileName = (folder) => folder.replace(/[^A-Za-z0-9]/g, '-');
  fresh.set(recordedFolder, cwd);
  fresh.set(asFileName(recordedFolder), asFileName(cwd));
  // The longest first: an id may be the beginning of another.
  const known = [...fresh.keys()].sort((a, b) => b.length - a.length).map((key) => key.replace(/[^\w-]/g, '\\$&'));
  const pattern = new RegExp(`(${known.join('|')})(?![0-9A-Za-z])`, 'g');
  /** @param {unknown} value @returns {any} */
  const replaced = (value) => {
    if (typeof value === 'string') return value.replace(pattern, (found) => fresh.get(found) ?? found);
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [replaced(key), replaced(entry)]));
  };
  return lines.map((line) =>
    'stdin' in line ? { ...line, hook_cwd: replaced(line.hook_cwd), stdin: replaced(line.stdin) } : line,
  );
}

/**
 * @param {unknown} value
 * @param {Map<string, string>} fresh
 */
function collectIds(value, fresh) {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string' && idKeys.has(key) && entry.length > 6 && !fresh.has(entry))
      fresh.set(entry, freshId(entry));
    else collectIds(entry, fresh);
  }
}

/**
 * Another id of the same form: a UUID, or a name (`toolu_`, `amate-`) before random characters.
 * @param {string} old
 */
function freshId(old) {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(old)) return randomUUID();
  const [, prefix = '', tail = ''] = /^(.*[_-])?([^_-]*)$/.exec(old) ?? [];
  const isHex = /^[0-9a-f]+$/.test(tail);
  const random = isHex
    ? randomBytes(tail.length).toString('hex')
    : `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
  // The first letter of an agent's id says what it is.
  return `${prefix}${tail.slice(0, 1)}${random}`.slice(0, old.length);
}

/**
 * Some agents put their own clock into the payload, which is believed as long as it is about right. Only now, because gaps are
 * shortened. What was of one moment stays so: that is how an event is known that two hooks tell.
 * @param {Record<string, unknown>} payload
 * @param {Map<number, number>} moments  of the recording, and as they are played
 */
function stampedNow(payload, moments) {
  const { timestamp } = payload;
  const isMoment = typeof timestamp === 'string' && /^\d{4}-\d\d-\d\dT/.test(timestamp);
  if (typeof timestamp !== 'number' && !isMoment) return payload;
  const recorded = typeof timestamp === 'number' ? timestamp : Date.parse(timestamp);
  const now = moments.get(recorded) ?? Date.now();
  moments.set(recorded, now);
  return { ...payload, timestamp: isMoment ? new Date(now).toISOString() : now };
}

/** @param {HookLine} line */
function isClaude({ stdin }) {
  return String(stdin['transcript_path'] ?? '').includes('/.claude/');
}

/** @param {Record<string, unknown>} payload */
function subject(payload) {
  const keys = ['tool_name', 'toolName', 'agent_type', 'agentType', 'notification_type', 'source'];
  const word = keys.map((key) => payload[key] ?? '').find((value) => value !== '');
  return word === undefined ? '' : ` ${String(word)}`;
}

/**
 * Runs one hook to its end; says why it failed, if it did. A forwarder that could not deliver still ends with 0.
 * @param {readonly [string, ...string[]]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
 * @param {Record<string, unknown>} payload
 * @returns {Promise<string | undefined>}
 */
function runHook([node, ...args], where, payload) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { ...where, stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
    child.on('error', (error) => resolve(`${node} did not start: ${error.message}`));
    child.on('close', (code, signal) => {
      const ending = code === 0 ? undefined : `ended with ${code ?? signal}`;
      resolve(complaint.trim() || ending);
    });
    child.stdin.on('error', () => {}); // its end is told by 'close'
    child.stdin.end(`${JSON.stringify(payload)}\n`);
  });
}

async function main() {
  const usage = 'Usage: node scripts/playRecording.mjs <recording.jsonl | name> [--speed N]   (--list names them)';
  const args = process.argv.slice(2);
  if (args.includes('--list')) {
    for (const { name } of await recordings()) console.log(name);
    return;
  }
  const at = args.indexOf('--speed');
  const speed = at < 0 ? 1 : Number(args[at + 1]);
  const names = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const [file] = names;
  if (file === undefined || names.length !== 1 || file.startsWith('-')) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  try {
    const { failed } = await playRecording({ file, speed });
    process.exitCode = failed.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) await main();
