import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import type { Page, StateChange } from '../../app/ports.ts';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import { sessionFilter } from '../../domain/sessionFilter.ts';
import type { SessionsQuery } from '../../protocol/reading.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { Session } from '../../protocol/state.ts';
import type { ViewSource } from '../../protocol/view.ts';
import { clearEditor, editor, FakeEvent, settled } from '../hooks/editor.testkit.ts';
import { commandIds, contextKeys, viewIds } from '../ids.ts';
import { aMemento } from '../memento.testkit.ts';
import { SessionsTree } from './sessionsTree.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const MINUTE = 60_000;
const noon = new Date();
noon.setHours(12, 0, 0, 0);
const now = noon.getTime();

/** Ended so many days and minutes before noon. */
function past(id: string, [days, minutes]: readonly [number, number], changes: Partial<Session> = {}): Session {
  const at = new Date(now - minutes * MINUTE);
  at.setDate(at.getDate() - days);
  const counts = { prompts: 2, replies: 2, toolCalls: 7, failures: 1, subagents: 0, tokensIn: 0, tokensOut: 0 };
  return aSession({
    ...{ id, state: 'completed', phase: null, phaseBecause: null, counts, title: `Title of ${id}` },
    ...{ startedAt: new Date(at.getTime() - 95 * MINUTE).toISOString(), lastEventAt: at.toISOString() },
    ...changes,
  });
}

interface Line {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly iconPath: { id: string };
  readonly contextValue: string;
  readonly collapsibleState: number;
  readonly command?: { command: string; arguments?: unknown[] };
  readonly tooltip?: { value: string };
}

/** All that is stored, newest first; two to a page. */
function opened(stored: readonly Session[], live: readonly Session[] = []) {
  const clock = fakeClock(now);
  const changes = new FakeEvent<StateChange>();
  const asked: SessionsQuery[] = [];
  const world = { stored, live, silent: false, pageSize: 100, status: 'live' as ViewSource };
  const deliveries: Delivery[] = [];
  const agents = () => world.live.map(({ id }) => anAgent({ id: `${id}/main`, sessionId: id, name: `Pico ${id}` }));
  const memory = aMemento();
  const open = () =>
    new SessionsTree({
      source: { snapshot: () => aSnapshot(world.live, agents()), status: () => world.status, onChange: changes.on },
      collector: {
        sessions(query): Promise<Page<Session> | undefined> {
          asked.push(query);
          if (world.silent) return Promise.resolve(undefined);
          const from = Number(query.cursor ?? 0);
          const wanted = world.stored.filter(sessionFilter(query));
          const next = from + world.pageSize;
          const items = wanted.slice(from, next);
          return Promise.resolve({ items, next: next < wanted.length ? String(next) : null });
        },
        deliveries: () => Promise.resolve(deliveries),
      },
      relays: () => deliveries.length > 0,
      ...{ clock, memory, onShown: () => undefined },
      choices: { showHidden: () => false, onChange: () => ({ dispose: () => undefined }) },
    });
  const tree = open();
  const view = editor.trees.get(viewIds.sessions)!;
  const { provider } = view;
  const item = (node: unknown) => provider.getTreeItem(node) as unknown as Line;
  const children = async (node?: unknown) => [...(await provider.getChildren(node))];
  async function lines(node?: unknown, indent = ''): Promise<string[]> {
    const all: string[] = [];
    for (const child of await children(node)) {
      const { label, description, iconPath } = item(child);
      all.push(`${indent}${iconPath.id} ${label} · ${description}`, ...(await lines(child, `${indent}  `)));
    }
    return all;
  }
  /** The first line whose label has this. */
  async function find(label: string, node?: unknown): Promise<unknown> {
    for (const child of await children(node)) {
      if (item(child).label.includes(label)) return child;
      const below = await find(label, child);
      if (below !== undefined) return below;
    }
    return undefined;
  }
  return {
    ...{ world, asked, tree, view, clock, lines, find, item, open, deliveries },
    labels: async () => (await lines()).map((line) => line.replace(/^( *)\S+ (.*?) · .*$/, '$1$2')),
    /** The state changes, and the calm is over. */
    async happen() {
      changes.fire({ type: 'reset' });
      clock.advance(100);
      await settled();
    },
    async run(id: keyof typeof tree.commands, ...answers: string[]) {
      editor.answers.push(...answers);
      await tree.commands[id]();
      clock.advance(100);
      await settled();
    },
  };
}

const stored = [
  past('today', [0, 10]),
  past('gone', [0, 30], { state: 'stale', endReason: 'process_gone', project: '/p/orchard', provider: 'codex' }),
  past('yesterday', [1, 0], { title: '' }),
  past('older', [10, 0], { project: '/p/orchard', title: '$(bug) **bold** <b>' }),
];

test('UI-1 CNV-3 lists past sessions below the live ones, by project and day, the newest first', async () => {
  const { lines } = opened(stored, [aSession({ id: 'live' })]);
  await lines();
  await settled();
  const date = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
  const older = new Date(now);
  older.setDate(older.getDate() - 10);
  const year = older.getFullYear() === noon.getFullYear() ? '' : `, ${older.getFullYear()}`;
  expect(await lines()).toEqual([
    'sync Pico live · harbour · working · by hook',
    'folder harbour · 2',
    '  calendar Today · 1',
    '    circle-outline Title of today · 11:50 · prompts 2, tool calls 7',
    '  calendar Yesterday · 1',
    '    circle-outline Untitled session · 12:00 · prompts 2, tool calls 7',
    'folder orchard · 2',
    '  calendar Today · 1',
    '    debug-disconnect Title of gone · 11:30 · its process is gone · prompts 2, tool calls 7',
    `  calendar ${date.format(older)}${year} · 1`,
    '    circle-outline $(bug) **bold** <b> · 12:00 · prompts 2, tool calls 7',
  ]);
});

test('SES-6 names the worktree of a session, live or past', async () => {
  const worktree = 'fix-lamp';
  const { lines } = opened(
    [past('over', [0, 10], { worktree }), past('beside', [0, 20])],
    [aSession({ id: 'live', worktree })],
  );
  await lines();
  await settled();
  expect(await lines()).toEqual([
    'sync Pico live · harbour · worktree fix-lamp · working · by hook',
    'folder harbour · 2',
    '  calendar Today · 2',
    '    circle-outline Title of over · 11:50 · worktree fix-lamp · prompts 2, tool calls 7',
    '    circle-outline Title of beside · 11:40 · prompts 2, tool calls 7',
  ]);
});

test('CNV-3 names each session’s project when grouped by day, and remembers the grouping for the workspace', async () => {
  const { labels, lines, run, open } = opened(stored);
  await run(commandIds.groupSessionsByDay);
  expect((await labels()).slice(0, 4)).toEqual(['Today', '  Title of today', '  Title of gone', 'Yesterday']);
  expect((await lines())[2]).toContain('11:30 · orchard · its process is gone');
  expect(editor.executed).toContainEqual(['setContext', contextKeys.sessionsByDay, true]);
  editor.executed.length = 0;
  open();
  expect(editor.executed).toContainEqual(['setContext', contextKeys.sessionsByDay, true]);
});

test('CNV-3 UI-7 a line opens the conversation, says all there is to say, and hands its session to the menus', async () => {
  const { find, item } = opened(stored);
  const node = await find('Title of gone');
  expect(node).toMatchObject({ sessionId: 'gone' });
  expect(item(node)).toMatchObject({
    id: 'past:gone',
    contextValue: 'past',
    command: { command: commandIds.openConversation, arguments: [{ sessionId: 'gone' }] },
  });
  const told = item(node).tooltip?.value ?? '';
  expect(told.split('\n\n')).toEqual([
    'Title of gone',
    '/p/orchard',
    'Codex · its process is gone',
    expect.stringMatching(/^09:55:00 · 1 h 35 min$/) as string,
    'Prompts 2 · Tool calls 7 · Failures 1',
  ]);
});

test('RLY-1 shows deliveries to a chat in the tooltip of a past session', async () => {
  const { find, item, deliveries } = opened([past('gone', [0, 30])]);
  const at = new Date(now - MINUTE).toISOString();
  deliveries.push({ kind: 'ended', at, state: 'sent', when: at });
  const node = await find('gone');
  const shown = item(node);
  expect(shown.tooltip).toBeUndefined();
  const { provider } = editor.trees.get(viewIds.sessions)! as unknown as {
    provider: { resolveTreeItem(item: Line, node: unknown): Promise<Line> };
  };
  const { tooltip } = await provider.resolveTreeItem(shown, node);
  expect(tooltip?.value.split('\n\n').slice(-2)).toEqual([
    'Prompts 2 · Tool calls 7 · Failures 1',
    'Chat: end of the session sent 11:59:00',
  ]);
});

test('CNV-3 keeps the ids of lines when sessions are added, so that they stay open and selected', async () => {
  const { find, item, world, happen } = opened(stored.slice(1));
  const ids = async () => {
    const all = [];
    for (const label of ['orchard', 'Today', 'Title of gone']) all.push(item(await find(label)).id);
    return all;
  };
  const before = await ids();
  world.stored = [past('new', [0, 1], { project: '/p/orchard' }), ...stored.slice(1)];
  await happen();
  expect(await ids()).toEqual(before);
});

test('CNV-3 reads the history page by page on demand, and nothing before the tree is shown', async () => {
  const { labels, asked, world, run, tree, view } = opened(stored);
  world.pageSize = 2;
  expect(asked).toEqual([]);
  expect((await labels()).filter((line) => /Title|Untitled|More/.test(line))).toEqual([
    '    Title of today',
    '    Title of gone',
    'More…',
  ]);
  const nodes = await view.provider.getChildren();
  expect((nodes.map((node) => view.provider.getTreeItem(node)) as unknown as Line[])[0]?.description).toBe('1+');
  await run(commandIds.moreSessions);
  expect((await labels()).filter((line) => /Title|Untitled|More|bug/.test(line))).toHaveLength(4);
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '2']);
  tree.dispose();
});

test('CNV-3 moves a session that ends into the history, and reads the newest page again', async () => {
  const live = aSession({ id: 'live', title: 'A task' });
  const { labels, world, happen, asked } = opened(stored, [live]);
  await labels();
  await settled();
  await happen();
  expect(asked.length).toBe(1);
  world.live = [{ ...live, state: 'completed', phase: null, lastEventAt: new Date(now).toISOString() }];
  await happen();
  expect(asked.length).toBe(2);
  expect((await labels()).slice(0, 3)).toEqual(['harbour', '  Today', '    A task']);
  world.stored = [past('live', [0, 0], { title: 'A task' }), ...stored];
  world.live = [];
  await happen();
  expect((await labels()).filter((line) => line.includes('A task'))).toHaveLength(1);
});

test('CNV-3 keeps older pages when the newest is read again, and drops what that page no longer has', async () => {
  const { labels, world, run, happen } = opened(stored);
  world.pageSize = 3;
  await labels();
  await run(commandIds.moreSessions);
  world.live = [past('today', [0, 10])];
  world.stored = stored.filter(({ id }) => id !== 'gone');
  world.pageSize = 2;
  await happen();
  expect((await labels()).filter((line) => line.startsWith('    '))).toEqual([
    '    Title of today',
    '    Untitled session',
    '    $(bug) **bold** <b>',
  ]);
});

test('CNV-3 offers to try again when no collector responds', async () => {
  const { lines, world, run, labels } = opened(stored, [aSession({ id: 'live' })]);
  world.silent = true;
  await lines();
  await settled();
  expect((await lines()).at(-1)).toBe(
    'warning Earlier sessions can’t be read now · No window with the collector responds; try again',
  );
  world.silent = false;
  await run(commandIds.moreSessions);
  expect(await labels()).toContain('harbour');
});

test('CNV-3 UI-8 waits for the first connection, and then shows everything', async () => {
  const { labels, world, asked, happen } = opened(stored);
  [world.status, world.silent] = ['connecting', true];
  const first = labels();
  await happen();
  expect(asked).toEqual([]);
  [world.status, world.silent] = ['live', false];
  await happen();
  expect((await first)[0]).toBe('harbour');
  // The link breaks: what was read stays, and is read anew once the other end tells of something else.
  const before = asked.length;
  [world.status, world.silent] = ['connecting', true];
  await happen();
  expect([(await labels())[0], asked.length]).toEqual(['harbour', before]);
  [world.status, world.silent, world.live] = ['live', false, [past('ended', [0, 1])]];
  await happen();
  expect([(await labels())[0], asked.length]).toEqual(['harbour', before + 1]);
});

test('UI-1 filters live and past sessions by title, project, agent program and days, says so, and can be cleared', async () => {
  const { labels, run, view, asked } = opened(stored, [aSession({ id: 'live', title: 'Live' })]);
  await labels();
  await settled();
  const titles = async () => (await labels()).filter((line) => /^ {4}|Pico/.test(line)).map((line) => line.trim());
  await run(commandIds.filterSessions, 'Title', 'TITLE of');
  await labels();
  await settled();
  expect([await titles(), view.message]).toEqual([
    ['Title of today', 'Title of gone'],
    'Showing only: title with “TITLE of”',
  ]);
  expect(asked.at(-1)).toMatchObject({ title: 'TITLE of' });
  await run(commandIds.filterSessions, 'Agent program', 'Codex');
  await labels();
  await settled();
  expect([await titles(), view.message]).toEqual([['Title of gone'], 'Showing only: title with “TITLE of” · Codex']);
  expect(editor.executed).toContainEqual(['setContext', contextKeys.sessionsFiltered, true]);
  await run(commandIds.clearSessionFilter);
  expect(editor.executed.at(-2)).toEqual(['setContext', contextKeys.sessionsFiltered, false]);
  await labels();
  await settled();
  expect([(await titles()).length, view.message]).toEqual([5, '']);
  await run(commandIds.filterSessions, 'Project', 'orchard');
  await run(commandIds.filterSessions, 'Days', 'last 7 days');
  await labels();
  await settled();
  expect([await titles(), view.message]).toEqual([['Title of gone'], 'Showing only: orchard · last 7 days']);
  await run(commandIds.filterSessions, 'Clear Filter');
  expect(view.message).toBe('');
});

test('UI-1 changes nothing when the person cancels the choice of a filter', async () => {
  const { run, view, labels } = opened(stored);
  await labels();
  await run(commandIds.filterSessions, '-');
  await run(commandIds.filterSessions, 'Title', '-');
  await run(commandIds.filterSessions, 'Title', 'x'.repeat(201));
  await run(commandIds.filterSessions, 'Days', '-');
  expect([view.message ?? '', editor.shown.at(-1)]).toEqual(['', 'pick: Filter Sessions']);
});

test('CNV-4 drops deleted sessions at once, and reads the history again when the tree is shown', async () => {
  const { labels, world, tree, clock } = opened(stored);
  await labels();
  world.stored = stored.slice(1);
  tree.reread();
  clock.advance(100);
  expect((await labels()).join()).not.toContain('Title of today');
});

test('UI-1 offers the projects and programs of all sessions, and can remove each part of a filter', async () => {
  const { labels, run, view } = opened(stored);
  await run(commandIds.filterSessions, 'Project', 'orchard');
  await run(commandIds.filterSessions, 'Agent program', 'Codex');
  await run(commandIds.filterSessions, 'Days', 'last 7 days');
  await run(commandIds.filterSessions, 'Project', '-');
  const offered = () => editor.lists.at(-1)?.map(({ label }) => label);
  expect(offered()).toEqual(['Any project', 'harbour', 'orchard']);
  await run(commandIds.filterSessions, 'Agent program', '-');
  expect(offered()).toEqual(['Any agent program', 'Claude Code', 'Codex']);
  await run(commandIds.filterSessions, 'Project', 'Any project');
  await run(commandIds.filterSessions, 'Days', 'Any time');
  expect(view.message).toBe('Showing only: Codex');
  await run(commandIds.filterSessions, 'Agent program', 'Any agent program');
  expect(view.message).toBe('');
  expect(await labels()).toContain('    Title of today');
});

test('UI-1 says that a filter matches nothing, on a line that clears it', async () => {
  const { lines, run, find, item } = opened(stored);
  await run(commandIds.filterSessions, 'Title', 'no such title');
  await lines();
  await settled();
  expect(await lines()).toEqual(['filter No session matches the filter · Clear Filter']);
  expect(item(await find('No session')).command?.command).toBe(commandIds.clearSessionFilter);
});

test('CNV-3 hides a session without content, unless the filter has a title', async () => {
  const counts = { prompts: 0, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 };
  const { labels, run } = opened([past('empty', [0, 1], { counts }), ...stored]);
  expect((await labels()).join()).not.toContain('Title of empty');
  await run(commandIds.filterSessions, 'Title', 'of empty');
  await labels();
  await settled();
  expect(await labels()).toContain('    Title of empty');
});

test('CNV-3 sorts a session by the day of its last work, not by when its end was noticed', async () => {
  const lastWorkAt = new Date(stored[2]?.lastEventAt ?? '').toISOString();
  const { lines } = opened([past('found late', [0, 5], { lastWorkAt }), ...stored]);
  const harbour = (await lines()).slice(0, 6);
  expect(harbour.map((line) => line.replace(/^( *\S+ .*?) · .*$/, '$1'))).toEqual([
    'folder harbour',
    '  calendar Today',
    '    circle-outline Title of today',
    '  calendar Yesterday',
    expect.stringMatching(/Untitled|found late/) as string,
    expect.stringMatching(/Untitled|found late/) as string,
  ]);
  expect(harbour.find((line) => line.includes('found late'))).toContain('· 12:00 ·');
});
