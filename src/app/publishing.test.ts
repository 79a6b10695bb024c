import { expect, test } from 'vitest';
import { createPublishing, type Published } from './publishing.ts';
import { logLines } from './testkit/fakes.testkit.ts';

function setUp(changes: { closeHome?: () => Promise<void>; write?: () => Promise<void> } = {}) {
  const steps: string[] = [];
  const log = logLines();
  let tokens = 0;
  /** What the next looks find; then what was written is there. */
  const found: Published[] = [];
  let file: string | undefined;
  const publishing = createPublishing({
    log,
    newToken: () => `token ${++tokens}`,
    look: (token) =>
      Promise.resolve(found.shift() ?? (file === undefined ? 'exposed' : file === token ? 'ours' : 'other')),
    closeHome: async () => {
      steps.push(`closed, in force ${publishing.token()}`);
      await changes.closeHome?.();
    },
  });
  const begin = () =>
    publishing.begin({
      async write(token) {
        steps.push(`written ${token}, in force ${publishing.token()}`);
        await changes.write?.();
        file = token;
      },
      cut: () => void steps.push(`cut, in force ${publishing.token()}`),
    });
  const looks = async (count: number) => {
    for (let look = 0; look < count; look++) await publishing.seeToIt();
  };
  return { steps, log, found, publishing, begin, looks, become: (there: string | undefined) => (file = there) };
}

test('COL-2 what is there stays as it is, and where another’s lies ours is written again with the same token', async () => {
  const { steps, log, begin, looks, become } = setUp();
  await begin();
  await looks(5);
  become('of a former owner');
  await looks(5);
  const written = 'written token 1, in force token 1';
  expect([steps, log.lines]).toEqual([[written, written], []]);
});

test.each([
  ['a home that others could write', (found: Published[]) => void found.push('exposed')],
  ['a port file that was taken away', (_found: Published[], become: (there: undefined) => void) => become(undefined)],
])('SEC-1 %s: a new token is in force at once, then all is closed, then it is written, once', async (_what, expose) => {
  const { steps, log, found, begin, looks, become } = setUp();
  await begin();
  expose(found, become);
  await looks(5);
  expect(steps).toEqual([
    'written token 1, in force token 1',
    'cut, in force token 2',
    'closed, in force token 2',
    'written token 2, in force token 2',
  ]);
  expect(log.lines).toEqual([expect.stringContaining('the collector has a new token')]);
});

test('SEC-1 a home that can’t be closed ends the exposed token all the same, and is told once, tried once a minute, and told again when it was well between', async () => {
  let fails = true;
  const parts = setUp({ closeHome: () => (fails ? Promise.reject(new Error('EPERM')) : Promise.resolve()) });
  await parts.begin();
  const exposedFor = async (looks: number) => {
    for (let look = 0; look < looks; look++) {
      parts.found.splice(0, Infinity, 'exposed');
      await parts.looks(1);
    }
  };
  await exposedFor(90);
  const closes = () => parts.steps.filter((step) => step.startsWith('closed')).length;
  // One that nobody was told needs no other in its place.
  expect([closes(), parts.publishing.token()]).toEqual([3, 'token 2']);
  expect(parts.steps.filter((step) => !step.startsWith('closed'))).toEqual([
    'written token 1, in force token 1',
    'cut, in force token 2',
  ]);
  const failing = expect.stringContaining('EPERM') as string;
  const renewed = expect.stringContaining('the collector has a new token') as string;
  expect(parts.log.lines).toEqual([failing]);
  fails = false;
  await exposedFor(4);
  expect([closes(), parts.steps.at(-1)]).toEqual([4, 'written token 2, in force token 2']);
  parts.found.splice(0);
  await parts.looks(1);
  fails = true;
  await exposedFor(1);
  expect([closes(), parts.publishing.token(), parts.log.lines]).toEqual([5, 'token 3', [failing, renewed, failing]]);
  // Nothing looks open any more, but what was is not closed yet.
  parts.found.splice(0);
  await parts.looks(31);
  fails = false;
  await parts.looks(31);
  expect([closes(), parts.steps.at(-1)]).toEqual([7, 'written token 3, in force token 3']);
});

test('SEC-1 a token that is exposed while something else rests ends at once', async () => {
  const { publishing, found, begin, looks, become, steps } = setUp({ write: () => failing });
  let failing = Promise.resolve();
  await begin();
  become('of a former owner');
  failing = Promise.reject(new Error('ENOSPC'));
  await looks(1);
  found.push('exposed');
  await looks(1);
  expect([publishing.token(), steps.at(-1)]).toEqual(['token 2', 'cut, in force token 2']);
});

test('SEC-1 a disk where closing has no effect is not written to for ever, and what is written lets in', async () => {
  const { steps, log, found, begin, looks, publishing } = setUp();
  await begin();
  for (let look = 0; look < 62; look++) {
    found.splice(0, Infinity, 'exposed', 'exposed');
    await looks(1);
  }
  const written = steps.filter((step) => step.startsWith('written'));
  expect([written.length, written.at(-1)]).toEqual([1 + 2, `written token 3, in force ${publishing.token()}`]);
  expect(log.lines.filter((line) => line.includes('still open to others'))).toHaveLength(1);
});

test('COL-2 a new token that could not be written is written later, or everybody would be refused for ever', async () => {
  let full = false;
  const { publishing, found, begin, looks, steps } = setUp({
    write: () => (full ? Promise.reject(new Error('ENOSPC')) : Promise.resolve()),
  });
  await begin();
  found.push('exposed');
  full = true;
  await looks(1);
  full = false;
  await looks(31);
  expect([publishing.token(), steps.at(-1)]).toEqual(['token 2', 'written token 2, in force token 2']);
});

test('COL-2 an owner that has ended, or has not begun, writes nothing', async () => {
  const { steps, publishing, begin, looks, become } = setUp();
  await looks(2);
  await begin();
  become(undefined);
  publishing.end();
  await looks(2);
  expect(steps).toHaveLength(1);
});
