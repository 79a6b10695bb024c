import { expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { hashHex } from '../../domain/hash.ts';
import { loadSqlite, openDatabase } from './database.ts';
import { migrations } from './migrations.ts';
import { openIn, record, sessionRow, temporaryFolder, wasm } from './store.testkit.ts';

type Reopen = () => Promise<EventStore>;

/** Runs over the tests' store and over the real one, whose next owner opens it after a crash. */
async function overEach(run: (store: EventStore, reopen: Reopen) => Promise<void>): Promise<void> {
  const fake = memoryStore();
  await run(fake, () => Promise.resolve(fake));
  for (const hasImage of [false, true]) {
    await using folder = await temporaryFolder();
    let generation = 1;
    let { store } = await openIn(folder.path, { generation });
    await run(store, async () => {
      if (hasImage) await store.checkpoint();
      return ({ store } = await openIn(folder.path, { generation: ++generation })).store;
    });
    // The next owner goes on with what an erasure began.
    await store.wipe();
    await store.close();
  }
}

test.each<readonly string[] | 'all'>([['s'], 'all'])(
  'CNV-5 what is stored after an erasure of %j stays, of whatever moment it is, also over owners',
  async (sessions) => {
    await overEach(async (store, reopen) => {
      await store.append([record(1), record(2)]);
      await store.erase({ sessions });
      const after = ['1999-01-01', '2026-01-01', '2199-01-01'].map((day, index) =>
        record(10 + index, { ts: `${day}T00:00:00.000Z` }),
      );
      await store.append(after);
      const again = await reopen();
      expect(again.events('s').map(({ id }) => id)).toEqual(after.map(({ event }) => event.id));
    });
  },
);

test('CNV-5 an erasure’s number and marks are known, also to the next owner', async () => {
  await overEach(async (store, reopen) => {
    await store.append([record(1, { session: 'one' }), record(2, { session: 'two' })]);
    store.saveSessions([sessionRow('two', '2026-01-01')]);
    expect([store.erased.count(), store.erased.of('one'), store.erased.had('one')]).toEqual([0, 0, false]);
    await store.erase({ sessions: ['one'], transcripts: { [hashHex('/t/one.jsonl')]: 120 }, waiting: ['1-a.json'] });
    const first = await reopen();
    expect([first.erased.count(), first.erased.of('one'), first.erased.of('two')]).toEqual([1, 1, 0]);
    expect([first.erased.bytesOf('one', '/t/one.jsonl'), first.erased.bytesOf('one', '/t/other.jsonl')]).toEqual([
      120, 0,
    ]);
    expect([first.erased.isWaiting('1-a.json'), first.erased.isWaiting('2-b.json')]).toEqual([true, false]);
    await first.erase({ sessions: 'all' });
    const { erased } = await reopen();
    expect(['one', 'two', 'new'].map((id) => [erased.of(id), erased.had(id)])).toEqual([
      [2, true],
      [2, true],
      [2, false],
    ]);
    expect([erased.count(), erased.bytesOf('one', '/t/one.jsonl'), erased.isWaiting('1-a.json')]).toEqual([
      2,
      120,
      true,
    ]);
  });
});

test('CNV-5 a file of the spool that one erasure took is still known after the next ones, but not for ever', async () => {
  await overEach(async (store, reopen) => {
    await store.append([record(1, { session: 'one' }), record(2, { session: 'two' })]);
    await store.erase({ sessions: ['one'], waiting: ['1-a.json'] });
    await store.erase({ sessions: ['two'], waiting: ['2-b.json'] });
    const then = await reopen();
    expect(['1-a.json', '2-b.json'].map(then.erased.isWaiting)).toEqual([true, true]);
    for (let times = 0; times < 19; times++) await then.erase({ sessions: ['two'] });
    expect(['1-a.json', '2-b.json'].map(then.erased.isWaiting)).toEqual([false, true]);
  });
});

test('CNV-5 a delivery that comes a second time after its event was erased is known; the same content under another is not', async () => {
  await overEach(async (store, reopen) => {
    const delivered = { ...record(1), keys: ['d:delivery', 'f:content'] };
    await store.append([delivered]);
    await store.erase({ sessions: 'all' });
    const again = await reopen();
    expect([again.lookup('d:delivery', 's'), again.lookup('f:content', 's'), again.lookup('d:other', 's')]).toEqual([
      '',
      undefined,
      undefined,
    ]);
  });
});

test('CNV-5 erasures that an earlier version noted by moments hold up nothing that comes now', async () => {
  const sqlite = await loadSqlite(await wasm);
  const old = new sqlite.Database();
  for (const step of migrations.filter(({ id }) => id <= 7)) step.up(old);
  old.run(
    "PRAGMA user_version = 7; INSERT INTO erased VALUES ('s', '2199-01-02T00:00:00.000Z'), ('', '2199-01-01T00:00:00.000Z')",
  );
  const database = openDatabase(sqlite, { bytes: old.export(), verified: false });
  database.insert([record(1), record(2, { session: 'new' })]);
  expect([database.events('s').length, database.events('new').length]).toEqual([1, 1]);
  const { count, of, had, bytesOf } = database.erased;
  expect([count(), of('s'), of('new'), had('s'), had('new')]).toEqual([2, 2, 1, true, false]);
  // How much of its transcript there was nobody noted: all that is there when it is looked at is of before.
  expect([bytesOf('s', '/t'), bytesOf('new', '/t')]).toEqual([Number.MAX_SAFE_INTEGER, 0]);
  database.close();
});
