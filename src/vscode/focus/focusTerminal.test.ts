import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { Machine, WindowInfo, WindowRequest, Windows } from '../../app/windowPorts.ts';
import type { Session } from '../../protocol/state.ts';
import { aSession } from '../../../test/webview/fixtures.ts';
import { aTerminal, clearEditor, editor, FakeEvent, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { TerminalFocus } from './focusTerminal.ts';
import { OwnWindow } from './ownWindow.ts';
import { Terminals } from './terminals.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

/** An agent with pid 42, started by a shell 30, that by another one 20 in the same terminal, that by the editor. */
const ancestry = [42, 35, 30, 20, 1];
const began = '2026-01-01T00:00:00.000Z';
const machine: Machine = {
  ancestry: { of: (pid, startedAt = began) => Promise.resolve(pid === 42 && startedAt === began ? ancestry : []) },
  realFolder: (folder) => Promise.resolve(folder.replace('/link', '/real')),
  host: 'mill',
  pidNamespace: 'pid:[1]',
  folders: 'linux',
};

const asked = new FakeEvent<WindowRequest>();
const none = () => undefined;

function windowsWith(others: readonly Partial<WindowInfo>[], answers = true) {
  const told: unknown[] = [];
  const windows: Windows = {
    id: 'this',
    tell: (info) => void told.push(info),
    all: () =>
      Promise.resolve(
        others.map((other) => ({
          ...{ id: 'that', app: 'Test Code', name: 'orchard', folders: [], terminals: [], focused: false },
          ...other,
        })),
      ),
    ask: (id, { terminal }) => Promise.resolve(editor.shown.push(`ask ${id} for ${terminal}`) > 0 && answers),
    onAsked: asked.on,
    claim: () => Promise.resolve(true),
    dispose: none,
  };
  return { windows, told };
}

async function focus(changes: Partial<Session> = {}, windows = windowsWith([]).windows): Promise<boolean> {
  const clock = fakeClock();
  const terminals = new Terminals(clock);
  const shown = new TerminalFocus({ windows, machine, terminals }).focus(
    aSession({ id: 's', agentPid: 42, host: 'mill', ...changes }),
  );
  await settled();
  // A terminal that never answers is waited for this long.
  clock.advance(1_000);
  return await shown;
}

test('UI-3 the terminal whose shell started the agent is shown, the nearest one, and no other', async () => {
  editor.terminals.push(aTerminal('outer', 20), aTerminal('silent', 'never'), aTerminal('own', 30), aTerminal('x', 7));
  expect([await focus(), editor.shown]).toEqual([true, ['terminal: own']]);
});

test.each<[string, Partial<Session>, string]>([
  ['in another terminal', { tty: 'pts/3' }, 'This session runs in a terminal outside the editor: pts/3, process 42.'],
  ['outside', {}, 'This session runs outside the editor’s terminals: process 42.'],
  ['in a panel', { surface: 'panel' }, 'This session runs in an editor’s panel, not in a terminal.'],
  [
    'headless',
    { surface: 'headless', agentPid: undefined },
    'This session runs headless: no terminal in this editor belongs to it.',
  ],
  ['on another machine', { host: 'barn' }, 'This session runs on another machine: barn.'],
  [
    'in a container',
    { pidNamespace: 'pid:[2]' },
    'This session runs in a container, whose terminals can’t be seen from here.',
  ],
  [
    'under a shared daemon',
    { agentPid: undefined },
    'It is not known where this session runs: its agent did not tell.',
  ],
  ['nowhere any more', { state: 'completed' }, 'This session is over: its process has ended.'],
  ['unheard of for long', { state: 'stale' }, 'This session is over: its process has ended.'],
  ['gone, its number another’s', { agentStartedAt: '2001' }, 'The process of this session can’t be found: 42.'],
  [
    'on another machine, where others have its number',
    { host: 'barn', agentStartedAt: '2001' },
    'This session runs on another machine: barn.',
  ],
])('UI-3 else it is said what is known: %s', async (_name, changes, sentence) => {
  // Its pid means nothing there, or it is no terminal's: none is shown by mistake.
  editor.terminals.push(aTerminal('other', 43));
  const { host, pidNamespace, state, agentStartedAt } = changes;
  if ([host, pidNamespace, state, agentStartedAt].some((told) => told !== undefined)) {
    editor.terminals.push(aTerminal('same number', 42));
  }
  expect([await focus({ surface: 'terminal', ...changes }), editor.shown]).toEqual([false, [`info: ${sentence}`]]);
});

test('UI-3 accepts a renamed machine if the process started at the recorded time', async () => {
  editor.terminals.push(aTerminal('own', 30));
  expect([await focus({ host: 'mill-2', agentStartedAt: began }), editor.shown]).toEqual([true, ['terminal: own']]);
});

const there = { terminals: [30], opens: 'file:///home/u/orchard' };

test('UI-3 another window shows its terminal, and the editor brings that window forward, never in place of this one', async () => {
  expect(await focus({}, windowsWith([{ id: 'x', terminals: [7] }, there]).windows)).toBe(true);
  expect([editor.shown, editor.executed]).toEqual([
    ['ask that for 30'],
    [['vscode.openFolder', new FakeUri('file', '/home/u/orchard'), { forceNewWindow: true }]],
  ]);
});

const inFront = 'Its terminal is in the window “orchard” (Test Code); it is in front there now.';
test.each<[string, Partial<WindowInfo>, boolean, string | undefined, string]>([
  ['of a window without an address', { opens: undefined }, true, undefined, inFront],
  ['of another program', { app: 'Other Code' }, true, undefined, inFront.replace('Test', 'Other')],
  ['from a remote window', {}, true, 'ssh-remote', inFront],
  [
    'that does not answer',
    {},
    false,
    undefined,
    'Its terminal is in the window “orchard” (Test Code), which does not answer now.',
  ],
])('UI-3 a terminal %s is only told of', async (_name, changes, answers, remoteName, sentence) => {
  Object.assign(editor.state, { remoteName });
  expect(await focus({}, windowsWith([{ ...there, ...changes }], answers).windows)).toBe(true);
  expect([editor.shown, editor.executed]).toEqual([['ask that for 30', `info: ${sentence}`], []]);
});

test('UI-3 a window tells of itself when its terminals, folders or focus change, after a moment, and shows what it is asked for', async () => {
  const clock = fakeClock();
  const { windows, told } = windowsWith([]);
  const log = { debug: none, info: none, warn: none, error: none };
  editor.folders.push({ name: 'harbour', uri: new FakeUri('file', '/link/harbour') });
  editor.terminals.push(aTerminal('one', 30));
  const own = new OwnWindow({ windows, machine, terminals: new Terminals(clock), clock, log });
  editor.events.terminals.fire(undefined);
  clock.advance(199);
  await settled();
  expect(told).toEqual([]);
  clock.advance(1);
  await settled();
  const info = { name: 'harbour', opens: 'file:/link/harbour?', folders: ['/real/harbour'], terminals: [30] };
  expect(told).toEqual([{ ...info, focused: true }]);
  for (const event of [editor.events.window, editor.events.folders, editor.events.terminals]) event.fire(undefined);
  Object.assign(editor.state, { focused: false });
  clock.advance(200);
  await settled();
  expect(told.slice(1)).toEqual([{ ...info, focused: false }]);
  asked.fire({ what: 'showTerminal', terminal: 30 });
  await settled();
  expect(editor.shown).toEqual(['terminal: one']);
  editor.events.terminals.fire(undefined);
  own.dispose();
  expect([clock.pending(), asked.heard, editor.events.terminals.heard]).toEqual([0, 0, 0]);
});

test('UI-5 a terminal is in view when it is the active one of a window that has the focus', () => {
  const terminals = new Terminals(fakeClock());
  const [own, other] = [aTerminal('own', 30), aTerminal('other', 7)];
  const seen: boolean[] = [];
  for (const [activeTerminal, focused] of [
    [own, true],
    [own, false],
    [other, true],
    [undefined, true],
  ] as const) {
    Object.assign(editor.state, { activeTerminal, focused });
    seen.push(terminals.isInView(own as never));
  }
  expect(seen).toEqual([true, false, false, false]);
});

test('UI-5 waits once for a terminal’s pid, and uses it if it comes later', async () => {
  const clock = fakeClock();
  const terminals = new Terminals(clock);
  let tell: (pid: number) => void = () => undefined;
  const late = { ...aTerminal('late', 'never'), processId: new Promise<number>((resolve) => (tell = resolve)) };
  editor.terminals.push(late, aTerminal('other', 7));
  const first = terminals.around(ancestry);
  await settled();
  clock.advance(1_000);
  expect([await first, await terminals.around(ancestry), clock.pending()]).toEqual([undefined, undefined, 0]);
  tell(30);
  await settled();
  expect(await terminals.around(ancestry)).toBe(late);
});
