import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { newItem, startedItem, touched, workKey } from '../../domain/workItems.ts';
import { openIn, record, temporaryFolder } from './store.testkit.ts';

const at = '2026-01-01T10:00:00.000Z';
const project = '/w/shop';
const item = (id: string) => newItem({ id, title: `Mend the ${id}`, project, dependencies: [], madeBy: 'person' }, at);
const saving = (store: EventStore, ...ids: string[]) => store.work.change(() => ({ save: ids.map(item) }));
const idsIn = (store: EventStore) => store.work.items().map(({ id }) => id);

async function holding(folder: string, text: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const found = await Promise.all(
    names.map(async ({ name, parentPath }) => {
      const bytes = await readFile(path.join(parentPath, name));
      return bytes.includes(text) ? [name] : [];
    }),
  );
  return found.flat();
}

test('GRD-1 STO-2 what was acknowledged is there after an end without a word, from the journal and from an image', async () => {
  await using folder = await temporaryFolder();
  const first = await openIn(folder.path);
  await saving(first.store, 'till', 'drawer');
  const second = await openIn(folder.path, { generation: 2 });
  expect(idsIn(second.store)).toEqual(['drawer', 'till']);
  await second.store.work.change((present) => ({
    save: present.filter(({ id }) => id === 'till').map((each) => startedItem(each, at)),
    remove: [workKey(project, 'drawer')],
  }));
  await second.store.checkpoint();
  const third = await openIn(folder.path, { generation: 3 });
  expect(third.store.work.items()).toMatchObject([{ id: 'till', status: 'running' }]);
});

test('GRD-1 a touch is durable with the edit that made it', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await saving(store, 'till');
  await store.append([record(1, { session: 'a' })], () => (present) => ({
    save: present.map((each) => touched(each, 'a', ['src/till.ts'])),
  }));
  const again = await openIn(folder.path, { generation: 2 });
  expect(again.store.work.items()).toMatchObject([{ sessions: ['a'], files: ['src/till.ts'] }]);
  expect(again.store.eventCount()).toBe(1);
});

test('CNV-4 an erased session is in no item and in no file any more; with everything the items go', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await saving(store, 'till');
  const touching = (session: string, file: string) =>
    store.append([record(1, { session })], () => (present) => ({
      save: present.map((each) => touched(each, session, [file])),
    }));
  await touching('session-gone', 'file-of-gone.ts');
  await touching('session-kept', 'file-of-kept.ts');
  await store.checkpoint();
  await store.erase({ sessions: ['session-gone'] });
  await store.wipe();
  expect(store.work.items()).toMatchObject([{ sessions: ['session-kept'], files: ['file-of-kept.ts'] }]);
  expect(await holding(folder.path, 'file-of-gone')).toEqual([]);
  expect(await holding(folder.path, 'file-of-kept')).not.toEqual([]);
  await store.erase({ sessions: 'all' });
  await store.wipe();
  expect([idsIn(store), await holding(folder.path, 'Mend the till')]).toEqual([[], []]);
  const again = await openIn(folder.path, { generation: 2 });
  expect(idsIn(again.store)).toEqual([]);
});

test('STO-5 a deposed owner changes no item', async () => {
  await using folder = await temporaryFolder();
  let holds = true;
  const { store } = await openIn(folder.path, { mayWrite: () => holds });
  await saving(store, 'till');
  holds = false;
  await expect(saving(store, 'drawer')).rejects.toThrow();
  expect(idsIn(store)).toEqual(['till']);
});

test('GRD-1 a change that changes nothing writes nothing', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await saving(store, 'till');
  const before = await store.size();
  await store.work.change(() => ({ save: [] }));
  expect((await store.size()).journalBytes).toBe(before.journalBytes);
});

test('STO-5 what a deposed owner writes late undoes nothing of its successor, and brings nothing erased back', async () => {
  await using folder = await temporaryFolder();
  const first = await openIn(folder.path, { mayWrite: () => true });
  await saving(first.store, 'till');
  await first.store.shelf('a').put([{ key: '1', session: 'gone', value: 'told' }]);
  const second = await openIn(folder.path, { generation: 2 });
  await second.store.work.change((present) => ({ save: present.map((each) => startedItem(each, at, 's')) }));
  await second.store.erase({ sessions: ['gone'] });
  await first.store.work.change((present) => ({ save: present.map((each) => touched(each, 'gone', ['late.ts'])) }));
  await first.store.shelf('a').put([{ key: '1', session: 'gone', value: 'again' }]);
  const expected = [{ status: 'running', sessions: [] }];
  await second.store.checkpoint();
  expect(second.store.work.items()).toMatchObject(expected);
  for (const { store } of [first, second]) await store.close();
  for (const generation of [3, 4]) {
    const { store } = await openIn(folder.path, { generation });
    expect(store.work.items()).toMatchObject(expected);
    expect(store.shelf('a').get('1')).toBeUndefined();
    await store.checkpoint();
    await store.close();
  }
});
