import { expect, test } from 'vitest';
import { createErasing, type ErasingParts } from './erasing.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';

function setUp(refused: Partial<Pick<ErasingParts, 'eraseWaiting'> & ErasingParts['store']>) {
  const done: string[] = [];
  const step = async (name: string, left: readonly string[] = []) => {
    done.push(name);
    return Promise.resolve(left);
  };
  const { eraseWaiting = () => step('waiting'), ...store } = refused;
  const erase = createErasing({
    store: {
      session: () => undefined,
      erase: async () => {
        await step('rows');
        return { sessions: 1, events: 2 };
      },
      wipe: () => step('files', ['/store/old']),
      ...store,
    },
    hub: { state: () => undefined, sessionIds: () => ['s'], erase: () => void done.push('live') },
    clock: fakeClock(0),
    log: logLines(),
    eraseWaiting,
  });
  return { erase, done };
}

const refusal = (path?: string) => () => Promise.reject(Object.assign(new Error('EACCES'), path ? { path } : {}));

test('CNV-4 where what waits can’t be listed, it is named, and the files go all the same', async () => {
  const { erase, done } = setUp({ eraseWaiting: refusal('/home/spool') });
  expect(await erase(undefined)).toEqual({ sessions: 1, events: 2, left: ['/home/spool', '/store/old'] });
  expect(done).toEqual(['rows', 'live', 'files']);
});

test('CNV-4 where the files can’t be made anew, it is said in words, and what waits went before', async () => {
  const { erase, done } = setUp({ wipe: refusal() });
  expect(await erase(undefined)).toEqual({ sessions: 1, events: 2, left: ['the files of the store'] });
  expect(done).toEqual(['rows', 'live', 'waiting']);
});

test('CNV-4 where the rows can’t go nothing goes, and it is said', async () => {
  const { erase, done } = setUp({ erase: refusal() });
  await expect(erase(undefined)).rejects.toThrow('EACCES');
  expect(done).toEqual([]);
});
