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
    look: (token) => Promise.resolve(found.shift() ?? (file === token ? 'ours' : 'other')),
    closeHome: async () => {
      steps.push('closed');
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
  return { steps, log, found, publishing, begin, looks, lose: () => (file = undefined) };
}

test('COL-2 what is there stays as it is, and what is gone is written again with the same token', async () => {
  const { steps, log, begin, looks, lose } = setUp();
  await begin();
  await looks(5);
  lose();
  await looks(5);
  const written = 'written token 1, in force token 1';
  expect([steps, log.lines]).toEqual([[written, written], []]);
});

test('SEC-1 a home that others could write is closed, and published once with a token that they can’t know', async () => {
  const { steps, log, found, begin, looks } = setUp();
  await begin();
  found.push('exposed');
  await looks(5);
  expect(steps).toEqual([
    'written token 1, in force token 1',
    'closed',
    'cut, in force token 2',
    'written token 2, in force token 2',
  ]);
  expect(log.lines).toEqual([expect.stringContaining('the collector has a new token')]);
});

test('SEC-1 a home that can’t be closed is told once, tried once a minute, and told again when it was well between', async () => {
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
  const closes = () => parts.steps.filter((step) => step === 'closed').length;
  expect([closes(), parts.publishing.token()]).toEqual([3, 'token 1']);
  expect(parts.log.lines).toEqual([expect.stringContaining('EPERM')]);
  parts.found.splice(0);
  await parts.looks(1);
  await exposedFor(1);
  expect([closes(), parts.log.lines.length]).toEqual([4, 2]);
  fails = false;
  await exposedFor(31);
  expect([closes(), parts.publishing.token()]).toEqual([5, 'token 2']);
});

test('SEC-1 a disk where closing has no effect is not written to for ever', async () => {
  const { steps, log, found, begin, looks } = setUp();
  await begin();
  for (let look = 0; look < 62; look++) {
    found.splice(0, Infinity, 'exposed', 'exposed');
    await looks(1);
  }
  expect(steps.filter((step) => step.startsWith('written'))).toHaveLength(1 + 2);
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
  const { steps, publishing, begin, looks, lose } = setUp();
  await looks(2);
  await begin();
  lose();
  publishing.end();
  await looks(2);
  expect(steps).toHaveLength(1);
});
