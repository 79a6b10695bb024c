import { expect, test } from 'vitest';
import { surfaceOf } from './surface.ts';

test.each([
  ['cli', 'terminal'],
  ['sdk-cli', 'headless'],
  ['sdk-ts', 'headless'],
  ['sdk-of-next-year', 'headless'],
  ['codex_exec', 'headless'],
  ['codex-tui', 'terminal'],
  ['claude-vscode', 'panel'],
  ['codex_vscode', 'panel'],
  ['never heard of', 'unknown'],
  ['constructor', 'unknown'],
  ['', undefined],
  [undefined, undefined],
] as const)('SES-2 an agent that says %j was started runs in: %s', (entrypoint, surface) => {
  expect(surfaceOf(entrypoint)).toBe(surface);
});
