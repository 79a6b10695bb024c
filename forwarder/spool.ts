import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HAND_OVER_ENDING, handOverMade } from '../src/protocol/handOver.ts';

export const SPOOL_FOLDER_NAME = 'spool';

/** One line with a number for each time that something was dropped; their sum is what the person is told. */
export const DROPPED_FILE_NAME = 'dropped.count';

/** Weeks of work without an editor; more would be a surprise on somebody's disk. */
export const SPOOL_MAX_BYTES = 64 * 1024 * 1024;

export interface SpooledEvent {
  readonly json: string;
  readonly collectedAt: string;
  readonly deliveryId: string;
}

/**
 * Keeps an event for the next collector. Each has a file of its own that appears whole, by a rename, so that any number
 * of hooks may do this at once and a reader never sees half of one. Throws what the file system throws.
 */
export function spool(home: string, event: SpooledEvent, maxBytes: number = SPOOL_MAX_BYTES): void {
  const folder = join(home, SPOOL_FOLDER_NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = String(Date.parse(event.collectedAt)).padStart(13, '0');
  const name = `${time}-${event.deliveryId}.json`;
  const temporary = join(folder, `.${name}.tmp`);
  try {
    writeNew(temporary, `${event.json}\n`);
    renameSync(temporary, join(folder, name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  dropOldest(folder, maxBytes);
}

function writeNew(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
  } finally {
    closeSync(descriptor);
  }
}

/** FWD-6. The entry can't count, so whoever keeps an event for it does. */
export function dropOldest(folder: string, maxBytes: number = SPOOL_MAX_BYTES): void {
  const files = readdirSync(folder).flatMap((name) => sized(folder, name));
  let total = files.reduce((sum, { size }) => sum + size, 0);
  if (total <= maxBytes) return;
  let dropped = 0;
  for (const { path, size } of files.sort((a, b) => a.time - b.time || (a.path < b.path ? -1 : 1))) {
    if (total <= maxBytes) break;
    total -= size;
    if (removed(path)) dropped++;
  }
  if (dropped > 0) append(join(folder, DROPPED_FILE_NAME), `${dropped}\n`);
}

function sized(folder: string, name: string): readonly { path: string; size: number; time: number }[] {
  if (name === DROPPED_FILE_NAME) return [];
  const path = join(folder, name);
  // A collector may be taking the folder in at this moment: what is gone has no size.
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return [];
  return [{ path, size: stats.size, time: timeOf(name, stats) }];
}

/** Ours begin with the time of the event; a shell has no clock at hand, so a hand-over is as old as its file. */
function timeOf(name: string, stats: { readonly birthtimeMs: number; readonly mtimeMs: number }): number {
  const named = name.endsWith(HAND_OVER_ENDING) ? undefined : /^\.?(\d{13})-/.exec(name)?.[1];
  return named === undefined ? handOverMade(stats) : Number(named);
}

/** Whoever removes it counts it, so that hooks that do this at once count each file once. */
function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function append(path: string, line: string): void {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    writeSync(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}
