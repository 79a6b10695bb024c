import { expect, test } from 'vitest';
import type { Usage } from '../protocol/state.ts';
import { overflows } from './contextOverflow.ts';

const at = (contextUsed: number, contextWindow: number | null = 1_000): Usage => ({
  tokensCached: 0,
  contextUsed,
  contextWindow,
});

test.each<[string, number, Usage | null, number, boolean]>([
  ['reaches it', 500, at(400, null), 500, true],
  ['has room', 500, at(400, null), 499, false],
  ['stays over it', 500, at(500, null), 900, false],
  ['has none', 0, at(400, null), 900_000, false],
])(
  'EVT-1 a context of a model whose window nobody tells, by the person’s own budget: %s',
  (_what, budget, before, used, expected) => {
    expect(overflows(before, at(used, null), budget)).toBe(expected);
    expect(overflows(at(100), at(700), budget)).toBe(false);
  },
);

test.each<[string, Usage | null, Usage, boolean]>([
  ['fills for the first time', at(700), at(800), true],
  ['is full when it is first seen', null, at(950), true],
  ['has room', at(100), at(799), false],
  ['stays full', at(800), at(990), false],
  ['is emptied', at(990), at(100), false],
  ['is full beyond its window', at(100), at(1_200), true],
  ['fills again after a compaction', at(100), at(900), true],
  ['belongs to a model whose window is not known', at(100, null), at(999_999, null), false],
  ['has a window that is no number of tokens', null, at(1, 0), false],
  ['has its window told only now', at(900, null), at(900), true],
  ['stays, for a model with a smaller window', at(700, 1_000), at(700, 800), true],
])('EVT-1 a context that %s', (_what, before, now, expected) => {
  expect(overflows(before, now)).toBe(expected);
});
