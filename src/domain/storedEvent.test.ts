import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentEventSchema, type AgentEvent } from '../protocol/event.ts';
import { type EventType, eventTypes, typedPayload } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import { anEvent, withPayload } from './event.testkit.ts';
import { reduceAll } from './reduce.ts';
import { upgradeStoredEvent } from './storedEvent.ts';

type Source = AgentEvent['source'];

function stored(type: string, payload: JsonObject, source: Source = 'hook'): unknown {
  return { ...anEvent(1, 'notification', {}, { source }), event_type: type, payload };
}

const table: readonly (readonly [string, Source, EventType, JsonObject])[] = [
  ['usage', 'transcript', 'usage_reported', { path: '/t', offset: 5, tokens_in: 7, model: 'm' }],
  ['model_call', 'hook', 'model_called', { hook: 'PreModelRequest' }],
  ['model_call', 'synthetic', 'model_called', { by: 'status_file' }],
  ['tool_batch', 'hook', 'tool_batch_ended', { hook: 'PostToolBatch', ended: ['t1'] }],
  ['compacting', 'hook', 'compaction_started', { trigger: 'auto', work_item: 'login' }],
  ['compacted', 'hook', 'compaction_ended', { trigger: 'auto' }],
  ['context_loaded', 'synthetic', 'context_loaded', { sessions: 1, tokens: 9, told: ['a'], text: 'words' }],
  ['prompt_found', 'transcript', 'prompt_found', { prompt: 'go', turn: 't' }],
  ['reply_found', 'transcript', 'reply_found', { message: 'done' }],
  ['last_reply', 'transcript', 'last_reply_found', { message: 'done' }],
  ['instructions_loaded', 'hook', 'instructions_loaded', { file: '/p/CLAUDE.md' }],
  ['continues', 'synthetic', 'session_continued', { session: 'a', seed: 5, name: 'Pia' }],
  ['surface', 'transcript', 'surface_detected', { surface: 'panel' }],
  ['agent_meta', 'transcript', 'agent_described', { agent: 'a1', parent: 'main', task: 'look' }],
  ['work_started', 'synthetic', 'work_started', { work_item: 'login', title: 'Mend the login', status: 'running' }],
  ['work_ended', 'synthetic', 'work_ended', { work_item: 'login', status: 'done' }],
  ['dependency_resolved', 'synthetic', 'dependency_resolved', { work_item: 'login', ended: 'schema' }],
  ['untracked_edit', 'synthetic', 'untracked_edit', { tool_name: 'Edit', decision: 'denied' }],
  ['guard_gap', 'synthetic', 'guard_gap', { tool_name: 'Edit', target: '/p/a.ts' }],
  ['decision', 'synthetic', 'decision', { summary: 'Use sql.js', details: 'No native module' }],
  ['escalation', 'synthetic', 'escalation', { summary: 'Which schema?' }],
];

test.each(table)('STO-1 a stored notification `%s` by %s is read as %s', (notice, source, type, payload) => {
  const event = upgradeStoredEvent(stored('notification', { notification_type: notice, ...payload }, source));
  expect(event).toEqual({ ...anEvent(1, type, {}, { source }), payload });
});

test('STO-1 every event type that older releases did not have is in the table', () => {
  const old =
    'agent_ task_ tool_started tool_succeeded tool_failed session_started session_ended user_prompt turn_ended';
  const before = (type: string) =>
    [...old.split(' '), 'heartbeat', 'notification', 'schema_error'].some((start) => type.startsWith(start));
  const since = eventTypes.filter((type) => !before(type) || type === 'agent_described');
  expect(new Set(table.map(([, , type]) => type))).toEqual(new Set(since));
});

test.each(['idle_prompt', 'permission_prompt', 'message_display', 'teammate_idle', 'bypassed', ''])(
  'STO-1 a stored notification `%s` stays a notification',
  (notice) => {
    const json = stored('notification', { notification_type: notice, message: 'm' });
    expect(upgradeStoredEvent(json)).toEqual(json);
  },
);

test.each(table.map(([notice]) => [notice] as const))(
  'STO-1 an agent’s own Notification hook that says `%s` stays a notification',
  (notice) => {
    const json = stored('notification', { hook: 'Notification', notification_type: notice });
    expect(upgradeStoredEvent(json)).toEqual(json);
  },
);

test('STO-1 an event of this release is read as it was stored, with words that only another release knows', () => {
  for (const type of eventTypes) {
    const json = withPayload(anEvent(1, type), { hook: 'X', of_tomorrow: [1] });
    expect(upgradeStoredEvent(json)).toEqual(json);
  }
});

test('STO-1 an event of an unknown type is read as a notification that names it', () => {
  const event = upgradeStoredEvent(stored('of_tomorrow', { hook: 'X' }));
  expect([event.event_type, event.payload]).toEqual(['notification', { hook: 'X', notification_type: 'of_tomorrow' }]);
});

test('NRM-1 a word of a wrong type is left out, and the others stay', () => {
  const words = { tool_name: 7, target: 'a.ts', mood: 'furious', duration_ms: -1, agent_pid: 5, cwd: null };
  expect(typedPayload('tool_started', words)).toEqual({ target: 'a.ts', agent_pid: 5 });
});

test('NRM-1 no payload, however wrong, breaks the reducer or gives an event that the schema refuses', () => {
  const words = fc.constantFrom(
    ...['tool_name', 'tool_use_id', 'target', 'mood', 'reason', 'message', 'prompt', 'error', 'background', 'ended'],
    ...['counted', 'path', 'offset', 'told', 'tasks', 'checkpoint', 'seed', 'name', 'agent', 'spawned', 'wait', 'cwd'],
  );
  const payloads = fc.dictionary(words, fc.oneof(fc.jsonValue(), fc.constantFrom('failed', 'x', 3)));
  const steps = fc.array(fc.tuple(fc.constantFrom(...eventTypes), payloads), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (list) => {
      const events = list.map(([type, payload], index) =>
        upgradeStoredEvent(withPayload(anEvent(index, type), payload as JsonObject)),
      );
      for (const event of events) agentEventSchema.parse(event);
      reduceAll(events);
    }),
  );
});
