import { expect, test } from 'vitest';
import type { Agent, Session } from '../src/protocol/state.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { activityWords, causeWords, mascotLabel, phaseWords, waitWords } from './sentences.ts';

const session = aSession({ id: 's' });
const at = '2026-01-01T00:00:00Z';

function agent(changes: Partial<Agent>): Agent {
  return anAgent({ id: 'a', sessionId: 's', name: 'Pico', ...changes });
}

function doing(tool: string, mood: Agent['mood'], target?: string): Partial<Agent> {
  return { mood, activity: { tool, mood, since: at, ...(target === undefined ? {} : { target }) } };
}

const activities: readonly (readonly [Partial<Agent>, string])[] = [
  [doing('Edit', 'writing', '/home/sam/code/harbour/src/app.ts'), 'Editing src/app.ts'],
  [doing('Bash', 'running', 'npm test'), 'Running npm test'],
  [doing('Bash', 'running'), 'Running a command'],
  [doing('mcp__github__create_issue', 'running', 'x'), 'Using github: create_issue'],
  [doing('TodoWrite', 'thinking'), 'Using TodoWrite'],
  [doing('Agent', 'delegating', 'Measure it'), 'Handing over: Measure it'],
  [{ mood: 'thinking' }, 'Thinking'],
  [{ ...doing('Bash', 'running', 'npm test'), mood: 'hurt' }, 'Something went wrong'],
];
for (const [changes, expected] of activities) {
  test(`UI-2 ${changes.activity?.tool ?? changes.mood} reads "${expected}"`, () => {
    const parts = activityWords(panelWords, agent(changes), session);
    expect(parts.map((part) => part.text).join('')).toBe(expected);
  });
}

const phasesShown: readonly (readonly [Partial<Session>, string, string])[] = [
  [{ phase: 'busy' }, 'busy', 'Working'],
  [{ phase: 'interactable' }, 'yourMove', 'Your move'],
  [{ phase: 'waiting_permission' }, 'permission', 'Needs permission'],
  [{ phase: 'waiting_question' }, 'question', 'Has a question'],
  [
    { phase: 'waiting_question', phaseBecause: { event: 'notification', source: 'hook', detail: 'idle' } },
    'yourMove',
    'Your move',
  ],
  [{ phase: null, state: 'idle' }, 'asleep', 'Idle'],
  [{ phase: null, state: 'completed' }, 'none', 'Ended'],
  [{ phase: null, state: 'active' }, 'none', 'Active'],
];
for (const [changes, kind, text] of phasesShown) {
  test(`STA-2 ${changes.phase ?? changes.state} (${changes.phaseBecause?.detail ?? 'no detail'}) reads "${text}"`, () => {
    expect(phaseWords(panelWords, { ...session, ...changes })).toEqual({ kind, text });
  });
}

test('STA-3 a phase tells its cause: the tool and what it was about', () => {
  const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
  expect(causeWords(panelWords, { ...session, phaseBecause: because })).toEqual({ tool: 'Bash', target: 'npm test' });
});

test('UI-2 a waiting agent asks in its own words', () => {
  const wait = (changes: Partial<NonNullable<Agent['wait']>>) =>
    waitWords(panelWords, agent({ wait: { kind: 'permission', since: at, ...changes } }), session);
  expect(wait({ tool: 'Bash', target: 'npm test' })).toEqual({ text: 'May I use Bash?', target: 'npm test' });
  expect(wait({ message: 'Claude needs your permission' })).toEqual({
    text: 'Claude needs your permission',
    target: '',
  });
  expect(wait({})).toEqual({ text: 'May I go on?', target: '' });
  expect(wait({ kind: 'question', target: 'Which colour?' })).toEqual({ text: 'Which colour?', target: '' });
  expect(wait({ kind: 'question' })).toEqual({ text: 'I have a question for you.', target: '' });
});

test('UI-7 a mascot is announced by name, mood and activity', () => {
  expect(mascotLabel(panelWords, agent(doing('Edit', 'writing', '/x/src/app.ts')), session)).toBe(
    'Pico, Editing, Editing src/app.ts',
  );
  const sub = agent({ kind: 'subagent', type: 'Explore', mood: 'thinking' });
  expect(mascotLabel(panelWords, sub, session)).toBe('Pico, Explore, Thinking');
  const waits = agent({ mood: 'waiting', wait: { kind: 'permission', since: at, tool: 'Bash', target: 'npm test' } });
  expect(mascotLabel(panelWords, waits, session)).toBe('Pico, Waiting for your permission, May I use Bash?, npm test');
});
