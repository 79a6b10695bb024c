import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, open, opendir, stat } from 'node:fs/promises';

/** Entries that one reading of a folder brings, so that it costs one call and not one for each. */
const ENTRIES = 256;

export interface DiskFile {
  stat(): Promise<BigIntStats>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** After a call that is still pending. */
  close(): Promise<void>;
}

export interface DiskFolder {
  /** The next few; none at the end. */
  read(): Promise<readonly Dirent[]>;
  close(): Promise<void>;
}

/** What the sources need of a disk, and no more, so that a test can let each call hang. */
export interface Disk {
  /** Of folders. */
  stat(folder: string): Promise<BigIntStats>;
  /** Of files. */
  lstat(file: string): Promise<BigIntStats>;
  open(file: string, flags: number): Promise<DiskFile>;
  opendir(folder: string): Promise<DiskFolder>;
}

export const nodeDisk: Disk = {
  stat: (folder) => stat(folder, { bigint: true }),
  lstat: (file) => lstat(file, { bigint: true }),
  async open(file, flags) {
    const handle = await open(file, flags);
    return {
      stat: () => handle.stat({ bigint: true }),
      read: async (buffer, offset, length, position) => (await handle.read(buffer, offset, length, position)).bytesRead,
      close: () => handle.close(),
    };
  },
  async opendir(folder) {
    const opened = await opendir(folder, { bufferSize: ENTRIES });
    return {
      async read() {
        const entries: Dirent[] = [];
        while (entries.length < ENTRIES) {
          const entry = await opened.read();
          if (!entry) break;
          entries.push(entry);
        }
        return entries;
      },
      close: () => opened.close(),
    };
  },
};
