import { gunzipSync } from 'node:zlib';
import type { EventStore } from '../../app/ports.ts';
import { bytesBelow, inflatedBlocks, sealerOn } from '../log/recordLog.testkit.ts';
import { loadSqlite } from './sqlite.ts';
import { silentLog, unsyncedFileSystem, wasm } from './store.testkit.ts';
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

/** Every text of a folder's files, compressed or not, UTF-8 or in the units of the gram index. */
export function textsBelow(folder: string): string {
  return [...bytesBelow(folder)]
    .flatMap(([file, bytes]) => {
      if (!file.endsWith('.sealed')) return [bytes];
      return [bytes, ...inflatedBlocks(bytes), ...gzipsIn(bytes)];
    })
    .map((bytes) => bytes.toString('latin1'))
    .join('\n');
}

/** Whatever is compressed in these bytes, wherever it begins. */
function gzipsIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf('1f8b08', 0, 'hex'); at >= 0; at = bytes.indexOf('1f8b08', at + 1, 'hex')) {
    try {
      found.push(gunzipSync(bytes.subarray(at), { finishFlush: 2 }));
    } catch {
      // Three bytes that only look like a beginning.
    }
  }
  return found;
}
