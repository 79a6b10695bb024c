import { expect, test } from 'vitest';
import type { AgentAnswer, SessionAnswer } from './answers.ts';
import { type Change, changeLine, changesBetween, type Watched } from './changes.ts';

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
