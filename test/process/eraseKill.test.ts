import { beforeAll, describe, expect, it, vi } from 'vitest';
import { textsBelow } from '../../src/node/store/logStore.testkit.ts';
import { idsIn, openIn, temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { buildPrograms, toldUntilKilled } from './storePrograms.testkit.ts';

const sealed = '000000000001-g1';
const plain = '000000000121-g1';

/** In their order; the store has a sealed segment, and a plain one with the last round. */
const steps: Readonly<Record<string, readonly string[]>> = {
  gone: [
    `write ${plain}.seg`,
    `rename ${sealed}-r1.sealed`,
    `unlink ${sealed}.sealed`,
    `rename ${plain}.sealed`,
    `unlink ${plain}.seg`,
    'rename carried-out.json',
    'rename index-g1.db',
    'rest',
  ],
  // Nothing is left of the sealed segment.
  all: [
    `write ${plain}.seg`,
    `unlink ${sealed}.sealed`,
    `rename ${plain}.sealed`,
    `unlink ${plain}.seg`,
    'rename carried-out.json',
    'rename index-g1.db',
    'rest',
  ],
};

describe.skipIf(process.platform === 'win32')('CNV-4 a store that is killed while it erases', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'eraseChild.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  it.concurrent.each([
    ['gone', 'here'],
    ['gone', 'in a thread'],
    ['all', 'here'],
    ['all', 'in a thread'],
  ])(
    'CNV-4 SIGKILL before each step of erasing %s, segments written %s: all or nothing, and soon in no byte',
    async (what, place) => {
      for (const step of steps[what] ?? []) {
        await using folder = await temporaryFolder();
        const told = await toldUntilKilled(programs.path, [folder.path, what, place, step]);
        const where = `killed before ${step}`;
        const gone = step.startsWith('write') ? 90 : 0;
        expect(told, where).toEqual([...(gone > 0 ? [] : ['erased']), ...(step === 'rest' ? ['wiped'] : [])]);
        if (step === 'rest') expect(textsBelow(folder.path), where).not.toContain('gone-words');
        const reopened = await openIn(folder.path, { generation: 2 });
        expect(idsIn(reopened, 'gone').length, where).toBe(gone);
        expect(reopened.store.session('gone') === undefined || gone > 0, where).toBe(true);
        expect(idsIn(reopened, 'kept').length, where).toBe(what === 'all' && gone === 0 ? 0 : 90);
        // The next owner goes on by itself; nobody has to ask again.
        const isLeft = () => expect(textsBelow(folder.path).includes('gone-words'), where).toBe(gone > 0);
        await vi.waitFor(isLeft, { timeout: 20_000, interval: 20 });
        await reopened.store.close();
      }
    },
    120_000,
  );
});
