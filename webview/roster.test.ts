import { expect, test } from 'vitest';
import type { Agent, Session } from '../src/protocol/state.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { rosterOf, type RosterWish, type SessionGroup } from './roster.ts';

function state(sessions: readonly Session[], agents: readonly Agent[]) {
  return {
    sessions: new Map(sessions.map((session) => [session.id, session])),
    agents: new Map(agents.map((agent) => [agent.id, agent])),
  };
}

function groupsToShow(shown: ReturnType<typeof state>, wish?: RosterWish): readonly SessionGroup[] {
  return rosterOf(shown, wish).groups;
}

function mainOf(session: Session, changes: Partial<Agent> = {}): Agent {
  return anAgent({ id: `${session.id}/main`, sessionId: session.id, ...changes });
}

const idleCause = { event: 'notification', source: 'hook', detail: 'idle' } as const;
const mixed = [
  aSession({ id: 'rests', phase: 'interactable', startedAt: '2026-01-01T01:00:00Z' }),
  aSession({ id: 'works late', phase: 'busy', startedAt: '2026-01-01T03:00:00Z' }),
  aSession({ id: 'works early', phase: 'busy', startedAt: '2026-01-01T02:00:00Z' }),
  aSession({ id: 'asks', phase: 'waiting_question', startedAt: '2026-01-01T05:00:00Z' }),
  aSession({ id: 'waits', phase: 'waiting_permission', startedAt: '2026-01-01T04:00:00Z' }),
  aSession({ id: 'quiet', phase: 'waiting_question', phaseBecause: idleCause, startedAt: '2026-01-01T00:30:00Z' }),
  aSession({ id: 'sleeps', phase: null, state: 'idle', startedAt: '2026-01-01T00:00:00Z' }),
];

function order(held?: readonly string[]): readonly string[] {
  const agents = mixed.map((session) => mainOf(session));
  return groupsToShow(state(mixed, agents), { held }).map(({ session }) => session.id);
}

test('UI-2 who waits for the person comes first, then who works, then the rest, by their start', () => {
  expect(order()).toEqual(['waits', 'asks', 'works early', 'works late', 'sleeps', 'quiet', 'rests']);
});

test('UI-2 a headless session is nobody’s to answer: it stands among those that work or rest', () => {
  const robots = (['waiting_permission', 'interactable', 'busy'] as const).map((phase, index) =>
    aSession({ id: phase, phase, surface: 'headless', startedAt: `2026-01-01T0${index}:00:00Z` }),
  );
  const groups = groupsToShow(
    state(
      robots,
      robots.map((session) => mainOf(session)),
    ),
  );
  expect(groups.map(({ session }) => session.id)).toEqual(['busy', 'waiting_permission', 'interactable']);
});

test('UI-2 while the person points there nothing moves, and newcomers go to the end', () => {
  expect(order(['rests', 'works late', 'works early', 'asks'])).toEqual([
    'rests',
    'works late',
    'works early',
    'asks',
    'waits',
    'sleeps',
    'quiet',
  ]);
});

test('AGT-1 sub-agents stand below their parent, in the order of their start', () => {
  const session = aSession({ id: 's' });
  const child = (id: string, parentId: string, startedAt: string): Agent =>
    anAgent({ id, sessionId: 's', kind: 'subagent', parentId, startedAt });
  const agents = [
    child('b', 's/main', '2026-01-01T03:00:00Z'),
    child('a', 's/main', '2026-01-01T02:00:00Z'),
    child('a1', 'a', '2026-01-01T04:00:00Z'),
    child('orphan', 'gone', '2026-01-01T05:00:00Z'),
    mainOf(session, { startedAt: '2026-01-01T06:00:00Z' }),
  ];
  const rows = groupsToShow(state([session], agents))[0]?.rows.map(({ agent, depth, last, rails }) => [
    agent.id,
    depth,
    last,
    rails,
  ]);
  expect(rows).toEqual([
    ['s/main', 0, true, []],
    ['a', 1, false, []],
    ['a1', 2, true, [1]],
    ['b', 1, false, []],
    ['orphan', 1, true, []],
  ]);
});

test('AGT-1 from the fourth level on nobody is indented further, and the lines above go on', () => {
  const chain = ['a', 'b', 'c', 'd'].map((id, index) =>
    anAgent({ id, sessionId: 's', kind: 'subagent', parentId: ['s/main', 'a', 'b', 'c'][index] ?? null }),
  );
  const after = anAgent({ id: 'z', sessionId: 's', kind: 'subagent', parentId: 's/main' });
  const session = aSession({ id: 's' });
  const rows = groupsToShow(state([session], [mainOf(session), ...chain, after]))[0]?.rows;
  expect(rows?.map(({ agent, depth, rails }) => [agent.id, depth, rails])).toEqual([
    ['s/main', 0, []],
    ['a', 1, []],
    ['b', 2, [1]],
    ['c', 3, [1]],
    ['d', 3, [1]],
    ['z', 1, []],
  ]);
});

const goneTable = [
  [9, 'process_gone', true],
  [11, 'process_gone', false],
  [1, undefined, false],
] as const;
for (const [minutes, endReason, shown] of goneTable) {
  test(`SES-4 ${minutes} minutes after its end (${endReason ?? 'by silence'}) a lost session is ${shown ? 'told' : 'gone'}`, () => {
    const session = aSession({
      id: 's',
      state: 'stale',
      phase: null,
      endedAt: '2026-01-01T00:00:00Z',
      ...(endReason === undefined ? {} : { endReason }),
    });
    const now = Date.parse('2026-01-01T00:00:00Z') + minutes * 60_000;
    const left = mainOf(session, { present: false });
    expect(groupsToShow(state([session], [left]), { now })).toHaveLength(shown ? 1 : 0);
  });
}

test('AGT-1 agents that call each other their parent are shown all the same', () => {
  const session = aSession({ id: 's' });
  const loop = ['x', 'y'].map((id, index) =>
    anAgent({ id, sessionId: 's', kind: 'subagent', parentId: ['y', 'x'][index] ?? null }),
  );
  const rows = groupsToShow(state([session], [mainOf(session), ...loop]))[0]?.rows.map(({ agent }) => agent.id);
  expect(rows).toEqual(['s/main', 'x', 'y']);
});

const visible = [
  ['active', true, true],
  ['active', false, true],
  ['idle', false, true],
  ['completed', true, true],
  ['completed', false, false],
  ['stale', false, false],
] as const;
for (const [life, present, shown] of visible) {
  test(`UI-2 a session that is ${life} with ${present ? 'an' : 'no'} agent is ${shown ? 'shown' : 'gone'}`, () => {
    const session = aSession({ id: 's', state: life });
    const groups = groupsToShow(state([session], [mainOf(session, { present })]));
    expect(groups.map(({ rows }) => rows.length)).toEqual(shown ? [present ? 1 : 0] : []);
  });
}

test('UI-2 one that has just left is drawn until it is gone', () => {
  const session = aSession({ id: 's', state: 'completed' });
  const left = mainOf(session, { present: false });
  expect(groupsToShow(state([session], [left]), { departing: new Set([left.id]) })[0]?.rows).toHaveLength(1);
});

test('UI-2 what the filter leaves out is counted, not drawn', () => {
  const sessions = ['here', 'there', 'over'].map((id) =>
    aSession({ id, state: id === 'over' ? 'completed' : 'active', startedAt: `2026-01-01T0${id.length}:00:00Z` }),
  );
  const agents = sessions.slice(0, 2).map((session) => mainOf(session));
  const roster = rosterOf(state(sessions, agents), { elsewhere: new Set(['there', 'over', 'unknown']) });
  expect([roster.groups.map(({ session }) => session.id), roster.elsewhere]).toEqual([['here'], 1]);
});

const family = (main: Partial<Agent>, sub: Partial<Agent>): readonly Agent[] => [
  anAgent({ id: 's/main', sessionId: 's', ...main }),
  anAgent({ id: 'sub', sessionId: 's', kind: 'subagent', parentId: 's/main', ...sub }),
];
const hiding: readonly (readonly [string, Partial<Session>, Partial<Agent>, Partial<Agent>, boolean, unknown])[] = [
  [
    'nobody',
    {},
    {},
    {},
    false,
    [
      [
        ['s/main', 0],
        ['sub', 1],
      ],
      false,
      0,
    ],
  ],
  ['a main agent', {}, { hidden: true }, {}, false, [[['sub', 0]], false, 1]],
  ['a sub-agent', {}, {}, { hidden: true }, false, [[['s/main', 0]], false, 1]],
  ['everybody', {}, { hidden: true }, { hidden: true }, false, [undefined, undefined, 2]],
  [
    'everybody, shown all the same',
    {},
    { hidden: true },
    { hidden: true },
    true,
    [
      [
        ['s/main', 0],
        ['sub', 1],
      ],
      false,
      2,
    ],
  ],
  ['everybody who waits', { phase: 'waiting_permission' }, { hidden: true }, { hidden: true }, false, [[], true, 2]],
];
for (const [who, changes, main, sub, showHidden, expected] of hiding) {
  test(`AGT-1 of a session that hides ${who} is drawn what is left`, () => {
    const { groups, hidden } = rosterOf(state([aSession({ id: 's', ...changes })], family(main, sub)), { showHidden });
    const [group] = groups;
    expect([group?.rows.map(({ agent, depth }) => [agent.id, depth]), group?.brief, hidden]).toEqual(expected);
  });
}

test('AGT-1 who is pinned comes first among equals, the earliest first, sessions as well as siblings', () => {
  const sessions = ['plain', 'late', 'early', 'waits'].map((id, index) =>
    aSession({ id, phase: id === 'waits' ? 'waiting_permission' : 'busy', startedAt: `2026-01-01T0${index}:00:00Z` }),
  );
  const pins: Readonly<Record<string, string>> = { late: '2026-01-03T00:00:00Z', early: '2026-01-02T00:00:00Z' };
  const pin = (id: string) => (pins[id] === undefined ? {} : { pinnedAt: pins[id] });
  const agents = sessions.flatMap((session) => [
    mainOf(session, pin(session.id)),
    ...['plain', 'late', 'early'].map((id) =>
      anAgent({ id: `${session.id}/${id}`, sessionId: session.id, kind: 'subagent', ...pin(id) }),
    ),
  ]);
  const groups = groupsToShow(state(sessions, agents));
  expect(groups.map(({ session }) => session.id)).toEqual(['waits', 'early', 'late', 'plain']);
  expect(groups[0]?.rows.map(({ agent }) => agent.id)).toEqual([
    'waits/main',
    'waits/early',
    'waits/late',
    'waits/plain',
  ]);
});
