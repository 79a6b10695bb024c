import { expect, test } from 'vitest';
import { panelWords } from '../src/vscode/panelWords.ts';
import { durationSince } from './durations.ts';
import { formatsOf } from './formats.ts';

const english = formatsOf('en');
const now = Date.parse('2026-03-01T12:00:00Z');
const table = [
  [-5_000, 'now'],
  [0, 'now'],
  [59_999, 'now'],
  [60_000, '1 min'],
  [119_999, '1 min'],
  [59 * 60_000 + 59_999, '59 min'],
  [3_600_000, '1 h'],
  [23.9 * 3_600_000, '23 h'],
  [86_400_000, '1 d'],
  [1_234 * 86_400_000, '1,234 d'],
] as const;
for (const [elapsed, expected] of table) {
  test(`UI-2 ${elapsed} ms ago reads "${expected}"`, () => {
    expect(durationSince(panelWords, english, new Date(now - elapsed).toISOString(), now)).toBe(expected);
  });
}

test('UI-2 a time that is none says nothing', () => {
  expect(durationSince(panelWords, english, 'yesterday', now)).toBe('');
});
