import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isThorough } from '../../../test/thorough.testkit.ts';
import type { EventRecord } from '../../app/ports.ts';
import { loadSqlite } from '../store/database.ts';
import {
  openIn,
  record,
  records,
  sessionRow,
  silentLog,
  temporaryFolder,
  unsyncedFileSystem,
  wasm,
} from '../store/store.testkit.ts';
import { idsIn, openStoreIn } from './logStore.testkit.ts';
import type { LogStore } from './logStore.ts';
import { change, contentOf, step } from './storeModel.testkit.ts';
import { isTakenOver, removeUnneeded, TakeOver, type TakeOverParts } from './takeOver.ts';

const sqlite = wasm.then(loadSqlite);

async function partsOf(folder: string, store: LogStore): Promise<TakeOverParts> {
  return { folder, store, fs: unsyncedFileSystem, sqlite: await sqlite, log: silentLog, now: () => 0 };
}

const oldFilesIn = (folder: string) => readdirSync(folder).filter((name) => /\.sqlite$/.test(name));

describe('STO-6 taking over the store of an earlier release', () => {
  test('STO-6 whatever was done to the old store, closed or killed, the new one answers as it did', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }),
        fc.boolean(),
        async (steps, isKilled) => {
          await using folder = await temporaryFolder();
          const place = path.join(folder.path, 'store');
          const { store: old } = await openIn(place, { fs: unsyncedFileSystem });
          const all: EventRecord[] = [];
          for (const [index, made] of steps.entries()) {
            await change(old, made, (index + 1) * 10, all);
            if (made.what === 'checkpoint') await old.checkpoint();
          }
          const wanted = contentOf(old);
          const killed = path.join(folder.path, 'killed');
          if (isKilled) cpSync(place, killed, { recursive: true });
          await old.close();
          const there = isKilled ? killed : place;
          const { store } = await openStoreIn(there, { sealAfterBytes: 2_000 });
          const takeOver = await TakeOver.begin(await partsOf(there, store));
          await takeOver?.finish();
          // Rows that were only in memory went with the process, and are made again from the events.
          const { sessions: _rows, ...content } = contentOf(store);
          const { sessions: _wantedRows, ...wantedContent } = wanted;
          expect(content).toEqual(wantedContent);
          if (!isKilled) expect(contentOf(store).sessions).toEqual(wanted.sessions);
          await store.close();
        },
      ),
      { numRuns: isThorough ? 300 : 10, endOnFailure: true },
    );
  });

  async function oldStore(folder: string): Promise<void> {
    const { store } = await openIn(folder);
    await store.append([...records(0, 250), record(900, { session: 'old', ts: '2020-01-01T00:00:00.000Z' })]);
    store.saveSessions([sessionRow('s', record(249).event.ts), sessionRow('old', '2020-01-01T00:00:00.000Z')]);
    await store.close();
  }

  test('STO-6 recent sessions are there at once, the others after it, with progress', async () => {
    await using folder = await temporaryFolder();
    await oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    expect([idsIn(store).length, idsIn(store, 'old'), store.session('old')?.id]).toEqual([250, [], 'old']);
    expect([takeOver?.progress, takeOver?.unreduced]).toEqual([{ done: 250, of: 251 }, []]);
    const told: unknown[] = [];
    await takeOver?.finish((progress) => told.push(progress));
    expect([told.at(-1), idsIn(store, 'old'), isTakenOver(store)]).toEqual([{ done: 251, of: 251 }, ['evt-900'], true]);
    expect(await TakeOver.begin(await partsOf(folder.path, store))).toBeUndefined();
    await store.close();
  });

  test('STO-6 killed in the middle it goes on, and nothing is there twice; an event that came meanwhile stays', async () => {
    await using folder = await temporaryFolder();
    await oldStore(folder.path);
    const first = await openStoreIn(folder.path);
    await TakeOver.begin(await partsOf(folder.path, first.store));
    await first.store.append([record(901, { session: 'old' })]);
    await using other = await temporaryFolder();
    const killed = path.join(other.path, 'killed');
    cpSync(folder.path, killed, { recursive: true });
    const { store } = await openStoreIn(killed, { generation: 2 });
    const takeOver = await TakeOver.begin(await partsOf(killed, store));
    await takeOver?.finish();
    expect([idsIn(store).length, new Set(idsIn(store)).size, idsIn(store, 'old')]).toEqual([
      250,
      250,
      ['evt-900', 'evt-901'],
    ]);
    await store.close();
    await first.store.close();
  });

  test('CNV-5 what is erased before it is taken over does not come, and the old files go', async () => {
    await using folder = await temporaryFolder();
    await oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    await store.erase({ sessions: ['old'] });
    await takeOver?.finish();
    expect([idsIn(store, 'old'), idsIn(store).length, oldFilesIn(folder.path)]).toEqual([[], 250, []]);
    await store.close();
  });

  test('STO-6 the old files stay for 30 days of use, and go then', async () => {
    await using folder = await temporaryFolder();
    await oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const parts = await partsOf(folder.path, store);
    await (await TakeOver.begin(parts))?.finish();
    const left: number[] = [];
    for (const days of [0, 29, 31]) {
      await store.shelf('retention').put([{ key: 'time', value: { uptime: days * 86_400_000 } }]);
      await removeUnneeded(parts);
      left.push(oldFilesIn(folder.path).length);
    }
    expect(left).toEqual([1, 1, 0]);
    await store.close();
  });
});
