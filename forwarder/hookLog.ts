import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_LOG_NAME } from '../src/protocol/handOver.ts';

/** A few hundred lines: enough to see what goes wrong, too little to be a surprise. */
export const HOOK_LOG_MAX_BYTES = 64 * 1024;
const LINE_MAX = 500;

/**
 * What an installed hook has to say, where nobody sees its standard error; the doctor shows it. Callers say what went wrong,
 * never what was in it. That it can't be written is no reason to fail.
 */
export function logToHome(home: string, message: string): void {
  const path = join(home, HOOK_LOG_NAME);
  const line = `${new Date().toISOString()} ${message
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LINE_MAX)}\n`;
  try {
    makeRoom(path, Buffer.byteLength(line));
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    // The event matters, not the word about it.
  }
}

function makeRoom(path: string, bytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size + bytes <= HOOK_LOG_MAX_BYTES) return;
  const newer = readFileSync(path).subarray(-HOOK_LOG_MAX_BYTES / 2);
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, newer.subarray(newer.indexOf('\n') + 1), { mode: 0o600 });
  renameSync(draft, path);
}
