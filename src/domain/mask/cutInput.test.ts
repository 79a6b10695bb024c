import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { tooDeep } from '../depth.ts';
import { maskPayload } from './mask.ts';

const m = '«masked:file-content»';
const content = 'PLAIN=not-a-known-shape';
const note = '[agent-mascot: 250000 bytes cut]';
const entriesNote = '[agent-mascot: 7 more entries cut]';
const depthNote = '[agent-mascot: what is nested deeper cut]';

const cutInputs: readonly (readonly [string, JsonObject])[] = [
  ['a command that lost its middle', { tool_input: { command: `npm test\n${note}\n` } }],
  ['a word of a command that did', { tool_input: { command: ['bash', '-c', `npm test\n${note}\n`] } }],
  ['words of which the last are gone', { tool_input: { command: ['npm', 'test', entriesNote] } }],
  ['a path that lost its middle', { tool_input: { file_path: `/a\n${note}\nb.ts` } }],
  ['paths of which the last are gone', { tool_input: { paths: ['a.ts', entriesNote] } }],
  ['files of which the last are gone', { tool_input: { files: [{ path: 'a.ts' }, entriesNote] } }],
  ['a file whose path may be gone', { tool_input: { requests: [{ line: 1, '(cut)': entriesNote }] } }],
  ['an input of which entries are gone', { tool_input: { description: 'Look', '(cut)': entriesNote } }],
  ['an input that was nested too deep to be sent', { tool_input: depthNote }],
  ['a command that was', { tool_input: { command: depthNote } }],
  ['a command that is nested too deep to be masked', { tool_input: { command: tooDeep } }],
  ['an input that is gone with all else', { '(cut)': '[agent-mascot: all else of 9000000 bytes cut]' }],
];

describe('MSK-1 FWD-9 what a tool was given is not known', () => {
  test.each(cutInputs)('MSK-1 %s: what came of it is sealed as a credential file', (_title, call) => {
    const payload = { ...call, tool_response: { stdout: content, type: 'text' }, error: `Exit code 1\n${content}` };
    const masked = { ...call, tool_response: { stdout: m, type: 'text' }, error: `Exit code 1\n${m}` };
    expect(maskPayload(payload)).toEqual(masked);
    expect(maskPayload(masked)).toBe(masked);
  });

  test('MSK-1 contents beside a path that lost its middle are sealed', () => {
    const file_path = `/a\n${note}\nb`;
    expect(maskPayload({ tool_input: { file_path, content } })).toEqual({ tool_input: { file_path, content: m } });
  });

  test.each<[string, JsonObject]>([
    ['contents that lost their middle', { tool_input: { file_path: 'a.ts', content: `a\n${note}\nb` } }],
    ['a command that speaks of such a note', { tool_input: { command: `grep -c '${note}' notes.txt` } }],
    ['a tool without an input', { tool_name: 'Stop' }],
    ['an entry that is only called so', { tool_name: 'Stop', '(cut)': 'with scissors' }],
  ])('MSK-2 %s: what came of it stays', (_title, call) => {
    const payload = { ...call, tool_response: content, error: `Exit code 1\n${content}` };
    expect(maskPayload(payload)).toBe(payload);
  });
});

describe('MSK-1 FWD-9 what a command that was cut may write', () => {
  test.each([
    ['the rest of a here-document', `npm test\n${note}\nA=b\nEOF\n`, `npm test\n${note}\n${m}`],
    [
      'a here-document whose command goes on in what is gone',
      `npm test; cat <<EOF\nA=b\n${note}\nC=d\nEOF\n`,
      `npm test; cat <<EOF\n${m}\n${note}\n${m}`,
    ],
    ['words of which the file is gone', `npm test; echo A=b C=d\n${note}\n`, `npm test; echo ${m} ${m}\n${note}\n`],
    [
      'a literal of which the end is gone',
      `echo ok; echo 'A=b\n${note}\nC=d' > .env`,
      `echo ok; echo ${m}\n${note}\n${m}`,
    ],
    ['nothing before what is gone', `\n${note}\nA=b`, `\n${note}\n${m}`],
    ['nothing at all', `npm test && git status\n${note}\n`, `npm test && git status\n${note}\n`],
  ])('MSK-1 %s', (_title, command, expected) => {
    const masked = maskPayload({ tool_input: { command } });
    expect(masked).toEqual({ tool_input: { command: expected } });
    expect(maskPayload(masked)).toBe(masked);
  });
});
