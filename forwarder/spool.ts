import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DROPPED_FILE_NAME, isSpoolName, spooledAt } from '../src/protocol/handOver.ts';
import { SPOOL_MAX_BYTES, SPOOL_MAX_FILES } from '../src/protocol/limits.ts';

export const SPOOL_FOLDER_NAME = 'spool';

/** So many are looked at in 10 ms, which nobody notices at the start of a session. */
const FEW_FILES = 2_000;
/** Where there are more, one call in so many looks: what comes in between is small against the limit. */
const TURNS = 32;

export interface SpoolBounds {
  readonly bytes?: number;
  readonly files?: number;
}

export interface SpooledEvent {
  readonly json: string;
  readonly collectedAt: string;
  readonly deliveryId: string;
}

/**
 * Keeps an event for the next collector. Each has a file of its own that appears whole, by a rename, so that any number
 * of hooks may do this at once and a reader never sees half of one. Throws what the file system throws, and counts the event.
 */
export function spool(home: string, event: SpooledEvent, bounds: SpoolBounds = {}): void {
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
    append(join(folder, DROPPED_FILE_NAME), 1);
    throw error;
  }
  dropInTurn(folder, bounds);
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

/** For hooks, of which many come and somebody waits for each. The event is kept by now, so nothing here may fail it. */
export function dropInTurn(folder: string, bounds: SpoolBounds = {}, chance: number = Math.random()): void {
  try {
    if (chance * TURNS < 1 || readdirSync(folder).length <= FEW_FILES) dropOldest(folder, bounds);
  } catch {
    // The next one tries again.
  }
}

/** FWD-6. The entry can't count, so whoever keeps an event for it does, and now and then a run for this alone. */
export function dropOldest(
  folder: string,
  { bytes: maxBytes = SPOOL_MAX_BYTES, files: maxFiles = SPOOL_MAX_FILES }: SpoolBounds = {},
): void {
  // What a link leads to is not ours to empty.
  if (!lstatSync(folder).isDirectory()) return;
  const files = readdirSync(folder).flatMap((name) => sized(folder, name));
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  let count = files.length;
  if (bytes <= maxBytes && count <= maxFiles) return;
  const going = files
    .sort((a, b) => a.time - b.time || (a.path < b.path ? -1 : 1))
    .filter(({ size }) => {
      if (bytes <= maxBytes && count <= maxFiles) return false;
      bytes -= size;
      count--;
      return true;
    });
  dropCounted(
    join(folder, DROPPED_FILE_NAME),
    going.map(({ path }) => path),
  );
}

function sized(folder: string, name: string): readonly { path: string; size: number; time: number }[] {
  if (!isSpoolName(name)) return [];
  const path = join(folder, name);
  // A collector may be taking the folder in at this moment: what is gone has no size.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return [];
  return [{ path, size: stats.size, time: spooledAt(name, stats) }];
}

/**
 * Announced first: killed in between, more is told than was lost, and never less. On a disk that is too full for the
 * announcement there is room for it afterwards.
 */
function dropCounted(counted: string, paths: readonly string[]): void {
  const announced = append(counted, paths.length);
  const dropped = paths.filter(removed).length;
  const missing = announced ? dropped - paths.length : dropped;
  if (missing !== 0) append(counted, missing);
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

function append(path: string, count: number): boolean {
  try {
    const descriptor = openSync(path, 'a', 0o600);
    try {
      writeSync(descriptor, `${count}\n`);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch {
    return false;
  }
}
