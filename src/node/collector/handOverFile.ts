import { type HandOver, parseHandOver } from '../../protocol/handOver.ts';
import { isFromHere } from './handOver.ts';
import type { SpoolDisk } from './spoolDisk.ts';
import { readSpooled, type SpoolFile, SPOOLED_MAX_BYTES } from './spoolFiles.ts';

/** A writer that has not written for this long, and is gone, will not come back. */
const QUIET_MS = 1_000;

/** Whoever wrote it, wherever that was: agents end their hooks long before. */
const LIFE_MS = 60_000;

const END = '\0\n';

export type Look =
  | { readonly kind: 'hand-over'; readonly handOver: HandOver }
  /** Still in the hands of its writer. */
  | { readonly kind: 'pending' }
  /** It was cut off, or is none of the entry's: it can never be taken in. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'unreadable' };

/** Large files grow by many steps, and each is a reason to look: so the last two bytes first. */
export async function lookInto(disk: SpoolDisk, file: SpoolFile, now: number): Promise<Look> {
  if (file.size > SPOOLED_MAX_BYTES) return { kind: 'broken' };
  const quietFor = Math.abs(now - file.changed);
  if (isHeld(file)) return quietFor < QUIET_MS ? { kind: 'pending' } : leftBehind(disk, file, quietFor);
  const end = await disk.readEnd(file.path, END.length).catch(() => undefined);
  if (end === undefined) return { kind: 'unreadable' };
  if (end !== END) return quietFor < QUIET_MS ? { kind: 'pending' } : leftBehind(disk, file, quietFor);
  return parsed(await readSpooled(disk, file.path));
}

/** Its shell waits for an answer, and renames it should there be none. */
function isHeld({ name }: SpoolFile): boolean {
  return name.startsWith('.');
}

async function leftBehind(disk: SpoolDisk, file: SpoolFile, quietFor: number): Promise<Look> {
  if (quietFor < LIFE_MS && !(await writerIsGone(disk, file))) return { kind: 'pending' };
  // Read once more: it may have written its last just before it went.
  return parsed(await readSpooled(disk, file.path));
}

async function writerIsGone(disk: SpoolDisk, file: SpoolFile): Promise<boolean> {
  const pid = Number(/^\.?(\d{1,10})-/.exec(file.name)?.[1]);
  if (!pid || isThere(pid)) return false;
  const seen = parseHandOver((await readSpooled(disk, file.path)) ?? '');
  return seen !== undefined && isFromHere(seen.head);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** One that lacks its end may still have all of its payload, which shows when it is read. */
function parsed(text: string | undefined): Look {
  if (text === undefined) return { kind: 'unreadable' };
  const handOver = parseHandOver(text);
  return handOver ? { kind: 'hand-over', handOver } : { kind: 'broken' };
}
