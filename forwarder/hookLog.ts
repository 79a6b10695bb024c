import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_LOG_NAME } from '../src/protocol/handOver.ts';

/** A few hundred lines: enough to see what goes wrong, too little to be a surprise. */
export const HOOK_LOG_MAX_BYTES = 64 * 1024;
const LINE_MAX = 500;
/** A trouble that lasts is not told for each of its events. */
const SAY_AGAIN_MS = 10 * 60_000;

/**
 * What an installed hook has to say, where nobody sees its standard error; the doctor shows it. Callers say what went wrong,
 * never what was in it. That it can't be written is no reason to fail.
 */
export function logToHome(home: string, message: string, now: number = Date.now()): void {
  const path = join(home, HOOK_LOG_NAME);
  const words = message
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LINE_MAX);
  const line = `${new Date(now).toISOString()} ${words}\n`;
  try {
    if (saidLately(path, words, now)) return;
    makeRoom(path, Buffer.byteLength(line));
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    // The event matters, not the word about it.
  }
}

/** Whether the last line says it: what every hook of a busy day would say is said once in a while. */
function saidLately(path: string, words: string, now: number): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return false;
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  const at = last.indexOf(' ');
  const age = now - Date.parse(last.slice(0, at));
  return last.slice(at + 1) === words && age >= 0 && age < SAY_AGAIN_MS;
}

function makeRoom(path: string, bytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size + bytes <= HOOK_LOG_MAX_BYTES) return;
  const newer = readFileSync(path).subarray(-HOOK_LOG_MAX_BYTES / 2);
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, newer.subarray(newer.indexOf('\n') + 1), { mode: 0o600 });
  renameSync(draft, path);
}
