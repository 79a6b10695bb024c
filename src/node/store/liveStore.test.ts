import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../files/fileSystem.ts';
import { loadSqlite, openDatabase, type StoreDatabase } from './database.ts';
import { createJournal } from './journal.ts';
import { createLiveStore } from './liveStore.ts';
import {
  filesIn,
  idsIn,
  idsOf,
  openIn,
  wasm,
  record,
  records,
  silentLog,
  snapshotOf,
  temporaryFolder,
} from './store.testkit.ts';
import type { EventStore, Log } from '../../app/ports.ts';

interface Limping {
  readonly store: EventStore;
  /** While true, no row can be made. */
  readonly rows: { failing: boolean };
  readonly errors: string[];
}

async function limpingStore(folder: string): Promise<Limping> {
  const database = openDatabase(await loadSqlite(await wasm), undefined);
  const rows = { failing: false };
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (message) => errors.push(message) };
  const limping: StoreDatabase = {
    ...database,
    insert: (added) => {
      if (rows.failing) throw new Error('out of memory');
      database.insert(added);
    },
  };
  const fs = nodeFileSystem;
  const journal = createJournal({ folder, generation: 1, firstSeq: 1, found: [], fs, log });
  const store = createLiveStore({
    folder,
    fs,
    log,
    mayWrite: () => true,
    journal,
    database: limping,
    generation: 1,
    image: undefined,
    bytesSinceImage: 0,
    checkpointAfterBytes: 1_000_000,
  });
  return { store, rows, errors };
}

describe('STO-2 the journal took an event, its row failed', () => {
  it('STO-2 it is acknowledged, known by its keys, told in the log, and its row made with the next append', async () => {
    await using folder = await temporaryFolder();
    const { store, rows, errors } = await limpingStore(folder.path);
    rows.failing = true;
    await store.append([record(1)]);
    expect([store.lookup('delivery/1', 's'), store.events('s'), errors.length]).toEqual(['evt-1', [], 1]);
    rows.failing = false;
    await store.append([record(2)]);
    expect(store.events('s').map((event) => event.id)).toEqual(['evt-1', 'evt-2']);
    await store.close();
  });

  it('STO-2 no image is written without it, and the next start has it', async () => {
    await using folder = await temporaryFolder();
    await using killed = await temporaryFolder();
    const { store, rows } = await limpingStore(folder.path);
    await store.append(records(1, 2));
    rows.failing = true;
    await store.append(records(3, 2));
    await expect(store.checkpoint()).rejects.toThrow('wait for their rows');
    expect(await filesIn(folder.path, /./)).toEqual(['journal-1-000001.bin']);
    await snapshotOf(folder.path, killed.path);
    await store.close();
    for (const left of [killed.path, folder.path]) {
      const reopened = await openIn(left, { generation: 2 });
      expect([idsIn(reopened), reopened.damage]).toEqual([idsOf(records(1, 4)), []]);
      await reopened.store.close();
    }
  });

  it('STO-2 a record that could never become a row is refused before the journal', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    for (const bad of [
      { ...record(1), rank: Number.NaN },
      { ...record(1), keys: [1 as unknown as string] },
    ]) {
      await expect(store.append([record(2), bad])).rejects.toThrow(TypeError);
    }
    expect(store.events('s')).toEqual([]);
    await store.close();
    expect(await filesIn(folder.path, /./)).toEqual([]);
  });
});
