import { type HandOver, parseHandOver } from '../../protocol/handOver.ts';
import { isFromHere } from './handOver.ts';
import type { SpoolDisk } from './spoolDisk.ts';
import { HAND_OVER_MAX_BYTES, readSpooled, type SpoolFile, START_BYTES } from './spoolFiles.ts';

/** A writer that has not written for this long, and is gone, will not come back. */
const QUIET_MS = 1_000;

/** Whoever wrote it, wherever that was: agents end their hooks long before. */
const LIFE_MS = 60_000;

/** Some twenty variables, of which none but a path is long. */
const HEAD_MAX = START_BYTES / 2;

const END = '\0\n';

export type Look =
  | { readonly kind: 'hand-over'; readonly handOver: HandOver }
  /** Its head, and the beginning of its payload. */
  | { readonly kind: 'start'; readonly handOver: HandOver }
  /** Still in the hands of its writer. */
  | { readonly kind: 'pending' }
  /** It was cut off, or is none of the entry's: it can never be taken in. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'unreadable' };

/**
 * Large files grow by many steps, and each is a reason to look: so the last two bytes first. `startOnly`: its payload is left
 * alone, as that of one which is too large.
 */
export async function lookInto(disk: SpoolDisk, file: SpoolFile, now: number, startOnly = false): Promise<Look> {
  // Whatever its writer still adds, nobody will read it.
  if (file.size > HAND_OVER_MAX_BYTES) return startOf(disk, file);
  const read = () => (startOnly ? startOf(disk, file) : wholeOf(disk, file));
  const quietFor = Math.abs(now - file.changed);
  if (isHeld(file)) return quietFor < QUIET_MS ? { kind: 'pending' } : leftBehind(disk, file, quietFor, read);
  const end = await disk.readEnd(file.path, END.length).catch(() => undefined);
  if (end === undefined) return { kind: 'unreadable' };
  if (end !== END) return quietFor < QUIET_MS ? { kind: 'pending' } : leftBehind(disk, file, quietFor, read);
  return read();
}

/** Its shell waits for an answer, and renames it should there be none. */
function isHeld({ name }: SpoolFile): boolean {
  return name.startsWith('.');
}

async function leftBehind(
  disk: SpoolDisk,
  file: SpoolFile,
  quietFor: number,
  read: () => Promise<Look>,
): Promise<Look> {
  if (quietFor < LIFE_MS && !(await writerIsGone(disk, file))) return { kind: 'pending' };
  // Read once more: it may have written its last just before it went.
  return read();
}

async function writerIsGone(disk: SpoolDisk, file: SpoolFile): Promise<boolean> {
  const pid = Number(/^\.?(\d{1,10})-/.exec(file.name)?.[1]);
  if (!pid || isThere(pid)) return false;
  const seen = parsed((await disk.readStart(file.path, START_BYTES).catch(() => undefined)) ?? '');
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
async function wholeOf(disk: SpoolDisk, file: SpoolFile): Promise<Look> {
  const text = await readSpooled(disk, file.path, HAND_OVER_MAX_BYTES);
  if (text === undefined) return { kind: 'unreadable' };
  const handOver = parsed(text);
  return handOver ? { kind: 'hand-over', handOver } : { kind: 'broken' };
}

async function startOf(disk: SpoolDisk, file: SpoolFile): Promise<Look> {
  const text = await disk.readStart(file.path, START_BYTES).catch(() => undefined);
  if (text === undefined) return { kind: 'unreadable' };
  const handOver = parsed(text);
  return handOver ? { kind: 'start', handOver } : { kind: 'broken' };
}

/** A head is taken apart at once, so it must be as small as an entry's is. */
function parsed(text: string): HandOver | undefined {
  const headEnd = text.indexOf('\0\0');
  return headEnd >= 0 && headEnd < HEAD_MAX ? parseHandOver(text) : undefined;
}
