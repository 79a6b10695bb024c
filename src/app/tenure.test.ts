import { expect, test } from 'vitest';
import { type Claim, ClaimLostError } from './ports.ts';
import { beginTenure } from './tenure.ts';
import { fakeClaims, fakeClock } from './testkit/fakes.testkit.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function setUp(changes: Partial<Claim> = {}, looking: Promise<void> = Promise.resolve()) {
  const claims = fakeClaims();
  const claim = await claims.take();
  if (!claim) throw new Error('somebody else has it');
  const clock = fakeClock();
  let seen = 0;
  let isLost = false;
  const seeToIt = () => {
    seen++;
    return looking;
  };
  const tenure = beginTenure({ claim: { ...claim, ...changes }, clock, tickMs: 1_000, seeToIt });
  void tenure.lost.then(() => (isLost = true));
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      clock.advance(1_000);
      await turn();
    }
  };
  return { claims, clock, tenure, seconds, seen: () => seen, isLost: () => isLost };
}

test('MWN-2 an owner touches its claim each second until it listens, then every thirty, and each second again when it stops', async () => {
  const { claims, tenure, seconds } = await setUp();
  const touches: number[] = [];
  await seconds(5);
  touches.push(claims.touches());
  tenure.listens(true);
  await seconds(60);
  touches.push(claims.touches());
  tenure.listens(false);
  await seconds(3);
  touches.push(claims.touches());
  expect(touches).toEqual([5, 7, 10]);
});

test('MWN-2 a deposed owner that wakes up learns it from its first timer, touches nothing more and has no timer left', async () => {
  const { claims, clock, tenure, isLost, seen } = await setUp();
  tenure.listens(true);
  clock.sleep(3_600_000);
  claims.seize();
  await claims.take();
  clock.advance(0);
  await turn();
  expect([isLost(), tenure.isLost(), claims.touches(), seen(), clock.pending()]).toEqual([true, true, 0, 0, 0]);
  await expect(tenure.mustHold()).rejects.toThrow(ClaimLostError);
});

test('MWN-2 a claim that can’t be read just now is not lost', async () => {
  const { tenure, seconds, isLost } = await setUp({ holds: () => Promise.reject(new Error('EMFILE')) });
  await seconds(10);
  expect([isLost(), await tenure.mustHold()]).toEqual([false, undefined]);
});

test('MWN-2 while it listens it sees every two seconds to what a former owner may have overwritten', async () => {
  const { tenure, seconds, seen } = await setUp();
  await seconds(4);
  expect(seen()).toBe(0);
  tenure.listens(true);
  await seconds(4);
  tenure.dispose();
  await seconds(4);
  expect(seen()).toBe(2);
});

test('MWN-2 an owner whose store is another’s has lost its time, though the home’s claim is its own', async () => {
  const { tenure, seconds, isLost } = await setUp();
  let store = true;
  let readable = true;
  tenure.alsoHold({ holds: () => (readable ? Promise.resolve(store) : Promise.reject(new Error('EMFILE'))) });
  await seconds(2);
  const seen: unknown[] = [[isLost(), await tenure.holds()]];
  store = readable = false;
  await seconds(2);
  seen.push([isLost(), await tenure.holds().catch(String)]);
  readable = true;
  seen.push([isLost(), await tenure.holds()]);
  await seconds(2);
  seen.push([isLost(), tenure.isLost()]);
  expect(seen).toEqual([
    [false, true],
    [false, 'Error: EMFILE'],
    [false, false],
    [true, true],
  ]);
});

test('SEC-1 COL-2 it looks at its home once at a time, also when it begins to listen in the middle of a round', async () => {
  let look: () => void = () => undefined;
  let touch: () => void = () => undefined;
  const touching = new Promise<void>((resolve) => (touch = resolve));
  const looking = new Promise<void>((resolve) => (look = resolve));
  const { tenure, seconds, seen } = await setUp({ touch: () => touching }, looking);
  await seconds(1);
  tenure.listens(true);
  await seconds(2);
  touch();
  await seconds(2);
  expect(seen()).toBe(1);
  look();
  await seconds(4);
  expect(seen()).toBe(3);
});
