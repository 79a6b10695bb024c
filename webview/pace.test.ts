import { expect, test } from 'vitest';
import type { Agent, Session } from '../src/protocol/state.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { nextChangeAt, type Shown } from './pace.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const since = new Date(start).toISOString();
const still = aSession({ id: 's', phase: null, phaseSince: null });
const busy = aSession({ id: 's', phaseSince: since });
const runs = anAgent({ id: 'a', sessionId: 's', activity: { tool: 'Bash', mood: 'running', target: 'x', since } });
const thinks = anAgent({ id: 'a', sessionId: 's' });
const gone = aSession({
  id: 's',
  state: 'stale',
  phase: null,
  phaseSince: null,
  endReason: 'process_gone',
  endedAt: since,
});

function shown(session: Session, agent: Agent, changes: Partial<Shown> = {}): Shown {
  const rows = [{ agent, depth: 0, last: true, rails: [] }];
  return { groups: [{ session, rows, brief: false }], crowd: false, story: undefined, chosen: undefined, ...changes };
}

const story = {
  sessionId: 's',
  files: [],
  steps: [{ id: '1', ts: new Date(start - 30_000).toISOString(), agentId: 'a', kind: 'prompt' as const }],
};

const table: readonly (readonly [string, Shown, number, number | undefined])[] = [
  ['nothing that is timed', shown(still, thinks), 10_000, undefined],
  ['a phase', shown(busy, thinks), 10_500, 60_000],
  ['a phase of hours', shown(busy, thinks), 3_700_000, 7_200_000],
  ['a tool that has just begun', shown(busy, runs), 1_000, 3_000],
  ['a tool', shown(busy, runs), 10_500, 11_000],
  ['a tool after a minute', shown(busy, runs), 61_000, 120_000],
  ['a tool in a crowd', shown(busy, runs, { crowd: true }), 10_500, 60_000],
  [
    'the chosen one in a crowd',
    shown(busy, runs, { crowd: true, chosen: { agent: runs, session: busy } }),
    10_500,
    11_000,
  ],
  ['a message', shown(still, { ...thinks, talksTo: { id: 'b', at: since } }), 5_000, 60_000],
  ['an old message', shown(still, { ...thinks, talksTo: { id: 'b', at: since } }), 70_000, undefined],
  ['a story', shown(still, thinks, { story }), 5_000, 30_000],
  ['one that is gone', shown(gone, thinks), 570_000, 600_000],
  ['a moment nobody can read', shown(aSession({ id: 's', phaseSince: 'x' }), thinks), 0, undefined],
];
for (const [what, view, after, expected] of table) {
  test(`UI-8 with ${what} on the screen the next change is ${expected === undefined ? 'never' : `at ${expected} ms`}`, () => {
    const next = nextChangeAt(start + after, view);
    expect(next === undefined ? undefined : next - start).toBe(expected);
  });
}
