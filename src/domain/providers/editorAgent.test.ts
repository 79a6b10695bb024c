import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { cursor } from './cursor/cursor.ts';
import { draftsOf } from './gemini/recorded.testkit.ts';
import type { Provider } from './provider.ts';
import { vscodeChat } from './vscodeChat/vscodeChat.ts';

const shell = { tool_name: 'Shell', tool_input: { command: 'npm test' }, tool_use_id: 'c' };
const shellCall = { tool_name: 'Shell', mood: 'running', target: 'npm test', tool_use_id: 'c' };
const failed = (exit_code: number | null, error_message: string) => ({
  event_type: 'tool_failed',
  severity: 'warn',
  payload: { ...shellCall, exit_code, error_message },
});
const ended = (payload: object) => ({ event_type: 'turn_ended', payload });
const started = (tool_name: string, mood: string, target?: string) => ({
  event_type: 'tool_started',
  payload: { tool_name, mood, ...(target === undefined ? {} : { target }) },
});

const cases: readonly [Provider, string, JsonObject, object][] = [
  [cursor, 'SessionStart', { model: 'm' }, { event_type: 'session_started', payload: { source: 'startup', model: 'm' } }],
  [cursor, 'BeforeSubmitPrompt', { prompt: 'go' }, { event_type: 'user_prompt', payload: { prompt: 'go' } }],
  [cursor, 'BeforeSubmitPrompt', { prompt: '<system_notification>\ndone\n</system_notification>' }, { event_type: 'user_prompt', payload: { prompt: '<system_notification>\ndone\n</system_notification>', synthetic: true } }],
  [cursor, 'PreToolUse', { ...shell }, { event_type: 'tool_started', payload: shellCall }],
  [cursor, 'PreToolUse', { tool_name: 'MCP:list', tool_input: {} }, started('MCP:list', 'running')],
  [cursor, 'PreToolUse', { tool_name: 'constructor' }, started('constructor', 'thinking')],
  [cursor, 'PostToolUse', { ...shell, tool_output: '{"output":"ok","exitCode":0}' }, { event_type: 'tool_succeeded', payload: shellCall }],
  [cursor, 'PostToolUse', { ...shell, tool_output: '{"output":"1 failed","exitCode":3}' }, failed(3, '1 failed')],
  [cursor, 'PostToolUse', { ...shell, tool_output: '{"output' }, { event_type: 'tool_succeeded', payload: shellCall }],
  [cursor, 'PostToolUse', { ...shell, tool_output: 7 }, { event_type: 'tool_succeeded', payload: shellCall }],
  [cursor, 'PostToolUseFailure', { ...shell, error_message: 'timed out' }, failed(null, 'timed out')],
  [cursor, 'PostToolUseFailure', shell, failed(null, 'the tool failed without saying why')],
  [cursor, 'Stop', { status: 'completed' }, ended({ reason: 'completed' })],
  [cursor, 'Stop', { status: 'aborted' }, ended({ reason: 'interrupted' })],
  [cursor, 'Stop', { status: 'error' }, ended({ reason: 'failed', error: 'unknown' })],
  [cursor, 'Stop', { status: 'constructor' }, ended({ reason: 'completed' })],
  [cursor, 'SessionEnd', { reason: 'user_close' }, { event_type: 'session_ended', payload: { reason: 'user_close' } }],
  [vscodeChat, 'SessionStart', { source: 'new' }, { event_type: 'session_started', payload: { source: 'startup' } }],
  [vscodeChat, 'PreToolUse', { tool_name: 'replace_string_in_file', tool_input: { filePath: '/p/a' } }, started('replace_string_in_file', 'writing', '/p/a')],
  [vscodeChat, 'PostToolUse', { tool_name: 'read_file', tool_response: 'text' }, { event_type: 'tool_succeeded', payload: { tool_name: 'read_file', mood: 'reading' } }],
  [vscodeChat, 'PreCompact', { trigger: 'auto' }, { event_type: 'compaction_started', payload: { trigger: 'auto' } }],
  [vscodeChat, 'Stop', { stop_hook_active: false }, ended({ reason: 'completed' })],
]; // prettier-ignore

test.each(cases.map(([provider, hook, payload, event]) => [provider.id, hook, payload, provider, event] as const))(
  'PRV-1 %s: what %s means, %j',
  (_id, hook, payload, provider, event) => {
    expect(draftsOf(provider, hook, payload)).toEqual([event]);
  },
);
