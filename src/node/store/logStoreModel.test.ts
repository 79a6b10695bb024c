import { cpSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
import { isThorough } from '../../../test/thorough.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { damageFile, temporaryFolder } from './store.testkit.ts';
import { openStoreIn } from './logStore.testkit.ts';
import type { LogStore } from './logStore.ts';
import { change, contentOf, step, type Step } from './storeModel.testkit.ts';

/** `npm run fuzz -- properties` tries other steps. */
const rounds = Number(process.env['STORE_MODEL_ROUNDS'] ?? (isThorough ? 500 : 25));

function indexFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('index-'))
    .map((name) => path.join(folder, name));
}

/** What happens to the real store alone; gives the store to go on with, and its folder. */
async function disturb(store: LogStore, made: Step, place: { folder: string; generation: number }, base: string) {
  const reopened = async () =>
    (await openStoreIn(place.folder, { generation: ++place.generation, sealAfterBytes: 2_000 })).store;
  switch (made.what) {
    case 'wipe':
      expect(await store.wipe()).toEqual([]);
      return store;
    case 'checkpoint':
      await store.checkpoint();
      return store;
    case 'reopen':
      await store.close();
      return reopened();
    case 'crash': {
      const copy = path.join(base, `crash-${place.generation}`);
      // At once: nothing is written meanwhile, as after a SIGKILL.
      cpSync(place.folder, copy, { recursive: true });
      await store.close();
      place.folder = copy;
      return reopened();
    }
    case 'lose index':
    case 'damage index':
      await store.close();
      for (const file of indexFilesIn(place.folder)) {
        if (made.what === 'lose index') unlinkSync(file);
        else await damageFile(file, 5_000);
      }
      return reopened();
    default:
      return store;
  }
}

/** Rows of sessions are in the index alone, but for those that retention kept. */
function withoutLostRows(content: ReturnType<typeof contentOf>) {
  const { sessions: _rows, ...rest } = content;
  return rest;
}

test('STO-6 STO-2 CNV-5 whatever is done to it, closed, killed or without its index, the store answers as the fake does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      await using folder = await temporaryFolder();
      const place = { folder: path.join(folder.path, 'store'), generation: 1 };
      let { store } = await openStoreIn(place.folder, { sealAfterBytes: 2_000 });
      const fake = memoryStore();
      const all: EventRecord[] = [];
      let number = 0;
      let hasRows = true;
      for (const made of steps) {
        number += 10;
        await change(store, made, number, all);
        await change(fake, made, number, all);
        if (made.what === 'append')
          all.push(...fake.records().filter(({ event }) => Number(event.id.slice(4)) >= number));
        store = await disturb(store, made, place, folder.path);
        if (['crash', 'lose index', 'damage index'].includes(made.what)) hasRows = false;
        const [real, wanted] = [contentOf(store), contentOf(fake)];
        expect(hasRows ? real : withoutLostRows(real), made.what).toEqual(hasRows ? wanted : withoutLostRows(wanted));
      }
      await store.close();
    }),
    { numRuns: rounds, endOnFailure: true },
  );
});
