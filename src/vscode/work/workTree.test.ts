import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, anAgent } from '../../../test/webview/fixtures.ts';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { GuardGap, Snapshot } from '../../protocol/state.ts';
import type { SessionWithAgents } from '../../protocol/reading.ts';
import { clearEditor, editor, FakeEvent, settled } from '../hooks/editor.testkit.ts';
import { viewIds } from '../ids.ts';
import type { ProjectMode } from './guardModes.ts';
import { WorkTree } from './workTree.ts';
import { anItem, aSource, at, ended, NOON, running } from './work.testkit.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

interface Line {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly iconPath: { id: string; color?: { id: string } };
  readonly contextValue: string;
  readonly collapsibleState: number;
  readonly accessibilityInformation: { label: string };
  readonly tooltip: { value: string };
  readonly command: { command: string; arguments: unknown[] };
}

function opened(first: Partial<Snapshot>, stored: Readonly<Record<string, SessionWithAgents>> = {}) {
  const clock = fakeClock(NOON);
  const { source, change, now } = aSource(first);
  const choices = new FakeEvent<void>();
  const guard = new FakeEvent<void>();
  const here = { filter: 'all' as 'all' | 'here', projects: ['/p/harbour'], modes: [] as readonly ProjectMode[] };
  const asked: string[] = [];
  const saw: (readonly string[])[] = [];
  const answers = { saw: true };
  const tree = new WorkTree({
    source,
    clock,
    collector: {
      session: (id) => Promise.resolve((asked.push(id), stored[id])),
      sawWork: (keys) => Promise.resolve((saw.push(keys), answers.saw)),
    },
    choices: { filter: () => here.filter, onChange: choices.on },
    elsewhere: {
      isHere: ({ project }) => here.projects.includes(project),
      onChange: () => ({ dispose: () => undefined }),
    },
    guard: { modes: () => here.modes, refresh: () => undefined, onChange: guard.on },
  });
  const view = editor.trees.get(viewIds.workItems)!;
  const refreshed: unknown[] = [];
  const provider = view.provider as typeof view.provider & { onDidChangeTreeData(call: (what: unknown) => void): void };
  provider.onDidChangeTreeData((what) => refreshed.push(what));
  const line = (node: unknown) => provider.getTreeItem(node) as unknown as Line;
  const children = async (node?: unknown) => (await provider.getChildren(node)) as readonly unknown[];
  async function lines(node?: unknown, indent = ''): Promise<string[]> {
    const all: string[] = [];
    for (const child of await children(node)) {
      const { iconPath, label, description, contextValue } = line(child);
      all.push(
        `${indent}${iconPath.id} ${label} · ${description} (${contextValue})`,
        ...(await lines(child, `${indent}  `)),
      );
    }
    return all;
  }
  return {
    ...{ clock, change, now, here, choices, guard, asked, saw, answers, tree, view, refreshed, line, children, lines },
  };
}

const touched = [
  { session: 'live', files: ['src/app.ts', 'src/net/ask.ts'] },
  { session: 'over', files: ['README.md'] },
];
const sessions = [aSession({ id: 'live', title: 'Mend <b>the</b> net' })];
const agents = [anAgent({ id: 'live/main', sessionId: 'live', name: 'Juno' })];
const over = {
  over: {
    ...aSession({ id: 'over', state: 'completed', phase: null, title: '' }),
    agents: [anAgent({ id: 'over/main', sessionId: 'over', name: 'Pico' })],
  },
};

test('UI-1 GRD-1 lists running items, then pending ones with what they wait for, then the ended ones, closed', async () => {
  const { lines } = opened({
    workItems: [
      ended('old', 'done'),
      ended('given-up', 'cancelled', { finishedAt: at(20) }),
      anItem('release', { dependencies: ['net', 'docs', 'old', 'gone'], createdAt: at(5) }),
      anItem('docs', { title: 'docs' }),
      running('net', { title: 'Mend the net' }),
    ],
  });
  expect(await lines()).toEqual([
    'play-circle Mend the net · since 14:02 · net (work running)',
    'circle-large-outline docs · ready (work pending)',
    'lock Do release · waits for net, docs · release (work pending)',
    'archive Ended · 2 (workEnded)',
    '  circle-slash Do given-up · cancelled 14:20 · given-up (work cancelled)',
    '  pass Do old · done 14:10 · old (work done)',
  ]);
});

test('UI-1 GRD-1 below an item stand the sessions that touched it, and the files of each, also of sessions long over', async () => {
  const { lines, asked } = opened({ sessions, agents, workItems: [running('net', { touches: touched })] }, over);
  expect(await lines()).toEqual([
    'play-circle Do net · since 14:02 · net (work running)',
    '  sync Mend <b>the</b> net · Juno · 2 files (toucher there)',
    '    file app.ts · src (workFile)',
    '    file ask.ts · src/net (workFile)',
    '  comment-discussion Pico · 1 file (toucher)',
    '    file README.md ·  (workFile)',
  ]);
  await lines();
  expect(asked).toEqual(['over']);
});

test('UI-1 a session’s line leads to its mascot while it is there, else to its conversation; a file’s line to the file', async () => {
  const { children, line } = opened({ sessions, agents, workItems: [running('net', { touches: touched })] }, over);
  const [item] = await children();
  const [live, past] = await children(item);
  const [file] = await children(live);
  expect([line(live).command, line(past).command, line(file).command]).toMatchObject([
    { command: 'agentMascot.showInPanel', arguments: [{ sessionId: 'live' }] },
    { command: 'agentMascot.openConversation', arguments: [{ sessionId: 'over' }] },
    { command: 'agentMascot.openWorkFile', arguments: [{ key: '/p/harbour/net', file: 'src/app.ts' }] },
  ]);
  expect(line(file)).toMatchObject({ resourceUri: { path: '/p/harbour/src/app.ts' } });
});

test('UI-7 each line reads without its icon and colour, and the tooltip has title, id, times, needs and who touched it, as text', async () => {
  const { children, line } = opened({
    workItems: [
      running('net', { title: '$(bug) [x](command:y)', dependencies: ['old'], touches: touched }),
      ended('old', 'done'),
    ],
  });
  const [item] = await children();
  const { accessibilityInformation, tooltip, iconPath } = line(item);
  expect(accessibilityInformation.label).toBe('$(bug) [x](command:y): running since 14:02 · net');
  expect(tooltip.value.split('\n\n')).toEqual([
    '$(bug) [x](command:y)',
    'net',
    'running since 14:02',
    'needs old (met)',
    'sessions 2, files 3',
    '/p/harbour',
  ]);
  expect(iconPath.color?.id).toBe('charts.blue');
});

test('UI-1 items of several projects are grouped by project, and the filter of the panel leaves the others out', async () => {
  const { lines, here, choices, clock, view } = opened({
    workItems: [running('net'), anItem('tree', { project: '/p/orchard' })],
  });
  expect(await lines()).toEqual([
    'folder harbour · 1 open (workProject)',
    '  play-circle Do net · since 14:02 · net (work running)',
    'folder orchard · 1 open (workProject)',
    '  circle-large-outline Do tree · ready · tree (work pending)',
  ]);
  here.filter = 'here';
  choices.fire();
  clock.advance(100);
  expect([await lines(), view.description, view.message]).toEqual([
    ['play-circle Do net · since 14:02 · net (work running)'],
    'here only',
    undefined,
  ]);
  here.projects = [];
  choices.fire();
  clock.advance(100);
  expect([await lines(), view.message]).toEqual([[], 'Work items of other folders are left out: 2.']);
});

const gaps: readonly GuardGap[] = [
  { project: '/p/harbour', count: 3, lastAt: at(2) },
  { project: '/p/orchard', count: 9, lastAt: at(30) },
];

test('GRD-3 the view says calmly that the guard could not be asked, of this window’s projects, and what edits are held to', () => {
  const { view, here, guard, change, clock } = opened({ guardGaps: [...gaps] });
  expect([view.message, view.description]).toEqual([
    'The guard could not be asked for 3 edits, last at 14:02; they went through.',
    undefined,
  ]);
  here.modes = [{ project: '/p/harbour', mode: 'strict' }];
  guard.fire();
  expect(view.description).toBe('strict guard');
  here.modes = [{ project: '/p/orchard', mode: 'off' }, ...here.modes];
  guard.fire();
  expect(view.description).toBe('strict guard (harbour)');
  here.modes = [{ project: '/p/harbour', mode: 'off' }];
  guard.fire();
  change({ guardGaps: [] });
  clock.advance(100);
  expect([view.message, view.description]).toEqual([undefined, '']);
});

test('UI-8 many changes are one refresh of the one item that changed; nobody sees it, nothing is drawn until somebody does', async () => {
  const workItems = [running('net'), anItem('docs')];
  const { change, clock, refreshed, view, children } = opened({ workItems, sessions, agents });
  const [first] = await children();
  for (let count = 0; count < 20; count++) {
    change({ workItems: [running('net', { touches: touched }), ...workItems.slice(1)] });
  }
  clock.advance(100);
  expect(refreshed).toEqual([[first]]);
  expect((refreshed[0] as unknown[])[0]).toBe(first);
  change({ sessions: [...sessions, aSession({ id: 'other' })] });
  clock.advance(100);
  expect(refreshed.length).toBe(1);
  view.visible = false;
  change({ workItems: [running('net', { status: 'done', finishedAt: at(9) }), ...workItems.slice(1)] });
  clock.advance(100);
  expect(refreshed.length).toBe(1);
  view.visible = true;
  view.changed.fire({ visible: true });
  expect(refreshed.slice(1)).toEqual([undefined]);
});

test('UI-1 draws an item again when its session is renamed, and after a deletion', async () => {
  const { change, clock, refreshed, tree, asked, lines } = opened(
    { workItems: [running('net', { touches: touched })], sessions, agents },
    over,
  );
  await lines();
  change({ sessions: [aSession({ id: 'live', title: 'Another' })] });
  clock.advance(100);
  expect(refreshed).toEqual([[expect.objectContaining({ kind: 'item' })]]);
  tree.reread();
  clock.advance(100);
  await lines();
  expect([refreshed.at(-1), asked]).toEqual([undefined, ['over', 'over']]);
});

test('UI-7 reveals an item that was started here without taking the focus, and not in a hidden tree', async () => {
  const { tree, view, change, clock, children } = opened({ workItems: [anItem('docs')] });
  tree.show('/p/harbour/net');
  clock.advance(100);
  expect(view.revealed).toEqual([]);
  change({ workItems: [anItem('docs'), running('net')] });
  clock.advance(100);
  const [node] = await children();
  expect(view.revealed).toEqual([[node, { select: false, focus: false }]]);
  expect(view.provider).toHaveProperty('getParent');
  change({ workItems: [anItem('docs'), ended('net', 'done')] });
  tree.show('/p/harbour/net');
  clock.advance(100);
  view.visible = false;
  tree.show('/p/harbour/docs');
  clock.advance(100);
  expect(view.revealed.length).toBe(1);
});

test('UI-1 waits for the first connection instead of showing an empty tree', async () => {
  const { children, change, now, tree } = opened({});
  now.status = 'connecting';
  let shown: readonly unknown[] | undefined;
  void children().then((nodes) => (shown = nodes));
  await settled();
  expect(shown).toBe(undefined);
  change({ workItems: [anItem('docs')] });
  await settled();
  expect(shown?.length).toBe(1);
  tree.dispose();
});

test('GRD-5 reports items that were visible for a second in a window with the focus', async () => {
  const tree = opened({ workItems: [anItem('a'), anItem('b', { seenAt: at(1) }), ended('old', 'done')] });
  await tree.children();
  tree.view.provider.getTreeItem({ kind: 'item', key: '/p/harbour/a' });
  tree.view.provider.getTreeItem({ kind: 'item', key: '/p/harbour/b' });
  tree.clock.advance(999);
  const early = tree.saw.length;
  tree.clock.advance(1);
  await settled();
  expect([early, tree.saw]).toEqual([0, [['/p/harbour/a']]]);
});

test.each([
  ['in a hidden tree', (tree: ReturnType<typeof opened>) => (tree.view.visible = false)],
  ['in a window without the focus', () => (editor.state.focused = false)],
])('GRD-5 what stands %s was seen by nobody, until the person is back', async (_name, leave) => {
  const tree = opened({ workItems: [anItem('a')] });
  leave(tree);
  tree.view.provider.getTreeItem({ kind: 'item', key: '/p/harbour/a' });
  tree.clock.advance(60_000);
  const away = tree.saw.length;
  [tree.view.visible, editor.state.focused] = [true, true];
  tree.view.changed.fire({ visible: true });
  tree.clock.advance(1_000);
  await settled();
  expect([away, tree.saw]).toEqual([0, [['/p/harbour/a']]]);
});

test('GRD-5 does not report items shown for less than a second, and repeats a report that failed', async () => {
  const tree = opened({ workItems: [anItem('a')] });
  tree.view.provider.getTreeItem({ kind: 'item', key: '/p/harbour/a' });
  tree.clock.advance(500);
  editor.state.focused = false;
  editor.events.window.fire(undefined);
  tree.clock.advance(60_000);
  const left = tree.saw.length;
  tree.answers.saw = false;
  for (const _time of [1, 2]) {
    editor.state.focused = true;
    editor.events.window.fire(undefined);
    tree.clock.advance(1_000);
    await settled();
    tree.answers.saw = true;
  }
  editor.events.window.fire(undefined);
  tree.clock.advance(60_000);
  expect([left, tree.saw]).toEqual([0, [['/p/harbour/a'], ['/p/harbour/a']]]);
});
