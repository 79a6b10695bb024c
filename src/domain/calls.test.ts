import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import { anEvent } from './event.testkit.ts';
import { compareKeys, orderKey } from './order.ts';
import { reduceAll } from './reduce.ts';

const moments = fc.integer({ min: 0, max: 20 });
const agents = fc.constantFrom('main', 'a');
const calls = fc.array(
  fc.record({
    start: fc.option(moments),
    end: fc.option(moments),
    isTwice: fc.boolean(),
    type: fc.constantFrom<EventType>('tool_succeeded', 'tool_failed'),
    agent: agents,
  }),
  { maxLength: 12 },
);
const between = fc.array(
  fc.record({
    at: moments,
    type: fc.constantFrom<EventType>(
      'user_prompt',
      'turn_ended',
      'agent_started',
      'agent_stopped',
      'agent_blocked',
      'session_ended',
    ),
    agent: agents,
  }),
  { maxLength: 8 },
);

test('COL-6 a call with an id counts once, by whatever hooks and in whatever order they came, between any others', () => {
  fc.assert(
    fc.property(calls, between, (made, others) => {
      let number = 0;
      const event = (at: number, type: EventType, payload: JsonObject, agent: string) => ({
        ...anEvent(++number, type, payload, { agent_id: `s/${agent}` }),
        ts: new Date(Date.UTC(2026, 0, 1) + at * 100).toISOString(),
      });
      const told = made.flatMap(({ start, end, isTwice, type, agent }, index) => {
        const call = { tool_name: 'Bash', tool_use_id: `call${index}`, mood: 'running' };
        return [0, ...(isTwice ? [1] : [])].flatMap((later) => [
          ...(start === null ? [] : [event(start + later, 'tool_started', call, agent)]),
          ...(end === null ? [] : [event(end + later, type, call, agent)]),
        ]);
      });
      const events = [
        ...told,
        ...others.map(({ at, type, agent }) => event(at, type, { reason: 'completed' }, agent)),
      ].toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)));
      const heardOf = made.filter(({ start, end }) => start !== null || end !== null).length;
      expect(reduceAll(events)?.session.counts.toolCalls ?? 0).toBe(heardOf);
    }),
    { numRuns: 500 },
  );
});

test('AGT-1 no end and no news of an end brings an agent that nobody heard of before', () => {
  const ends = fc.constantFrom<readonly [EventType, JsonObject]>(
    ['agent_stopped', {}],
    ['turn_ended', { reason: 'completed' }],
    ['session_ended', {}],
    ['agent_unblocked', {}],
    ['heartbeat', {}],
    ['notification', { notification_type: 'idle_prompt' }],
    ['tool_batch_ended', { ended: ['x'] }],
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(ends, agents), { maxLength: 12 }), (told) => {
      const events = told.map(([[type, payload], agent], index) =>
        anEvent(index + 1, type, payload, { agent_id: `s/${agent}` }),
      );
      expect(reduceAll(events)?.agents.filter(({ agent }) => agent.kind !== 'main') ?? []).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('AGT-1 what comes late of a sub-agent that has left, ends of calls and turns, does not bring it back', () => {
  const late = fc.constantFrom<readonly [EventType, JsonObject]>(
    ['tool_succeeded', { tool_name: 'Bash', tool_use_id: 'open' }],
    ['tool_succeeded', { tool_name: 'Bash', tool_use_id: 'unknown' }],
    ['tool_failed', { tool_name: 'Bash' }],
    ['agent_stopped', {}],
    ['turn_ended', { reason: 'completed' }],
    ['turn_ended', { reason: 'end_turn' }],
    ['turn_ended', { reason: 'failed' }],
    ['agent_unblocked', {}],
    ['notification', { notification_type: 'idle_prompt' }],
    ['tool_batch_ended', { ended: ['open'] }],
    ['compaction_started', {}],
    ['notification', { notification_type: 'teammate_idle', agent_name: 'Reader' }],
  );
  const ends = fc.constantFrom<readonly [EventType, JsonObject, string]>(
    ['agent_stopped', {}, 'a'],
    ['turn_ended', { reason: 'completed' }, 'main'],
    ['session_ended', {}, 'main'],
  );
  fc.assert(
    fc.property(fc.array(late, { maxLength: 8 }), ends, fc.boolean(), (told, [end, payload, whose], inCall) => {
      const begun: readonly (readonly [EventType, JsonObject, string])[] = [
        ['session_started', { source: 'startup' }, 'main'],
        ['user_prompt', { prompt: 'go' }, 'main'],
        ['agent_started', { agent_type: 'Explore' }, 'a'],
      ];
      const call: readonly [EventType, JsonObject, string] = [
        'tool_started',
        { tool_name: 'Bash', tool_use_id: 'open' },
        'a',
      ];
      const events = [
        ...begun,
        ...(inCall ? [call] : []),
        [end, payload, whose] as const,
        ...told.map(([type, said]) => [type, said, 'a'] as const),
      ];
      const state = reduceAll(
        events.map(([type, said, by], index) => anEvent(index + 1, type, said, { agent_id: `s/${by}` })),
      );
      expect(state?.agents.filter(({ agent }) => agent.kind !== 'main').map(({ agent }) => agent.present)).toEqual([
        false,
      ]);
    }),
    { numRuns: 500 },
  );
});
