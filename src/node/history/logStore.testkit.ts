import type { EventStore } from '../../app/ports.ts';
import { sealerOn } from '../log/recordLog.testkit.ts';
import { loadSqlite } from '../store/database.ts';
import { silentLog, unsyncedFileSystem, wasm } from '../store/store.testkit.ts';
import { makeSegmentDigest } from './segmentDigest.ts';
import { type LogStoreOptions, type OpenedLogStore, openLogStore } from './openLogStore.ts';

const sqlite = wasm.then(loadSqlite);

/** Opens the store in this folder, with a sealer in this thread and a disk that is never waited for. */
export async function openStoreIn(folder: string, options: Partial<LogStoreOptions> = {}): Promise<OpenedLogStore> {
  const fs = options.fs ?? unsyncedFileSystem;
  const sealer = sealerOn(fs, makeSegmentDigest);
  const rest = { folder, sqlite: await sqlite, log: silentLog, generation: 1, mayWrite: () => true, sealer, fs };
  return openLogStore({ ...rest, ...options });
}

/** Ids of all that a session holds, twice if it is there twice. */
export function idsIn(store: Pick<EventStore, 'events'>, session = 's'): string[] {
  return store.events(session).map(({ id }) => id);
}
