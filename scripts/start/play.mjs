/** Waits for the collector and plays a recorded session into it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../lib/usageError.mjs';

const POLL_MS = 200;
/** Sub-agents, permissions and answers in one session, within 20 s. */
const DEFAULT_RECORDING = 'interactive-subagents-permission';
/** A recording ends its session, and with that its mascots leave: not before somebody has seen them. */
export const LINGER_MS = 30_000;

/** @param {NodeJS.ProcessEnv} env */
export function mascotHome(env) {
  return env.AGENT_MASCOT_HOME || path.join(homedir(), '.agent-mascot');
}

/**
 * Polls until the port file names a collector that answers: a file may be left over, or a foreign server on its port.
 * @param {{ home: string, limitMs?: number, signal: AbortSignal }} options
 */
export async function collectorReady({ home, limitMs = Infinity, signal }) {
  const file = path.join(home, 'collector.json');
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined && (await answers(text, signal))) return;
    await sleep(POLL_MS, undefined, { signal });
  }
  throw new Error(
    `Agent Mascot's collector did not start within ${limitMs / 1000} s (no living one is named in ${file}). Look at the output channel "Agent Mascot" in the editor.`,
  );
}

/**
 * @param {string} text
 * @param {AbortSignal} signal
 */
async function answers(text, signal) {
  try {
    const { port } = JSON.parse(text);
    const reply = await fetch(`http://127.0.0.1:${Number(port)}/health`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(1000)]),
    });
    return reply.ok && reply.headers.has('x-agent-mascot') && (await reply.text()) === 'ok';
  } catch {
    return false;
  }
}

/**
 * A file, a whole name, or the last part of one: then the newest version that has it.
 * @param {string | undefined} wanted
 * @param {readonly { name: string, file: string }[]} known  sorted by version
 * @param {string} calledIn  the folder that a file is named from
 */
export function chooseRecording(wanted, known, calledIn) {
  const asked = wanted ?? DEFAULT_RECORDING;
  const own = path.resolve(calledIn, asked);
  if (asked.endsWith('.jsonl') && existsSync(own)) return own;
  const bare = asked.replace(/\.jsonl$/, '');
  const found = known.findLast(({ name }) => name === bare || name.endsWith(`/${bare}`));
  if (found !== undefined) return found.file;
  const list = known.map(({ name }) => `  ${name}`).join('\n');
  throw new UsageError(`There is no recording "${asked}". Name a .jsonl file, or one of these:\n${list}`);
}
