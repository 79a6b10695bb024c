import { nodeFileSystem, type FileSystem, type OpenFile } from './fileSystem.ts';

export type Operation = Exclude<keyof FileSystem, 'renameWaitsMs'> | keyof OpenFile;

export interface Fault {
  /** Which call fails, counted from 1, among those of `operation` or, without it, among all. */
  readonly nth: number;
  readonly operation?: Operation;
  readonly code: string;
  /** `once`: that call alone, as when space comes back. `onward`: it and every later one, as when a disk dies. */
  readonly lasting?: 'once' | 'onward';
}

export interface FaultyFileSystem extends FileSystem {
  /** Every call so far, in order. */
  readonly calls: readonly Operation[];
  /** Puts a fault in place, or with undefined lets all go well; the count begins anew. */
  arm(fault: Fault | undefined): void;
}

/** A real disk on which a chosen call fails. A failing write leaves half of its bytes behind, as a full disk does. */
export function faultyFileSystem({
  disk = nodeFileSystem,
  renameWaitsMs = [],
}: { disk?: FileSystem; renameWaitsMs?: readonly number[] } = {}): FaultyFileSystem {
  const calls: Operation[] = [];
  let armed: Fault | undefined;
  let count = 0;

  function fails(operation: Operation): Error | undefined {
    calls.push(operation);
    if (!armed || (armed.operation !== undefined && armed.operation !== operation)) return undefined;
    count++;
    if (armed.lasting === 'onward' ? count < armed.nth : count !== armed.nth) return undefined;
    return Object.assign(new Error(`${armed.code}: planted in call ${count} (${operation})`), { code: armed.code });
  }

  async function guarded<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    const error = fails(operation);
    if (error) throw error;
    return work();
  }

  function faultyFile(file: OpenFile): OpenFile {
    return {
      write: async (bytes, position) => {
        const error = fails('write');
        if (!error) return file.write(bytes, position);
        await file.write(bytes.subarray(0, Math.floor(bytes.length / 2)), position);
        throw error;
      },
      sync: () => guarded('sync', () => file.sync()),
      datasync: () => guarded('datasync', () => file.datasync()),
      truncate: (length) => guarded('truncate', () => file.truncate(length)),
      chmod: (mode) => guarded('chmod', () => file.chmod(mode)),
      chown: (uid, gid) => guarded('chown', () => file.chown(uid, gid)),
      // The descriptor is given back even when closing reports an error, as POSIX has it.
      close: async () => {
        const error = fails('close');
        await file.close();
        if (error) throw error;
      },
    };
  }

  return {
    calls,
    arm: (fault) => {
      armed = fault;
      count = 0;
    },
    open: (path, flags, mode) => guarded('open', async () => faultyFile(await disk.open(path, flags, mode))),
    readFile: (path) => guarded('readFile', () => disk.readFile(path)),
    readPart: (path, position, length) => {
      const error = fails('readPart');
      if (error) throw error;
      return disk.readPart(path, position, length);
    },
    readdir: (path) => guarded('readdir', () => disk.readdir(path)),
    mkdir: (path, mode) => guarded('mkdir', () => disk.mkdir(path, mode)),
    chmod: (path, mode) => guarded('chmod', () => disk.chmod(path, mode)),
    realpath: (path) => guarded('realpath', () => disk.realpath(path)),
    stat: (path) => guarded('stat', () => disk.stat(path)),
    rename: (from, to) => guarded('rename', () => disk.rename(from, to)),
    link: (existing, path) => guarded('link', () => disk.link(existing, path)),
    copyFile: (from, to) => guarded('copyFile', () => disk.copyFile(from, to)),
    truncate: (path, length) => guarded('truncate', () => disk.truncate(path, length)),
    unlink: (path) => guarded('unlink', () => disk.unlink(path)),
    renameWaitsMs,
  };
}

/** A real disk on which somebody acts each time a temporary file has been closed, so before it is renamed. */
export function meddledFileSystem(meddle: (temporary: string) => void | Promise<void>): FileSystem {
  return {
    ...nodeFileSystem,
    async open(path, flags, mode) {
      const file = await nodeFileSystem.open(path, flags, mode);
      const close = async () => {
        await file.close();
        if (path.endsWith('.tmp')) await meddle(path);
      };
      return { ...file, close };
    },
  };
}
