import { expect, test } from 'vitest';
import { placeAfterKey } from './roving.ts';

const table = [
  ['ArrowDown', 0, 3, 1],
  ['ArrowRight', 1, 3, 2],
  ['ArrowDown', 2, 3, 2],
  ['ArrowUp', 2, 3, 1],
  ['ArrowLeft', 0, 3, 0],
  ['Home', 2, 3, 0],
  ['End', 0, 3, 2],
  ['Tab', 0, 3, undefined],
  ['a', 0, 3, undefined],
  ['End', 0, 0, undefined],
] as const;
for (const [key, place, count, expected] of table) {
  test(`UI-7 ${key} at ${place} of ${count} leads to ${expected}`, () => {
    expect(placeAfterKey(key, place, count)).toBe(expected);
  });
}
