import { type BigIntStats, constants } from 'node:fs';
import type { Disk, DiskFile } from './disk.ts';
import { unlessSetAside } from './gate.ts';
import { closeQuietly } from './gatedDisk.ts';

/** Windows has neither; there opening never waits, and what stands behind a link is looked at all the same. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export interface OpenFile {
  readonly handle: DiskFile;
  readonly stats: BigIntStats;
}

/** Undefined when it can't be opened, or is no regular file (any more): nothing here ever waits for a writer. */
export async function openRegular(disk: Disk, file: string): Promise<OpenFile | undefined> {
  // Looked at first: opening a pipe would wake its writer, opening a device may do anything.
  const seen = await disk.lstat(file).catch(unlessSetAside);
  return seen?.isFile() ? openSeen(disk, file) : undefined;
}

/** For a file that was just looked at. */
async function openSeen(disk: Disk, file: string): Promise<OpenFile | undefined> {
  const handle = await disk.open(file, OPEN_FLAGS).catch(unlessSetAside);
  if (!handle) return undefined;
  let stats: BigIntStats | undefined;
  try {
    stats = await handle.stat().catch(unlessSetAside);
  } finally {
    if (!stats?.isFile()) closeQuietly(handle);
  }
  return stats?.isFile() ? { handle, stats } : undefined;
}

/** As many bytes as there are from `start` on, at most the buffer's length: one read may bring fewer. */
export async function readAt(handle: DiskFile, buffer: Buffer, start: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const bytesRead = await handle.read(buffer, filled, buffer.length - filled, start + filled);
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

/** A file that was just looked at: undefined when it can't be read, or is larger. */
export async function readSmall(disk: Disk, file: string, maxBytes: number): Promise<string | undefined> {
  const opened = await openSeen(disk, file);
  if (!opened) return undefined;
  const { handle, stats } = opened;
  try {
    if (stats.size > maxBytes) return undefined;
    const seen = Number(stats.size);
    // One more than was seen, for it may have grown since; more than allowed is as good as none.
    const first = await readAt(handle, Buffer.allocUnsafe(seen + 1), 0);
    const bytes = first.length > seen ? await readAt(handle, Buffer.allocUnsafe(maxBytes + 1), 0) : first;
    return bytes.length > maxBytes ? undefined : bytes.toString('utf8');
  } catch (error) {
    return unlessSetAside(error);
  } finally {
    closeQuietly(handle);
  }
}
