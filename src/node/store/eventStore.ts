import type { TakeOverProgress } from '../../protocol/state.ts';
import path from 'node:path';
import { type FileSystem, nodeFileSystem, removeIfThere } from '../files/fileSystem.ts';
import { type LogStoreOptions, type OpenedLogStore, openLogStore } from './openLogStore.ts';
import { isTakenOver, keepEarlierReleasesAway, oldFiles, removeUnneeded, TakeOver } from '../oldStore/takeOver.ts';
import { sealHere } from './sealHere.ts';
import type { Sealer } from '../log/recordLog.ts';
import { StoreClosedError } from '../log/errors.ts';
import { loadSqlite, type Sqlite } from './sqlite.ts';
import { DAMAGED_FOLDER } from '../log/setAside.ts';

export interface EventStoreOptions extends Omit<LogStoreOptions, 'sqlite' | 'sealer' | 'wipeBesides'> {
  /** sql.js' sql-wasm.wasm. */
  readonly wasm: Uint8Array | ArrayBuffer;
  /** Compresses the log away from this thread; without it that is done here. */
  readonly sealer?: Sealer | undefined;
  /** Told how far the store of an earlier release is taken over. */
  readonly onTakeOver?: ((progress: TakeOverProgress) => void) | undefined;
}

export interface OpenedStore extends OpenedLogStore {
  /** Resolves when the store of an earlier release is taken over, or there was none. Never rejects. */
  readonly takenOver: Promise<void>;
}

export async function openEventStore(options: EventStoreOptions): Promise<OpenedStore> {
  return openStoreWith(await loadSqlite(options.wasm), options);
}

/** For a caller that opens many: looking at SQLite's code takes longer than opening a small store. */
export async function openStoreWith(sqlite: Sqlite, options: Omit<EventStoreOptions, 'wasm'>): Promise<OpenedStore> {
  const { folder, log, generation } = options;
  const fs = options.fs ?? nodeFileSystem;
  const sealer = options.sealer ?? sealHere(fs);
  const opened = await openLogStore({
    ...{ ...options, sqlite, sealer },
    wipeBesides: (store) => wipeBesides(fs, folder, isTakenOver(store)),
  });
  const { store } = opened;
  try {
    await keepEarlierReleasesAway(fs, folder, generation);
    const parts = { folder, fs, sqlite, store, log, now: options.now ?? Date.now };
    const takeOver = await TakeOver.begin(parts, opened.unreduced);
    const finishing = takeOver ? takeOver.finish(options.onTakeOver) : removeUnneeded(parts);
    const takenOver = finishing.catch((error: unknown) => {
      if (!(error instanceof StoreClosedError)) log.warn(`store: the next start goes on with it: ${String(error)}`);
    });
    const unreduced = new Set([...(takeOver?.unreduced ?? []), ...opened.unreduced]);
    const damage = [...opened.damage, ...(takeOver?.damage ?? [])];
    return { ...opened, damage, unreduced: [...unreduced], takenOver };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Removes what may hold erased words beside the log and its index: the store of an earlier release, once it is taken over, and
 * damaged pieces of it. Resolves to the paths of what has to stay for now.
 */
async function wipeBesides(fs: FileSystem, folder: string, isCopy: boolean): Promise<readonly string[]> {
  const left: string[] = [];
  const names = await oldFiles(fs, folder).catch(() => {
    left.push(path.join(folder, DAMAGED_FOLDER));
    return [];
  });
  for (const name of names) {
    const file = path.join(folder, name);
    if (!isCopy && !name.startsWith(DAMAGED_FOLDER)) left.push(file);
    else await removeIfThere(fs, file).catch(() => left.push(file));
  }
  return left;
}
