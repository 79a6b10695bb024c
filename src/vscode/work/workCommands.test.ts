import { beforeEach, expect, test, vi } from 'vitest';
import type { WorkAnswer } from '../../app/windowPorts.ts';
import type { Snapshot } from '../../protocol/state.ts';
import { aSession } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeUri } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { anItem, aSource, ended, NOON, running } from './work.testkit.ts';
import { workCommands } from './workCommands.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

function commands(state: Partial<Snapshot>, answer?: WorkAnswer) {
  const asked: unknown[] = [];
  const seen: string[] = [];
  const ask = (what: string) => (given: object) => {
    asked.push([what, given]);
    return Promise.resolve(answer ?? { kind: 'done' as const, item: running('net'), changed: true });
  };
  const table = workCommands({
    source: aSource(state).source,
    clock: { now: () => NOON },
    collector: {
      ...{ createWork: ask('create'), startWork: ask('start'), endWork: ask('end') },
      // The folder may lie in its project, or lead there by a link.
      tracking: (folder) =>
        Promise.resolve({ mode: 'off' as const, autoCreate: false, gaps: 0, project: folder.replace('/src', '') }),
    },
    show: (key) => void seen.push(key),
  });
  return { table, asked, seen };
}

const folder = (path: string) => void editor.folders.push({ name: path, uri: new FakeUri('file', path) });
const line = (id: string) => ({ kind: 'item', key: `/p/harbour/${id}` });

test('GRD-1 a new item takes a title, an id and when it begins, in the project of this window’s folder', async () => {
  folder('/p/harbour/src');
  editor.answers.push('Mend the net', 'mend-net', 'Now');
  const { table, asked, seen } = commands({});
  await table[commandIds.newWorkItem]();
  expect(asked).toEqual([['create', { id: 'mend-net', title: 'Mend the net', project: '/p/harbour', start: true }]]);
  expect(editor.shown).toEqual([
    'input: New Work Item [] What is to be done, in a few words.',
    'input: New Work Item [mend-the-net] Its ID, by which agents and the command line name it.',
    'pick: New Work Item',
    'briefly: Work item started: Do net',
  ]);
  expect([editor.lists[0]?.map(({ label }) => label), seen]).toEqual([['Now', 'Later'], ['/p/harbour/net']]);
});

test('GRD-1 with open items it can wait for some of them, and then it is not started', async () => {
  folder('/p/harbour');
  editor.answers.push('Ship', 'ship', 'After Others', 'Do docs|Do net');
  const workItems = [anItem('docs'), running('net'), ended('old', 'done'), anItem('far', { project: '/p/orchard' })];
  const { table, asked } = commands({ workItems });
  await table[commandIds.newWorkItem]();
  expect(asked).toEqual([
    ['create', { id: 'ship', title: 'Ship', project: '/p/harbour', dependencies: ['net', 'docs'], start: false }],
  ]);
  expect(editor.lists[1]?.map(({ label, description }) => `${label} ${description}`)).toEqual([
    'Do net net · harbour',
    'Do docs docs · harbour',
  ]);
});

test('GRD-1 with several folders the project is asked for first; from a project’s line it is not; without any it says what to do', async () => {
  const { table, asked } = commands({});
  await table[commandIds.newWorkItem]();
  expect(editor.shown).toEqual(['info: A work item belongs to a project: open a folder first.']);
  folder('/p/harbour');
  folder('/p/orchard');
  editor.answers.push('orchard', 'One', 'one', 'Later', 'Two', 'two', 'Later');
  await table[commandIds.newWorkItem]();
  await table[commandIds.newWorkItem]({ kind: 'project', project: '/p/meadow' });
  expect(asked).toMatchObject([
    ['create', { project: '/p/orchard', start: false }],
    ['create', { project: '/p/meadow', start: false }],
  ]);
});

test('GRD-1 a window without a folder offers the projects that agents work in', async () => {
  editor.answers.push('-');
  await commands({ sessions: [aSession({ id: 's', project: '/p/harbour' })] }).table[commandIds.newWorkItem]();
  expect(editor.lists[0]?.map(({ label }) => label)).toEqual(['harbour']);
});

test.each([
  ['-x', 'An ID takes letters, digits'],
  ['net', 'This project has a work item with that ID already.'],
])('GRD-1 the id “%s” is refused while it is written', async (id, sentence) => {
  folder('/p/harbour');
  editor.answers.push('Mend the net', id);
  const { table, asked } = commands({ workItems: [running('net')] });
  await table[commandIds.newWorkItem]();
  expect([editor.shown.at(-1), asked]).toEqual([expect.stringContaining(sentence), []]);
});

test('GRD-1 makes nothing when the person cancels any question', async () => {
  folder('/p/harbour');
  for (const answers of [['-'], ['Mend', '-'], ['Mend', 'mend', '-'], ['Mend', 'mend', 'After Others', '-']]) {
    editor.answers.splice(0, editor.answers.length, ...answers);
    const { table, asked } = commands({ workItems: [anItem('docs')] });
    await table[commandIds.newWorkItem]();
    expect(asked, answers.join()).toEqual([]);
  }
});

test('GRD-1 from its line an item is started, ended, cancelled, and its id copied, without a question', async () => {
  const { table, asked } = commands({ workItems: [running('net'), anItem('docs')] });
  await table[commandIds.startWorkItem](line('docs'));
  await table[commandIds.endWorkItem](line('net'));
  await table[commandIds.cancelWorkItem](line('net'));
  await table[commandIds.copyWorkItemId](line('net'));
  expect(asked).toEqual([
    ['start', { id: 'docs', project: '/p/harbour' }],
    ['end', { id: 'net', project: '/p/harbour', cancel: false }],
    ['end', { id: 'net', project: '/p/harbour', cancel: true }],
  ]);
  expect([editor.clipboard, editor.lists]).toEqual([['net'], []]);
});

const all = [ended('old', 'done'), anItem('docs', { title: '$(bug) Docs' }), running('net')];
test.each([
  [commandIds.startWorkItem, ['\\$(bug) Docs', 'Do old']],
  [commandIds.endWorkItem, ['Do net']],
  [commandIds.cancelWorkItem, ['Do net', '\\$(bug) Docs']],
  [commandIds.copyWorkItemId, ['Do net', '\\$(bug) Docs', 'Do old']],
] as const)('GRD-1 from the palette %s offers those that it makes sense for', async (command, offered) => {
  editor.answers.push('-');
  await commands({ workItems: all }).table[command]();
  expect(editor.lists[0]?.map(({ label }) => label)).toEqual(offered);
});

test('GRD-1 says that there is no work item to choose, or that the clicked one is gone', async () => {
  const { table, asked } = commands({});
  await table[commandIds.endWorkItem]();
  await table[commandIds.endWorkItem](line('gone'));
  expect([editor.shown, asked]).toEqual([
    [
      'info: There is no such work item now.',
      'warning: Nothing was changed: there is no such work item any more, or not one of those that it waits for.',
    ],
    [],
  ]);
});

const refusals: readonly (readonly [WorkAnswer, RegExp])[] = [
  [
    { kind: 'needs-open', needs: ['net', '[x](command:y)'] },
    /“docs” can’t be started yet: it waits for net, \[x\] \(command:y\)\./,
  ],
  [{ kind: 'exists' }, /harbour has a work item “docs” already/],
  [{ kind: 'not-running' }, /“docs” does not run/],
  [{ kind: 'unknown' }, /no such work item any more/],
  [{ kind: 'ambiguous' }, /no such work item any more/],
  [{ kind: 'no-project' }, /No project is known for \/p\/harbour/],
  [{ kind: 'too-many' }, /Too many work items are open/],
  [{ kind: 'secret' }, /looks like a secret/],
  [{ kind: 'refused' }, /did not take it/],
  [{ kind: 'silent' }, /no window with the collector responds/],
];
test.each(refusals)('GRD-4 a refusal is told in the person’s words: %o', async (answer, sentence) => {
  const { table, seen } = commands({ workItems: [anItem('docs')] }, answer);
  await table[commandIds.startWorkItem](line('docs'));
  expect([editor.shown.length, editor.shown[0], seen]).toEqual([1, expect.stringMatching(sentence), []]);
  expect(editor.shown[0]).toMatch(/^warning: /);
});

test('GRD-1 opens a touched file, says that one is gone, and refuses what is no file of this machine', async () => {
  editor.existing.push('/p/harbour/src/app.ts', '/etc/hosts', '/p/harbour/dir/');
  const { table } = commands({ workItems: [running('net')] });
  for (const file of ['src/app.ts', '/etc/hosts', 'gone.ts', 'dir/', '//server/share/x', '\\\\server\\x']) {
    await table[commandIds.openWorkFile]({ ...line('net'), file });
  }
  expect(editor.executed.map(([id, uri]) => `${String(id)} ${uri instanceof FakeUri ? uri.path : ''}`)).toEqual([
    'vscode.open /p/harbour/src/app.ts',
    'vscode.open /etc/hosts',
  ]);
  expect(editor.shown.map((text) => text.slice(0, 30))).toEqual([
    'info: The file is not there an',
    'info: This is no ordinary file',
    'info: This is no ordinary file',
    'info: This is no ordinary file',
  ]);
});

test('GRD-2 opens the guard’s settings by a command', async () => {
  await commands({}).table[commandIds.openTrackingSettings]();
  expect(editor.executed).toEqual([['workbench.action.openSettings', '@ext:agent-mascot.agent-mascot tracking']]);
});
