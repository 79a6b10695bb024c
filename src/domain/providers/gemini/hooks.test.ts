import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { JsonObject } from '../../../protocol/json.ts';
import { reduceAll } from '../../reduce.ts';
import { gemini } from './gemini.ts';
import { draftsOf, eventsOf, hookOf, played, recorded, recordedNames } from './recorded.testkit.ts';
import { exitCodeIn } from './tools.ts';
import { wordsOf } from '../../../protocol/eventPayloads.ts';

const shell = { tool_name: 'run_shell_command', tool_input: { command: 'npm test', description: 'run it' } };
const shellCall = { tool_name: 'run_shell_command', mood: 'running', target: 'npm test' };
const read = { tool_name: 'read_file', tool_input: { file_path: 'nope.txt' } };
const readCall = { tool_name: 'read_file', mood: 'reading', target: 'nope.txt' };
const footer = 'Process Group PGID: 1\n</untrusted_context>';
const asks = (details: JsonObject) => ({ notification_type: 'ToolPermission', message: 'm', details });
const news = (type: string) => ({
  event_type: 'notification',
  severity: 'debug',
  payload: { notification_type: type },
});

describe('NRM-4 each hook of Gemini means its event', () => {
  const table: readonly [hook: string, payload: JsonObject, event: object][] = [
    ['SessionStart', { source: 'resume' }, { event_type: 'session_started', payload: { source: 'resume' } }],
    ['SessionStart', {}, { event_type: 'session_started', payload: { source: 'startup' } }],
    ['BeforeAgent', { prompt: 'hi' }, { event_type: 'user_prompt', payload: { prompt: 'hi' } }],
    ['PreCompress', { trigger: 'auto' }, news('pre_compress')],
    ['BeforeModel', { llm_request: 'cut' }, { event_type: 'model_called', severity: 'debug', payload: {} }],
    ['BeforeModel', { llm_request: { model: 'gemini-x' } }, { event_type: 'model_called', severity: 'debug', payload: { model: 'gemini-x' } }],
    ['BeforeToolSelection', {}, news('before_tool_selection')],
    ['AfterModel', { llm_response: { text: 'x' } }, news('after_model')],
    ['BeforeTool', shell, { event_type: 'tool_started', payload: shellCall }],
    ['BeforeTool', { tool_name: 'mcp_github_list' }, { event_type: 'tool_started', payload: { tool_name: 'mcp_github_list', mood: 'running' } }],
    ['BeforeTool', { tool_name: 'ask_user', tool_input: { questions: [{ question: 'Which?' }] } }, { event_type: 'tool_started', payload: { tool_name: 'ask_user', mood: 'asking', target: 'Which?' } }],
    ['AfterTool', { ...shell, tool_response: { llmContent: `Output: ok\n${footer}` } }, { event_type: 'tool_succeeded', payload: shellCall }],
    ['AfterTool', { ...shell, tool_response: { llmContent: [{ text: `Output: no\nExit Code: 3\n${footer}` }], returnDisplay: 'no' } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...shellCall, exit_code: 3, error_message: 'no' } }],
    ['AfterTool', { ...shell, tool_response: { llmContent: `Exit Code: 137\nSignal: 9\n${footer}`, returnDisplay: {} } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...shellCall, exit_code: 137, error_message: 'exit code 137' } }],
    ['AfterTool', { ...read, tool_response: { llmContent: 'Exit Code: 3' } }, { event_type: 'tool_succeeded', payload: readCall }],
    ['AfterTool', { ...read, tool_response: { error: { message: 'gone', type: 'file_not_found' } } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...readCall, exit_code: null, error_message: 'gone' } }],
    ['AfterTool', { ...read, tool_response: { error: 'gone' } }, { event_type: 'tool_failed', severity: 'warn', payload: { ...readCall, exit_code: null, error_message: 'gone' } }],
    ['AfterTool', read, { event_type: 'tool_succeeded', payload: readCall }],
    ['Notification', asks({ type: 'exec', command: 'npm test' }), { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'permission', tool_name: 'run_shell_command', target: 'npm test', message: 'm' } }],
    ['Notification', asks({ type: 'edit', title: 'Confirm Write: a.txt', filePath: '/p/a.txt' }), { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'permission', tool_name: 'write_file', target: '/p/a.txt', message: 'm' } }],
    ['Notification', asks({ type: 'edit', title: 'Confirm Edit: a.txt', fileName: 'a.txt' }), { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'permission', tool_name: 'replace', target: 'a.txt', message: 'm' } }],
    ['Notification', asks({ type: 'info', urls: ['https://x.test'], prompt: 'p' }), { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'permission', target: 'https://x.test', message: 'm' } }],
    ['Notification', asks({ type: 'ask_user', questions: [{ question: 'Which?' }] }), { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'question', tool_name: 'ask_user', target: 'Which?', message: 'm' } }],
    ['Notification', { notification_type: 'ToolPermission' }, { event_type: 'agent_blocked', severity: 'warn', payload: { wait: 'permission' } }],
    ['Notification', { notification_type: 'Other', message: 'm' }, { event_type: 'notification', payload: { notification_type: 'Other', message: 'm' } }],
    ['AfterAgent', { prompt_response: 'done' }, { event_type: 'turn_ended', payload: { reason: 'completed', message: 'done' } }],
    ['AfterAgent', { prompt_response: '[no response text]' }, { event_type: 'turn_ended', payload: { reason: 'completed' } }],
    ['SessionEnd', { reason: 'clear' }, { event_type: 'session_ended', payload: { reason: 'clear' } }],
  ]; // prettier-ignore
  test.each(table)('NRM-4 %s %j', (hook, payload, event) => {
    expect(draftsOf(gemini, hook, payload)).toEqual([event]);
  });

  test('NRM-4 the table has a row for every hook that Gemini has a rule for', () => {
    expect([...new Set(table.map(([hook]) => hook))].sort()).toEqual(Object.keys(gemini.hooks).sort());
  });
});

test('NRM-5 an exit code counts only below the output, where Gemini writes it', () => {
  const outputs = [
    `Output: Exit Code: 7\nmore\n${footer}`,
    `Output: a\nExit Code: 0\n${footer}`,
    `Exit Code: 12345678901\n${footer}`,
    `Output: a\nExit Code: -1\nSignal: SIGTERM\nBackground PIDs: 4, 5\n${footer}`,
    '',
  ];
  expect(outputs.map(exitCodeIn)).toEqual([undefined, 0, undefined, -1, undefined]);
});

test.each(recordedNames('gemini'))('NRM-1 every recorded hook of %s is understood', (name) => {
  const hooks = recorded('gemini', name);
  const events = eventsOf('gemini', hooks);
  expect(
    events.filter(({ event_type: type, payload }) => type === 'schema_error' || wordsOf(payload)['unknown']),
  ).toEqual([]);
  expect(hooks.map((hook, index) => hookOf(hook, index).name)).toEqual(hooks.map(({ event }) => event));
});

describe('STA-2 the recorded sessions of Gemini go through the phases that were seen', () => {
  const wait = 'waiting_permission write_file';
  const table: readonly [name: string, phases: readonly (readonly string[])[], counts: object][] = [
    ['gemini-fail', [['interactable', 'busy', 'interactable', 'completed']], { toolCalls: 1, failures: 1, replies: 1 }],
    ['gemini-shell', [['interactable', 'busy', 'interactable', 'completed']], { toolCalls: 1, failures: 0, replies: 1 }],
    ['gemini-tui-clear-quit', [['completed'], ['interactable', 'completed']], { toolCalls: 0, failures: 0, replies: 0 }],
    ['gemini-tui-interrupt', [['busy', 'interactable']], { toolCalls: 0, failures: 0, replies: 1 }],
    ['gemini-tui-permission-approve', [['interactable', 'busy', wait, 'busy', 'interactable']], { toolCalls: 1, failures: 0, replies: 1 }],
    ['gemini-tui-permission-cancel', [['interactable', 'busy', wait]], { toolCalls: 1, failures: 0, replies: 0 }],
    ['gemini-tui-readmissing', [['busy', 'interactable']], { toolCalls: 1, failures: 1, replies: 1 }],
  ]; // prettier-ignore
  test.each(table)('STA-2 %s', (name, phases, counts) => {
    const sessions = played('gemini', name);
    expect(sessions.map((session) => session.phases)).toEqual(phases);
    expect(sessions.at(-1)?.state.session.counts).toMatchObject(counts);
  });

  test('STA-2 the table has a row for every recording', () => {
    expect(table.map(([name]) => name).sort()).toEqual(recordedNames('gemini'));
  });

  test('STA-3 the result of the approved call ends its wait, before the model is called again', () => {
    const hooks = recorded('gemini', 'gemini-tui-permission-approve');
    const until = hooks.findIndex(({ event }) => event === 'AfterTool');
    const { session, agents } = reduceAll(eventsOf('gemini', hooks.slice(0, until + 1))) ?? {};
    expect([until > 0, session?.phase, agents?.[0]?.agent.wait]).toEqual([true, 'busy', null]);
  });
});

test('TRN-3 no payload makes a hook of Gemini throw anything but what zod throws', () => {
  const names = Object.keys(gemini.hooks);
  const field = fc.constantFrom(
    ...['tool_name', 'tool_input', 'tool_response', 'notification_type', 'details', 'message', 'prompt', 'llm_request'],
    ...['prompt_response', 'source', 'reason'],
  );
  const details = fc.dictionary(fc.constantFrom('type', 'title', 'urls', 'questions', 'command'), fc.jsonValue());
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('ToolPermission', 'run_shell_command'), details);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.dictionary(field, value), (hook, payload) => {
      try {
        expect(draftsOf(gemini, hook, payload as JsonObject).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(z.core.$ZodError);
      }
    }),
  );
});
