import { beforeEach, expect, test, vi } from 'vitest';
import type { StateChange } from '../../app/ports.ts';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import { readSettings } from '../../protocol/settings.ts';
import type { Patch, Session } from '../../protocol/state.ts';
import type { Story } from '../../protocol/story.ts';
import type { HostMessage, PanelMessage } from '../../protocol/view.ts';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeEvent, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { commandIds, viewIds } from '../ids.ts';
import { aMemento } from '../memento.testkit.ts';
import { type PanelParts, PanelView } from './panelView.ts';
import { ViewChoices } from '../viewChoices.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const nothing = { dispose: () => undefined };
const sessions = [
  aSession({ id: 'mine', project: '/p/harbour', cwd: '/p/harbour/src' }),
  aSession({ id: 'linked', project: '/link/harbour', cwd: '/link/harbour' }),
  aSession({ id: 'above', project: '/p', cwd: '/p' }),
  aSession({ id: 'other', project: '/p/harbour-2', cwd: '/p/harbour-2' }),
];

function opened(options: { owns?: boolean; raw?: Record<string, unknown>; here?: boolean } = {}) {
  const changes = new FakeEvent<StateChange>();
  const clock = fakeClock();
  const memories = [aMemento(), aMemento()] as const;
  if (options.here === true) void memories[1].update('filter', 'here');
  const asked: { id: string; answer: (story: Story | undefined) => void }[] = [];
  let shown: readonly Session[] = sessions;
  const choices = new ViewChoices(...memories);
  const parts: Omit<PanelParts, 'extensionUri'> = {
    source: {
      snapshot: () => ({
        ...aSnapshot(
          shown,
          shown.map(({ id }) => anAgent({ id: `${id}/main`, sessionId: id, hidden: id === 'above' })),
        ),
        owner: { instance: 'i', generation: 1, app: 'Code', version: '1', startedAt: '' },
      }),
      status: () => 'live',
      onChange: changes.on,
    },
    owns: () => options.owns ?? true,
    settings: { current: () => readSettings(options.raw ?? {}).settings, onChange: () => nothing, ...nothing },
    choices,
    collector: { story: (id) => new Promise((answer) => asked.push({ id, answer })) },
    machine: {
      ancestry: { of: () => Promise.resolve([]) },
      realFolder: (folder) => Promise.resolve(folder.replace(/^\/link/, '/p')),
      ...{ host: 'mill', pidNamespace: undefined, folders: 'linux' },
    },
    clock,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    installed: { current: () => true, look: () => undefined, onChange: () => nothing, ...nothing },
  };
  editor.folders.push({ name: 'harbour', uri: new FakeUri('file', '/p/harbour') });
  const uri = new FakeUri('file', '/ext') as unknown as PanelParts['extensionUri'];
  const panel = new PanelView({ ...parts, extensionUri: uri });
  const posted: HostMessage[] = [];
  const received = new FakeEvent<unknown>();
  const visibility = new FakeEvent<void>();
  const view = {
    visible: true,
    description: '',
    webview: {
      options: {},
      html: '',
      onDidReceiveMessage: received.on,
      postMessage: (message: HostMessage) => Promise.resolve(posted.push(message) > 0),
      asWebviewUri: (address: unknown) => address,
    },
    onDidChangeVisibility: visibility.on,
    onDidDispose: () => nothing,
  };
  editor.webviews.get(viewIds.panel)?.resolveWebviewView(view);
  const say = (message: PanelMessage) => received.fire(message);
  say({ type: 'ready' });
  const taken = () => posted.splice(0);
  const patch = (changed: Partial<Patch>): StateChange => ({
    type: 'patch',
    patch: {
      ...{
        revision: 2,
        sessions: [],
        agents: [],
        removedSessions: [],
        removedAgents: [],
        workItems: [],
        removedWorkItems: [],
        events: [],
      },
      ...changed,
    },
  });
  return {
    ...{ panel, view, choices, clock, asked, say, taken, patch, visibility },
    config: () => taken().flatMap((message) => (message.type === 'config' ? [message.config] : [])),
    elsewhere: () => taken().flatMap((message) => (message.type === 'elsewhere' ? [message.sessionIds] : [])),
    change: (change: StateChange, now = shown) => {
      shown = now;
      changes.fire(change);
    },
  };
}

test('UI-2 UI-9 posts how to draw: filter, hidden mascots, restricted mode, and whom to introduce', () => {
  const { say, config } = opened();
  expect(config()[0]).toMatchObject({ filter: 'all', showHidden: false, restricted: false, welcome: true });
  Object.assign(editor.state, { trusted: false });
  say({ type: 'filter', filter: 'here' });
  say({ type: 'showHidden', show: true });
  say({ type: 'met' });
  expect(config().at(-1)).toMatchObject({ filter: 'here', showHidden: true, restricted: true, welcome: false });
  Object.assign(editor.state, { trusted: true });
  editor.events.trust.fire(undefined);
  expect(config().at(-1)).toMatchObject({ restricted: false });
  expect(editor.executed.filter(([id]) => id === 'setContext').slice(-2)).toEqual([
    ['setContext', 'agentMascot.filter', 'here'],
    ['setContext', 'agentMascot.showHidden', true],
  ]);
});

test('UI-2 the filter leaves out sessions that have nothing to do with this window’s folders, links followed', async () => {
  const { say, elsewhere, taken } = opened();
  expect(elsewhere()).toEqual([[]]);
  say({ type: 'filter', filter: 'here' });
  await settled();
  expect(elsewhere().at(-1)).toEqual(['other']);
  say({ type: 'resync' });
  expect(taken().map(({ type }) => type)).toEqual(['snapshot', 'elsewhere']);
  editor.folders.splice(0);
  editor.events.folders.fire(undefined);
  expect(elsewhere()).toEqual([['mine', 'linked', 'above', 'other']]);
  say({ type: 'filter', filter: 'all' });
  expect(elsewhere()).toEqual([[]]);
});

test('UI-2 posts changed left-out sessions, before the patch that adds them', async () => {
  const { change, taken, patch } = opened({ here: true });
  await settled();
  taken();
  const far = aSession({ id: 'far', project: '/far', cwd: '/far' });
  change(patch({ sessions: [far] }), [...sessions, far]);
  change(patch({ sessions: [far] }));
  expect(taken().map((message) => (message.type === 'elsewhere' ? message.sessionIds.join() : message.type))).toEqual([
    'other,far',
    'patch',
    'patch',
  ]);
});

test('UI-4 shows a selected mascot with its card, even if the filter or the person hides it', async () => {
  const { panel, taken, choices } = opened({ here: true });
  await settled();
  taken();
  await panel.select({ sessionId: 'other', agentId: 'other/main' }, true);
  expect(taken()).toEqual([
    { type: 'elsewhere', sessionIds: [] },
    { type: 'select', agentId: 'other/main', open: true },
  ]);
  await panel.select({ sessionId: 'above', agentId: 'above/main' });
  expect([choices.showHidden(), taken().at(-1)]).toEqual([
    true,
    { type: 'select', agentId: 'above/main', open: false },
  ]);
});

test('UI-4 repeats a selection to a page that begins soon after it, and not later', async () => {
  const { panel, taken, say, clock } = opened();
  await panel.select({ sessionId: 'mine', agentId: 'mine/main' }, true);
  const selections = () => taken().filter(({ type }) => type === 'select').length;
  expect(selections()).toBe(1);
  say({ type: 'ready' });
  expect(selections()).toBe(1);
  say({ type: 'ready' });
  expect(selections()).toBe(1);
  clock.advance(5_000);
  say({ type: 'ready' });
  expect(selections()).toBe(0);
});

const story = (sessionId: string): Story => ({ sessionId, steps: [], files: [] });

test('UI-3 the open card’s story comes at once, and again when the session goes on: one request at a time, with a rest between', async () => {
  const { clock, panel, say, asked, taken, change, patch } = opened();
  const stories = () => taken().flatMap((message) => (message.type === 'story' ? [message] : []));
  say({ type: 'story', sessionId: 'mine' });
  for (let count = 0; count < 5; count++) {
    change(patch({ agents: [anAgent({ id: 'mine/main', sessionId: 'mine' })] }));
    change(patch({ sessions: [aSession({ id: 'other' })] }));
  }
  expect(asked.map(({ id }) => id)).toEqual(['mine']);
  asked[0]?.answer(story('mine'));
  await settled();
  clock.advance(399);
  expect([stories(), asked.length]).toEqual([[{ type: 'story', sessionId: 'mine', story: story('mine') }], 1]);
  clock.advance(1);
  expect(asked.length).toBe(2);
  asked[1]?.answer(undefined);
  await settled();
  // UI-8: nothing has changed meanwhile, so nothing is timed.
  expect([stories(), clock.pending()]).toEqual([[{ type: 'story', sessionId: 'mine', story: null }], 0]);
  const mine = patch({ sessions: [aSession({ id: 'mine' })] });
  clock.advance(100);
  for (let count = 0; count < 50; count++) change(mine);
  expect([asked.length, clock.pending()]).toEqual([2, 1]);
  clock.advance(300);
  asked[2]?.answer(story('mine'));
  await settled();
  clock.advance(400);
  change(mine);
  expect([asked.length, clock.pending()]).toEqual([4, 0]);
  asked[3]?.answer(story('mine'));
  await settled();
  change(mine);
  panel.dispose();
  expect(clock.pending()).toBe(0);
});

test('UI-3 UI-8 drops the story of another card, and asks for none without an open card or while hidden', async () => {
  const { say, asked, taken, change, patch, view, visibility } = opened();
  const mine = patch({ sessions: [aSession({ id: 'mine' })] });
  change(mine);
  expect(asked).toEqual([]);
  say({ type: 'story', sessionId: 'other' });
  say({ type: 'story', sessionId: 'mine' });
  asked[0]?.answer(story('other'));
  await settled();
  expect([taken().filter(({ type }) => type === 'story'), asked.map(({ id }) => id)]).toEqual([[], ['other', 'mine']]);
  asked[1]?.answer(story('mine'));
  await settled();
  view.visible = false;
  change(mine);
  expect(asked.length).toBe(2);
  view.visible = true;
  visibility.fire();
  expect(asked.length).toBe(3);
  say({ type: 'story', sessionId: null });
  asked[2]?.answer(story('mine'));
  await settled();
  change(mine);
  expect([taken().filter(({ type }) => type === 'story').length, asked.length]).toEqual([1, 3]);
});

test('UI-3 an action of the card runs its command for that mascot', () => {
  const { say } = opened();
  say({ type: 'act', action: 'focusTerminal', sessionId: 'mine', agentId: 'mine/main' });
  say({ type: 'act', action: 'rename', sessionId: 'mine', agentId: 'mine/main' });
  const ids = { sessionId: 'mine', agentId: 'mine/main' };
  expect(editor.executed.filter(([id]) => id !== 'setContext')).toEqual([
    [commandIds.focusTerminal, ids],
    [commandIds.renameMascot, ids],
  ]);
});

test('UI-1 MWN-1 says filter, Do Not Disturb and foreign owner beside the title', () => {
  expect(opened().view.description).toBe('');
  const { view, say } = opened({ owns: false, raw: { doNotDisturb: true } });
  say({ type: 'filter', filter: 'here' });
  expect(view.description).toBe('here only · muted · via another window');
});

test('UI-5 plays a sound only in a visible panel', () => {
  const { panel, taken, view } = opened();
  taken();
  panel.chime();
  view.visible = false;
  panel.chime();
  expect(taken()).toEqual([{ type: 'chime' }]);
});
