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
  await store.erase({ sessions: ['s'] });
  const first = store.wipe();
  await atImage;
  await store.erase({ sessions: ['other'] });
  goOn();
  expect([await first, await sign()]).toEqual([[], ['erasing']]);
  expect([await store.wipe(), await sign()]).toEqual([[], []]);
  await store.close();
});

test('CNV-4 what was rewritten is in no file once it is wiped, and stays so over a kill before that', async () => {
  await using folder = await temporaryFolder();
  const holders = async (word: string) => {
    const names = await filesIn(folder.path, /./);
    const files = await Promise.all(names.map((name) => readFile(path.join(folder.path, name))));
    return names.filter((_, index) => files[index]?.includes(word));
  };
  const saying = (number: number): EventRecord =>
    record(number, { type: 'user_prompt', payload: { prompt: `QUIET words ${number}` } });
  const rewriting = (number: number) => ({
    events: [{ ...saying(number).event, payload: { unlogged: true } }],
    rows: [{ id: 's', lastEventAt: at, reducer: 1, json: `{"after":${number}}` }],
  });
  let mayWrite = true;
  const first = await openIn(folder.path, { mayWrite: () => mayWrite });
  await first.store.append([saying(1), saying(2)]);
  first.store.saveSessions([{ id: 's', lastEventAt: at, reducer: 1, json: '{"QUIET":1}' }]);
  await first.store.checkpoint();
  await first.store.rewrite(rewriting(1));
  // Not closed before the next one opens, as by a kill: that one reads the image from before, and the journal.
  const second = await openIn(folder.path);
  expect(second.store.events('s').map(({ payload }) => payload)).toEqual([{ unlogged: true }, saying(2).event.payload]);
  expect(second.store.session('s')?.json).toBe('{"after":1}');
  expect(second.store.searchSayings({ text: 'quiet' }, { limit: 9 }).items.map(({ id }) => id)).toEqual(['evt-2']);
  expect(await filesIn(folder.path, /^erasing$/)).toEqual(['erasing']);
  await second.store.rewrite(rewriting(2));
  expect(await holders('QUIET')).not.toEqual([]);
  expect(await second.store.wipe()).toEqual([]);
  expect([await holders('QUIET'), await filesIn(folder.path, /^erasing$/)]).toEqual([[], []]);
  await second.store.close();
  mayWrite = false;
  await first.store.close();
  expect(await holders('QUIET')).toEqual([]);
});
