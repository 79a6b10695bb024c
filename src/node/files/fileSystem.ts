import { closeSync, openSync, readSync } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  truncate,
  unlink,
} from 'node:fs/promises';

/** Writes name their position: after a truncation the handle's own one would leave a hole. */
export interface OpenFile {
  write(bytes: Uint8Array, position: number): Promise<number>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Of the file that is open, whatever its name leads to by now. */
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  close(): Promise<void>;
}

/** What the store and `atomicWrite` need of a disk, and no more, so that a test can let each call fail in turn. */
export interface FileSystem {
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  /** Reads at once, without a turn of the event loop: for pieces of some 64 KB. Shorter than asked at the file's end. */
  readPart(path: string, position: number, length: number): Uint8Array;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string, mode: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<{ readonly size: number; readonly mode: number }>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  truncate(path: string, length: number): Promise<void>;
  unlink(path: string): Promise<void>;
  /** How long to wait before each further try of a rename that a virus scanner or a reader blocks. */
  readonly renameWaitsMs: readonly number[];
}

// Only Windows refuses to replace a file that somebody has open; elsewhere these codes are final.
const renameWaitsMs = process.platform === 'win32' ? [10, 20, 50, 100, 200, 400, 800] : [];

export const nodeFileSystem: FileSystem = {
  open: async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    return {
      write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
      sync: () => handle.sync(),
      datasync: () => handle.datasync(),
      truncate: (length) => handle.truncate(length),
      chmod: (bits) => handle.chmod(bits),
      chown: (uid, gid) => handle.chown(uid, gid),
      close: () => handle.close(),
    };
  },
  readFile: (path) => readFile(path),
  readPart: (path, position, length) => {
    const descriptor = openSync(path, 'r');
    try {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
    } finally {
      closeSync(descriptor);
    }
  },
  readdir: (path) => readdir(path),
  mkdir: async (path, mode) => {
    await mkdir(path, { recursive: true, mode });
  },
  chmod,
  realpath: (path) => realpath(path),
  stat: (path) => stat(path),
  rename,
  link,
  copyFile: (from, to) => copyFile(from, to),
  truncate,
  unlink,
  renameWaitsMs,
};

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written);
    // A file system that takes nothing and reports no error would keep us here for ever.
    if (count <= 0) throw Object.assign(new Error('the disk took no more bytes'), { code: 'ENOSPC' });
    written += count;
  }
}

/** Makes a rename or a new file's name durable. Windows and some network file systems have no such call; their rename must do. */
export async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  const unsupported = process.platform === 'win32' ? ['EPERM', 'EACCES', 'EISDIR', 'EINVAL'] : ['EINVAL', 'ENOTSUP'];
  try {
    const handle = await fs.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!unsupported.includes(errorCode(error) ?? '')) throw error;
  }
}

/** True when a file was there to remove. */
export async function removeIfThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.unlink(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
