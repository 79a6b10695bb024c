import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { lastReply } from './lastReply.ts';
import { recordedLines } from './transcripts.testkit.ts';

const says = (id: string, text: string, more: JsonObject = {}) =>
  JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text }] }, ...more });
const calls = (id: string) =>
  JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'tool_use', id: 't', name: 'Bash' }] } });
const thinks = (id: string) =>
  JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'thinking', thinking: 'hm' }] } });
const prompt = JSON.stringify({ type: 'user', message: { content: 'what does the "assistant" say?' } });
const user = (content: string | JsonObject[]) => JSON.stringify({ type: 'user', message: { content } });
const result = user([{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]);
const interrupt = user([{ type: 'text', text: '[Request interrupted by user]' }]);
const command = user('<command-name>/model</command-name>');
const failure = { isApiErrorMessage: true, error: 'server_error' };

const flat = (role: string, content: unknown, type = 'text') => JSON.stringify({ type, role, content });
const flatCall = JSON.stringify({ type: 'tool_use', name: 'Bash', input: { command: 'ls "assistant"' } });
const flatResult = JSON.stringify({ type: 'tool_result', role: 'user', content: 'ok' });

test.each<[string, readonly string[], string | null]>([
  ['flat lines with a role', [flat('user', 'hi'), flat('assistant', 'one'), flat('user', 'go'), flat('assistant', 'two')], 'two'],
  ['flat lines around a call', [flat('user', 'hi'), flat('assistant', 'one'), flatCall, flatResult], 'one'],
  ['flat lines whose last turn has no words', [flat('assistant', 'one'), flat('user', 'hi'), flatCall, flatResult], null],
  ['a flat line whose content is a list of blocks', [flat('assistant', [{ type: 'text', text: 'one' }])], 'one'],
  ['a flat line whose type is its role', [flat('', 'hi', 'user'), flat('', 'one', 'assistant')], 'one'],
  ['a flat line of another role', [flat('assistant', 'one'), flat('system', 'two')], 'one'],
  ['no lines', [], null],
  ['only a prompt', [prompt], null],
  ['one message', [prompt, says('m1', 'Hello')], 'Hello'],
  ['the last of two', [says('m1', 'one'), prompt, says('m2', 'two')], 'two'],
  ['all texts of one message', [says('m0', 'no'), says('m1', 'one'), calls('m1'), result, says('m1', 'two')], 'one\ntwo'],
  ['none of an earlier turn', [says('m1', 'one'), prompt, calls('m2'), result], null],
  ['none before an interrupt', [says('m1', 'one'), interrupt], null],
  ['one before a command of the program’s own', [says('m1', 'one'), command], 'one'],
  ['calls and thoughts do not count', [says('m1', 'one'), thinks('m2'), calls('m2')], 'one'],
  ['nothing but calls and thoughts', [thinks('m1'), calls('m1')], null],
  ['white space is nothing', [says('m1', 'one'), says('m2', ' \n')], 'one'],
  ['a sub-agent’s words are its own', [says('m1', 'one'), says('m2', 'two', { isSidechain: true })], 'one'],
  ['in its own file they count', [says('m2', 'two', { isSidechain: true, agentId: 'a' })], 'two'],
  ['an error in place of a reply', [says('m1', 'one'), prompt, says('m2', 'API Error', failure)], null],
  ['a reply after an error', [says('m1', 'API Error', failure), says('m2', 'two')], 'two'],
  ['half a first and half a last line', ['ype":"assistant"}', says('m1', 'one'), says('m2', 'two').slice(0, -4)], 'one'],
  ['a message without an id is one line', [
    JSON.stringify({ type: 'assistant', message: { content: 'one' } }),
    JSON.stringify({ type: 'assistant', message: { content: 'two' } }),
  ], 'two'],
])('TRN-2 %s', (_, lines, reply) => {
  expect(lastReply(lines)).toBe(reply);
}); // prettier-ignore

test.each([
  ['main-single-tool.jsonl', 'The command printed hello-from-bash.'],
  ['main-background-subagent.jsonl', 'Done.'],
  ['main-failing-tools.jsonl', 'Failures handled.'],
  // Its last turn was interrupted.
  ['main-compact-clear-4a9f.jsonl', null],
  ['main-api-error-500.jsonl', null],
  ['v2.1.100-main-two-subagents.jsonl', 'Both subagents reported.'],
  ['v2.0.77-main-two-subagents.jsonl', 'Both subagents reported.'],
  ['v2.0.77-subagent.jsonl', 'Sub bash report.'],
])('TRN-2 the last reply in %s', (file, reply) => {
  expect(lastReply(recordedLines(file))).toBe(reply);
});

test('TRN-3 no line makes it throw', () => {
  const content = fc.dictionary(
    fc.constantFrom('id', 'content', 'text', 'type', 'model'),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    content.map((message) => JSON.stringify({ type: 'assistant', message })),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const reply = lastReply(lines);
      expect(reply === null || reply !== '').toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
