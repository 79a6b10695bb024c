import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlJsStatic } from 'sql.js';
import type { Log } from '../../app/ports.ts';
import { temporaryOf } from '../files/atomicWrite.ts';
import { type FileSystem, nodeFileSystem, removeIfThere } from '../files/fileSystem.ts';
import { RecordLog, type Sealer } from '../log/recordLog.ts';
import { LOG_FOLDER } from '../log/segmentNames.ts';
import { StoreFencedError } from '../log/errors.ts';
import type { LogRecord } from '../log/segmentFormat.ts';
import { EventDirectory } from './eventDirectory.ts';
import { IndexFile } from './indexFile.ts';
import { follow, type Followers } from './indexUpdate.ts';
import { LogStore } from './logStore.ts';
import { SayingSearcher } from './sayingSearch.ts';
import { refreshSegments } from './segmentRefresh.ts';
import { StoreIndex } from './storeIndex.ts';

export interface LogStoreOptions {
  /** The store's own; made when it is not there. */
  readonly folder: string;
  readonly sqlite: SqlJsStatic;
  readonly log: Log;
  /** The owner's, from the election. */
  readonly generation: number;
  /** False once another window owns the store. */
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly sealer: Sealer;
  readonly fs?: FileSystem | undefined;
  readonly now?: (() => number) | undefined;
  readonly sealAfterBytes?: number | undefined;
  readonly fenceFreshMs?: number | undefined;
  /** What else is to be cleared when erased words leave the files; resolves to the paths of what has to stay for now. */
  readonly wipeBesides?: ((store: LogStore) => Promise<readonly string[]>) | undefined;
}

export interface OpenedLogStore {
  readonly store: LogStore;
  /** Sessions with events that their saved row does not know: their rows must be made anew. Newest first. */
  readonly unreduced: readonly string[];
  /** What was found damaged, what was done about it and where the damaged part is; sentences for the person. */
  readonly damage: readonly string[];
}

/** Records that are read again between two turns of the editor. */
const RECORDS_AT_ONCE = 200;

/** Opens the store, or makes a new one. What a crash left is repaired; an index that is lost or damaged is made again from the log. */
export async function openLogStore(options: LogStoreOptions): Promise<OpenedLogStore> {
  const { folder, mayWrite, generation, sealer, sealAfterBytes, fenceFreshMs } = options;
  const [fs, programLog] = [options.fs ?? nodeFileSystem, options.log];
  await fs.mkdir(folder, 0o700);
  if (!(await mayWrite())) throw new StoreFencedError();
  // It may have been made by hand, or unpacked, with a mode that lets others in.
  await fs
    .chmod(folder, 0o700)
    .catch((error: unknown) => programLog.warn(`store: mode of ${folder}: ${String(error)}`));
  for (const name of await fs.readdir(folder)) if (temporaryOf(name)) await removeIfThere(fs, path.join(folder, name));
  const holder: { directory?: EventDirectory } = {};
  const { log, damage } = await RecordLog.open({
    ...{
      folder: path.join(folder, LOG_FOLDER),
      fs,
      log: programLog,
      generation,
      mayWrite,
      sealer,
      sealAfterBytes,
      fenceFreshMs,
    },
    mayHold: ({ firstSeq }, removals) =>
      removals.some((removal) => holder.directory?.mayHold(firstSeq, removal) !== false),
  });
  const assertMayWrite = async () => {
    if (!(await mayWrite())) throw new StoreFencedError();
  };
  const indexFile = new IndexFile({ folder, fs, generation: log.generation, assertMayWrite });
  const index = (await savedIndex(options.sqlite, indexFile, log.lastSeq)) ?? StoreIndex.empty(options.sqlite);
  const directory = new EventDirectory(log, index, programLog);
  holder.directory = directory;
  const followers = { log, index, directory, searcher: new SayingSearcher(log, directory, index) };
  const hasOldWords = await catchUp(followers);
  const now = options.now ?? Date.now;
  const store = new LogStore({ ...followers, folder, indexFile, now, programLog, wipeBesides: options.wipeBesides });
  if (log.hasRemovals || hasOldWords) {
    store
      .wipe()
      .catch((error: unknown) => programLog.warn(`store: what was removed is still in files: ${String(error)}`));
  }
  return { store, unreduced: unreducedIn(followers), damage };
}

/** The newest image that can be read. One that reaches further than the log was made beside a log that is lost. */
async function savedIndex(sqlite: SqlJsStatic, file: IndexFile, lastSeq: number): Promise<StoreIndex | undefined> {
  for await (const image of file.images()) {
    const index = StoreIndex.from(sqlite, image);
    if (index !== undefined && index.reaches <= lastSeq) return index;
    index?.close();
  }
  return undefined;
}

/** Resolves to whether something was removed since the index's file was written, which may still hold it. */
async function catchUp(followers: Followers): Promise<boolean> {
  const { log, index, directory } = followers;
  const reached = index.reaches;
  let hasOldWords = false;
  const followNext = (record: LogRecord) => {
    hasOldWords ||= record.kind === 'erase' || record.kind === 'trim';
    follow(followers, record);
  };
  // What is not an event first: an erasure takes away only what was before it.
  for (const { firstSeq, lastSeq } of log.sealed) {
    if (lastSeq <= reached) continue;
    const seqs = directory.summaryOf(firstSeq).others.filter((seq) => seq > reached);
    for (let from = 0; from < seqs.length; from += RECORDS_AT_ONCE) {
      const records = log.recordsAt(seqs.slice(from, from + RECORDS_AT_ONCE));
      for (const record of [...records.values()].sort((a, b) => a.seq - b.seq)) followNext(record);
      await nextTurn();
    }
  }
  await refreshSegments(followers, []);
  directory.forgetFound();
  for (const records of log.unsealedRecords()) {
    for (const record of records) if (record.kind === 'event' || record.seq > reached) followNext(record);
    await nextTurn();
  }
  return hasOldWords && reached > 0;
}

function unreducedIn({ index, directory }: Followers): readonly string[] {
  const unsealed = directory
    .unsealedSessions()
    .map((id) => ({ id, lastSeq: directory.unsealedOf(id).at(-1)?.seq ?? 0 }))
    .filter(({ id, lastSeq }) => lastSeq > index.rowReaches(id))
    .sort((a, b) => b.lastSeq - a.lastSeq);
  return [...new Set([...unsealed.map(({ id }) => id), ...index.unreduced()])];
}
