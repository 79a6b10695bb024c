import { beforeEach, expect, test, vi } from 'vitest';
import type { Finding, Fix } from '../../domain/hooks/findings.ts';
import type { ChangeParts } from './changeHooks.ts';
import { createDifferenceView } from './differenceView.ts';
import { checkHooks } from './doctorView.ts';
import { clearEditor, editor } from './editor.testkit.ts';
import { reportText } from './findingText.ts';
import { tildeFor } from './hookPhrases.ts';
import { FakeKit } from './kit.testkit.ts';
import { createTopicDocument } from './topicDocument.ts';

vi.mock('vscode', async () => (await import('./editor.testkit.ts')).fakeVscode);

const file = '/home/u/.claude/settings.json';
const tilde = tildeFor('/home/u/');
let kit: FakeKit;

function check(...answers: readonly string[]): Promise<void> {
  editor.answers.push(...answers);
  const log = () => undefined;
  const parts: ChangeParts = {
    kit,
    log: { debug: log, info: log, warn: log, error: log },
    tilde,
    difference: createDifferenceView(),
    offerMore: log,
  };
  return checkHooks({ ...parts, version: '1.2.3', topics: createTopicDocument() });
}

beforeEach(() => {
  clearEditor();
  kit = new FakeKit();
});

const install: Fix = { kind: 'install', scope: 'user' };
const absent: Finding = { code: 'scope.absent', level: 'note', values: { scope: 'This user', file }, fix: install };
const live: Finding = { code: 'collector.live', level: 'good', values: { url: 'http://127.0.0.1:4820' } };
const brokenList: Finding = {
  code: 'scope.broken',
  level: 'error',
  values: {
    scope: 'This user',
    file,
    line: 2,
    column: 3,
    reason: 'Stop: the hooks of an event are not a list',
    agent: 'Claude Code',
  },
  fix: { kind: 'open', file, line: 2, column: 3 },
};

test('HKI-5 what is to be mended comes first, each with what a click does; paths begin with ~', async () => {
  kit.findings.push([live, absent, brokenList]);
  await check('-', '-');
  expect(editor.lists[0]?.map(({ label, detail, buttons }) => [label, detail, buttons?.length])).toEqual([
    ['To mend', undefined, undefined],
    [
      '$(error) This user: ~/.claude/settings.json is broken at line 2, column 3 (Stop: the hooks of an event are not a list); Claude Code ignores the whole file',
      'Opens the file at the place',
      1,
    ],
    ['Suggestions', undefined, undefined],
    [
      '$(info) This user: no hooks of ours in ~/.claude/settings.json',
      'Shows the difference and asks before it writes',
      undefined,
    ],
    ['In order', undefined, undefined],
    ['$(pass) The collector answers at http://127.0.0.1:4820', undefined, undefined],
    ['More', undefined, undefined],
    ['$(copy) Copy report', 'For a bug report: no names, no tokens, folders below your home as ~', undefined],
    ['$(refresh) Check again', undefined, undefined],
  ]);
});

test('HKI-5 a fix that mends is followed by another look', async () => {
  kit.findings.push([absent], [live]);
  await check('-', 'no hooks of ours', 'Write', '-', 'The collector answers', '-');
  expect(kit.texts.get(file)).toBe(' +hooks');
  expect(editor.shown.filter((line) => line.startsWith('pick'))).toEqual([
    'pick: Check Hooks',
    'pick: Install Hooks: ~/.claude/settings.json',
    'pick: Check Hooks',
  ]);
});

const fixes: readonly (readonly [Fix, readonly string[], readonly string[], readonly string[]])[] = [
  [{ kind: 'open', file, line: 2, column: 3 }, [], [`open: ${file}:1:2`], []],
  [{ kind: 'open', file }, [], [`open: ${file}`], []],
  [
    { kind: 'reload' },
    ['Reload Window'],
    ['info: Reload this window? Agent Mascot then starts anew. | Reload Window'],
    ['workbench.action.reloadWindow'],
  ],
  [{ kind: 'reload' }, ['-'], ['info: Reload this window? Agent Mascot then starts anew. | Reload Window'], []],
  [{ kind: 'explain', topic: 'codex-trust' }, [], ['open: /Let Codex run the hooks.md'], []],
  [{ kind: 'install', scope: 'local' }, [], [], []],
];
test.each(fixes)('HKI-5 the fix %j, answered %j, does what it says', async (fix, answers, shown, commands) => {
  kit.findings.push([{ ...live, fix }]);
  await check('-', 'The collector answers', ...answers);
  expect([editor.shown.slice(1), editor.commands]).toEqual([shown, commands]);
});

test('HKI-5 our own files are put in place without a question', async () => {
  kit.findings.push([{ ...live, fix: { kind: 'refresh' } }], []);
  await check('-', 'The collector answers', '-', '-');
  expect([kit.done, editor.shown]).toEqual([
    ['refresh'],
    ['pick: Check Hooks', 'info: The files that hooks run are in place.', 'pick: Check Hooks'],
  ]);
});

test('HKI-5 the button in its line opens the file', async () => {
  kit.findings.push([brokenList]);
  await check('-', '@is broken');
  expect(editor.shown.slice(1)).toEqual([`open: ${file}`]);
});

test('HKI-5 who does not want to wait gets no list', async () => {
  kit.examining = () => new Promise(() => undefined);
  await check('cancel');
  expect(editor.shown).toEqual([]);
});

test('MSK-1 the report is English with codes, masked, and tells no folder of the person', async () => {
  const secret: Finding = {
    code: 'log.lines',
    level: 'note',
    values: { count: 1, newest: 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789' },
  };
  kit.findings.push([absent, secret]);
  await check('-', 'Copy report');
  const [text = ''] = editor.clipboard;
  expect(text.split('\n').slice(1, 2)).toEqual([
    'note    scope.absent: This user: no hooks of ours in ~/.claude/settings.json',
  ]);
  expect(text).toMatch(/^Agent Mascot 1\.2\.3, /);
  expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz');
  expect(text).not.toContain('/home/u');
  expect(reportText('1', [], tilde)).toMatch(/^Agent Mascot 1, .*\n$/);
});

test('HKI-5 what only the person can do is a document', () => {
  createTopicDocument();
  const provide = editor.providers.get('agent-mascot-topic');
  expect(provide?.({ query: 'codex-trust' } as Parameters<typeof provide>[0])).toMatch(
    /^# Let Codex run the hooks\n\n[^]*`#agent-mascot`/,
  );
  expect(provide?.({ query: 'toString' } as Parameters<typeof provide>[0])).toBe('');
});

test.each([
  ['/home/u/x', '~/x'],
  ['/home/u', '~'],
  ['/home/user/x', '/home/user/x'],
  ['C:\\x', 'C:\\x'],
])('HKI-5 %s is shown as %s', (path, shown) => {
  expect(tilde(path)).toBe(shown);
});
