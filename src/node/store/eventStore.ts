import type { EventStore, Log } from '../../app/ports.ts';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import type { Compact } from './compact.ts';
import { loadSqlite, type Sqlite } from './database.ts';
import { StoreFencedError } from './errors.ts';
import { createJournal } from './journal.ts';
import { createLiveStore } from './liveStore.ts';
import { recover } from './recovery.ts';
import { isWipeDue } from './wiping.ts';

export interface EventStoreOptions {
  /** The store's own; made when it is not there. */
  readonly folder: string;
  /** sql.js' sql-wasm.wasm. */
  readonly wasm: Uint8Array | ArrayBuffer;
  readonly log: Log;
  /** The owner's, from the election: part of the name of each file that it writes. */
  readonly generation: number;
  /** Asked before each write to the journal and before an image is put in place: false once another window owns the store. */
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly fs?: FileSystem;
  readonly checkpointAfterBytes?: number;
  /** Makes large images beside the main thread. */
  readonly compact?: Compact | undefined;
  /** What counts as large. */
  readonly imageHereUpToBytes?: number | undefined;
  /** So long a yes of `mayWrite` holds for the next write to begin; never for its acknowledgement. */
  readonly fenceFreshMs?: number;
}

export interface OpenedStore {
  readonly store: EventStore;
  /** Sessions with events that their saved row does not know: their rows must be made anew. */
  readonly unreduced: readonly string[];
  /** What was found damaged, what was done about it and where the damaged part is; sentences for the person. */
  readonly damage: readonly string[];
}

const CHECKPOINT_AFTER_BYTES = 4 * 1024 * 1024;

export async function openEventStore(options: EventStoreOptions): Promise<OpenedStore> {
  return openStoreWith(await loadSqlite(options.wasm), options);
}

/** For whoever opens many: looking at SQLite's code takes longer than opening a small store. */
export async function openStoreWith(sqlite: Sqlite, options: Omit<EventStoreOptions, 'wasm'>): Promise<OpenedStore> {
  const { folder, log, mayWrite, compact } = options;
  const fs = options.fs ?? nodeFileSystem;
  await fs.mkdir(folder, 0o700);
  // Opening repairs, so it writes.
  if (!(await mayWrite())) throw new StoreFencedError();
  const found = await recover(fs, folder, sqlite, log);
  // It may have been made by hand, or unpacked, with a mode that lets others in; the files are the person's alone anyway.
  await fs.chmod(folder, 0o700).catch((error: unknown) => log.warn(`store: mode of ${folder}: ${String(error)}`));
  // The count of owners may have been lost with its file; what is written must be newer than all that is there.
  const generation = Math.max(options.generation, found.lastGeneration + 1);
  const journal = createJournal({ folder, generation, firstSeq: found.nextSeq, found: found.segments, fs, log });
  const store = createLiveStore({
    folder,
    fs,
    log,
    mayWrite,
    journal,
    database: found.database,
    generation,
    image: found.image,
    compact,
    imageHereUpToBytes: options.imageHereUpToBytes,
    fenceFreshMs: options.fenceFreshMs,
    bytesSinceImage: found.replayedBytes,
    checkpointAfterBytes: options.checkpointAfterBytes ?? CHECKPOINT_AFTER_BYTES,
  });
  if (await isWipeDue(fs, folder)) {
    store.wipe().catch((error: unknown) => log.warn(`store: what was erased is not wiped yet: ${String(error)}`));
  }
  return { store, unreduced: found.database.unreduced(), damage: found.damage };
}
