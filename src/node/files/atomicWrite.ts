import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode, nodeFileSystem, syncFolder, writeAll, type FileSystem } from './fileSystem.ts';

export type Content = string | Uint8Array | Iterable<Uint8Array> | Writer;

/** Writes the file by itself, durably, with a mode for its owner alone. */
export type Writer = (temporary: string) => Promise<void>;

export interface AtomicWriteOptions {
  /** Without it the file keeps the mode it has; a new one is the person's alone. */
  readonly mode?: number;
  readonly fs?: FileSystem;
  /** Runs when the new content is on disk and the old is still in place. What it throws leaves the old there. */
  readonly beforeReplace?: () => Promise<void>;
}

const OWNER_ONLY = 0o600;
const PERMISSION_BITS = 0o777;
const blockedCodes = ['EPERM', 'EACCES', 'EBUSY'];
const temporaryName = /^(.+)\.[0-9a-f]{12}\.tmp$/;

/** Readers see the old content or the new, whole, whenever the process or the power dies. */
export async function atomicWrite(target: string, content: Content, options: AtomicWriteOptions = {}): Promise<void> {
  const fs = options.fs ?? nodeFileSystem;
  const file = await followLinks(fs, target);
  const mode = options.mode ?? (await modeOf(fs, file)) ?? OWNER_ONLY;
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    if (typeof content === 'function') await content(temporary);
    else await writeDurably(fs, temporary, content, mode);
    await options.beforeReplace?.();
    await renameOver(fs, temporary, file);
  } catch (error) {
    // The first failure is the one to tell; a temporary file that can't be removed either is swept at the next start.
    await fs.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(fs, path.dirname(file));
}

/** The file that a temporary name of ours was meant to become; undefined for any other name. */
export function temporaryOf(name: string): string | undefined {
  return temporaryName.exec(name)?.[1];
}

export async function renameOver(fs: FileSystem, from: string, to: string): Promise<void> {
  for (const waitMs of fs.renameWaitsMs) {
    try {
      return await fs.rename(from, to);
    } catch (error) {
      if (!blockedCodes.includes(errorCode(error) ?? '')) throw error;
      await wait(waitMs);
    }
  }
  await fs.rename(from, to);
}

/** A new file with this content, on the disk when it resolves. */
export async function writeDurably(
  fs: FileSystem,
  file: string,
  content: Exclude<Content, Writer>,
  mode: number,
): Promise<void> {
  const handle = await fs.open(file, 'wx', mode);
  try {
    let position = 0;
    for (const bytes of piecesOf(content)) {
      await writeAll(handle, bytes, position);
      position += bytes.length;
    }
    // The umask took bits from the mode that `open` was given. By its name it could be another file already: whoever may write
    // the folder may have put a link there.
    if (process.platform !== 'win32') await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function piecesOf(content: Exclude<Content, Writer>): Iterable<Uint8Array> {
  if (typeof content === 'string') return [Buffer.from(content, 'utf8')];
  return content instanceof Uint8Array ? [content] : content;
}

/** Dotfile tools put links where settings are: replacing the link would part it from the file that the person keeps. */
async function followLinks(fs: FileSystem, file: string): Promise<string> {
  try {
    return await fs.realpath(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

async function modeOf(fs: FileSystem, file: string): Promise<number | undefined> {
  try {
    return (await fs.stat(file)).mode & PERMISSION_BITS;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
