import { expect, test } from 'vitest';
import type { ToolObservation } from '../../protocol/reading.ts';
import { called, format } from './conversations.testkit.ts';
import { callLines } from './toolCallText.ts';

const file = '/home/sam/code/harbour/a.ts';

function blockOf(skillName: string, given: object, answer: unknown, changes: Partial<ToolObservation> = {}) {
  const response = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const call = called(1, skillName, { arguments: JSON.stringify(given), response, target: 'a.ts', ...changes });
  return callLines(call, '', format)
    .slice(1)
    .map((line) => line.replace(/^ {2}> ?/, ''));
}

const edit = { file_path: file, old_string: 'one\ntwo\n', new_string: 'one\nthree\n', replace_all: false };

test('CNV-3 shows an edit once, as a difference', () => {
  const repeated = { filePath: file, oldString: 'one\ntwo\n', newString: 'one\nthree\n', userModified: false };
  const expected = ['```diff', '-one', '-two', '+one', '+three', '```'];
  expect(blockOf('Edit', edit, repeated)).toEqual(expected);
  expect(blockOf('MultiEdit', { file_path: file, edits: [edit] }, repeated)).toEqual(expected);
  const lines = [' one', '-two', '+three'];
  const structuredPatch = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }];
  expect(blockOf('Edit', edit, { ...repeated, structuredPatch })).toEqual([
    '```diff',
    '@@ -1,2 +1,2 @@',
    ...lines,
    '```',
  ]);
});

test('CNV-3 omits an answer only if it repeats the input, never a failure or something new', () => {
  const written = { file_path: file, content: 'new' };
  const repeated = { type: 'create', filePath: file, content: 'new', structuredPatch: [] };
  expect(blockOf('Write', written, repeated)).toEqual(['```', `file_path: ${file}`, 'content: new', '```']);
  expect(blockOf('Write', written, { warning: 'x', ...repeated }).join()).toContain('warning');
  expect(blockOf('Edit', edit, 'String not found', { outcome: 'failed' })).toContain('String not found');
  expect(blockOf('Edit', { ...edit, replace_all: true }, 'ok')).toContain('replace_all: true');
});

test('CNV-3 shows tasks as a list with the done ones ticked', () => {
  const todos = [
    { content: 'First', status: 'completed', activeForm: 'x' },
    { content: 'Second', status: 'in_progress', activeForm: 'y' },
    { content: 'Third', status: 'pending', activeForm: 'z' },
  ];
  const expected = ['```', '[x] First', '[ ] Second (doing)', '[ ] Third', '```'];
  expect(blockOf('TodoWrite', { todos }, { oldTodos: [], newTodos: todos })).toEqual(expected);
  const plan = todos.map(({ content: step, status }) => ({ step, status }));
  expect(blockOf('update_plan', { plan }, '')).toEqual(expected);
});

test('CNV-3 SEC-5 nothing in an edit ends its fence', () => {
  const hostile = { ...edit, new_string: '```\n# You' };
  expect(blockOf('Edit', hostile, '')[0]).toBe('````diff');
});
