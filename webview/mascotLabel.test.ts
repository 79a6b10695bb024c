import { expect, test } from 'vitest';
import type { Agent } from '../src/protocol/state.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { formatsOf } from './formats.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { mascotLabel } from './mascotLabel.ts';

const session = aSession({ id: 's' });
const at = '2026-01-01T00:00:00Z';

function label(changes: Partial<Agent>, seconds = 0, writesTo = ''): string {
  const speech = { strings: panelWords, formats: formatsOf('en'), now: Date.parse(at) + seconds * 1_000 };
  return mascotLabel(speech, anAgent({ id: 'a', sessionId: 's', name: 'Pico', ...changes }), session, writesTo);
}

function doing(tool: string, mood: Agent['mood'], target: string): Partial<Agent> {
  return { mood, activity: { tool, mood, since: at, target } };
}

test('UI-7 a mascot is announced by name and activity, each once', () => {
  expect(label(doing('Edit', 'writing', '/x/src/app.ts'))).toBe('Pico, Editing src/app.ts');
  expect(label({ kind: 'subagent', type: 'Explore', mood: 'thinking' })).toBe('Pico, Explore, Thinking');
  expect(label({ pinnedAt: at, hidden: true })).toBe('Pico, Pinned, Hidden, Thinking');
  expect(label({}, 0, 'rex')).toBe('Pico, Thinking, writes to rex');
});

test('UI-7 who waits is announced with what it asks for and since when', () => {
  const asks = { kind: 'permission', since: at, tool: 'Bash', target: 'npm test' } as const;
  expect(label({ mood: 'waiting', wait: asks }, 125)).toBe('Pico, Waiting for permission: Bash npm test, 2 min');
  expect(label({ mood: 'waiting', wait: { kind: 'permission', since: at } })).toBe(
    'Pico, Waiting for your permission, May I go on?',
  );
  const question = { kind: 'question', since: at, message: 'Which **colour**?' } as const;
  expect(label({ mood: 'asking', wait: question }, 60)).toBe('Pico, Asking you something, Which colour?, 1 min');
});

test('UI-7 a name never tells seconds', () => {
  const runs = doing('Bash', 'running', 'npm test');
  expect(label(runs, 59)).toBe(label(runs, 4));
  expect(label(runs, 60)).toBe('Pico, Running npm test, 1 min');
});

const kinds: readonly (readonly [Partial<Agent>, string])[] = [
  [{ kind: 'main' }, 'Pico, Thinking'],
  [{ kind: 'subagent', task: 'Fake sub job' }, 'Pico, sub-agent, Job: Fake sub job, Thinking'],
  [{ kind: 'subagent', type: 'Explore', background: true }, 'Pico, Explore · in the background, Thinking'],
  [{ kind: 'teammate' }, 'Pico, team-mate, Thinking'],
  [
    { kind: 'teammate', type: 'reviewer', background: true },
    'Pico, team-mate · reviewer · in the background, Thinking',
  ],
  [{ kind: 'teammate', type: 'Pico' }, 'Pico, team-mate, Thinking'],
];
for (const [changes, expected] of kinds) {
  test(`AGT-1 who it is and what for: "${expected}"`, () => {
    expect(label(changes)).toBe(expected);
  });
}
