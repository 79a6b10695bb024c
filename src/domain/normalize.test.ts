import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEventSchema } from '../protocol/event.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import { normalize } from './normalize.ts';
import { eventsOf, recordings } from './recordings.testkit.ts';

const receivedAt = '2026-01-01T00:00:00.000Z';

function normalized(payload: Record<string, unknown>) {
  const { events, keys } = normalize(hookEnvelopeSchema.parse(payload), { receivedAt, project: undefined });
  return { event: events[0]!, keys };
}

const call = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't1' };

describe('NRM-4 each hook means its event', () => {
  const table: readonly [string, Record<string, unknown>, string, Record<string, unknown>][] = [
    ['SessionStart', { source: 'resume', model: 'm' }, 'session_started', { source: 'resume', model: 'm' }],
    ['UserPromptSubmit', { prompt: 'hi' }, 'user_prompt', { prompt: 'hi' }],
    ['UserPromptSubmit', { prompt: '<task-notification>…' }, 'user_prompt', { synthetic: true }],
    ['PreToolUse', call, 'tool_started', { tool_name: 'Bash', tool_use_id: 't1', mood: 'running', target: 'npm test' }],
    ['PostToolUse', call, 'tool_succeeded', { tool_name: 'Bash', tool_use_id: 't1' }],
    ['PostToolUse', { ...call, tool_response: { is_error: true, error: 'no' } }, 'tool_failed', { error_message: 'no', exit_code: null }],
    ['PostToolUse', { ...call, tool_result: { error: 'older name' } }, 'tool_failed', { error_message: 'older name' }],
    ['PostToolUseFailure', { ...call, error: 'Exit code 3\noops' }, 'tool_failed', { exit_code: 3, error_message: 'Exit code 3\noops' }],
    ['PostToolUseFailure', { ...call, error: 'boom' }, 'tool_failed', { exit_code: null }],
    ['SubagentStart', { agent_id: 'a1', agent_type: 'Explore' }, 'agent_started', { agent_type: 'Explore' }],
    ['SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'done' }, 'agent_stopped', { message: 'done' }],
    ['Notification', { notification_type: 'idle_prompt', message: 'm' }, 'notification', { notification_type: 'idle_prompt', message: 'm' }],
    ['PermissionRequest', call, 'agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'npm test' }],
    ['PermissionRequest', { ...call, permission_mode: 'bypassPermissions' }, 'notification', { notification_type: 'bypassed' }],
    ['PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which?' }] } }, 'agent_blocked', { wait: 'question', target: 'Which?' }],
    ['Stop', { last_assistant_message: 'ok', background_tasks: [{ id: 'a1' }] }, 'turn_ended', { reason: 'completed', message: 'ok', background: ['a1'] }],
    ['StopFailure', { error: 'rate_limit' }, 'turn_ended', { reason: 'failed', error: 'rate_limit' }],
    ['SessionEnd', { reason: 'clear' }, 'session_ended', { reason: 'clear' }],
    ['session-start', { source: 'startup' }, 'session_started', { source: 'startup', hook: 'SessionStart' }],
  ]; // prettier-ignore
  test.each(table)('NRM-4 %s %j is %s', (hook, fields, type, payload) => {
    const { event } = normalized({ hook_event_name: hook, session_id: 's', ...fields });
    expect({ type: event.event_type, payload: event.payload }).toMatchObject({ type, payload });
  });
});

test('NRM-1 an unknown event is kept whole and is only news', () => {
  const { event } = normalized({ hook_event_name: 'SomethingNew', session_id: 's', extra: { deep: [1] } });
  expect(event).toMatchObject({
    event_type: 'notification',
    severity: 'debug',
    payload: { hook: 'SomethingNew', unknown: true },
  });
  expect(event.raw).toEqual({ hook_event_name: 'SomethingNew', session_id: 's', extra: { deep: [1] } });
});

test('NRM-1 a known event with a broken field is a schema_error with the reason, and its payload is kept', () => {
  const { event } = normalized({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: 7 });
  expect(event.event_type).toBe('schema_error');
  expect(event.payload['reason']).toContain('tool_name');
  expect(event.raw['tool_name']).toBe(7);
});

test('NRM-1 without a session id an event belongs to its terminal, and hook_type names it too', () => {
  const { event } = normalized({ hook_type: 'stop', _meta: { terminal_session_id: 'tty9' } });
  expect(event).toMatchObject({ event_type: 'turn_ended', session_id: 'unknown:tty9', agent_id: 'unknown:tty9/main' });
});

test.each(['', 7, null, undefined, []])('COL-4 %j is no event name', (name) => {
  expect(hookEnvelopeSchema.safeParse({ hook_event_name: name }).success).toBe(false);
});

test('NRM-7 the same delivery has the same keys and id; two calls in one second differ by their tool_use_id', () => {
  const hook = { hook_event_name: 'PreToolUse', ...call };
  const first = normalized({ ...hook, _meta: { delivery_id: 'd1' } });
  expect(normalized({ ...hook, _meta: { delivery_id: 'd1' } })).toEqual(first);
  const retold = normalized({ ...hook, _meta: { delivery_id: 'd2' } });
  expect(retold.keys.some((key) => first.keys.includes(key))).toBe(true);
  const other = normalized({ ...hook, tool_use_id: 't2', _meta: { delivery_id: 'd3' } });
  expect(other.keys.some((key) => first.keys.includes(key))).toBe(false);
});

test('NRM-11 an agent type alone is a main agent; an id makes a sub-agent; a name stands in for it where one must be', () => {
  const of = (fields: Record<string, unknown>, hook = 'PreToolUse') =>
    normalized({ hook_event_name: hook, ...call, ...fields }).event.agent_id;
  expect([
    of({ agent_type: 'rev' }),
    of({ agent_id: 'a1', agent_type: 'Explore' }),
    of({ agent_name: 'mate' }),
    of({ agent_name: 'mate' }, 'SubagentStart'),
  ]).toEqual(['s/main', 's/a1', 's/main', 's/mate']);
});

test('FWD-2 a field of _meta with a wrong type is as good as absent', () => {
  const { meta } = hookEnvelopeSchema.parse({ hook_event_name: 'Stop', _meta: { agent_pid: 'x', tty: 3, cwd: '/a' } });
  expect(meta).toEqual({ cwd: '/a' });
});

test.each([
  ['2025-12-01T10:00:00.5+09:00', '2025-12-01T01:00:00.500Z'],
  ['2026-01-01T20:00:00.000Z', '2026-01-01T20:00:00.000Z'],
  ['2026-01-02T00:00:01.000Z', receivedAt],
  ['9999-12-31T23:59:59-23:59', receivedAt],
  ['0000-01-01T00:00:00+23:59', receivedAt],
  ['not a date', receivedAt],
])('COL-8 a hook fired at %s counts as of %s', (collected_at, ts) => {
  expect(normalized({ hook_event_name: 'Stop', _meta: { collected_at } }).event.ts).toBe(ts);
});

test('NRM-2 ids beyond all measure keep their identity by a hash', () => {
  const of = (id: string) => normalized({ hook_event_name: 'SubagentStart', session_id: id, agent_id: `${id}!` }).event;
  const [one, two] = [of('x'.repeat(9000)), of(`${'x'.repeat(8999)}y`)];
  expect(one.session_id.length).toBeLessThan(200);
  expect(one.agent_id.startsWith(`${one.session_id}/`) && one.agent_id.length < 300).toBe(true);
  expect(one.session_id).not.toBe(two.session_id);
});

test.each(recordings())('NRM-2 every recorded hook of $name is a valid event of its kind', (recording) => {
  for (const event of eventsOf(recording)) {
    agentEventSchema.parse(event);
    expect(event.event_type, JSON.stringify(event.raw)).not.toBe('schema_error');
  }
});

test('NRM-1 any JSON object that names an event becomes a valid event', () => {
  const hooks = [
    'SessionStart',
    'PreToolUse',
    'PostToolUse',
    'Stop',
    'SubagentStop',
    'Notification',
    'constructor',
    '__proto__',
  ];
  const field = fc.constantFrom(
    'session_id',
    'tool_name',
    'tool_input',
    'tool_response',
    'prompt',
    'agent_id',
    'background_tasks',
    'cwd',
  );
  fc.assert(
    fc.property(fc.constantFrom(...hooks), fc.dictionary(field, fc.jsonValue()), (hook, fields) => {
      agentEventSchema.parse(normalized({ ...fields, hook_event_name: hook }).event);
    }),
    { numRuns: 500 },
  );
});
