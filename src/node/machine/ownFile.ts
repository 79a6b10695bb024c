import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { type OwnFile, thisAccount, unsafeFile, unsafeFolder } from '../../../forwarder/home.ts';
import { errorCode } from '../files/fileSystem.ts';

/** `isUnread`: the system would not let it be read. */
export type FoundFile = Exclude<OwnFile, { kind: 'unsafe' }> | UnsafeFile;
interface UnsafeFile {
  readonly kind: 'unsafe';
  readonly why: string;
  readonly isUnread: boolean;
}

/** FWD-3: as forwarders read a file of the home, and refused for the same reasons. */
export async function readOwnFile(file: string, self = thisAccount()): Promise<FoundFile> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      const seen = { uid: stats.uid, mode: stats.mode, size: stats.size, isFile: stats.isFile() };
      const folder = path.dirname(file);
      const why = unsafeFolder(folder, await stat(folder), self) ?? unsafeFile(file, seen, self);
      return why === undefined
        ? { kind: 'text', text: await handle.readFile('utf8') }
        : { kind: 'unsafe', why, isUnread: false };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unsafe', why: `the file ${file} can't be read (${code ?? 'unknown'})`, isUnread: true };
  }
}
