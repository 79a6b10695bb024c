import type { EventStore, Log } from '../../app/ports.ts';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { loadSqlite } from './database.ts';
import { StoreFencedError } from './errors.ts';
import { createJournal } from './journal.ts';
import { createLiveStore } from './liveStore.ts';
import { recover } from './recovery.ts';

export interface EventStoreOptions {
  /** The store's own; made when it is not there. */
  readonly folder: string;
  /** sql.js' sql-wasm.wasm. */
  readonly wasm: Uint8Array | ArrayBuffer;
  readonly log: Log;
  /** The owner's, from the election: part of each journal file's name. */
  readonly generation: number;
  /** Asked before each write to the journal and before an image is put in place: false once another window owns the store. */
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly fs?: FileSystem;
  readonly checkpointAfterBytes?: number;
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
  const { folder, log, generation, mayWrite } = options;
  const fs = options.fs ?? nodeFileSystem;
  const sqlite = await loadSqlite(options.wasm);
  await fs.mkdir(folder, 0o700);
  // Opening repairs, so it writes.
  if (!(await mayWrite())) throw new StoreFencedError();
  const found = await recover(fs, folder, sqlite, log);
  // It may have been made by hand, or unpacked, with a mode that lets others in; the files are the person's alone anyway.
  await fs.chmod(folder, 0o700).catch((error: unknown) => log.warn(`store: mode of ${folder}: ${String(error)}`));
  const journal = createJournal({ folder, generation, firstSeq: found.nextSeq, found: found.segments, fs, log });
  const store = createLiveStore({
    folder,
    fs,
    log,
    mayWrite,
    journal,
    database: found.database,
    imageCoverage: found.imageCoverage,
    backupCoverage: found.backupCoverage,
    imageBytes: found.imageBytes,
    bytesSinceImage: found.replayedBytes,
    checkpointAfterBytes: options.checkpointAfterBytes ?? CHECKPOINT_AFTER_BYTES,
  });
  return { store, unreduced: found.database.unreduced(), damage: found.damage };
}
