import { expect, test } from 'vitest';
import { takesNewEvents } from './claudeVersions.ts';

test.each<[readonly (string | undefined)[], boolean]>([
  [[], false],
  [[undefined], false],
  [['2.1.100'], false],
  [['2.1.100+build'], false],
  [['2.1.101'], true],
  [['2.1.101-beta.1'], true],
  [['2.1.327 (Claude Code)'], true],
  [['v2.1.327\n'], true],
  [['2.0.999'], false],
  [['2.2.0'], true],
  [['3.0.0'], true],
  [['1.9.999'], false],
  [['2.1.327', '2.1.100'], false],
  [['2.1.327', undefined], false],
  [['2.1.327', '3.0.0'], true],
  [['2.1'], false],
  [['2.1.327.1'], false],
  [['latest'], false],
  [['2.1.99999999999999999999'], false],
  [[`2.1.${'9'.repeat(100_000)}`], false],
])('HKI-7 newer events for the versions %j: %s', (versions, expected) => {
  expect(takesNewEvents(versions)).toBe(expected);
});
