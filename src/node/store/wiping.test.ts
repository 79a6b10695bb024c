import { expect, test } from 'vitest';
import { nodeFileSystem } from '../files/fileSystem.ts';
import { filesIn, openIn, record, records, temporaryFolder } from './store.testkit.ts';

const at = '2026-01-02T00:00:00.000Z';

test('CNV-4 an erasure that comes while an earlier one is wiped keeps the sign until its own wipe is through', async () => {
  await using folder = await temporaryFolder();
  const sign = () => filesIn(folder.path, /^erasing$/);
  let reached: () => void = () => undefined;
  const atImage = new Promise<void>((resolve) => (reached = resolve));
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  // The first image of the first wipe waits on the disk.
  const fs: typeof nodeFileSystem = {
    ...nodeFileSystem,
    rename: async (from, to) => {
      if (to.endsWith('.sqlite')) {
        reached();
        await gate;
      }
      await nodeFileSystem.rename(from, to);
    },
  };
  const { store } = await openIn(folder.path, { fs });
  await store.append([...records(1, 3), record(4, { session: 'other' })]);
  await store.erase({ sessions: ['s'], at });
  const first = store.wipe();
  await atImage;
  await store.erase({ sessions: ['other'], at });
  goOn();
  expect([await first, await sign()]).toEqual([[], ['erasing']]);
  expect([await store.wipe(), await sign()]).toEqual([[], []]);
  await store.close();
});
