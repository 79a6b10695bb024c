import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Agent, Session } from '../src/protocol/state.ts';
import { errorWords, panelWords } from '../src/vscode/panelWords.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { activityWords, causeWords, phaseWords, shownMood, waitWords } from './sentences.ts';

const session = aSession({ id: 's' });
const at = '2026-01-01T00:00:00Z';
const bundle = path.join(import.meta.dirname, '../media/l10n/bundle.l10n.ko.json');
const korean = JSON.parse(readFileSync(bundle, 'utf8')) as Readonly<Record<string, string>>;
const koreanWords = Object.fromEntries(Object.entries(panelWords).map(([key, text]) => [key, koreanOf(text)]));

function koreanOf(text: string): string {
  const translated = korean[text];
  if (translated === undefined) throw new Error(`no Korean for "${text}"`);
  return translated;
}

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
  [doing('WebSearch', 'browsing', 'how to sort'), 'Looking up how to sort'],
  [doing('WebFetch', 'browsing', 'https://www.example.org/sort/'), 'Looking up example.org/sort'],
  [doing('Agent', 'delegating', 'Measure it'), 'Handing over: Measure it'],
  [{ mood: 'thinking' }, 'Thinking'],
  [
    { mood: 'waiting', wait: { kind: 'permission', since: at, tool: 'Bash', target: 'rm -rf build' } },
    'Waiting for permission: Bash rm -rf build',
  ],
  [{ mood: 'waiting', wait: { kind: 'permission', since: at } }, 'Waiting for your permission'],
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
  [
    { phase: 'busy', phaseBecause: { event: 'notification', source: 'hook', detail: 'compacting' } },
    'busy',
    'Compacting',
  ],
  [{ phase: 'interactable' }, 'yourMove', 'Your move'],
  [{ phase: 'waiting_permission' }, 'permission', 'Needs permission'],
  [{ phase: 'waiting_question' }, 'question', 'Has a question'],
  [
    { phase: 'waiting_question', phaseBecause: { event: 'notification', source: 'hook', detail: 'idle' } },
    'yourMove',
    'Your move',
  ],
  [
    {
      phase: 'interactable',
      phaseBecause: { event: 'turn_ended', source: 'transcript', detail: 'interrupted' },
    },
    'interrupted',
    'Interrupted',
  ],
  [{ phase: 'interactable', surface: 'headless' }, 'none', 'Turn over'],
  [{ phase: null, state: 'stale', endReason: 'process_gone' }, 'gone', 'Its process is gone'],
  [{ phase: null, state: 'stale' }, 'none', 'No sign of life'],
  [{ phase: null, seenIn: 'transcript' }, 'seen', 'Seen in transcript only'],
  [{ phase: 'busy', seenIn: 'transcript' }, 'busy', 'Working'],
  [{ phase: null, state: 'idle' }, 'asleep', 'Asleep'],
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

test('UI-2 a question tells what is asked, not the tool that asks', () => {
  const because = { event: 'agent_blocked', source: 'hook', tool: 'AskUserQuestion' } as const;
  const asks = (changes: Partial<Session['phaseBecause']>): Session => ({
    ...session,
    phase: 'waiting_question',
    phaseBecause: { ...because, ...changes },
  });
  expect([
    causeWords(panelWords, asks({ detail: 'Which **colour**?' })),
    causeWords(panelWords, asks({ target: 'Which size?' })),
    causeWords(panelWords, asks({})),
  ]).toEqual(['Which colour?', 'Which size?', ''].map((tool) => ({ tool, target: '' })));
});

const failures: readonly (readonly [string, string])[] = [
  ['rate_limit', 'The service is busy: rate limit'],
  ['server_error', 'The service failed'],
  ['authentication_failed', 'Sign-in failed'],
  ['billing_error', 'Billing problem'],
  ['invalid_request', 'The request was refused'],
  ['unknown', 'Something went wrong'],
  ['brand_new_error', ''],
  ['You have no credits left.', 'You have no credits left.'],
  ['constructor', ''],
];
for (const [detail, reason] of failures) {
  const failed: Session = {
    ...session,
    phase: 'interactable',
    phaseBecause: { event: 'turn_ended', source: 'hook', detail, failure: detail },
  };
  test(`UI-2 a turn that ends with ${detail} failed: "${reason}"`, () => {
    expect(phaseWords(panelWords, failed)).toEqual({ kind: 'failed', text: 'The turn failed' });
    const quiet = { event: 'notification', source: 'hook', detail: 'idle', failure: detail } as const;
    const later: Session = { ...failed, phase: 'waiting_question', phaseBecause: quiet };
    const silent = { event: 'idle', source: 'synthetic', by: 'silence', failure: detail } as const;
    const asleep: Session = { ...failed, state: 'idle', phase: null, phaseBecause: silent };
    for (const each of [later, asleep]) {
      expect([phaseWords(panelWords, each).kind, causeWords(panelWords, each).tool]).toEqual(['failed', reason]);
    }
    expect(causeWords(panelWords, failed)).toEqual({ tool: reason, target: '' });
  });

  test(`UI-4 the status bar has the panel's words for ${detail}`, () => {
    expect(errorWords(detail) ?? '').toBe(reason);
  });

  test(`UI-6 no id of ours or the agent's is left in the Korean of ${detail}`, () => {
    const { text } = phaseWords(koreanWords, failed);
    const { tool } = causeWords(koreanWords, failed);
    expect([text, tool]).toEqual([
      koreanOf(panelWords['phase.failed']),
      reason === '' || reason === detail ? reason : koreanOf(reason),
    ]);
  });
}

const noFailures: readonly (readonly [string, Session['phaseBecause']])[] = [
  ['an interrupt', { event: 'turn_ended', source: 'transcript' }],
  ['a Stop', { event: 'turn_ended', source: 'hook' }],
  ['a start', { event: 'session_started', source: 'hook' }],
  ['another event with words of its own', { event: 'notification', source: 'hook', detail: 'rate_limit' }],
];
for (const [name, phaseBecause] of noFailures) {
  test(`UI-2 after ${name} it is your move`, () => {
    const after: Session = { ...session, phase: 'interactable', phaseBecause };
    expect(phaseWords(panelWords, after)).toEqual({ kind: 'yourMove', text: 'Your move' });
  });
}

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

const untold: Session = { ...session, seenIn: 'transcript', phase: null };
const calm: readonly (readonly [string, Session, Partial<Agent>, Agent['mood'], string])[] = [
  ['nothing is known', untold, { mood: 'thinking' }, 'resting', 'No word from its hooks'],
  ['it is asleep', { ...untold, state: 'idle' }, { mood: 'sleeping' }, 'sleeping', 'Asleep'],
  ['its own status tells it', { ...untold, phase: 'busy' }, { mood: 'thinking' }, 'thinking', 'Thinking'],
  ['it uses a tool', untold, doing('Bash', 'running', 'npm test'), 'running', 'Running npm test'],
  ['its hooks come', { ...untold, seenIn: 'hooks' }, { mood: 'thinking' }, 'thinking', 'Thinking'],
];
for (const [when, shown, changes, mood, words] of calm) {
  test(`TRN-4 seen in its transcript, when ${when}, the face is ${mood} and the words are "${words}"`, () => {
    const one = agent(changes);
    const told = activityWords(panelWords, one, shown);
    expect([shownMood(one, shown), told.map((part) => part.text).join('')]).toEqual([mood, words]);
  });
}
