import { eventStoreContract } from '../../../test/unit/eventStoreContract.testkit.ts';
import { temporaryFolder } from './store.testkit.ts';
import { openStoreIn } from './logStore.testkit.ts';

eventStoreContract('the store over the log', async (use) => {
  await using folder = await temporaryFolder();
  const { store } = await openStoreIn(folder.path);
  await use(store);
  await store.close();
});

eventStoreContract('the store over the log, with everything sealed at once', async (use) => {
  await using folder = await temporaryFolder();
  const { store } = await openStoreIn(folder.path, { sealAfterBytes: 1 });
  await use(store);
  await store.close();
});
