import { expect, test } from 'vitest';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { JsonObject } from '../protocol/json.ts';
import { anEvent } from './event.testkit.ts';
import { normalize, renormalized } from './normalize.ts';
import { eventsOf, recordings } from './recordings.testkit.ts';
import { reduceAll } from './reduce.ts';

test.each(recordings().map((recording) => [recording.name, recording] as const))(
  'NRM-10 the stored events of %s are made again from their raw payloads as they were',
  (_name, recording) => {
    const events = eventsOf(recording);
    expect(renormalized(events)).toEqual(events);
  },
);

test('NRM-10 events that an older version understood otherwise are understood as today', () => {
  const [stop] = eventsOf(recordings().find(({ name }) => name === 'claude/2.1.327/p-single.jsonl')!).filter(
    (event) => event.event_type === 'turn_ended',
  );
  const old = { ...stop!, event_type: 'notification' as const, payload: { ...stop!.payload, unknown: true } };
  expect(renormalized([old])).toEqual([stop]);
});

test('NRM-10 what no hook told stays as it is', () => {
  const seen = anEvent(1, 'turn_ended', { reason: 'interrupted' }, { source: 'transcript' });
  expect(renormalized([seen])).toEqual([seen]);
});

const of = (payload: JsonObject) =>
  normalize(hookEnvelopeSchema.parse(payload), { receivedAt: '2026-01-01T00:00:00.000Z', project: undefined }).events;

test.each<[string, JsonObject, string]>([
  ['the main agent of a session', { hook_event_name: 'Stop', session_id: 's' }, 's/main'],
  ['a sub-agent', { hook_event_name: 'PreToolUse', session_id: 's', agent_id: 'a1', tool_name: 'Bash' }, 's/a1'],
  ['a team’s leader', { hook_event_name: 'SessionStart', session_id: 's', team_name: 'alpha' }, 'alpha/leader'],
  [
    'a team’s agent, by its name',
    { hook_event_name: 'SubagentStart', session_id: 's', team_name: 'alpha', agent_name: 'bob', agent_id: 'a1' },
    'alpha/bob',
  ],
  [
    'a team-mate whose team becomes known late',
    { hook_event_name: 'TeammateIdle', session_id: 's', agent_id: 'a1', teammate_name: 'bob', team_name: 'alpha' },
    's/a1',
  ],
])('NRM-6 the id of %s', (_name, payload, id) => {
  expect(of(payload).map((event) => event.agent_id)).toEqual([id]);
});

test('NRM-6 a team that is named everywhere is a session like any other: its leader is the main agent', () => {
  const team = { session_id: 's', team_name: 'alpha' };
  const at = (second: number, payload: JsonObject) =>
    normalize(hookEnvelopeSchema.parse({ ...team, ...payload }), {
      receivedAt: `2026-01-01T00:00:0${second}.000Z`,
      project: undefined,
    }).events;
  const state = reduceAll([
    ...at(0, { hook_event_name: 'SessionStart', source: 'startup' }),
    ...at(1, { hook_event_name: 'UserPromptSubmit', prompt: 'go' }),
    ...at(2, { hook_event_name: 'SubagentStart', agent_name: 'bob' }),
    ...at(3, { hook_event_name: 'Stop', background_tasks: [] }),
  ]);
  expect(state?.agents.map(({ agent }) => [agent.id, agent.kind, agent.parentId, agent.present])).toEqual([
    ['alpha/leader', 'main', null, true],
    ['alpha/bob', 'subagent', 'alpha/leader', false],
  ]);
  expect(state?.session.phase).toBe('interactable');
});
