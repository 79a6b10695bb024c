import { constants, type Stats } from 'node:fs';
import { appendFile, chmod, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { errorCode } from '../files/fileSystem.ts';

export interface SpoolStats {
  readonly ino: number;
  readonly uid: number;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** What the spool needs of a disk, and no more, so that a test can let each call fail in turn. No call follows a link at the end. */
export interface SpoolDisk {
  look(path: string): Promise<SpoolStats>;
  names(folder: string): Promise<string[]>;
  /** Throws, with the code EFBIG, when it is larger. */
  read(file: string, maxBytes: number): Promise<string>;
  /** As much of its beginning as it has. */
  readStart(file: string, bytes: number): Promise<string>;
  /** The last bytes, to see whether the rest is worth reading yet. */
  readEnd(file: string, bytes: number): Promise<string>;
  append(file: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(file: string): Promise<void>;
  mkdir(folder: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
}

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

export const nodeSpoolDisk: SpoolDisk = {
  look: async (path) => {
    const stats = await lstat(path);
    const { ino, uid, mode, size, mtimeMs, birthtimeMs } = stats;
    return { ino, uid, mode, size, mtimeMs, birthtimeMs, kind: kindOf(stats) };
  },
  names: (folder) => readdir(folder),
  read: (file, maxBytes) =>
    opened(file, async (handle) => {
      if ((await handle.stat()).size > maxBytes) throw Object.assign(new Error('too large'), { code: 'EFBIG' });
      return handle.readFile('utf8');
    }),
  readStart: (file, bytes) =>
    opened(file, async (handle) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    }),
  readEnd: (file, bytes) =>
    opened(file, async (handle) => {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, Math.max(0, size - bytes));
      return buffer.toString('latin1', 0, bytesRead);
    }),
  append: (file, text) => appendFile(file, text, { mode: PRIVATE }),
  rename,
  unlink,
  mkdir: (folder) => mkdir(folder, { mode: PRIVATE_FOLDER }),
  chmod,
};

function kindOf(stats: Stats): SpoolStats['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** Opening a pipe would wait for a writer, following a link would leave the folder. */
async function opened<T>(file: string, work: (handle: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error('no file'), { code: 'EINVAL' });
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** True when it is away, whoever removed it. */
export async function isRemoved(disk: SpoolDisk, file: string): Promise<true | string> {
  try {
    await disk.unlink(file);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    return code === 'ENOENT' ? true : code;
  }
}
