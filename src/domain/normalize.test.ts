import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEventSchema } from '../protocol/event.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import { normalize } from './normalize.ts';
import { readHook } from './readHook.ts';
import { eventsOf, momentOf, providerOf, recordings } from './recordings.testkit.ts';

const receivedAt = '2026-01-01T00:00:00.000Z';

function normalized(payload: Record<string, unknown>) {
  const { events, keys } = normalize(hookEnvelopeSchema.parse(payload), { receivedAt, project: undefined });
  return { event: events[0]!, keys };
}

const call = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't1' };
const question = { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which?' }] } };

/** All that 2.1.327 knows. */
const known = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion
  SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch
  PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
  WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay`.split(/\s+/);

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
    ['PostToolBatch', { tool_calls: [{ tool_use_id: 't1' }, { tool_use_id: 't2' }] }, 'tool_batch_ended', { ended: ['t1', 't2'] }],
    ['SubagentStart', { agent_id: 'a1', agent_type: 'Explore' }, 'agent_started', { agent_type: 'Explore' }],
    ['SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'done' }, 'agent_stopped', { message: 'done' }],
    ['TeammateIdle', { agent_id: 'a1', teammate_name: 'mate', team_name: 'team' }, 'notification', { notification_type: 'teammate_idle', name: 'mate', team: 'team' }],
    ['Notification', { notification_type: 'idle_prompt', message: 'm' }, 'notification', { notification_type: 'idle_prompt', message: 'm' }],
    ['PermissionRequest', call, 'agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'npm test' }],
    ['PermissionRequest', { ...call, permission_mode: 'bypassPermissions' }, 'notification', { notification_type: 'bypassed' }],
    ['PermissionRequest', { ...call, permission_mode: 'dontAsk' }, 'notification', { notification_type: 'bypassed' }],
    ['PermissionRequest', question, 'agent_blocked', { wait: 'question', target: 'Which?' }],
    ['PermissionRequest', { ...question, permission_mode: 'bypassPermissions' }, 'agent_blocked', { wait: 'question' }],
    ['PermissionRequest', { tool_name: 'ExitPlanMode', permission_mode: 'plan' }, 'agent_blocked', { wait: 'permission' }],
    ['PermissionDenied', { ...call, reason: 'too risky' }, 'tool_failed', { denied: true, error_message: 'too risky', exit_code: null }],
    ['Elicitation', { mcp_server_name: 'fake', message: 'Your name?' }, 'agent_blocked', { wait: 'question', message: 'Your name?' }],
    ['ElicitationResult', { action: 'decline' }, 'agent_unblocked', { answer: 'decline' }],
    ['Stop', { last_assistant_message: 'ok', background_tasks: [{ id: 'a1' }] }, 'turn_ended', { reason: 'completed', message: 'ok', background: ['a1'] }],
    ['StopFailure', { error: 'rate_limit' }, 'turn_ended', { reason: 'failed', error: 'rate_limit' }],
    ['SessionEnd', { reason: 'clear' }, 'session_ended', { reason: 'clear' }],
    ['session-start', { source: 'startup' }, 'session_started', { source: 'startup', hook: 'SessionStart' }],
    ['TaskCreated', { task_id: '1', task_subject: 'First' }, 'task_created', { title: 'First' }],
    ['TaskCompleted', { task_id: '1', task_subject: 'First' }, 'task_completed', { title: 'First' }],
    ['PreCompact', { trigger: 'manual', custom_instructions: '' }, 'compaction_started', { trigger: 'manual' }],
    ['PostCompact', { trigger: 'auto' }, 'compaction_ended', { trigger: 'auto' }],
    ['PreModelSwitch', { to_model: 'b' }, 'notification', { notification_type: 'pre_model_switch' }],
    ['PostModelSwitch', { from_model: 'a', to_model: 'b' }, 'notification', { notification_type: 'post_model_switch', model: 'b' }],
    ['Setup', { trigger: 'init' }, 'notification', { notification_type: 'setup' }],
    ['InstructionsLoaded', { file_path: '/p/CLAUDE.md' }, 'instructions_loaded', {}],
    ['UserPromptExpansion', { prompt: '/x' }, 'notification', { notification_type: 'user_prompt_expansion' }],
    ['MessageDisplay', { delta: 'word' }, 'notification', { notification_type: 'message_display' }],
    ['ConfigChange', { source: 'project_settings' }, 'notification', { notification_type: 'config_change' }],
    ['CwdChanged', { new_cwd: '/p/sub' }, 'notification', { notification_type: 'cwd_changed' }],
    ['FileChanged', { file_path: '/p/a' }, 'notification', { notification_type: 'file_changed' }],
    ['DirectoryAdded', { directory: '/p' }, 'notification', { notification_type: 'directory_added' }],
    ['WorktreeCreate', { name: 'w' }, 'notification', { notification_type: 'worktree_create' }],
    ['WorktreeRemove', {}, 'notification', { notification_type: 'worktree_remove' }],
  ]; // prettier-ignore
  test.each(table)('NRM-4 %s %j is %s', (hook, fields, type, payload) => {
    const { event } = normalized({ hook_event_name: hook, session_id: 's', ...fields });
    expect({ type: event.event_type, payload: event.payload }).toMatchObject({ type, payload });
    expect(event.payload).not.toHaveProperty('unknown');
  });

  test('NRM-4 every event that 2.1.327 knows has its row here', () => {
    expect(known).toHaveLength(33);
    const rows = new Set(table.map(([hook]) => hook));
    expect(known.filter((hook) => !rows.has(hook))).toEqual([]);
  });
});

test('NRM-4 what only tells of itself is debug news', () => {
  const quiet = known.filter((hook) => normalized({ hook_event_name: hook }).event.severity === 'debug');
  expect(quiet.sort()).toEqual(
    `ConfigChange CwdChanged DirectoryAdded FileChanged InstructionsLoaded MessageDisplay PostModelSwitch PostToolBatch
    PreModelSwitch Setup UserPromptExpansion WorktreeCreate WorktreeRemove`.split(/\s+/),
  );
});

test('NRM-4 a hook that means two things gives two events, told apart by their ids', () => {
  const { events } = normalize(
    hookEnvelopeSchema.parse({
      hook_event_name: 'StopFailure',
      session_id: 's',
      agent_id: 'a1',
      error: 'server_error',
    }),
    { receivedAt, project: undefined },
  );
  expect(
    events.map(({ event_type, agent_id, task_id, severity }) => [event_type, agent_id, task_id, severity]),
  ).toEqual([
    ['turn_ended', 's/a1', undefined, 'error'],
    ['task_failed', 's/a1', 'agent/a1', 'error'],
  ]);
  expect(events[1]?.id).toBe(`${events[0]?.id ?? ''}-1`);
});

test('NRM-4 the event of a sub-agent with a session of its own is its parent’s', () => {
  const { event } = normalized({ hook_event_name: 'PreToolUse', ...call, session_id: 'child', parent_session_id: 'p' });
  expect([event.session_id, event.agent_id, event.raw['parent_session_id']]).toEqual(['p', 'p/child', 'p']);
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
  expect(wordsOf(event.payload)['reason']).toMatch(/expected string, received number\n.*tool_name/);
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

test.each([
  ['2026-01-01T10:00:00.990Z', '2026-01-01T10:00:01.010Z', true],
  ['2026-01-01T10:00:00.801Z', '2026-01-01T10:00:01.000Z', true],
  ['2026-01-01T10:00:00.900Z', '2026-01-01T10:00:01.100Z', true],
  ['2026-01-01T10:00:00.950Z', '2026-01-01T10:00:01.149Z', true],
  ['2026-01-01T10:00:00.850Z', '2026-01-01T10:00:01.150Z', false],
  ['2026-01-01T10:00:00.760Z', '2026-01-01T10:00:01.240Z', false],
  ['2026-01-01T10:00:00.100Z', '2026-01-01T10:00:00.900Z', true],
  ['2026-01-01T10:00:00.600Z', '2026-01-01T10:00:01.400Z', false],
  ['2026-01-01T10:00:00.990Z', '2026-01-01T10:00:01.990Z', false],
  ['2026-01-01T10:00:00.990Z', '2026-01-01T10:00:02.010Z', false],
])('NRM-7 SEC-8 one prompt told by two settings files at %s and %s is one: %s', (first, second, isOne) => {
  const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'do it' };
  const [one, other] = [first, second].map(
    (collected_at) => normalized({ ...prompt, _meta: { collected_at, delivery_id: collected_at } }).keys,
  );
  expect(other?.some((key) => one?.includes(key))).toBe(isOne);
});

describe('NRM-7 a call is told once in its session, however far apart', () => {
  const told = (hook: string, collected_at: string, changes: Record<string, unknown> = {}) =>
    normalized({
      hook_event_name: hook,
      ...call,
      ...changes,
      _meta: { delivery_id: `${hook}${collected_at}`, collected_at },
    }).keys;
  const early = '2026-01-01T10:00:00.990Z';
  const late = '2026-01-01T10:00:03.010Z';
  const isSame = (a: readonly string[], b: readonly string[]) => b.some((key) => a.includes(key));

  test.each(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'pre-tool-use'])(
    'NRM-7 %s with its id is the same over a second’s edge',
    (hook) => {
      expect([isSame(told(hook, early), told(hook, late)), told(hook, early)]).toEqual([
        true,
        expect.objectContaining({ length: 5 }),
      ]);
    },
  );

  const others: readonly [string, boolean][] = [
    ['another payload', isSame(told('PreToolUse', early), told('PreToolUse', late, { tool_input: { command: 'x' } }))],
    ['another call', isSame(told('PreToolUse', early), told('PreToolUse', late, { tool_use_id: 't2' }))],
    ['another session', isSame(told('PreToolUse', early), told('PreToolUse', late, { session_id: 's2' }))],
    ['another hook', isSame(told('PreToolUse', early), told('PostToolUse', early))],
    [
      'no id',
      isSame(
        told('PreToolUse', early, { tool_use_id: undefined }),
        told('PreToolUse', late, { tool_use_id: undefined }),
      ),
    ],
    ['a hook of no call', isSame(told('PermissionRequest', early), told('PermissionRequest', late))],
  ];
  test.each(others)('NRM-7 %s is another hook', (_name, same) => expect(same).toBe(false));

  test('NRM-7 no two hooks of any recording are taken for one by a call’s id', () => {
    const told: string[] = [];
    for (const recorded of recordings()) {
      for (const { atMs, payload } of recorded.hooks) {
        const at = momentOf(atMs);
        const read = readHook({ ...payload, _meta: { collected_at: at, delivery_id: 'd' } }, providerOf(recorded));
        const keys = read.ok ? normalize(read.hook, { receivedAt: at, project: undefined }).keys : [];
        told.push(...keys.filter((key) => key.startsWith('c:')).map((key) => `${recorded.name} ${key}`));
      }
    }
    expect(told.length).toBeGreaterThan(100);
    expect(told.filter((key, index) => told.indexOf(key) !== index)).toEqual([]);
  });
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

const ofClaude = recordings().filter(({ name }) => /^claude[\\/]\d/.test(name));

test.each(ofClaude)('NRM-2 every recorded hook of $name is a valid event of its kind', (recording) => {
  for (const event of eventsOf(recording)) {
    agentEventSchema.parse(event);
    expect(event.event_type, JSON.stringify(event.raw)).not.toBe('schema_error');
    expect(event.payload, JSON.stringify(event.raw)).not.toHaveProperty('unknown');
  }
});

test('NRM-2 the recordings of all three versions are there', () => {
  const versions = ['2.0.77', '2.1.100', '2.1.327'];
  expect(versions.map((version) => ofClaude.some(({ name }) => name.includes(version)))).toEqual([true, true, true]);
});

test('NRM-1 any JSON object that names an event becomes a valid event', () => {
  const hooks = [...known, 'constructor', '__proto__'];
  const field = fc.constantFrom(
    'session_id',
    'tool_name',
    'tool_input',
    'tool_response',
    'prompt',
    'agent_id',
    'background_tasks',
    'cwd',
    'tool_calls',
    'task_id',
    'result',
    'summary',
    'level',
    'parent_session_id',
  );
  fc.assert(
    fc.property(fc.constantFrom(...hooks), fc.dictionary(field, fc.jsonValue()), (hook, fields) => {
      const envelope = hookEnvelopeSchema.parse({ ...fields, hook_event_name: hook });
      const { events } = normalize(envelope, { receivedAt, project: undefined });
      expect(events.length).toBeGreaterThan(0);
      for (const event of events) agentEventSchema.parse(event);
    }),
    { numRuns: 1_000 },
  );
});
