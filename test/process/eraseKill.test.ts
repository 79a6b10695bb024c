import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { nameOfSegment } from '../../src/node/store/journalFormat.ts';
import { nameOfImage } from '../../src/node/store/storeFiles.ts';
import { idsIn, openIn, temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { buildPrograms, toldUntilKilled } from './storePrograms.testkit.ts';

const image = (seq: number): string => nameOfImage({ generation: 1, seq });
const journal = (seq: number): string => nameOfSegment({ generation: 1, seq });

/** In their order; the store has two images, and a journal that goes on behind them. */
const steps = [
  'open erasing',
  `write ${journal(3)}`,
  `rename ${image(3)}`,
  `unlink ${image(1)}`,
  `open ${journal(4)}`,
  `rename ${image(4)}`,
  `unlink ${journal(3)}`,
  'unlink erasing',
  'rest',
];
const journaled = steps.indexOf(`rename ${image(3)}`);
const wiped = steps.indexOf('unlink erasing');
const rest = steps.indexOf('rest');

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(path.join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);
}

describe.skipIf(process.platform === 'win32')('CNV-4 a store that is killed while it erases', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'eraseChild.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  it.concurrent.each([
    ['gone', 'here'],
    ['gone', 'beside'],
    ['all', 'here'],
    ['all', 'beside'],
  ])(
    'CNV-4 SIGKILL before each step of erasing %s, images made %s: all or nothing, and soon in no byte',
    async (what, size) => {
      for (const [at, step] of steps.entries()) {
        await using folder = await temporaryFolder();
        const told = await toldUntilKilled(programs.path, [folder.path, what, size, step]);
        const where = `killed before ${step}`;
        const gone = at < journaled ? 90 : 0;
        expect(told, where).toEqual([...(gone > 0 ? [] : ['erased']), ...(at < rest ? [] : ['wiped'])]);
        expect(filesWith(folder.path, 'gone-words').length > 0, where).toBe(at < wiped);
        const reopened = await openIn(folder.path, { generation: 2 });
        expect(idsIn(reopened, 'gone').length, where).toBe(gone);
        expect(reopened.store.session('gone') === undefined || gone > 0, where).toBe(true);
        expect(idsIn(reopened, 'kept').length, where).toBe(what === 'all' && gone === 0 ? 0 : 90);
        // The next owner goes on by itself; nobody has to ask again.
        const isLeft = () => expect(filesWith(folder.path, 'gone-words').length > 0, where).toBe(gone > 0);
        await vi.waitFor(isLeft, { timeout: 20_000, interval: 20 });
        await reopened.store.close();
      }
    },
    120_000,
  );
});
