import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
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

test('CNV-4 MEM-3 what was read of a session before it was erased is not stored after it', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await store.append([record(1, { session: 'gone' }), record(2, { session: 'kept' })]);
  store.saveSessions(['gone', 'kept'].map((id) => ({ id, lastEventAt: at, reducer: 1, json: '{}' })));
  const telling = (number: number, ts: string): EventRecord => {
    const made = record(number, { session: 'later', type: 'notification', ts });
    const payload = { notification_type: 'context_loaded', text: 'GONE words', told: ['gone', 'kept'] };
    return { ...made, event: { ...made.event, payload } };
  };
  // The erasure was asked for a moment before the one reading, and after the other.
  const erased = store.erase({ sessions: ['gone'], at });
  const appended = store.append([telling(3, '2026-01-01T23:00:00.000Z'), telling(4, '2026-01-02T00:00:00.030Z')]);
  await Promise.all([erased, appended]);
  await store.wipe();
  expect(store.events('later').map(({ payload }) => [payload['text'], payload['told']])).toEqual([
    ['', ['kept']],
    ['', ['kept']],
  ]);
  await store.close();
  const names = await filesIn(folder.path, /./);
  const files = await Promise.all(names.map((name) => readFile(path.join(folder.path, name))));
  expect(names.filter((_, index) => files[index]?.includes('GONE'))).toEqual([]);
});
