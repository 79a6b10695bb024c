import { expect, test } from 'vitest';
import { createErasing, type ErasingParts, type Waiting } from './erasing.ts';
import { logLines } from './testkit/fakes.testkit.ts';

function setUp(refused: Partial<Waiting & ErasingParts['store']>) {
  const done: string[] = [];
  const step = async (name: string, left: readonly string[] = []) => {
    done.push(name);
    return Promise.resolve(left);
  };
  const { find = () => Promise.resolve({ names: ['1-a.json'], left: [] }), remove = () => step('waiting') } = refused;
  const erase = createErasing({
    store: {
      session: () => undefined,
      sessions: () => ({ items: [], next: null }),
      erase: async ({ waiting }) => {
        await step(`rows ${waiting?.join() ?? ''}`);
        return { sessions: 1, events: 2 };
      },
      wipe: () => step('files', ['/store/old']),
      ...refused,
    },
    hub: { state: () => undefined, sessionIds: () => ['s'], erase: () => void done.push('live') },
    pipeline: { between: (work) => work() },
    sources: { tails: { size: () => Promise.resolve(0) } },
    log: logLines(),
    waiting: { find, remove },
  });
  return { erase, done };
}

const refusal = (path?: string) => () => Promise.reject(Object.assign(new Error('EACCES'), path ? { path } : {}));

test('CNV-4 where what waits can’t be listed, it is named, and the files go all the same', async () => {
  const { erase, done } = setUp({ find: refusal('/home/spool') });
  expect(await erase(undefined)).toEqual({ sessions: 1, events: 2, left: ['/home/spool', '/store/old'] });
  expect(done).toEqual(['rows ', 'live', 'waiting', 'files']);
});

test('CNV-4 where the files can’t be made anew, it is said in words, and what waits went before', async () => {
  const { erase, done } = setUp({ wipe: refusal() });
  expect(await erase(undefined)).toEqual({ sessions: 1, events: 2, left: ['the files of the store'] });
  expect(done).toEqual(['rows 1-a.json', 'live', 'waiting']);
});

test('CNV-4 where the rows can’t go nothing goes, and it is said', async () => {
  const { erase, done } = setUp({ erase: refusal() });
  await expect(erase(undefined)).rejects.toThrow('EACCES');
  expect(done).toEqual([]);
});
