import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';
import { sessionStateSchema } from '../protocol/stored.ts';
import { anEvent } from './event.testkit.ts';
import { compareKeys, orderKey } from './order.ts';
import { eventsOf, recording, recordings } from './recordings.testkit.ts';
import { reduceAll } from './reduce.ts';
import { insert, type Timeline, timelineFrom } from './timeline.ts';

let count = 0;
const event = (type: EventType, payload: JsonObject = {}, changes: Partial<AgentEvent> = {}) =>
  anEvent(++count, type, payload, changes);
const by = (agent: string) => ({ agent_id: `s/${agent}` });
const bash = (id: string) => ({ tool_name: 'Bash', tool_use_id: id, mood: 'running', target: 'npm test' });

function shown(state: SessionState | undefined) {
  return {
    state: state?.session.state,
    phase: state?.session.phase,
    moods: Object.fromEntries(
      (state?.agents ?? []).filter(({ agent }) => agent.present).map(({ agent }) => [agent.id, agent.mood]),
    ),
  };
}
const after = (...events: AgentEvent[]) => shown(reduceAll(events));

describe('one session', () => {
  const start = event('session_started', { source: 'startup' });
  const prompt = event('user_prompt', { prompt: 'Fix the tests' });

  test('STA-2 a turn: start, prompt, tool, result, end', () => {
    expect(after(start)).toEqual({ state: 'active', phase: 'interactable', moods: { 's/main': 'arriving' } });
    expect(after(start, prompt)).toEqual({ state: 'active', phase: 'busy', moods: { 's/main': 'thinking' } });
    const call = event('tool_started', bash('1'));
    expect(after(start, prompt, call)).toEqual({ state: 'active', phase: 'busy', moods: { 's/main': 'running' } });
    const result = event('tool_succeeded', bash('1'));
    expect(after(start, prompt, call, result).moods).toEqual({ 's/main': 'thinking' });
    const end = event('turn_ended', { reason: 'completed' });
    expect(after(start, prompt, call, result, end)).toEqual({
      state: 'active',
      phase: 'interactable',
      moods: { 's/main': 'celebrating' },
    });
    const late = event('tool_succeeded', bash('1'));
    expect(after(start, prompt, call, end, late)).toEqual(after(start, prompt, call, end));
  });

  test('STA-7 a wait belongs to one agent: another one’s result, or the main Stop, does not clear it', () => {
    const open = [
      start,
      prompt,
      event('agent_started', { agent_type: 'Explore' }, by('a1')),
      event('agent_started', { agent_type: 'Explore' }, by('a2')),
      event('agent_blocked', { ...bash('9'), wait: 'permission' }, by('a1')),
    ];
    const waits = { state: 'active', phase: 'waiting_permission' };
    expect(after(...open, event('tool_succeeded', bash('2'), by('a2')))).toMatchObject(waits);
    expect(after(...open, event('turn_ended', { reason: 'completed', background: ['a1', 'a2'] }))).toMatchObject(waits);
    expect(after(...open, event('tool_succeeded', bash('9'), by('a1')))).toMatchObject({ phase: 'busy' });
  });

  test('NRM-8 a permission that comes again as a notification counts once and keeps its cause', () => {
    const state = reduceAll([
      start,
      prompt,
      event('agent_blocked', { ...bash('1'), wait: 'permission' }),
      event('notification', { notification_type: 'permission_prompt', message: 'Claude needs your permission' }),
    ]);
    expect(state?.session.phaseBecause).toMatchObject({ tool: 'Bash', target: 'npm test' });
    expect(state?.agents).toHaveLength(1);
  });

  test('STA-2 idle_prompt is a question of nobody: its cause says idle', () => {
    const state = reduceAll([
      start,
      prompt,
      event('turn_ended', { reason: 'completed' }),
      event('notification', { notification_type: 'idle_prompt' }),
    ]);
    expect(state?.session).toMatchObject({ phase: 'waiting_question', phaseBecause: { detail: 'idle' } });
  });

  test('STA-5 a failed turn ends it and hurts', () => {
    expect(after(start, prompt, event('turn_ended', { reason: 'failed', error: 'rate_limit' }))).toEqual({
      state: 'active',
      phase: 'interactable',
      moods: { 's/main': 'hurt' },
    });
  });

  test('STA-5 sub-agents that the Stop does not list leave with the turn, the listed ones stay', () => {
    const moods = after(
      start,
      prompt,
      event('agent_started', {}, by('a1')),
      event('agent_started', {}, by('a2')),
      event('turn_ended', { reason: 'completed', background: ['a2'] }),
    ).moods;
    expect(Object.keys(moods)).toEqual(['s/main', 's/a2']);
  });

  test('STA-5 warm-up agents before the first prompt, and a compaction’s stop without a start, never show', () => {
    const warmsUp = event('agent_started', { agent_type: 'Explore', warm_up: true }, by('w1'));
    expect(Object.keys(after(start, warmsUp).moods)).toEqual(['s/main']);
    const resumed = [start, prompt, event('session_ended'), event('session_started', { source: 'resume' })];
    expect(Object.keys(after(...resumed, warmsUp).moods)).toEqual(['s/main']);
    const state = reduceAll([
      start,
      warmsUp,
      event('agent_stopped', {}, by('w1')),
      prompt,
      event('agent_stopped', { agent_type: '' }, by('compact')),
    ]);
    expect(state?.agents.map(({ agent }) => agent.id)).toEqual(['s/main']);
  });

  test('STA-5 an agent of a warm-up’s type shows where a call asks for it, or a prompt came before', () => {
    const begun = event('agent_started', { agent_type: 'Explore', warm_up: true }, by('a1'));
    const asks = event('tool_started', { ...bash('1'), spawn_type: 'Explore' });
    for (const before of [asks, prompt]) expect(Object.keys(after(before, begun).moods)).toContain('s/a1');
  });

  test('STA-5 a session that nobody is in is not busy', () => {
    const begun = event('agent_started', {}, by('a1'));
    expect(after(event('agent_stopped', {}, by('a1'))).phase).toBeNull();
    expect(after(begun).phase).toBe('busy');
    expect(after(begun, event('agent_stopped', {}, by('a1'))).phase).toBeNull();
  });

  test('SES-3 the end is the end: a sub-agent’s late stop revives nothing, a prompt does', () => {
    const ended = [start, prompt, event('session_ended', { reason: 'other' })];
    expect(after(...ended)).toEqual({ state: 'completed', phase: null, moods: {} });
    expect(after(...ended, event('agent_stopped', {}, by('a1')))).toEqual({
      state: 'completed',
      phase: null,
      moods: {},
    });
    expect(after(...ended, event('tool_succeeded', bash('1')))).toEqual({ state: 'completed', phase: null, moods: {} });
    expect(after(...ended, event('user_prompt', { prompt: 'again' }))).toMatchObject({
      state: 'active',
      phase: 'busy',
    });
  });

  test('AGT-1 an agent unknown so far is registered by its first event', () => {
    const state = reduceAll([event('tool_started', bash('1'), by('a7'))]);
    expect(state?.agents[0]?.agent).toMatchObject({
      id: 's/a7',
      kind: 'subagent',
      parentId: 's/main',
      employmentType: 'contractor',
      source: 'runtime_agent',
      mood: 'running',
    });
    const again = reduceAll([event('tool_started', bash('2'), by('a7'))]);
    expect(again?.agents[0]?.agent.avatarSeed).toBe(state?.agents[0]?.agent.avatarSeed);
  });

  test('AGT-1 a session of a thousand sub-agents lists those who are there and the last who left', () => {
    const many = Array.from({ length: 1000 }, (_, i) => [
      event('agent_started', {}, by(`x${i}`)),
      event('agent_stopped', {}, by(`x${i}`)),
    ]);
    const state = reduceAll([start, prompt, ...many.flat(), event('agent_started', {}, by('last'))]);
    expect(state?.agents.map(({ agent }) => agent.id)).toEqual([
      's/main',
      ...Array.from({ length: 32 }, (_, i) => `s/x${968 + i}`),
      's/last',
    ]);
    expect(state?.session.counts.subagents).toBe(1001);
  });

  test('SES-6 the session keeps its first event’s project, whatever folder the agent goes to', () => {
    const state = reduceAll([
      event('session_started', { cwd: '/p' }, { project: { path: '/p' } }),
      event('tool_started', { ...bash('1'), cwd: '/p/sub/other' }, { project: { path: '/other' } }),
    ]);
    expect(state?.session).toMatchObject({ project: '/p', cwd: '/p/sub/other' });
  });
});

test.each(recordings())('STA-6 $name leads to a legal state after every event', (played) => {
  const events = eventsOf(played);
  const sessions = Map.groupBy(events, (each) => each.session_id);
  for (const own of sessions.values()) {
    own.reduce<SessionState | undefined>(
      (state, each) => sessionStateSchema.parse(reduceAll([each], state)),
      undefined,
    );
  }
});

test('STA-2 the recorded interactive permission: phases as a person saw them', () => {
  const phases: (string | null)[] = [];
  let state: SessionState | undefined;
  for (const each of eventsOf(recording('claude/2.1.327/interactive-permission.jsonl'))) {
    state = reduceAll([each], state?.session.id === each.session_id ? state : undefined);
    const phase = state?.session.phase ?? null;
    if (phases.at(-1) !== phase) phases.push(phase);
  }
  expect(phases.slice(0, 4)).toEqual(['interactable', 'busy', 'waiting_permission', 'busy']);
});

describe('COL-8', () => {
  const sample = eventsOf(recording('claude/2.1.327/interactive-background-subagent.jsonl'));
  const own = sample.filter((each) => each.session_id === sample[0]?.session_id);

  /** As the hub does it: what the timeline can't place is made from all events so far. */
  function arrive(events: readonly AgentEvent[]): SessionState | undefined {
    const stored: AgentEvent[] = [];
    let line: Timeline = timelineFrom(undefined);
    for (const each of events) {
      stored.push(each);
      const sorted = stored.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)));
      line = insert(line, each) ?? { state: reduceAll(sorted), recent: [] };
    }
    return line.state;
  }

  test('COL-8 every order of arrival ends in the same state', () => {
    const inOrder = reduceAll(own.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b))));
    fc.assert(
      fc.property(fc.shuffledSubarray([...own], { minLength: own.length }), (shuffled) => {
        expect(arrive(shuffled)).toEqual(inOrder);
      }),
      { numRuns: 200 },
    );
  });

  test('COL-8 the same for many events that share few moments, longer than what is remembered', () => {
    const types = [
      'user_prompt',
      'tool_started',
      'tool_succeeded',
      'turn_ended',
      'agent_started',
      'agent_blocked',
      'session_ended',
      'session_started',
      'tool_failed',
      'agent_stopped',
      'notification',
      'tool_batch_ended',
      'usage_reported',
    ] as const;
    const says = fc.constantFrom<JsonObject>(
      {},
      { tool_use_id: null },
      { agent_name: 'Reader', agent_team: 'team' },
      { warm_up: true, agent_type: 'Explore' },
      { reason: 'completed', message: 'done' },
      { spawn_type: 'Explore', spawn_task: 'look', mood: 'delegating' },
      { notification_type: 'permission_prompt' },
      { ended: ['1', '2'] },
      { path: '/t', offset: 5, tokens_in: 7 },
      { path: '/t', offset: 9, tokens_in: 8 },
    );
    const some = fc.record({
      type: fc.constantFrom(...types),
      at: fc.integer({ min: 0, max: 40 }),
      agent: fc.constantFrom('main', 'a1', 'a2'),
      says,
      source: fc.constantFrom<AgentEvent['source']>('hook', 'hook', 'transcript'),
    });
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 150 }), fc.infiniteStream(fc.nat()), (list, random) => {
        const events = list.map(({ type, at, agent, says, source }, index) =>
          event(
            type,
            { ...bash(String(index % 5)), ...says },
            {
              ...by(agent),
              source,
              id: `p${index}`,
              ts: new Date(at * 1000).toISOString(),
            },
          ),
        );
        const shuffled = events
          .map((each) => ({ each, key: random.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(arrive(shuffled)).toEqual(reduceAll(events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))));
      }),
      { numRuns: 100 },
    );
  });

  test('COL-8 a start stands before what it starts, whatever their ids', () => {
    const ts = '2026-01-01T00:00:00.000Z';
    const call = event('tool_started', bash('1'), { id: 'z', ts });
    const result = event('tool_succeeded', bash('1'), { id: 'a', ts });
    expect([result, call].toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))).toEqual([call, result]);
  });
});
