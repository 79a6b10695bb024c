import { expect, test } from 'vitest';
import { fakeClock } from './testkit/fakes.testkit.ts';
import type { Holder } from './ports.ts';
import { createVigil } from './vigil.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const owner: Holder = { instance: 'owner', touched: '0', elsewhere: false };

function setUp(holder: Holder = owner) {
  const clock = fakeClock();
  let seen: Holder | undefined = holder;
  let asked = 0;
  let answers = false;
  const doubts: boolean[] = [];
  const vigil = createVigil({
    clock,
    claims: { look: () => Promise.resolve(seen) },
    tickMs: 1_000,
    ask() {
      asked++;
      if (answers) vigil.sign();
    },
    onDoubt: (doubtful) => doubts.push(doubtful),
  });
  vigil.watch(holder);
  let called = false;
  void vigil.called().then(() => (called = true));
  return {
    vigil,
    clock,
    doubts,
    asked: () => asked,
    answer: (now: boolean) => void (answers = now),
    found: (now: Holder | undefined) => void (seen = now),
    isCalled: () => called,
    /** One timer of the owner's neighbour runs, and what came meanwhile is read. */
    async ticks(count: number): Promise<void> {
      for (let tick = 0; tick < count; tick++) {
        clock.advance(1_000);
        await turn();
      }
    },
  };
}

test('MWN-2 an owner that does not answer six ticks in a row hangs; after three it is doubted', async () => {
  const { vigil, ticks, doubts, isCalled, asked, answer } = setUp();
  answer(true);
  await ticks(60);
  expect([doubts, vigil.hung(), asked()]).toEqual([[], undefined, 60]);
  answer(false);
  const seen: unknown[] = [];
  for (let tick = 0; tick < 7; tick++) {
    await ticks(1);
    seen.push([doubts.length, vigil.hung() !== undefined, isCalled()]);
  }
  // The first tick still finds the last answer.
  expect(seen).toEqual([
    [0, false, false],
    [0, false, false],
    [0, false, false],
    [1, false, false],
    [1, false, false],
    [1, false, false],
    [1, true, true],
  ]);
});

test('MWN-2 an answer after five ticks begins anew, and takes the doubt away', async () => {
  const { vigil, ticks, doubts } = setUp();
  await ticks(5);
  vigil.sign();
  await ticks(6);
  expect([doubts, vigil.hung()]).toEqual([[true, false, true], undefined]);
});

test('MWN-2 a laptop that slept for a day, or a window that was blocked, deposes nobody: one tick comes, and the answer is read before it counts', async () => {
  const { vigil, clock, answer, isCalled } = setUp();
  answer(true);
  clock.advance(1_000);
  await turn();
  // Nothing runs for a day, then what is due runs: once.
  let slept = 0;
  const day = 24 * 3_600_000;
  for (; slept < 10; slept++) {
    clock.sleep(day);
    clock.advance(0);
    await turn();
  }
  expect([vigil.hung(), isCalled()]).toEqual([undefined, false]);
});

test('MWN-2 who starts or stops does not answer, but touches its claim: that is a sign as long as it goes on', async () => {
  const { vigil, ticks, found, doubts } = setUp();
  for (let tick = 1; tick <= 30; tick++) {
    found({ ...owner, touched: String(tick) });
    await ticks(1);
  }
  expect([doubts, vigil.hung()]).toEqual([[], undefined]);
  await ticks(7);
  expect(vigil.hung()).toEqual({ ...owner, touched: '30' });
});

test('MWN-2 a touch from before its silence is no sign: the claim of an owner that listens is touched now and then', async () => {
  const { vigil, ticks, found, answer } = setUp();
  answer(true);
  await ticks(20);
  found({ ...owner, touched: 'while it still answered' });
  answer(false);
  await ticks(7);
  expect(vigil.hung()?.touched).toBe('while it still answered');
});

test('MWN-2 an owner that moves after it hung, and before anybody took its place, is followed: nobody is called away from it', async () => {
  const { vigil, ticks, found, answer } = setUp();
  await ticks(7);
  expect(vigil.hung()).toBeDefined();
  found({ ...owner, touched: 'it goes on' });
  answer(true);
  await ticks(1);
  expect(vigil.hung()).toBeUndefined();
  const called = vigil.called().then(() => 'called');
  await ticks(20);
  expect(await Promise.race([called, turn()])).toBeUndefined();
  answer(false);
  await ticks(7);
  expect(await called).toBe('called');
});

test.each([
  ['of another table of processes', { ...owner, elsewhere: true }, false],
  ['whose port refuses us', owner, true],
])('MWN-2 an owner %s is judged by ninety ticks without a touch', async (_name, holder, refuses) => {
  const { vigil, ticks, found } = setUp(holder);
  if (refuses) vigil.unreachable();
  await ticks(80);
  found({ ...holder, touched: '1' });
  await ticks(90);
  expect(vigil.hung()).toBeUndefined();
  await ticks(1);
  expect(vigil.hung()).toEqual({ ...holder, touched: '1' });
});

test('MWN-1 when the claim is another’s the watch calls at the next silent tick, and hangs nobody', async () => {
  const { vigil, ticks, found, isCalled } = setUp();
  found({ ...owner, instance: 'next' });
  await ticks(1);
  expect([isCalled(), vigil.hung()]).toEqual([true, undefined]);
  vigil.watch({ ...owner, instance: 'next' });
  await ticks(5);
  expect(vigil.hung()).toBeUndefined();
});

test('MWN-2 windows whose start takes longer than a hang do not depose each other for ever: each that was not heard gives the next twice the time', async () => {
  const { vigil, ticks, found } = setUp();
  const silentTicks = async (instance: string) => {
    found({ ...owner, instance });
    vigil.watch({ ...owner, instance });
    for (let tick = 1; ; tick++) {
      await ticks(1);
      if (vigil.hung()) return tick;
    }
  };
  vigil.rest();
  const seen = [await silentTicks('first'), await silentTicks('second'), await silentTicks('third')];
  expect(seen).toEqual([12, 24, 48]);
  vigil.sign();
  expect([await silentTicks('after one that was heard'), await silentTicks('next')]).toEqual([6, 12]);
  for (const instance of ['a', 'b', 'c', 'd', 'e']) await silentTicks(instance);
  expect(await silentTicks('in the end')).toBe(96);
});

test('MWN-1 at rest there is no timer', async () => {
  const { vigil, ticks, clock } = setUp();
  await ticks(2);
  vigil.rest();
  await ticks(2);
  expect(clock.pending()).toBe(0);
});
