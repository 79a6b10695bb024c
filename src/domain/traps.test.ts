import { expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';
import { anEvent } from './event.testkit.ts';
import { eventsOf, recording, recordings } from './recordings.testkit.ts';
import { reduceAll, reduceSession } from './reduce.ts';
import { restoreSession } from './restore.ts';

/** A small way to write a session down: each step is an event of `main` or of another agent, a second after the one before. */
function story(...steps: readonly (readonly [EventType, JsonObject?, string?])[]): AgentEvent[] {
  return steps.map(([type, payload, agent = 'main'], index) =>
    anEvent(index, type, payload, { agent_id: `s/${agent}` }),
  );
}
const call = (id: string, tool: string, mood: string) => ({
  tool_name: tool,
  tool_use_id: id,
  mood,
  target: `${tool} it`,
});
const bash = (id: string) => call(id, 'Bash', 'running');
const read = (id: string) => call(id, 'Read', 'reading');
const start = ['session_started', { source: 'startup' }] as const;
const prompt = ['user_prompt', { prompt: 'go' }] as const;

const agentOf = (state: SessionState | undefined, id = 'main') =>
  state?.agents.find(({ agent }) => agent.id === `s/${id}`)?.agent;

test('STA-5 after an interrupt, which fires nothing, the next prompt ends the cancelled call', () => {
  const state = reduceAll(
    story(
      start,
      prompt,
      ['tool_started', bash('1')],
      prompt,
      ['tool_started', read('2')],
      ['tool_succeeded', read('2')],
    ),
  );
  expect(agentOf(state)).toMatchObject({ mood: 'thinking', activity: null });
});

test('STA-5 a sub-agent’s stop that names no agent does not send the main one away', () => {
  const state = reduceAll(story(start, prompt, ['tool_started', call('1', 'Task', 'delegating')], ['agent_stopped']));
  expect([agentOf(state)?.present, agentOf(state)?.mood, state?.session.phase]).toEqual([true, 'delegating', 'busy']);
});

test('STA-5 no wait survives the compaction that the person asked for instead', () => {
  const state = reduceAll(
    story(
      start,
      prompt,
      ['tool_started', bash('1')],
      ['agent_blocked', { ...bash('1'), wait: 'permission' }],
      ['session_started', { source: 'compact' }],
    ),
  );
  expect([state?.session.phase, agentOf(state)?.wait]).toEqual(['busy', null]);
});

test('STA-5 a working team-mate stays when the main turn ends, and is known as one', () => {
  const state = reduceAll(
    story(
      start,
      prompt,
      ['tool_succeeded', { ...call('1', 'Agent', 'delegating'), teammate: 'mate' }],
      ['agent_started', { agent_type: 'mate' }, 'mate'],
      ['tool_started', bash('2'), 'mate'],
      ['turn_ended', { reason: 'completed', background: ['task-7'], background_teammates: true }],
    ),
  );
  expect(agentOf(state, 'mate')).toMatchObject({ present: true, mood: 'running', kind: 'teammate' });
});

test('STA-5 the recorded team-mate is there whenever it works', () => {
  let state: SessionState | undefined;
  const missing: string[] = [];
  const events = eventsOf(recording('claude/2.1.327/interactive-agent-team.jsonl'));
  for (const event of events.filter((each) => each.session_id === events[0]?.session_id)) {
    state = reduceSession(state, event);
    const agent = state.agents.find(({ agent }) => agent.id === event.agent_id)?.agent;
    if (event.event_type.startsWith('tool_') && !agent?.present) missing.push(`${event.ts} ${event.event_type}`);
  }
  expect(missing).toEqual([]);
  expect(state?.agents.map(({ agent }) => agent.kind)).toContain('teammate');
  expect(state?.session.counts.subagents).toBe(1);
});

test.each([
  ['agent_blocked', { ...bash('1'), wait: 'permission' }],
  ['notification', { notification_type: 'permission_prompt' }],
  ['tool_started', bash('1')],
  ['agent_started', {}],
] as const)('SES-3 %s after the end revives nobody', (type, payload) => {
  const state = reduceAll(story(start, prompt, ['session_ended', { reason: 'other' }], [type, payload]));
  expect([state?.session.state, state?.session.phase, state?.agents.some(({ agent }) => agent.present)]).toEqual([
    'completed',
    null,
    false,
  ]);
});

test('STA-3 a minute of silence does not restart the clock of "your move"', () => {
  const state = reduceAll(
    story(
      start,
      prompt,
      ['turn_ended', { reason: 'completed' }],
      ['notification', { notification_type: 'idle_prompt' }],
    ),
  );
  expect(state?.session.phaseSince).toBe('2026-01-01T00:00:02.000Z');
});

test('STA-7 the result of a call beside it does not answer a wait; its own does', () => {
  const open = [
    start,
    prompt,
    ['tool_started', bash('1')],
    ['tool_started', read('2')],
    ['agent_blocked', { tool_name: 'Bash', target: 'Bash it', wait: 'permission' }],
  ] as const;
  const beside = reduceAll(story(...open, ['tool_succeeded', read('2')]));
  expect([beside?.session.phase, agentOf(beside)?.mood]).toEqual(['waiting_permission', 'waiting']);
  expect(reduceAll(story(...open, ['tool_succeeded', bash('1')]))?.session.phase).toBe('busy');
});

test('AGT-1 no two agents of a session have one name', () => {
  const agents = Array.from({ length: 40 }, (_, index) => ['agent_started', {}, `a${index}`] as const);
  const names = reduceAll(story(start, prompt, ...agents))?.agents.map(({ agent }) => agent.name) ?? [];
  expect(new Set(names).size).toBe(41);
});

test('AGT-1 look and name come from the agent’s own id, not its session’s', () => {
  const state = reduceAll(story(start, prompt, ['agent_started', {}, 'a1'], ['agent_started', {}, 'a2']));
  expect(new Set(state?.agents.map(({ agent }) => agent.avatarSeed)).size).toBe(3);
});

test('COL-6 what a recorded session counted is what happened in it', () => {
  const counts = Object.fromEntries(
    recordings()
      .filter(({ name }) => /p-(single|subs|subs_old|fail|bgsub)\.jsonl$/.test(name))
      .map((each) => [each.name.slice('claude/'.length, -'.jsonl'.length), reduceAll(eventsOf(each))?.session.counts]),
  );
  const of = (prompts: number, replies: number, toolCalls: number, failures: number, subagents: number) => ({
    prompts,
    replies,
    toolCalls,
    failures,
    subagents,
    tokensIn: 0,
    tokensOut: 0,
  });
  expect(counts).toEqual({
    '2.0.77/p-fail': of(1, 1, 1, 1, 0),
    '2.0.77/p-single': of(1, 1, 1, 0, 0),
    '2.0.77/p-subs_old': of(1, 1, 4, 0, 2),
    '2.1.100/p-bgsub': of(1, 2, 2, 0, 1),
    '2.1.100/p-fail': of(1, 1, 2, 2, 0),
    '2.1.100/p-single': of(1, 1, 1, 0, 0),
    '2.1.100/p-subs': of(1, 1, 4, 0, 2),
    '2.1.327/p-bgsub': of(1, 2, 2, 0, 1),
    '2.1.327/p-fail': of(1, 1, 2, 2, 0),
    '2.1.327/p-single': of(1, 1, 1, 0, 0),
    '2.1.327/p-subs': of(1, 1, 4, 0, 2),
  });
});

test.each([
  ['another reducer’s', { reducer: 0, json: '{}' }],
  ['a broken one', { reducer: 2, json: '{"half' }],
  ['one of another shape', { reducer: 2, json: '{"session":1}' }],
])('COL-8 %s row is made anew from the events', (_name, row) => {
  const events = story(start, prompt);
  expect(restoreSession(row, () => events).state).toEqual(reduceAll(events));
});

test('STA-2 a failure stays visible under a minute of silence, and a new prompt ends it', () => {
  const failed = [start, prompt, ['turn_ended', { reason: 'failed', error: 'rate_limit' }]] as const;
  const idle = ['notification', { notification_type: 'idle_prompt' }] as const;
  const quiet = reduceAll(story(...failed, idle));
  expect([quiet?.session.phaseBecause?.failure, agentOf(quiet)?.mood]).toEqual(['rate_limit', 'hurt']);
  expect(reduceAll(story(...failed, idle, prompt))?.session.phaseBecause?.failure).toBeUndefined();
});

test('COL-7 no text of an event makes a snapshot large', () => {
  const long = 'x'.repeat(1_000_000);
  const state = reduceAll(
    story(
      ['session_started', { source: long, model: long, cwd: long, host: long }],
      ['user_prompt', { prompt: long }],
      ['tool_started', { tool_name: long, target: long, tool_use_id: long }],
      ['agent_blocked', { tool_name: long, target: long, message: long, wait: 'permission' }],
      ['turn_ended', { reason: 'failed', error: long, message: long }],
    ),
  );
  expect(JSON.stringify(state).length).toBeLessThan(20_000);
});
