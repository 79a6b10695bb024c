import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { gemini } from './gemini.ts';
import { factsOf, linesOf } from './recorded.testkit.ts';
import { geminiTranscript } from './transcript.ts';

const file = 'gemini/transcripts/gemini-fail.jsonl';
const ts = '2026-01-01T00:00:00.000Z';

test('TRN-1 the recorded chat tells its session, prompt, calls, usage and reply', () => {
  const call = 'run_shell_command__run_shell_command_1795002883290_0';
  const first = '8a1e5515-cab3-41ce-828e-ae6ba36fc98e';
  const second = '01c003a9-0394-4829-a1dd-4016146794ce';
  const usage = { kind: 'usage', model: 'gemini-2.5-flash', input: 400, output: 42, cached: 600, context: 1042 };
  expect(factsOf(gemini, file)).toEqual([
    { kind: 'session', sessionId: '2a45e168-10a3-4c3d-92ea-7b1c10491240' },
    { kind: 'prompt', id: '35a1d81a-6f2b-4f14-9b1a-e7f7741468f5', text: 'SCN:fail go', synthetic: false },
    { ...usage, messageId: first },
    { ...usage, messageId: first },
    { kind: 'toolStarted', toolUseId: call, tool: 'run_shell_command' },
    { kind: 'toolEnded', toolUseId: call, outcome: 'failed', exitCode: 3 },
    { kind: 'reply', messageId: second, text: 'All done.' },
    { ...usage, messageId: second },
  ]);
});

test('TRN-1 a line that says something is never skipped unread', () => {
  const lines = linesOf(file);
  const telling = lines.filter((line) => geminiTranscript.facts(line).length > 0);
  expect(telling.length).toBe(5);
  expect(telling.every((line) => geminiTranscript.mayMatter(JSON.stringify(line)))).toBe(true);
  const skipped = lines.filter((line) => !geminiTranscript.mayMatter(JSON.stringify(line)));
  expect(skipped.every((line) => '$set' in line)).toBe(true);
  expect(skipped.length).toBe(5);
});

const message = (changes: JsonObject): JsonObject => ({ id: 'm', timestamp: ts, type: 'gemini', ...changes });
const toolCalls = (status: string, response: JsonObject = {}): JsonObject => ({
  toolCalls: [{ id: 'c', name: 'write_file', status, timestamp: ts, result: [{ functionResponse: { response } }] }],
});
const refused = { id: 'c', name: 'write_file', status: 'cancelled', timestamp: ts };
const ran = { ...refused, id: 'd', status: 'success' };
const denied = { kind: 'toolEnded', ts, toolUseId: 'c', outcome: 'denied' };
const begun = { kind: 'toolStarted', ts, toolUseId: 'c', tool: 'write_file' };

test.each<[string, JsonObject, readonly object[]]>([
  ['a call that runs', message(toolCalls('executing')), [begun]],
  ['a refused call, with which the turn ends', message(toolCalls('cancelled')), [begun, denied, { kind: 'interrupted', ts, id: 'm' }]],
  ['a refused call beside one that ran', message({ toolCalls: [ran, refused] }), [{ ...begun, toolUseId: 'd' }, { ...denied, toolUseId: 'd', outcome: 'succeeded' }, begun, denied]],
  ['a refused call beside one that runs', message({ toolCalls: [{ ...ran, status: 'executing' }, refused] }), [{ ...begun, toolUseId: 'd' }, begun, denied]],
  ['a failed call', message(toolCalls('error', { error: 'no' })), [begun, { kind: 'toolEnded', ts, toolUseId: 'c', outcome: 'failed', message: 'no' }]],
  ['thoughts', message({ thoughts: [{ subject: 'Plan', description: 'first', timestamp: '2026-01-01T09:00:00+09:00' }] }), [{ kind: 'thinking', ts, text: 'Plan: first' }]],
  ['tokens of thoughts', message({ tokens: { input: 10, output: 2, thoughts: 3 } }), [{ kind: 'usage', ts, messageId: 'm', model: undefined, input: 10, output: 5, cached: 0, context: 12 }]],
  ['the title', { $set: { summary: 'Fix it' } }, [{ kind: 'title', text: 'Fix it' }]],
  ['a message as long as a book', message({ content: 'x'.repeat(50_000) }), [{ kind: 'reply', ts, messageId: 'm', text: 'x'.repeat(20_000) }]],
  ['a sub-agent’s own chat', { sessionId: 's', startTime: ts, kind: 'subagent' }, []],
  ['a notice of the screen', message({ type: 'info', content: 'x' }), []],
  ['a line without a time', message({ timestamp: 'soon', content: 'x' }), []],
])('TRN-1 %s', (_name, line, facts) => {
  expect(geminiTranscript.facts(line)).toEqual(facts);
}); // prettier-ignore

test('TRN-3 no line makes the reader throw', () => {
  const keys = [
    'id',
    'timestamp',
    'type',
    'content',
    'thoughts',
    'tokens',
    'toolCalls',
    '$set',
    'sessionId',
    'startTime',
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('gemini', 'user', ts),
    fc.array(fc.dictionary(fc.constantFrom('id', 'name', 'status', 'timestamp', 'result', 'text'), fc.jsonValue())),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), value), (line) => {
      expect(Array.isArray(geminiTranscript.facts(line as JsonObject))).toBe(true);
    }),
  );
});
