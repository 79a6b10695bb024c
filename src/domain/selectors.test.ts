import { expect, test } from 'vitest';
import type { Session } from '../protocol/state.ts';
import { agentToShow, byUrgency, summarise, urgencyOf } from './selectors.ts';

const session = (id: string, phase: Session['phase'], minute: number, changes: Partial<Session> = {}): Session => ({
  id,
  provider: 'claude',
  state: 'active',
  phase,
  phaseBecause: null,
  phaseSince: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
  cwd: '',
  project: '',
  workspace: '',
  title: '',
  model: '',
  permissionMode: '',
  source: '',
  surface: 'terminal',
  seenIn: 'hooks',
  startedAt: '',
  lastEventAt: '',
  counts: { prompts: 0, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
  usage: null,
  tasks: [],
  background: 0,
  lastReply: null,
  ...changes,
});
const idle = { phaseBecause: { event: 'notification', source: 'hook', detail: 'idle' } } as const;

test.each([
  [session('a', 'waiting_permission', 1), 'permission'],
  [session('a', 'waiting_question', 1), 'question'],
  [session('a', 'waiting_question', 1, idle), 'yourMove'],
  [session('a', 'busy', 1), 'busy'],
  [session('a', 'interactable', 1), 'yourMove'],
  [session('a', null, 1), 'none'],
  [session('a', 'waiting_permission', 1, { state: 'completed' }), 'none'],
  [session('a', 'busy', 1, { state: 'stale' }), 'none'],
  [session('a', null, 1, { state: 'idle' }), 'none'],
  [session('a', 'waiting_question', 1, { state: 'idle' }), 'none'],
  [session('a', null, 1, { seenIn: 'transcript' }), 'none'],
  [session('a', 'busy', 1, { surface: 'headless' }), 'busy'],
  [session('a', 'waiting_permission', 1, { surface: 'headless' }), 'busy'],
  [session('a', 'waiting_question', 1, { surface: 'headless' }), 'busy'],
  [session('a', 'interactable', 1, { surface: 'headless' }), 'none'],
] as const)('STA-2 SES-3 urgency of %j: %s', (given, urgency) => expect(urgencyOf(given)).toBe(urgency));

test('UI-4 the summary counts who waits for the person, without those left idle, and names the longest wait', () => {
  const sessions = [
    session('busy', 'busy', 1),
    session('idle', 'waiting_question', 0, idle),
    session('late', 'waiting_permission', 9),
    session('asks', 'waiting_question', 4),
    session('early', 'waiting_permission', 6),
  ];
  const { by, waiting, mostUrgent, longestWait } = summarise({ sessions });
  expect([waiting, mostUrgent, longestWait?.id]).toEqual([3, 'permission', 'asks']);
  expect(by.permission.map(({ id }) => id)).toEqual(['early', 'late']);
  expect([by.busy.length, by.yourMove.length, by.question.length]).toEqual([1, 1, 1]);
});

test('UI-4 with nobody waiting a click goes to a finished turn, else to a busy one, else nowhere', () => {
  expect(summarise({ sessions: [session('b', 'busy', 1), session('m', 'interactable', 5)] }).longestWait?.id).toBe('m');
  expect(summarise({ sessions: [session('b', 'busy', 1)] }).longestWait?.id).toBe('b');
  expect(summarise({ sessions: [] })).toMatchObject({ longestWait: undefined, mostUrgent: 'none', waiting: 0 });
});

test('UI-4 for a session its waiting agent is shown, else the main one, never one that left', () => {
  const agent = (id: string, kind: 'main' | 'subagent', present: boolean, waits: boolean) =>
    ({ id, sessionId: 's', kind, present, wait: waits ? { kind: 'permission', since: '' } : null }) as never;
  const s = session('s', 'busy', 1);
  const main = agent('main', 'main', true, false);
  expect(agentToShow({ agents: [main, agent('sub', 'subagent', true, true)] }, s)).toBe('sub');
  expect(agentToShow({ agents: [agent('sub', 'subagent', true, false), main] }, s)).toBe('main');
  expect(agentToShow({ agents: [agent('sub', 'subagent', false, true)] }, s)).toBeUndefined();
});

const life = (id: string, state: Session['state'], minute: number, background = 0) =>
  session(id, null, minute, { state, background });

test('UI-4 who sleeps is there and asks for nothing, who has ended is not; sub-agents in the background are counted', () => {
  const sessions = [
    life('ended', 'completed', 1, 3),
    life('lost', 'stale', 2, 1),
    life('asleep', 'idle', 3, 1),
    session('turn over', 'interactable', 4, { background: 2 }),
  ];
  const { quiet, background, waiting, mostUrgent } = summarise({ sessions });
  expect({ quiet: quiet.map(({ id }) => id), background, waiting, mostUrgent }).toEqual({
    quiet: ['asleep'],
    background: 3,
    waiting: 0,
    mostUrgent: 'yourMove',
  });
});

test('UI-4 as a list the most urgent session comes first, and the one that ended longest ago last', () => {
  const sessions = [
    life('ended first', 'completed', 1),
    life('ended last', 'stale', 2),
    life('asleep', 'idle', 0),
    session('yours', 'interactable', 3),
    session('works', 'busy', 4),
    session('asks', 'waiting_question', 5),
    session('waits', 'waiting_permission', 6),
  ];
  expect(byUrgency({ sessions }).map(({ id }) => id)).toEqual([
    'waits',
    'asks',
    'works',
    'yours',
    'asleep',
    'ended last',
    'ended first',
  ]);
});
