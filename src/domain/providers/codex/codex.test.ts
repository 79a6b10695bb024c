import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEventSchema } from '../../../protocol/event.ts';
import { hookEnvelopeSchema } from '../../../protocol/hook.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { SessionState } from '../../../protocol/stored.ts';
import { normalize } from '../../normalize.ts';
import { compareKeys, orderKey } from '../../order.ts';
import { reduceSession } from '../../reduce.ts';
import type { EventDraft } from '../provider.ts';
import { codex } from './codex.ts';
import { eventsOf, hookRecordings } from './recordings.testkit.ts';

const session = '01a1ee77-fbf1-7421-b82d-6200772c5590';
const child = '01a1ee77-fc7f-7e31-ba9a-dd48e64fc240';
const rolloutOf = (thread: string) =>
  `/home/dev/.codex/sessions/2026/11/18/rollout-2026-11-18T11-43-23-${thread}.jsonl`;

const everywhere = { session_id: session, turn_id: 'turn', model: 'gpt-6.1-sol', permission_mode: 'default' };
const mode = { permission_mode: 'default' };

function read(hook: string, fields: JsonObject): readonly EventDraft[] {
  return codex.hooks[hook]?.read({ hook_event_name: hook, ...everywhere, ...fields }) ?? [];
}

const bash = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'exec-1' };
const bashSaid = { tool_name: 'Bash', mood: 'running', tool_use_id: 'exec-1', target: 'npm test', ...mode };
const patchText = '*** Begin Patch\n*** Update File: src/a b.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch';
const patch = { tool_name: 'apply_patch', tool_input: { command: patchText }, tool_use_id: 'p' };
const patchSaid = { tool_name: 'apply_patch', mood: 'writing', tool_use_id: 'p', target: 'src/a b.ts', ...mode };
const spawn = {
  tool_name: 'collaborationspawn_agent',
  tool_input: { task_name: 'helper_one', message: 'list the files', fork_turns: 'none' },
  tool_use_id: 's',
};
const spawnSaid = {
  tool_name: spawn.tool_name,
  mood: 'delegating',
  tool_use_id: 's',
  target: 'list the files',
  ...mode,
};
const question = {
  tool_name: 'request_user_input',
  tool_input: { questions: [{ id: 'color', question: 'Which color?' }] },
  tool_use_id: 'q',
};
const questionSaid = {
  tool_name: question.tool_name,
  mood: 'asking',
  tool_use_id: 'q',
  target: 'Which color?',
  ...mode,
};
const wanted = { tool_name: 'Bash', tool_input: { command: 'touch /outside/x', description: 'May I?' } };
const wantedSaid = {
  tool_name: 'Bash',
  mood: 'running',
  target: 'touch /outside/x',
  message: 'May I?',
  wait: 'permission',
};

describe('NRM-4 each hook means its events', () => {
  const table: readonly [string, JsonObject, ...object[]][] = [
    ['SessionStart', { source: 'fork' }, { event_type: 'session_started', payload: { source: 'fork', model: 'gpt-6.1-sol', ...mode } }],
    ['SessionEnd', { reason: 'other' }, { event_type: 'session_ended', payload: { reason: 'other' } }],
    ['UserPromptSubmit', { prompt: 'go' }, { event_type: 'user_prompt', payload: { prompt: 'go', model: 'gpt-6.1-sol', ...mode, turn: expect.any(String) } }],
    ['PreToolUse', bash, { event_type: 'tool_started', payload: bashSaid }],
    ['PreToolUse', patch, { event_type: 'tool_started', payload: patchSaid }],
    ['PreToolUse', { tool_name: 'mcp__demo__list_agents', tool_input: null }, { event_type: 'tool_started', payload: { tool_name: 'mcp__demo__list_agents', mood: 'running', ...mode } }],
    ['PreToolUse', spawn, { event_type: 'tool_started', payload: { ...spawnSaid, spawn_type: '', spawn_task: 'list the files' } }],
    ['PreToolUse', { ...spawn, tool_name: 'spawn_agent', tool_input: { agent_type: 'explorer', task_name: 'look', message: 'gAAAAABencrypted' } }, { event_type: 'tool_started', payload: { ...spawnSaid, tool_name: 'spawn_agent', target: 'look', spawn_type: 'explorer', spawn_task: 'look' } }],
    ['PreToolUse', { tool_name: 'collaborationwait_agent', tool_input: { timeout_ms: 1 } }, { event_type: 'tool_started', payload: { tool_name: 'collaborationwait_agent', mood: 'delegating', ...mode } }],
    ['PreToolUse', question, { event_type: 'tool_started', payload: questionSaid }, { event_type: 'agent_blocked', severity: 'warn', payload: { ...questionSaid, wait: 'question' } }],
    ['PostToolUse', { ...bash, tool_response: 'Exit code: 3\nonly printed' }, { event_type: 'tool_succeeded', payload: bashSaid }],
    ['PostToolUse', { ...patch, tool_response: 'Exit code: 0\nOutput:' }, { event_type: 'tool_succeeded', payload: patchSaid }],
    ['PostToolUse', { ...patch, tool_response: 'Exit code: 1\nno' }, { event_type: 'tool_failed', severity: 'warn', payload: { ...patchSaid, exit_code: 1, error_message: 'Exit code: 1\nno' } }],
    ['PostToolUse', { ...bash, tool_response: { isError: true } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...bashSaid, exit_code: null, error_message: 'the tool reported an error' } }],
    ['PostToolUse', { ...bash, tool_response: { error: 'no' } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...bashSaid, exit_code: null, error_message: 'no' } }],
    ['PostToolUse', { ...spawn, tool_response: '{"task_name":"/main/helper_one"}' }, { event_type: 'tool_succeeded', payload: spawnSaid }],
    ['PostToolUse', { ...spawn, tool_response: '{"agent_id": "a-1"}' }, { event_type: 'tool_succeeded', payload: { ...spawnSaid, spawned: 'a-1', spawned_task: 'list the files' } }],
    ['PostToolUse', { ...question, tool_response: '{"answers":{}}' }, { event_type: 'tool_succeeded', payload: questionSaid }],
    ['PermissionRequest', wanted, { event_type: 'agent_blocked', severity: 'warn', payload: { ...wantedSaid, ...mode } }],
    ['PermissionRequest', question, { event_type: 'agent_blocked', severity: 'warn', payload: { ...questionSaid, wait: 'question' } }],
    ['PermissionRequest', { ...wanted, permission_mode: 'bypassPermissions' }, { event_type: 'notification', severity: 'debug', payload: { ...wantedSaid, permission_mode: 'bypassPermissions', notification_type: 'bypassed' } }],
    ['SubagentStart', { agent_id: child, agent_type: 'default' }, { event_type: 'agent_started', payload: { agent_type: 'default' } }],
    ['SubagentStop', { agent_id: child, agent_type: 'default', last_assistant_message: 'done' }, { event_type: 'agent_stopped', payload: { agent_type: 'default', message: 'done' } }],
    ['Stop', { stop_hook_active: false, last_assistant_message: 'ok' }, { event_type: 'turn_ended', payload: { reason: 'completed', message: 'ok' } }],
    ['Stop', { last_assistant_message: null }, { event_type: 'turn_ended', payload: { reason: 'completed' } }],
    ['Interrupt', {}, { event_type: 'turn_ended', payload: { reason: 'interrupted' } }],
    ['PreModelRequest', {}, { event_type: 'model_called', severity: 'debug', payload: {} }],
    ['PostModelRequest', { status: 'completed', error: null }, { event_type: 'notification', severity: 'debug', payload: { status: 'completed' } }],
    ['PostModelRequest', { status: 'cancelled', error: null }, { event_type: 'notification', severity: 'debug', payload: { status: 'cancelled' } }],
    ['PostModelRequest', { status: 'failed', error: '401 bad key' }, { event_type: 'turn_ended', severity: 'error', payload: { reason: 'failed', error: '401 bad key' } }],
    ['PostModelRequest', { status: 'failed', error: null }, { event_type: 'turn_ended', severity: 'error', payload: { reason: 'failed', error: 'unknown' } }],
    ['PreCompact', { trigger: 'auto' }, { event_type: 'compaction_started', severity: 'debug', payload: { trigger: 'auto' } }],
    ['PostCompact', { trigger: 'auto' }, { event_type: 'compaction_ended', severity: 'debug', payload: {} }],
  ]; // prettier-ignore
  test.each(table)('NRM-4 %s %j', (hook, fields, ...drafts) => {
    expect(read(hook, fields)).toEqual(drafts);
  });
  test('NRM-4 the table has every hook', () => {
    expect(new Set(table.map(([hook]) => hook))).toEqual(new Set(Object.keys(codex.hooks)));
    expect(Object.keys(codex.hooks)).toHaveLength(14);
  });
});

test('NRM-11 a hook is a sub-agent’s when it says so, or, where it can’t say so, by whose rollout it names', () => {
  const own = { session_id: session, transcript_path: rolloutOf(session) };
  const childs = { session_id: session, transcript_path: rolloutOf(child) };
  const table: readonly [string, JsonObject, string | undefined][] = [
    ['PreToolUse', { ...childs, agent_id: child }, child],
    ['SubagentStop', { ...own, agent_id: child }, child],
    ['PreToolUse', { ...own, agent_id: '' }, undefined],
    ['PostModelRequest', own, undefined],
    ['PostModelRequest', childs, child],
    ['PermissionRequest', childs, child],
    ['Interrupt', { ...childs, transcript_path: null }, undefined],
    ['Interrupt', { ...childs, session_id: 'named by hand' }, undefined],
    ['Interrupt', { ...childs, transcript_path: '/home/dev/log.jsonl' }, undefined],
    ['Stop', childs, undefined],
    ['SessionStart', childs, undefined],
  ];
  const got = table.map(([hook, payload]) => [hook, payload, codex.subagentId(hook, payload)]);
  expect(got).toEqual(table);
});

test.each(hookRecordings)('NRM-2 every recorded hook of %s is a valid event of its kind', (name) => {
  const events = eventsOf(name);
  expect(events).not.toHaveLength(0);
  for (const event of events) {
    agentEventSchema.parse(event);
    expect(event, JSON.stringify(event.raw)).not.toMatchObject({ event_type: 'schema_error' });
    expect(event.payload).not.toHaveProperty('unknown');
  }
});

test('NRM-1 any JSON in the fields of any hook becomes a valid event', () => {
  const field = fc.constantFrom('session_id', 'tool_name', 'tool_input', 'tool_response', 'prompt', 'agent_id');
  const more = fc.constantFrom('status', 'error', 'transcript_path', 'last_assistant_message', 'permission_mode');
  const hooks = fc.constantFrom(...Object.keys(codex.hooks));
  fc.assert(
    fc.property(hooks, fc.dictionary(fc.oneof(field, more), fc.jsonValue()), (hook, fields) => {
      const envelope = hookEnvelopeSchema.parse({ ...fields, hook_event_name: hook, _meta: { provider: 'codex' } });
      const { events } = normalize(envelope, { receivedAt: '2026-01-01T00:00:00.000Z', project: undefined });
      expect(events.length).toBeGreaterThan(0);
      for (const event of events) agentEventSchema.parse(event);
    }),
    { numRuns: 500 },
  );
});

/** The phase after each event, without repeats. */
function phasesOf(name: string): readonly (string | null)[] {
  let state: SessionState | undefined;
  const phases: (string | null)[] = [];
  for (const event of eventsOf(name).toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))) {
    state = reduceSession(state, event);
    if (phases.at(-1) !== state.session.phase) phases.push(state.session.phase);
  }
  return phases;
}

test.each([
  ['codex-tui-ask-planmode', ['busy', 'waiting_question', 'busy', 'interactable']],
  ['codex-tui-permission-approve', ['busy', 'waiting_permission', 'busy', 'interactable']],
  ['codex-tui-permission-deny', ['busy', 'waiting_permission', 'interactable']],
  ['codex-tui-permission-hook-deny', ['busy', 'waiting_permission', 'busy', 'interactable']],
  ['codex-tui-interrupt-shell', ['busy', 'interactable']],
  ['codex-tui-http500', ['busy', 'interactable']],
  ['codex-exec-spawn', ['interactable', 'busy', 'interactable', null]],
])('STA-2 the recorded phases of %s', (name, phases) => {
  expect(phasesOf(name)).toEqual(phases);
});
