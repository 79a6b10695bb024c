import { expect, test } from 'vitest';
import type { AgentAnswer, SessionAnswer } from './answers.ts';
import type { WorkItem } from '../protocol/work.ts';
import { type Change, changeLine, changesBetween, eventChange, type Watched } from './changes.ts';

const session: SessionAnswer = {
  id: 's1',
  state: 'active',
  phase: 'busy',
  lastEventAt: '',
  project: '/home/dev/project',
  cwd: '/home/dev/project/sub',
  title: 'Fix it',
};
const agent: AgentAnswer = { id: 'a1', sessionId: 's1', name: 'reviewer', kind: 'subagent', present: true };

function watched(sessions: readonly SessionAnswer[], agents: readonly AgentAnswer[] = []): Watched {
  return {
    sessions: new Map(sessions.map((each) => [each.id, each])),
    agents: new Map(agents.map((each) => [each.id, each])),
    work: new Map(),
  };
}

const about = { session: 's1', project: '/home/dev/project', title: 'Fix it' };
const none = watched([]);
const busy = watched([session], [agent]);

test.each<[string, Watched, Watched, readonly Change[]]>([
  ['nothing', busy, busy, []],
  ['a title alone', busy, watched([{ ...session, title: 'New' }], [agent]), []],
  ['a new session', none, watched([session]), [{ kind: 'phase', ...about, from: 'new', to: 'busy' }]],
  [
    'a phase',
    busy,
    watched([{ ...session, phase: 'waiting_permission' }], [agent]),
    [{ kind: 'phase', ...about, from: 'busy', to: 'waiting_permission' }],
  ],
  [
    'an end',
    busy,
    watched([{ ...session, phase: null, state: 'completed' }], [agent]),
    [{ kind: 'phase', ...about, from: 'busy', to: 'completed' }],
  ],
  [
    'an agent that comes',
    watched([session]),
    busy,
    [{ kind: 'agent-arrived', ...about, agent: 'a1', name: 'reviewer' }],
  ],
  [
    'an agent that goes',
    busy,
    watched([session], [{ ...agent, present: false }]),
    [{ kind: 'agent-left', ...about, agent: 'a1', name: 'reviewer' }],
  ],
  [
    'an agent that is gone',
    busy,
    watched([session]),
    [{ kind: 'agent-left', ...about, agent: 'a1', name: 'reviewer' }],
  ],
  ['one that had left before', watched([session], [{ ...agent, present: false }]), watched([session]), []],
])('HKI-9 tail tells of %s', (_title, before, after, expected) => {
  expect(changesBetween(before, after)).toEqual(expected);
});

test('HKI-9 a change is one line, whatever is in its words', () => {
  const lines: readonly Change[] = [
    { kind: 'phase', ...about, from: 'busy', to: 'waiting_permission' },
    { kind: 'phase', ...about, title: '\u001b[2J\n', from: 'new', to: 'constructor' },
    { kind: 'agent-arrived', ...about, agent: 'a', name: 'x\ny' },
    { kind: 'agent-left', session: 's', project: '', title: '', agent: 'a', name: '' },
  ];
  expect(lines.map((line) => changeLine(line, '12:00:00'))).toEqual([
    '12:00:00  busy → waiting for permission  project  Fix it',
    '12:00:00  new → constructor  project  [2J',
    '12:00:00  + x y  project  Fix it',
    '12:00:00  - agent  -',
  ]);
});

const item = (id: string, status: WorkItem['status']): WorkItem => ({
  ...{ key: `k/${id}`, id, title: `Title of ${id}`, status, project: '/p', createdAt: '' },
  ...{ dependencies: [], workers: [], sessions: [], files: [], touches: [] },
});
const working = (...items: readonly WorkItem[]): Watched => ({
  ...busy,
  work: new Map(items.map((each) => [each.key, each])),
});

test('GRD-1 HKI-9 tail tells when a work item is made, starts and ends', () => {
  const changes = changesBetween(
    working(item('a', 'pending'), item('b', 'running'), item('c', 'done')),
    working(item('a', 'running'), item('b', 'done'), item('c', 'done'), item('d', 'pending')),
  );
  expect(changes.map((change) => changeLine(change, '12:00:00'))).toEqual([
    '12:00:00  work a: pending → running  p  Title of a',
    '12:00:00  work b: running → done  p  Title of b',
    '12:00:00  work d: new → pending  p  Title of d',
  ]);
});

test('EVT-1 HKI-9 tail tells of what nothing else tells, in one line whatever is in it', () => {
  const event = (event_type: string) => ({
    ...{ event_type, session_id: 's1', summary: 'Use\u001b[2J\nSQLite', work_item_id: 'db', details: {} },
  });
  const change = eventChange(event('test_failed'), busy);
  expect(change).toEqual({
    kind: 'event',
    ...about,
    event: 'test_failed',
    summary: 'Use\u001b[2J\nSQLite',
    item: 'db',
  });
  expect(change && changeLine(change, '12:00:00')).toBe('12:00:00  test failed: Use [2J SQLite  project  Fix it');
  const others = ['session_start', 'work_start', 'agent_activated', 'file_edit', 'constructor', ''];
  expect(others.map((type) => eventChange(event(type), busy))).toEqual(others.map(() => undefined));
  expect(eventChange({ event_type: 'decision', session_id: 'gone' }, none)).toMatchObject({
    session: 'gone',
    title: '',
  });
});
