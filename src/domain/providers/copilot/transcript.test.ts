import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { factsOf, linesOf } from '../gemini/recorded.testkit.ts';
import { copilot } from './copilot.ts';
import { copilotTranscript } from './transcript.ts';

const usage = { kind: 'usage', model: 'fake-model', output: 42, cached: 600, window: 128_000 };
const ts = '2026-01-01T00:00:00.000Z';

test('TRN-1 the recorded log of one turn tells all of it', () => {
  const call = 'call_dab5fcbb24b968a7';
  expect(factsOf(copilot, 'copilot/transcripts/copilot-shell.jsonl')).toEqual([
    { kind: 'session', sessionId: '98227cd8-b2e1-4d5b-966b-9981f82da8db', cwd: '/home/dev/project' },
    { kind: 'prompt', id: '88cb9e96-2e16-410f-b253-d5445d779815', text: 'SCN:cshell go', synthetic: false },
    { ...usage, messageId: 'resp_74d88b6efff42804', input: 410, context: 1052 },
    { kind: 'reply', messageId: '11092ae9-46cb-4b34-b004-446129784381', text: 'Let me look.' },
    { kind: 'toolStarted', toolUseId: call, tool: 'bash' },
    { kind: 'toolEnded', toolUseId: call, outcome: 'succeeded', exitCode: 0 },
    { ...usage, messageId: 'resp_26b698b65cb60d19', input: 440, context: 1082 },
    { kind: 'reply', messageId: '83c7ecf0-590a-4a43-a6c7-6ce7a3f315b4', text: 'All done.' },
    { kind: 'turnEnded', id: 'c814b32c-eb2f-4421-b95b-35ac3d4b8afb', message: 'All done.' },
  ]);
});

test('TRN-5 what a sub-agent writes into its starter’s log is not the main agent’s', () => {
  const call = 'call_03f83549026d7e29';
  expect(factsOf(copilot, 'copilot/transcripts/copilot-task.jsonl')).toEqual([
    { kind: 'session', sessionId: '9ec1f035-43b0-4723-8af9-561a28289d6d', cwd: '/home/dev/project' },
    { kind: 'prompt', id: '6c902970-51a2-4df7-bfc3-10c848fef746', text: 'SCN:ctask go', synthetic: false },
    { ...usage, messageId: 'resp_099de3363e564f1f', input: 410, context: 1052 },
    { kind: 'toolStarted', toolUseId: call, tool: 'task' },
    { kind: 'toolEnded', toolUseId: call, outcome: 'succeeded' },
    { ...usage, messageId: 'resp_9399eed4263072f3', input: 430, context: 1072 },
    { kind: 'reply', messageId: 'b6eaa8c8-846f-438c-9b86-6aa8107abc49', text: 'All done.' },
    { kind: 'turnEnded', id: '926b8f74-613f-447a-9521-cd1a5dff1246', message: 'All done.' },
  ]);
});

test.each(['copilot-shell', 'copilot-task'])('TRN-1 no line of %s that says something is skipped unread', (name) => {
  const lines = linesOf(`copilot/transcripts/${name}.jsonl`);
  const telling = lines.filter((line) => copilotTranscript.facts(line).length > 0);
  expect(telling.every((line) => copilotTranscript.mayMatter(JSON.stringify(line)))).toBe(true);
  expect(lines.some((line) => !copilotTranscript.mayMatter(JSON.stringify(line)))).toBe(true);
});

const line = (type: string, data: JsonObject, more: JsonObject = {}): JsonObject => ({
  type,
  data,
  id: 'l',
  timestamp: ts,
  ...more,
});
const complete = (data: JsonObject) => line('tool.execution_complete', { toolCallId: 'c', ...data });
const ended = (more: object) => [
  { kind: 'toolEnded', ts, toolUseId: 'c', exitCode: undefined, message: undefined, ...more },
];

test.each<[string, JsonObject, readonly object[]]>([
  ['a failed command', complete({ success: true, shellExecution: { exitCode: 3 } }), ended({ outcome: 'failed', exitCode: 3 })],
  ['a failed call', complete({ success: false, error: { message: 'gone' } }), ended({ outcome: 'failed', message: 'gone' })],
  ['a refused call', complete({ success: false, error: { message: 'no', code: 'rejected' } }), ended({ outcome: 'denied', message: 'no' })],
  ['an interrupt', line('abort', { reason: 'user initiated' }), [{ kind: 'interrupted', ts, id: 'l' }]],
  ['a failed turn', line('session.error', { errorType: 'quota', message: 'm' }), [{ kind: 'turnFailed', ts, id: 'l', error: 'quota', message: 'm' }]],
  ['what another agent wrote', line('user.message', { content: 'x', source: 'agent-1' }), [{ kind: 'prompt', ts, id: 'l', text: 'x', synthetic: true }]],
  ['thinking', line('assistant.message', { messageId: 'm', reasoningText: 'hm', content: '' }), [{ kind: 'thinking', ts, text: 'hm' }]],
  ['a long answer', line('assistant.message', { messageId: 'm', content: 'x'.repeat(50_000) }), [{ kind: 'reply', ts, messageId: 'm', text: 'x'.repeat(20_000) }]],
  ['the end of a model call', line('assistant.turn_end', { turnId: '0' }), []],
  ['a sub-agent’s line', line('abort', {}, { agentId: 'a' }), []],
  ['a line without a time', line('abort', {}, { timestamp: 'soon' }), []],
  ['a line of a type like an object’s own', line('constructor', {}), []],
])('TRN-1 %s', (_name, entry, facts) => {
  expect(copilotTranscript.facts(entry)).toEqual(facts);
}); // prettier-ignore

test('TRN-3 no line makes the reader throw', () => {
  const types = [
    'session.start',
    'user.message',
    'assistant.message',
    'session.usage_record',
    'tool.execution_complete',
  ];
  const keys = ['content', 'toolCallId', 'usage', 'shellExecution', 'error', 'context', 'success', 'toolRequests'];
  const data = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
  const entries = fc.record({
    type: fc.oneof(fc.constantFrom(...types), fc.jsonValue()),
    id: fc.oneof(fc.constant('l'), fc.jsonValue()),
    timestamp: fc.oneof(fc.constant(ts), fc.jsonValue()),
    data: fc.oneof(data, fc.jsonValue()),
  });
  fc.assert(
    fc.property(entries, (entry) => {
      expect(Array.isArray(copilotTranscript.facts(entry as JsonObject))).toBe(true);
    }),
  );
});
