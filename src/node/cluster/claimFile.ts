import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { type FileHandle, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { renameOver } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, nodeFileSystem } from '../files/fileSystem.ts';

export const claimSchema = z.object({
  version: z.literal(1),
  pid: z.int().check(z.positive()),
  startedAt: z.string(),
  kernelStart: z.optional(z.string()),
  /** In whose table of processes `pid` stands. */
  host: z.optional(z.string()),
  pidNamespace: z.optional(z.string()),
  bootSession: z.optional(z.string()),
  instance: z.string().check(z.minLength(1)),
  generation: z.int().check(z.positive()),
  /** The same for all claims of one home, however often it changed hands. */
  home: z.optional(z.string()),
  /** Of a claim of another folder: which owner of that home made it. */
  homeGeneration: z.optional(z.int().check(z.positive())),
});
export type ClaimFile = z.infer<typeof claimSchema>;

export interface FoundClaim {
  readonly claim: ClaimFile;
  /** Changes when the file is touched. */
  readonly touched: string;
  readonly touchedMs: number;
}

/** A file that is no claim can be held by nobody; of one that can't be read that can't be said. */
export type Look = FoundClaim | 'absent' | 'broken' | 'unreadable';

const PRIVATE = 0o600;

const noRoom = ['ENOSPC', 'EDQUOT'];

/** Says what to do, and the same each time: a draft's name in it would make every try another trouble. */
export class ClaimDiskError extends Error {
  override readonly name = 'ClaimDiskError';

  constructor(how: 'read' | 'written', where: string, cause: unknown) {
    const code = errorCode(cause) ?? 'unknown';
    const advice = noRoom.includes(code)
      ? 'make room on its disk'
      : `make it ${how === 'read' ? 'readable' : 'writable'} for your account`;
    super(`${where} can’t be ${how} (${code}): ${advice}.`, { cause });
  }
}

export async function look(file: string): Promise<Look> {
  try {
    return await opened(file, 'r', async (handle) => {
      const claim = claimIn(await handle.readFile('utf8'));
      const { mtimeNs, mtimeMs } = await handle.stat({ bigint: true });
      return claim ? { claim, touched: String(mtimeNs), touchedMs: Number(mtimeMs) } : 'broken';
    });
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'absent' : 'unreadable';
  }
}

export function instanceOf(found: Look): string {
  return typeof found === 'string' ? found : found.claim.instance;
}

/** Makes hard links; tests replace it by a file system that has none. */
export type Linking = Pick<FileSystem, 'link'>;

/** True when the name was free. A hard link fails when it is not, and never shows half a file. */
export async function place(file: string, claim: ClaimFile, linking: Linking = nodeFileSystem): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const text = JSON.stringify(claim);
    await writeFile(draft, text, { mode: PRIVATE, flag: 'wx' });
    await linking.link(draft, file).catch((error: unknown) => placeWithoutLinks(file, text, error));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new ClaimDiskError('written', path.dirname(file), error);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** Errors that can't mean "no hard links". After the draft was written, any other error of `link` means that. */
const notAboutLinks = ['EEXIST', 'ENOENT', 'EROFS', 'EIO', ...noRoom];

/**
 * FAT, exFAT and some network disks have no hard links: there the file is created exclusively. It is empty until its single write is
 * done; `isBeingMade` recognises that state.
 */
async function placeWithoutLinks(file: string, text: string, why: unknown): Promise<void> {
  if (notAboutLinks.includes(errorCode(why) ?? '')) throw why;
  await writeFile(file, text, { mode: PRIVATE, flag: 'wx' });
}

/** How long a claimant may take from creating an empty file to writing its claim; one that takes longer has died. */
const MAKING_MS = 5_000;

/** Is this file empty, and young enough that its creator may still write a claim into it? */
export async function isBeingMade(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.size === 0 && Math.abs(Date.now() - found.mtimeMs) < MAKING_MS;
}

/**
 * Takes the file away if it is still that claim. Between a look and an `unlink` by name lies any time a process can be stopped
 * for, and then it would hit the claim of another: so it is moved first, and only what was moved is judged and removed.
 */
export async function removeExactly(file: string, instance: string): Promise<boolean> {
  if (instanceOf(await look(file)) !== instance) return false;
  const moved = `${file}.${randomUUID()}`;
  try {
    await renameOver(nodeFileSystem, file, moved);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  const right = instanceOf(await look(moved)) === instance;
  // A claim that was made in between goes back to its place, unless somebody has made yet another.
  if (!right) await putBack(moved, file).catch(() => undefined);
  await unlink(moved).catch(() => undefined);
  return right;
}

async function putBack(moved: string, file: string): Promise<void> {
  await nodeFileSystem
    .link(moved, file)
    .catch(async (error: unknown) => placeWithoutLinks(file, await readFile(moved, 'utf8'), error));
}

/** Touches the claim while it is this one. By the open file, not by its name: that may be another's by then. */
export async function touch(file: string, instance: string): Promise<void> {
  await opened(file, 'r+', async (handle) => {
    if (claimIn(await handle.readFile('utf8'))?.instance !== instance) return;
    const now = new Date();
    await handle.utimes(now, now);
  }).catch(() => undefined);
}

/** What the file says; throws when it can't be read, for then nothing is known. */
export async function heldBy(file: string): Promise<string | undefined> {
  try {
    return claimIn(await textOf(file))?.instance;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A claim has some 400 bytes. */
const CLAIM_MAX_BYTES = 4_096;
const openDescriptor = promisify(fs.open);
const readDescriptor = promisify(fs.read);

/** The beginning of a file. Every append to the store asks for two of them: this costs half of what `readFile` does. */
async function textOf(file: string): Promise<string> {
  const descriptor = await openDescriptor(file, 'r');
  try {
    const bytes = Buffer.allocUnsafe(CLAIM_MAX_BYTES);
    const { bytesRead } = await readDescriptor(descriptor, bytes, 0, CLAIM_MAX_BYTES, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    fs.close(descriptor, () => undefined);
  }
}

async function opened<T>(file: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

function claimIn(text: string): ClaimFile | undefined {
  try {
    return claimSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
