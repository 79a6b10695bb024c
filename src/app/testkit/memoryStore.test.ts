import { expect, it } from 'vitest';
import { eventStoreContract } from '../../../test/unit/eventStoreContract.testkit.ts';
import { record } from '../../node/store/store.testkit.ts';
import { memoryStore } from './memoryStore.testkit.ts';

eventStoreContract('the store in memory', (use) => use(memoryStore()));

it('STO-3 an append that was told to fail stores nothing', async () => {
  const store = memoryStore();
  store.failAppendsWith(new Error('the disk is full'));
  await expect(store.append([record(1)])).rejects.toThrow('the disk is full');
  store.failAppendsWith(undefined);
  expect([store.events('s'), store.lookup('delivery/1', 's')]).toEqual([[], undefined]);
});
