import { expect, test } from 'vitest';
import type { TakeOverProgress } from '../protocol/state.ts';
import { TakeOverWatch } from './takeOverWatch.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds since the step before, and the events that are taken over then, of 1000. */
type Step = readonly [afterMs: number, done: number];

/** What is reported of these steps and of the end: how many events are taken over, or `end`. */
async function reported(steps: readonly Step[], of = 1_000): Promise<readonly (number | 'end')[]> {
  const clock = fakeClock();
  const watch = new TakeOverWatch(clock, logLines());
  const seen: (TakeOverProgress | undefined)[] = [];
  watch.onChange((progress) => seen.push(progress));
  for (const [afterMs, done] of steps) {
    clock.advance(afterMs);
    watch.advance({ done, of });
  }
  watch.end();
  await settled();
  expect([clock.pending(), watch.progress]).toEqual([0, undefined]);
  return seen.map((progress) => progress?.done ?? 'end');
}

const cases: readonly (readonly [string, readonly Step[], readonly (number | 'end')[]])[] = [
  ['no take-over', [], []],
  ['one that is done within a second', [[0, 300], [500, 700], [499, 1_000]], []], // prettier-ignore
  ['one that takes longer', [[0, 100], [1_000, 400], [1_000, 700]], [400, 700, 'end']], // prettier-ignore
  ['many steps in a second', [[0, 0], [1_000, 100], [300, 200], [300, 300], [400, 400]], [100, 400, 'end']], // prettier-ignore
  ['steps of less than one per cent', [[0, 0], [1_000, 101], [1_000, 105], [1_000, 109], [1_000, 110]], [101, 110, 'end']], // prettier-ignore
];
for (const [name, steps, expected] of cases) {
  test(`STO-6 ${name}: reports ${expected.join(', ') || 'nothing'}`, async () => {
    expect(await reported(steps)).toEqual(expected);
  });
}

test('STO-6 an earlier store without events: reports nothing', async () => {
  expect(await reported([[0, 0], [2_000, 0]], 0)).toEqual([]); // prettier-ignore
});
