import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DAYS_FILE_NAME, DROPPED_FILE_NAME, isSpoolName, spooledAt } from '../src/protocol/handOver.ts';
import { SPOOL_MAX_BYTES, SPOOL_MAX_DAYS, SPOOL_MAX_FILES } from '../src/protocol/limits.ts';

export const SPOOL_FOLDER_NAME = 'spool';

/** So many are looked at in 10 ms, which nobody notices at the start of a session. */
const FEW_FILES = 2_000;
/** Where there are more, one call in so many looks: what comes in between is small against the limit. */
const TURNS = 32;

const DAY_MS = 86_400_000;
/** A file that seems to be older than this before the days that count is of a clock that was wrong. */
const BELIEVED_DAYS = 365;

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
  const name = `${Date.parse(event.collectedAt)}-${event.deliveryId}.json`;
  const temporary = join(folder, `.${name}.tmp`);
  try {
    writeFileSync(temporary, `${event.json}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, name));
  } catch (error) {
    succeeds(() => unlinkSync(temporary));
    append(join(folder, DROPPED_FILE_NAME), 1);
    throw error;
  }
  dropInTurn(folder, bounds);
}

/** For hooks, of which many come and somebody waits for each. The event is kept by now, so nothing here may fail it. */
export function dropInTurn(folder: string, bounds: SpoolBounds = {}, chance: number = Math.random()): void {
  succeeds(() => {
    if (chance * TURNS < 1 || readdirSync(folder).length <= FEW_FILES) dropOldest(folder, bounds);
  });
}

/**
 * The oldest of the last 30 days on which this ran, in days since the epoch; 0 if there were fewer. STO-5: a wrong clock only adds one
 * day, which makes no file old. Days are never removed (six bytes each). If they can't be read or written, all files stay.
 */
function oldestKept(folder: string, today: number): number {
  const file = join(folder, '..', DAYS_FILE_NAME);
  try {
    const days = readFileSync(file, 'utf8').split('\n').map(Number).filter(Boolean);
    if (!days.includes(today)) {
      append(file, today);
      days.push(today);
    }
    return days.sort((a, b) => b - a)[SPOOL_MAX_DAYS - 1] ?? 0;
  } catch {
    append(file, today);
    return 0;
  }
}

/** FWD-6. The entry can't count, so whoever keeps an event for it does, and now and then a run for this alone. */
export function dropOldest(
  folder: string,
  { bytes: maxBytes = SPOOL_MAX_BYTES, files: maxFiles = SPOOL_MAX_FILES }: SpoolBounds = {},
  now: number = Date.now(),
): void {
  // What a link leads to is not ours to empty.
  if (!lstatSync(folder).isDirectory()) return;
  const kept = oldestKept(folder, Math.floor(now / DAY_MS)) * DAY_MS;
  let bytes = 0;
  let count = 0;
  const going = readdirSync(folder)
    .flatMap((name) => sized(folder, name))
    .sort((a, b) => b.time - a.time)
    .filter(({ size, time }) => {
      bytes += size;
      count++;
      const late = kept - time;
      return (late > 0 && late < BELIEVED_DAYS * DAY_MS) || bytes > maxBytes || count > maxFiles;
    })
    .map(({ path }) => path);
  if (going.length > 0) dropCounted(join(folder, DROPPED_FILE_NAME), going);
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
  // Whoever removes it counts it, so that hooks that do this at once count each file once.
  const dropped = paths.filter((path) => succeeds(() => unlinkSync(path))).length;
  const missing = announced ? dropped - paths.length : dropped;
  if (missing !== 0) append(counted, missing);
}

function append(path: string, count: number): boolean {
  return succeeds(() => appendFileSync(path, `${count}\n`, { mode: 0o600 }));
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
