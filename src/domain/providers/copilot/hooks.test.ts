import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { JsonObject } from '../../../protocol/json.ts';
import { draftsOf, eventsOf, hookOf, played, recorded, recordedNames } from '../gemini/recorded.testkit.ts';
import { copilot } from './copilot.ts';
import { wordsOf } from '../../../protocol/eventPayloads.ts';

const main = { sessionId: 's' };
const child = { sessionId: 'a1', agentId: 'a1', agentType: 'explore', parentAgentId: 's' };
const bash = { ...main, toolName: 'bash', toolArgs: { command: 'npm test', description: 'run it' } };
const bashCall = { tool_name: 'bash', mood: 'running', target: 'npm test' };
const view = { ...main, toolName: 'view', toolArgs: { path: 'nope.txt' } };
const viewCall = { tool_name: 'view', mood: 'reading', target: 'nope.txt' };
const result = (text: string, type = 'success') => ({ toolResult: { resultType: type, textResultForLlm: text } });
const failedText = 'no\n<shellId: 0 completed with exit code 3>';
const failed = (call: object, more: object) => ({
  event_type: 'tool_failed',
  severity: 'warn',
  payload: { ...call, ...more },
});
const ask = { tool_name: 'ask_user', mood: 'asking', target: 'Which?' };
const news = (type: string, more = {}) => ({
  event_type: 'notification',
  severity: 'debug',
  payload: { notification_type: type, ...more },
});
const failedTurn = (error: string) => ({
  event_type: 'turn_ended',
  severity: 'error',
  payload: { reason: 'failed', error },
});
const ended = (reason: string) => ({ event_type: 'session_ended', payload: { reason } });
const retry = {
  event_type: 'notification',
  severity: 'warn',
  payload: { notification_type: 'error_occurred', message: 'bad key' },
};

describe('NRM-4 each hook of Copilot means its event, in both forms of its payload', () => {
  const table: readonly [hook: string, payload: JsonObject, events: readonly object[]][] = [
    ['SessionStart', { ...main, source: 'new', initialPrompt: 'hi' }, [{ event_type: 'session_started', payload: { source: 'startup' } }]],
    ['SessionStart', { session_id: 's', source: 'resume' }, [{ event_type: 'session_started', payload: { source: 'resume' } }]],
    ['UserPromptSubmitted', { ...main, prompt: 'hi' }, [{ event_type: 'user_prompt', payload: { prompt: 'hi' } }]],
    ['UserPromptSubmit', { session_id: 's', prompt: 'hi' }, [{ event_type: 'user_prompt', payload: { prompt: 'hi' } }]],
    ['UserPromptSubmitted', { ...child, prompt: 'hi' }, [{ event_type: 'agent_started', payload: { agent_type: 'explore' } }]],
    ['PreToolUse', bash, [{ event_type: 'tool_started', payload: bashCall }]],
    ['PreToolUse', { ...main, toolName: 'bash', toolArgs: '{"command":"npm test"}' }, [{ event_type: 'tool_started', payload: bashCall }]],
    ['PreToolUse', { ...main, toolName: 'apply_patch', toolArgs: '{not json' }, [{ event_type: 'tool_started', payload: { tool_name: 'apply_patch', mood: 'writing' } }]],
    ['PreToolUse', { session_id: 's', tool_name: 'Bash', tool_input: { command: 'npm test' } }, [{ event_type: 'tool_started', payload: { ...bashCall, tool_name: 'Bash' } }]],
    ['PreToolUse', { ...main, toolName: 'github-list_issues' }, [{ event_type: 'tool_started', payload: { tool_name: 'github-list_issues', mood: 'running' } }]],
    ['PreToolUse', { ...main, toolName: 'task', toolArgs: { agent_type: 'explore', description: 'Look', prompt: 'p' } }, [{ event_type: 'tool_started', payload: { tool_name: 'task', mood: 'delegating', target: 'Look', spawn_type: 'explore', spawn_task: 'Look' } }]],
    ['PreToolUse', { ...main, toolName: 'ask_user', toolArgs: { question: 'Which?' } }, [{ event_type: 'tool_started', payload: ask }, { event_type: 'agent_blocked', severity: 'warn', payload: { ...ask, wait: 'question' } }]],
    ['PermissionRequest', { hookName: 'permissionRequest', ...main, toolName: 'bash', toolInput: { command: 'npm test' } }, [news('bypassed', bashCall)]],
    ['PostToolUse', { ...bash, ...result('ok\n<shellId: 0 completed with exit code 0>') }, [{ event_type: 'tool_succeeded', payload: bashCall }]],
    ['PostToolUse', { ...bash, ...result(failedText) }, [failed(bashCall, { exit_code: 3, error_message: failedText })]],
    ['PostToolUse', { session_id: 's', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_result: { result_type: 'success', text_result_for_llm: failedText } }, [failed({ ...bashCall, tool_name: 'Bash' }, { exit_code: 3, error_message: failedText })]],
    ['PostToolUse', { ...view, ...result(failedText) }, [{ event_type: 'tool_succeeded', payload: viewCall }]],
    ['PostToolUse', { ...view, ...result('no such file', 'failure') }, [failed(viewCall, { exit_code: null, error_message: 'no such file' })]],
    ['PostToolUse', { ...bash, ...result('', 'denied') }, [failed(bashCall, { exit_code: null, error_message: 'the tool ended with denied', denied: true })]],
    ['PostToolUse', view, [{ event_type: 'tool_succeeded', payload: viewCall }]],
    ['PostToolUseFailure', { ...view, error: 'gone' }, [failed(viewCall, { exit_code: null, error_message: 'gone' })]],
    ['PostToolUseFailure', { ...view, error: { message: 'gone' } }, [failed(viewCall, { exit_code: null, error_message: 'gone' })]],
    ['Notification', { ...main, notification_type: 'permission_prompt', message: 'Edit file: a' }, [{ event_type: 'notification', payload: { notification_type: 'permission_prompt', message: 'Edit file: a' } }]],
    ['SubagentStart', { ...main, agentId: 'a1', agentType: 'explore', agentName: 'x', parentAgentId: 's' }, [{ event_type: 'agent_started', payload: { agent_type: 'explore' } }]],
    ['SubagentStart', { ...main, agentId: 'a2', agentName: 'x', parentAgentId: 'a1' }, [{ event_type: 'agent_started', payload: { agent_type: 'x', parent: 'a1' } }]],
    ['SubagentStop', { ...main, agentId: 'a1', agentType: 'explore', response: 'done' }, [{ event_type: 'agent_stopped', payload: { agent_type: 'explore', message: 'done' } }]],
    ['SubagentStop', { session_id: 's', agent_name: 'x', last_assistant_message: 'done' }, [{ event_type: 'agent_stopped', payload: { agent_type: 'x', message: 'done' } }]],
    ['PreCompact', { ...main, trigger: 'auto' }, [{ event_type: 'compaction_started', severity: 'debug', payload: {} }]],
    ['ErrorOccurred', { ...main, errorContext: 'model_call', recoverable: true, error: { message: 'bad key' } }, [retry]],
    ['ErrorOccurred', { session_id: 's', error_context: 'tool_execution', recoverable: false, error: { message: 'bad key' } }, [retry]],
    ['ErrorOccurred', { session_id: 's', error_context: 'model_call', recoverable: false, error: { message: 'bad key' } }, [failedTurn('bad key')]],
    ['AgentStop', { ...main, stopReason: 'end_turn' }, [{ event_type: 'turn_ended', payload: { reason: 'completed' } }]],
    ['Stop', { session_id: 's', stop_reason: 'end_turn', last_assistant_message: 'ok' }, [{ event_type: 'turn_ended', payload: { reason: 'completed', message: 'ok' } }]],
    ['AgentStop', { ...child, stopReason: 'end_turn' }, [news('subagent_turn_ended')]],
    ['SessionEnd', { ...main, reason: 'user_exit' }, [ended('user_exit')]],
    ['SessionEnd', { ...main, reason: 'error' }, [failedTurn('unknown'), ended('error')]],
  ]; // prettier-ignore
  test.each(table)('NRM-4 %s %j', (hook, payload, events) => {
    expect(draftsOf(copilot, hook, payload)).toEqual(events);
  });

  test('NRM-4 the table has a row for every hook that Copilot has a rule for', () => {
    expect([...new Set(table.map(([hook]) => hook))].sort()).toEqual(Object.keys(copilot.hooks).sort());
  });
});

test.each<[string, JsonObject, string | undefined, string | undefined]>([
  ['the main agent', { sessionId: 's' }, 's', undefined],
  ['the main agent, in snake case', { session_id: 's' }, 's', undefined],
  ['a sub-agent’s own hook', child, 's', 'a1'],
  ['a sub-agent’s own hook, in snake case', { session_id: 'a1', agent_id: 'a1', parent_agent_id: 's' }, 's', 'a1'],
  ['a hook about a sub-agent', { ...child, sessionId: 's' }, 's', 'a1'],
  ['an agent that is its own parent', { sessionId: 's', agentId: 's', parentAgentId: 's' }, 's', undefined],
  ['a main agent that says its id', { sessionId: 's', agentId: 's' }, 's', undefined],
  ['nobody', { sessionId: 7, agentId: '' }, undefined, undefined],
])('NRM-6 %s belongs to its session and is itself', (_name, payload, session, agent) => {
  expect([copilot.sessionId?.(payload), copilot.subagentId('PreToolUse', payload)]).toEqual([session, agent]);
});

test('NRM-11 a sub-agent’s start and stop without an id are known by its name, other hooks are not', () => {
  const named = { sessionId: 's', agentName: 'x' };
  const ids = ['SubagentStart', 'SubagentStop', 'PreToolUse'].map((hook) => copilot.subagentId(hook, named));
  expect(ids).toEqual(['x', 'x', undefined]);
});

test('NRM-10 a payload without words to change stays the same object', () => {
  const payloads = [{ sessionId: 's', toolName: 'bash', toolArgs: { a: 1 }, toolResult: { resultType: 'x' } }, {}];
  expect(payloads.every((payload) => copilot.upgrade?.(payload) === payload)).toBe(true);
  expect(copilot.upgrade?.({ session_id: 'old', sessionId: 'own' })).toEqual({ session_id: 'old', sessionId: 'own' });
});

const allHooks = recordedNames('copilot').flatMap((name) => recorded('copilot', name));
const namesOf = (hooks: typeof allHooks) => hooks.map(({ event }) => event.replace(/^P:/, '').toLowerCase());

test('NRM-1 every recorded payload is named as its recording says, with and without a word of whose it is', () => {
  const lower = (told?: 'copilot') => allHooks.map((hook, index) => hookOf(hook, index, told).name.toLowerCase());
  expect(lower('copilot')).toEqual(namesOf(allHooks));
  expect(lower()).toEqual(namesOf(allHooks));
});

test('NRM-1 a payload that names no event is known as Copilot’s by its shape', () => {
  const camel = allHooks.filter(({ payload }) => !('hook_event_name' in payload));
  expect(camel.length).toBeGreaterThan(50);
  expect(new Set(camel.map((hook, index) => hookOf(hook, index).meta.provider))).toEqual(new Set(['copilot']));
  const bare = camel.map(({ payload: { hookName: _said, ...payload } }) => copilot.hookName?.(payload)?.toLowerCase());
  expect(bare).toEqual(namesOf(camel));
});

test.each<JsonObject>([
  { session_id: 's', prompt: 'hi' },
  { session_id: 's', sessionId: 's', prompt: 'hi' },
  { prompt: 'hi' },
  { sessionId: 7, prompt: 'hi' },
  { sessionId: 's', timestamp: 1, cwd: '/' },
])('NRM-1 %j is not claimed', (payload) => {
  expect(copilot.hookName?.(payload)).toBe(undefined);
});

test('NRM-1 no recorded payload of another agent is claimed', () => {
  const others = recordedNames('gemini').flatMap((name) => recorded('gemini', name));
  const unnamed = others.map(({ payload: { hook_event_name: _name, ...payload } }) => copilot.hookName?.(payload));
  expect(unnamed.length).toBeGreaterThan(50);
  expect(unnamed.every((name) => name === undefined)).toBe(true);
});

test.each(recordedNames('copilot'))('NRM-1 every recorded hook of %s is understood', (name) => {
  const events = eventsOf('copilot', recorded('copilot', name));
  expect(
    events.filter(({ event_type: type, payload }) => type === 'schema_error' || wordsOf(payload)['unknown']),
  ).toEqual([]);
});

describe('STA-2 the recorded sessions of Copilot go through the phases that were seen', () => {
  const turn = ['interactable', 'busy', 'interactable', 'completed'];
  const wait = 'waiting_permission create';
  const one = { prompts: 1, replies: 1, toolCalls: 1, failures: 0, subagents: 0 };
  const table: readonly [name: string, phases: readonly (readonly string[])[], counts: object][] = [
    ['copilot-fail', [turn], { ...one, failures: 1 }],
    ['copilot-http401', [['interactable', 'busy', 'interactable', 'completed']], { ...one, replies: 0, toolCalls: 0 }],
    ['copilot-pascal', [turn], one],
    ['copilot-shell', [turn], one],
    ['copilot-task', [turn], { ...one, toolCalls: 2, subagents: 1 }],
    ['copilot-tui-clear-exit', [['completed'], turn], { ...one, toolCalls: 0 }],
    ['copilot-tui-interrupt', [['busy']], { ...one, replies: 0, toolCalls: 0 }],
    ['copilot-tui-permission-approve', [['interactable', 'busy', wait, 'busy', 'interactable']], one],
    ['copilot-tui-permission-cancel', [['busy', wait]], { ...one, replies: 0 }],
    ['copilot-viewfail', [turn], { ...one, failures: 1 }],
  ]; // prettier-ignore
  test.each(table)('STA-2 %s', (name, phases, counts) => {
    const sessions = played('copilot', name);
    expect(sessions.map((session) => session.phases)).toEqual(phases);
    expect(sessions.at(-1)?.state.session.counts).toMatchObject(counts);
  });

  test('STA-2 the table has a row for every recording', () => {
    expect(table.map(([name]) => name).sort()).toEqual(recordedNames('copilot'));
  });

  test('SES-3 a session whose model only refused has ended, with its error as the reason', () => {
    const { session, agents } = played('copilot', 'copilot-http401')[0]!.state;
    expect([session.state, session.phase, session.endReason]).toEqual(['completed', null, 'error']);
    expect(agents.some(({ agent }) => agent.present)).toBe(false);
  });

  test('NRM-11 the recorded sub-agent has its type and its starter, and has said its answer', () => {
    const { agents } = played('copilot', 'copilot-task')[0]!.state;
    const session = '9ec1f035-43b0-4723-8af9-561a28289d6d';
    const [, sub] = agents.map(({ agent }) => agent);
    expect(agents.length).toBe(2);
    expect(sub).toMatchObject({
      id: `${session}/90bf2526-dd68-4a5c-8f9f-80f19c947421`,
      type: 'general-purpose',
      task: 'Help out',
      parentId: `${session}/main`,
      says: 'Child finished.',
      present: false,
    });
  });
});

test('TRN-3 no payload makes a hook of Copilot throw anything but what zod throws, or its naming throw at all', () => {
  const fields = ['toolName', 'toolArgs', 'tool_input', 'toolResult', 'tool_result', 'error', 'errorContext', 'reason'];
  const ids = ['sessionId', 'session_id', 'agentId', 'parentAgentId', 'agentName', 'hookName', 'source', '__proto__'];
  const more = ['prompt', 'notification_type', 'message', 'recoverable', 'response', 'stopReason'];
  const key = fc.constantFrom(...fields, ...ids, ...more);
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('bash', 'task', 'ask_user', 'error', '{"command":', '{}'));
  const payloads = fc.array(fc.tuple(key, value)).map((entries) => Object.fromEntries(entries) as JsonObject);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(copilot.hooks)), payloads, (hook, payload) => {
      copilot.hookName?.(payload);
      copilot.sessionId?.(payload);
      copilot.subagentId(hook, payload);
      try {
        expect(draftsOf(copilot, hook, payload).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(z.core.$ZodError);
      }
    }),
  );
});
