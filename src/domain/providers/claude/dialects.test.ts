import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { recordings } from '../../recordings.testkit.ts';
import { upgrade } from './dialects.ts';

test.each<[string, JsonObject, JsonObject]>([
  [
    'tool_result',
    { hook_event_name: 'PostToolUse', tool_result: { ok: 1 } },
    { hook_event_name: 'PostToolUse', tool_response: { ok: 1 } },
  ],
  ['tool_result beside the newer name', { tool_result: 'old', tool_response: 'new' }, { tool_result: 'old', tool_response: 'new' }],
  [
    'result of a call',
    { hook_type: 'post-tool-use', result: [1] },
    { hook_type: 'post-tool-use', tool_response: [1] },
  ],
  ['result of a turn', { hook_event_name: 'Stop', result: 'bye' }, { hook_event_name: 'Stop', last_assistant_message: 'bye' }],
  ['result of a turn that is no text', { hook_event_name: 'Stop', result: { a: 1 } }, { hook_event_name: 'Stop', result: { a: 1 } }],
  [
    'summary of a sub-agent',
    { hook_type: 'subagent-stop', summary: 'found it' },
    { hook_type: 'subagent-stop', last_assistant_message: 'found it' },
  ],
  ['summary of a notification', { hook_event_name: 'Notification', summary: 's' }, { hook_event_name: 'Notification', message: 's' }],
  ['summary of compaction', { hook_event_name: 'PostCompact', summary: 's' }, { hook_event_name: 'PostCompact', compact_summary: 's' }],
  ['summary elsewhere', { hook_event_name: 'SessionEnd', summary: 's' }, { hook_event_name: 'SessionEnd', summary: 's' }],
  ['2.0.77’s tool that starts agents', { tool_name: 'Task', tool_use_id: 't' }, { tool_name: 'Agent', tool_use_id: 't' }],
  [
    'parent_session_id of a sub-agent’s session',
    { hook_event_name: 'PreToolUse', session_id: 'child', parent_session_id: 'p' },
    { hook_event_name: 'PreToolUse', session_id: 'p', agent_id: 'child' },
  ],
  [
    'parent_session_id beside the agent’s own id',
    { hook_event_name: 'SubagentStop', session_id: 'child', parent_session_id: 'p', agent_id: 'a' },
    { hook_event_name: 'SubagentStop', session_id: 'p', agent_id: 'a' },
  ],
  ['parent_session_id alone', { hook_event_name: 'UserPromptSubmit', parent_session_id: 'p' }, { hook_event_name: 'UserPromptSubmit', session_id: 'p' }],
  ['parent_session_id of its own session', { session_id: 'p', parent_session_id: 'p' }, { session_id: 'p' }],
  [
    'parent_session_id of a session that begins',
    { hook_event_name: 'SessionStart', session_id: 'child', parent_session_id: 'p' },
    { hook_event_name: 'SessionStart', session_id: 'p', agent_id: 'child' },
  ],
  [
    'parent_session_id of a session that goes on with its parent’s conversation',
    { hook_event_name: 'SessionStart', source: 'fork', session_id: 'fork', parent_session_id: 'p' },
    { hook_event_name: 'SessionStart', source: 'fork', session_id: 'fork', parent_session_id: 'p' },
  ],
])('NRM-10 %s', (_, payload, upgraded) => {
  expect(upgrade(payload)).toEqual(upgraded);
}); // prettier-ignore

test('NRM-10 of all recorded payloads only calls of 2.0.77’s Task need another word', () => {
  const changed = recordings()
    .filter(({ name }) => /^claude[\\/]\d/.test(name))
    .flatMap(({ name, hooks }) =>
      hooks.flatMap(({ event, payload }) =>
        upgrade(payload) === payload
          ? []
          : [`${name.split(/[\\/]/)[1] ?? ''} ${event} ${String(payload['tool_name'])}`],
      ),
    );
  expect([...new Set(changed)]).toEqual(['2.0.77 PreToolUse Task', '2.0.77 PostToolUse Task']);
});

test('NRM-10 whatever comes, what has been upgraded stays as it is', () => {
  const name = fc.constantFrom(
    'hook_event_name',
    'hook_type',
    'tool_name',
    'tool_result',
    'tool_response',
    'result',
    'summary',
    'message',
    'session_id',
    'parent_session_id',
    'agent_id',
    '__proto__',
  );
  const value = fc.oneof(fc.constantFrom('Stop', 'PostToolUse', 'Notification', 'Task', 'p', ''), fc.jsonValue());
  fc.assert(
    fc.property(fc.dictionary(name, value), (payload) => {
      const once = upgrade(payload as JsonObject);
      expect(upgrade(once)).toBe(once);
    }),
    { numRuns: 1_000 },
  );
});
