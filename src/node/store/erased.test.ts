import { expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { hashHex } from '../../domain/hash.ts';
import { openIn, record, sessionRow, temporaryFolder } from './store.testkit.ts';

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
    const number = first.erased.count();
    expect([number > 0, first.erased.of('one'), first.erased.of('two')]).toEqual([true, number, 0]);
    expect([first.erased.bytesOf('one', '/t/one.jsonl'), first.erased.bytesOf('one', '/t/other.jsonl')]).toEqual([
      120, 0,
    ]);
    expect([first.erased.isWaiting('1-a.json'), first.erased.isWaiting('2-b.json')]).toEqual([true, false]);
    await first.erase({ sessions: 'all' });
    const { erased } = await reopen();
    const last = erased.count();
    expect(['one', 'two', 'new'].map((id) => [erased.of(id), erased.had(id)])).toEqual([
      [last, true],
      [last, true],
      [last, false],
    ]);
    expect([last > number, erased.bytesOf('one', '/t/one.jsonl'), erased.isWaiting('1-a.json')]).toEqual([
      true,
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
    expect(['1-a.json', '2-b.json'].map((name) => then.erased.isWaiting(name))).toEqual([true, true]);
    for (let times = 0; times < 19; times++) await then.erase({ sessions: ['two'] });
    expect(['1-a.json', '2-b.json'].map((name) => then.erased.isWaiting(name))).toEqual([false, true]);
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
