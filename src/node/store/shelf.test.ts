import { expect, test } from 'vitest';
import { openIn, temporaryFolder } from './store.testkit.ts';

const kept = (key: string, session?: string) => ({ key, session, value: { told: key } });

test('STO-2 what was put on a shelf is there after an end without a word, from the journal and from an image', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await store.shelf('a').put([kept('2'), kept('1', 's'), kept('3')]);
  await store.shelf('b').put([kept('1')]);
  await store.shelf('a').put([{ key: '2', value: 'other' }], ['3']);
  const again = await openIn(folder.path, { generation: 2 });
  expect(again.store.shelf('a').after(undefined, 10)).toEqual([
    { ...kept('1'), session: 's' },
    { key: '2', value: 'other' },
  ]);
  await again.store.checkpoint();
  const third = await openIn(folder.path, { generation: 3 });
  const shelf = third.store.shelf('a');
  expect([shelf.count(), shelf.after('1', 10).map(({ key }) => key), shelf.get('1')?.session]).toEqual([2, ['2'], 's']);
  expect(third.store.shelf('b').get('1')?.value).toEqual({ told: '1' });
});

test('CNV-4 what tells of an erased session goes with it, and does not come back', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  const shelf = store.shelf('a');
  await shelf.put([kept('1', 'gone'), kept('2', 'kept'), kept('3')]);
  const erasing = store.erase({ sessions: ['gone'] });
  const late = shelf.put([kept('4', 'gone'), kept('5')]);
  await Promise.all([erasing, late]);
  expect(shelf.after(undefined, 10).map(({ key }) => key)).toEqual(['2', '3', '5']);
  await shelf.put([kept('6', 'gone')]);
  expect(shelf.get('6')).toBeDefined();
  await store.erase({ sessions: 'all' });
  expect(shelf.count()).toBe(0);
});
