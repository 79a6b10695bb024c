import { expect, test } from 'vitest';
import { placeAfterKey } from './roving.ts';

/** Two sessions, the first with a main agent, its sub-agent and that one's sub-agent. */
const levels = [1, 2, 3, 4, 1, 2];
const table = [
  ['ArrowDown', 0, 1],
  ['ArrowDown', 5, 5],
  ['ArrowUp', 4, 3],
  ['ArrowUp', 0, 0],
  ['ArrowRight', 0, 1],
  ['ArrowRight', 2, 3],
  ['ArrowRight', 3, 3],
  ['ArrowRight', 5, 5],
  ['ArrowLeft', 3, 2],
  ['ArrowLeft', 5, 4],
  ['ArrowLeft', 4, 4],
  ['Home', 3, 0],
  ['End', 0, 5],
  ['Tab', 0, undefined],
  ['a', 0, undefined],
] as const;
for (const [key, place, expected] of table) {
  test(`UI-7 ${key} at ${place} leads to ${expected}`, () => {
    expect(placeAfterKey(key, place, levels)).toBe(expected);
  });
}

test('UI-7 in an empty tree no key leads anywhere', () => {
  expect(placeAfterKey('End', 0, [])).toBeUndefined();
});
