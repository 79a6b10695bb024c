import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import type { SmallFiles } from '../../app/sourcePorts.ts';

/** Windows has neither; there opening never waits, and what stands behind a link is looked at all the same. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Undefined when it can't be opened, or is no regular file (any more): nothing here ever waits for a writer. */
export async function openRegular(file: string): Promise<OpenFile | undefined> {
  // Looked at first: opening a pipe would wake its writer, opening a device may do anything.
  const seen = await lstat(file).catch(() => undefined);
  if (!seen?.isFile()) return undefined;
  const handle = await open(file, OPEN_FLAGS).catch(() => undefined);
  if (!handle) return undefined;
  const stats = await handle.stat({ bigint: true }).catch(() => undefined);
  if (stats?.isFile()) return { handle, stats };
  await closeQuietly(handle);
  return undefined;
}

/** What was read is good whatever the system says of the closing. */
export async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}

/** As many bytes as there are from `start` on, at most the buffer's length: one read may bring fewer. */
export async function readAt(handle: FileHandle, buffer: Buffer, start: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export interface Identity {
  readonly place: string;
  /** 0 where the file system does not know it. */
  readonly born: bigint;
}

export function identityOf({ dev, ino, birthtimeNs, ctimeNs }: BigIntStats): Identity {
  // Without a birth time of its own a system shows the time of the last change in its place, which moves with every write.
  return { place: `${dev}:${ino}`, born: birthtimeNs === ctimeNs ? 0n : birthtimeNs };
}

/** A removed file's inode is given to the next one at once, so the birth time has to agree as well, where it is known. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.place === other.place && (one.born === other.born || one.born === 0n || other.born === 0n);
}

export function createSmallFiles(): SmallFiles {
  return { read: readSmall };
}

export async function readSmall(file: string, maxBytes: number): Promise<string | undefined> {
  const opened = await openRegular(file);
  if (!opened) return undefined;
  const { handle, stats } = opened;
  try {
    if (stats.size > maxBytes) return undefined;
    // One more than was seen, for it may have grown since; more than allowed is as good as none.
    const bytes = await readAt(handle, Buffer.allocUnsafe(maxBytes + 1), 0);
    return bytes.length > maxBytes ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  } finally {
    await closeQuietly(handle);
  }
}
