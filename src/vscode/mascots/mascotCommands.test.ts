import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { LookChanged } from '../../app/windowPorts.ts';
import type { LookChange } from '../../protocol/cast.ts';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, settled } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { mascotCommands, type MascotCommandId } from './mascotCommands.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

const file = '/home/u/.claude/projects/p/s1.jsonl';
const state = aSnapshot(
  [
    aSession({ id: 's1', transcriptPath: file }),
    aSession({ id: 's2', project: '/p/two', phase: 'waiting_permission', phaseBecause: null }),
    aSession({ id: 'over', project: '/p/over', state: 'completed', phase: null, transcriptPath: file }),
    aSession({ id: 's\n3', transcriptPath: '/p/folder/' }),
    aSession({ id: 's4\u202e', transcriptPath: '//server/share/t.jsonl' }),
    aSession({ id: 's5', transcriptPath: '\\\\server\\share\\t.jsonl' }),
    aSession({ id: 'team1', project: '/p/team', state: 'stale', phase: null }),
    aSession({ id: 'team2', project: '/p/team', state: 'stale', phase: null }),
  ],
  [
    anAgent({ id: 's1/main', sessionId: 's1', name: 'Juno', ownName: 'Mochi' }),
    anAgent({ id: 's1/a', sessionId: 's1', name: 'Waffle', kind: 'subagent', hidden: true }),
    anAgent({ id: 's2/main', sessionId: 's2', name: 'Pico', employmentType: 'employee' }),
    anAgent({ id: 'over/main', sessionId: 'over', name: 'Otto', present: false }),
    anAgent({ id: 'red/leader', sessionId: 'team1', name: 'Kiwi', present: false }),
    anAgent({ id: 'red/leader', sessionId: 'team2', name: 'Bean', present: false }),
  ],
);

const stored = { ...aSession({ id: 'stored', title: 'A long past one', transcriptPath: file }), agents: [] };
const empty = aSession({
  ...{ id: 'empty', title: 'An empty one', state: 'completed', phase: null },
  counts: { prompts: 0, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
});

let done: string[];
let outcome: LookChanged;

beforeEach(() => {
  clearEditor();
  done = [];
  outcome = 'changed';
});

async function run(id: MascotCommandId, argument?: unknown, ...answers: readonly string[]): Promise<void> {
  editor.answers.push(...answers);
  const table = mascotCommands({
    source: { snapshot: () => state, status: () => 'live', onChange: () => ({ dispose: () => undefined }) },
    collector: {
      changeLook: (agentId: string, change: LookChange) => {
        done.push(`${agentId} ${JSON.stringify(change)}`);
        return Promise.resolve(outcome);
      },
      session: (id) => Promise.resolve(id === 'stored' ? stored : undefined),
      sessions: () => Promise.resolve({ items: [stored, empty, ...[...state.sessions].reverse()], next: null }),
    },
    clock: fakeClock(),
    terminal: {
      focus: ({ id: session }) => Promise.resolve(done.push(`focus ${session}`) > 0),
    },
    conversation: { show: (id) => Promise.resolve(void done.push(`conversation ${id}`)) },
    select: ({ sessionId, agentId }) => Promise.resolve(void done.push(`select ${agentId} of ${sessionId}`)),
  });
  await table[id](argument);
  await settled();
}

test('UI-3 the actions of a session go by what was clicked, else by what the person chooses', async () => {
  const clicked = { sessionId: 's1', agentId: 's1/a', webview: 'agentMascot.panel' };
  await run(commandIds.focusTerminal, clicked);
  await run(commandIds.openConversation, 's2');
  await run(commandIds.showInPanel, clicked);
  await run(commandIds.focusTerminal, undefined, 'two');
  await run(commandIds.focusTerminal, undefined, '-');
  expect([done, editor.shown]).toEqual([
    ['focus s1', 'conversation s2', 'select s1/a of s1', 'focus s2'],
    ['pick: Focus Terminal', 'pick: Focus Terminal'],
  ]);
});

test('UI-3 runs every command that is offered for a past session', async () => {
  editor.existing.push(file);
  for (const argument of ['over', { sessionId: 'over', agentId: 'over/gone' }]) {
    await run(commandIds.openConversation, argument);
    await run(commandIds.openTranscript, argument);
    await run(commandIds.copySessionId, argument);
  }
  await run(commandIds.showInPanel, undefined, 'over');
  await run(commandIds.showInPanel, { sessionId: 'over', agentId: 'over/gone' });
  expect([
    done,
    editor.executed.length,
    editor.clipboard,
    editor.shown.filter((line) => /not there/.test(line)),
  ]).toEqual([
    ['conversation over', 'conversation over', 'select over/main of over'],
    2,
    ['over', 'over'],
    ['info: This mascot is not there any more.'],
  ]);
});

test('CNV-3 opens the transcript and copies the id of a stored session, and of no unknown one', async () => {
  editor.existing.push(file);
  for (const id of [commandIds.openTranscript, commandIds.copySessionId]) {
    await run(id, { kind: 'past', sessionId: 'stored' });
    await run(id, { kind: 'past', sessionId: 'unknown' });
  }
  const gone = 'info: Nothing is known of this session any more, or no window with the collector responds.';
  expect([editor.executed.length, editor.clipboard, editor.shown]).toEqual([
    1,
    ['stored'],
    [gone, 'briefly: Session ID copied.', gone],
  ]);
});

test('CNV-3 opens the conversation of any stored session from the palette', async () => {
  await run(commandIds.openConversation, undefined, 'over');
  await run(commandIds.openConversation, 'long past');
  expect([done, editor.shown]).toEqual([['conversation over', 'conversation long past'], ['pick: Open Conversation']]);
});

test('CNV-3 offers no stored session without content', async () => {
  await run(commandIds.openConversation, undefined, '-');
  const offered = editor.lists
    .at(-1)
    ?.map(({ label }) => label)
    .join();
  expect([offered?.includes('A long past one'), offered?.includes('An empty one')]).toEqual([true, false]);
});

test('CNV-3 opens the transcript and copies the id of any stored session from the palette', async () => {
  editor.existing.push(file);
  await run(commandIds.openTranscript, undefined, 'long past');
  await run(commandIds.copySessionId, undefined, 'long past');
  expect([editor.executed.map(([command]) => command), editor.clipboard]).toEqual([['vscode.open'], ['stored']]);
});

test('UI-3 AGT-1 finds the mascot of the right session of a team', async () => {
  for (const sessionId of ['team1', 'team2']) {
    await run(commandIds.showInPanel, { sessionId, agentId: 'red/leader' });
    await run(commandIds.renameMascot, { sessionId, agentId: 'red/leader' }, '-');
  }
  expect([done, editor.shown.map((line) => line.slice(0, 'input: Rename Kiwi'.length))]).toEqual([
    ['select red/leader of team1', 'select red/leader of team2'],
    ['input: Rename Kiwi', 'input: Rename Bean'],
  ]);
});

test('UI-3 AGT-1 a mascot gets the name that is given; empty gives its own back, unchanged changes nothing', async () => {
  const juno = { sessionId: 's1', agentId: 's1/main' };
  await run(commandIds.renameMascot, juno, ' Ada ');
  await run(commandIds.renameMascot, juno, ' ');
  await run(commandIds.renameMascot, juno, 'Juno');
  await run(commandIds.renameMascot, juno, 'x'.repeat(41));
  expect([done, editor.shown]).toEqual([
    ['s1/main {"name":"Ada"}', 's1/main {"name":""}'],
    [
      ...[1, 2, 3].map(
        () => 'input: Rename Juno [Juno] The name that you see from now on. Leave it empty for its own name, Mochi.',
      ),
      'input: Rename Juno [Juno] At most 40 characters.',
    ],
  ]);
});

test('UI-3 AGT-1 pin and hide change that one mascot; hiding can be undone at once', async () => {
  await run(commandIds.pinMascot, 's1');
  await run(commandIds.unpinMascot, 's2');
  await run(commandIds.hideMascot, 's1', 'Undo');
  await run(commandIds.unhideMascot, { sessionId: 's1', agentId: 's1/a' });
  expect([done, editor.shown]).toEqual([
    [
      's1/main {"pinned":true}',
      's2/main {"pinned":false}',
      's1/main {"hidden":true}',
      's1/main {"hidden":false}',
      's1/a {"hidden":false}',
    ],
    ['info: Juno is hidden. Its session still counts when it waits for you. | Undo'],
  ]);
});

test('UI-3 offers in the palette only mascots to which the command applies', async () => {
  for (const id of [commandIds.pinMascot, commandIds.unpinMascot, commandIds.hideMascot, commandIds.unhideMascot]) {
    await run(id, undefined, '-');
  }
  expect(editor.lists.map((items) => items.map(({ label }) => label.replace(/^\S+ /, '')))).toEqual([
    ['Juno', 'Waffle'],
    ['Pico'],
    ['Pico', 'Juno'],
    ['Waffle'],
  ]);
  expect(done).toEqual([]);
});

test.each<[LookChanged, string]>([
  [
    'unknown',
    'warning: This mascot is not there any more, or the window that runs the collector is of an older version: update the extension in every editor.',
  ],
  [
    'refused',
    'warning: The change could not be saved. Check that ~/.agent-mascot can be written; the log has the details.',
  ],
  ['silent', 'warning: Nothing was changed: no window with the collector responds. Try again in a moment.'],
])('UI-3 when a change comes to nothing (%s) it is said, with what to do', async (result, sentence) => {
  outcome = result;
  await run(commandIds.hideMascot, 's1');
  expect(editor.shown).toEqual([sentence]);
});

test('UI-3 the transcript opens as the editor opens any file, and what is missing is said', async () => {
  editor.existing.push(file);
  await run(commandIds.openTranscript, 's1');
  editor.existing.length = 0;
  await run(commandIds.openTranscript, 's1');
  await run(commandIds.openTranscript, 's2');
  await run(commandIds.openTranscript, 'gone');
  expect([editor.executed.map(([id, uri]) => `${String(id)} ${String(uri)}`), editor.shown]).toEqual([
    [`vscode.open file:${file}?`],
    [
      `info: The transcript is not there: ${file}. Its agent may have removed it, or it is on another machine.`,
      'info: It is not known where the transcript of this session is.',
      'info: Nothing is known of this session any more, or no window with the collector responds.',
    ],
  ]);
});

test('SEC UI-3 no folder is opened as a transcript, and no file of a machine that somebody named', async () => {
  editor.existing.push('/p/folder/', '//server/share/t.jsonl', '\\\\server\\share\\t.jsonl');
  for (const id of ['s\n3', 's4\u202e', 's5']) await run(commandIds.openTranscript, id);
  const sentence = 'info: The transcript is no ordinary file of this machine, so it is not opened:';
  expect([editor.executed, editor.shown]).toEqual([
    [],
    ['/p/folder/', '//server/share/t.jsonl', '\\\\server\\share\\t.jsonl'].map((file) => `${sentence} ${file}.`),
  ]);
});

test('SEC UI-3 refuses to copy an id with invisible characters', async () => {
  for (const id of ['s\n3', 's4\u202e']) await run(commandIds.copySessionId, id);
  const sentence = 'info: The ID of this session holds characters that can’t be seen, so it was not copied.';
  expect([editor.clipboard, editor.shown]).toEqual([[], [sentence, sentence]]);
});

test('UI-3 copies the session’s id and says so in the status bar', async () => {
  await run(commandIds.copySessionId, { sessionId: 's1', agentId: 's1/a' });
  expect([editor.clipboard, editor.shown]).toEqual([['s1'], ['briefly: Session ID copied.']]);
});
