import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { StateChange } from '../../app/ports.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { Agent, Session } from '../../protocol/state.ts';
import { aSession, anAgent, aSnapshot, minutesAgo } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeEvent } from '../hooks/editor.testkit.ts';
import { viewIds } from '../ids.ts';
import { aMemento } from '../memento.testkit.ts';
import { SessionsTree } from './sessionsTree.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

let deliveries: readonly Delivery[] = [];
beforeEach(() => {
  clearEditor();
  deliveries = [];
});

interface Shown {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly iconPath: { id: string; color?: { id: string } };
  readonly contextValue: string;
  readonly collapsibleState: number;
  readonly accessibilityInformation: { label: string };
  readonly command: { command: string; arguments: unknown[] };
  readonly tooltip: { value: string };
}

function opened(sessions: readonly Session[], agents: readonly Agent[], showHidden = false) {
  const clock = fakeClock();
  const changes = new FakeEvent<StateChange>();
  let shown = sessions;
  let there = agents;
  let looks = 0;
  const dispose = new SessionsTree({
    source: { snapshot: () => aSnapshot(shown, there), status: () => 'live', onChange: changes.on },
    collector: {
      sessions: () => Promise.resolve({ items: [], next: null }),
      deliveries: () => Promise.resolve(deliveries),
    },
    relays: () => deliveries.length > 0,
    clock,
    memory: aMemento(),
    choices: { showHidden: () => showHidden, onChange: () => ({ dispose: () => undefined }) },
    onShown: () => void looks++,
  });
  const tree = editor.trees.get(viewIds.sessions)!;
  let refreshed = 0;
  const provider = tree.provider as typeof tree.provider & { onDidChangeTreeData(call: () => void): void };
  provider.onDidChangeTreeData(() => refreshed++);
  const item = (node: unknown) => provider.getTreeItem(node) as unknown as Shown;
  const lines = (node?: unknown, indent = ''): string[] =>
    provider.getChildren(node).flatMap((child) => {
      const { label, description, iconPath, contextValue } = item(child);
      const color = iconPath.color === undefined ? '' : '!';
      return [
        `${indent}${iconPath.id}${color} ${label} · ${description} (${contextValue})`,
        ...lines(child, `${indent}  `),
      ];
    });
  return {
    ...{ clock, tree, lines, dispose },
    first: () => item(provider.getChildren()[0]),
    ids: (): string[] =>
      provider.getChildren().flatMap((node) => [node, ...provider.getChildren(node)].map((each) => item(each).id)),
    counts: () => [refreshed, looks],
    setAgents: (now: readonly Agent[]) => void (there = now),
    change: (now: readonly Session[]) => {
      shown = now;
      changes.fire({ type: 'reset' });
    },
  };
}

const sessions = [
  aSession({ id: 'new', project: '/p/orchard', startedAt: minutesAgo(1), phase: 'waiting_permission' }),
  aSession({ id: 'old', startedAt: minutesAgo(9), title: 'A <b>title</b>' }),
  aSession({ id: 'over', state: 'completed', phase: null }),
];
const agents = [
  anAgent({ id: 'new/main', sessionId: 'new', name: 'Juno', employmentType: 'employee' }),
  anAgent({
    ...{ id: 'new/a', sessionId: 'new', name: 'Waffle', kind: 'subagent', type: 'Explore', parentId: 'new/main' },
    wait: { kind: 'permission', since: minutesAgo(1) },
    mood: 'waiting',
  }),
  anAgent({
    ...{ id: 'old/main', sessionId: 'old', name: 'Pico', mood: 'writing' },
    activity: { tool: 'Edit', mood: 'writing', target: '/p/src/app.ts', since: minutesAgo(1) },
  }),
  anAgent({
    ...{ id: 'old/a', sessionId: 'old', name: 'Otto', kind: 'subagent', parentId: 'old/main', mood: 'running' },
    activity: { tool: 'Bash', mood: 'running', target: 'npm test', since: minutesAgo(1) },
  }),
  anAgent({ id: 'old/b', sessionId: 'old', name: 'Bean', kind: 'subagent', parentId: 'old/a', mood: 'thinking' }),
  anAgent({ id: 'old/c', sessionId: 'old', name: 'Kiwi', kind: 'subagent', parentId: 'old/main', hidden: true }),
  anAgent({ id: 'old/d', sessionId: 'old', name: 'Gone', kind: 'subagent', parentId: 'old/main', present: false }),
];

test('UI-1 UI-7 lists agents in words, in the order of their start, with colour for waits only', () => {
  const { lines } = opened(sessions, agents);
  // The one that is over is told of by the history below.
  expect(lines().slice(0, 5)).toEqual([
    'sync Pico · harbour · working · by hook (session)',
    '  terminal Otto · Running npm test (agent)',
    '    lightbulb Bean · Thinking (agent)',
    'bell-dot! Juno · orchard · needs permission · by hook (session pinned)',
    '  bell-dot! Waffle · Explore · Waiting for your permission (agent)',
  ]);
});

test('AGT-1 lists hidden mascots only while the person wants to see them', () => {
  expect(opened(sessions, agents, true).lines()).toContain('  lightbulb Kiwi · Thinking (agent hidden)');
});

test('UI-7 a line reads without its icon, leads to the mascot, and what agents say in its tooltip is text', () => {
  const { first } = opened(sessions, agents);
  expect(first()).toMatchObject({
    accessibilityInformation: { label: 'Pico: harbour · working · by hook' },
    command: { command: 'agentMascot.showInPanel', arguments: [{ sessionId: 'old', agentId: 'old/main' }] },
    tooltip: { value: 'A <b>title</b>\n\nEditing app.ts\n\n/home/sam/code/harbour' },
    collapsibleState: 2,
  });
});

test('RLY-1 shows deliveries to a chat in the tooltip, asked for when it opens', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  deliveries = [
    { kind: 'reply', at, state: 'sent', when: at },
    { kind: 'question', at, state: 'waiting' },
    { kind: 'reply', at, state: 'givenUp', when: at, why: 'locked' },
  ];
  opened(sessions, agents);
  const provider = editor.trees.get(viewIds.sessions)!.provider as unknown as {
    getChildren(): unknown[];
    getTreeItem(node: unknown): Shown;
    resolveTreeItem(item: Shown, node: unknown): Promise<Shown>;
  };
  const [node] = provider.getChildren();
  const item = provider.getTreeItem(node);
  expect(item.tooltip).toBeUndefined();
  const { tooltip } = await provider.resolveTreeItem(item, node);
  const [title, , , ...told] = tooltip.value.split('\n\n');
  expect(title).toBe('A <b>title</b>');
  expect(told.map((line) => line.replace(/\d\d:\d\d:\d\d/, 'NOW'))).toEqual([
    'Chat: reply sent NOW',
    'Chat: question waits to be sent',
    'Chat: reply given up NOW: the thread was locked',
  ]);
});

test('UI-7 gives a line a new id with its first child, so that it opens, and keeps that id', () => {
  const { first, change, setAgents } = opened(sessions.slice(1), agents.slice(2, 3));
  const seen = [first()];
  for (const now of [agents.slice(2), agents.slice(2, 3)]) {
    setAgents(now);
    change(sessions.slice(1));
    seen.push(first());
  }
  expect(seen.map(({ id, collapsibleState }) => [id, collapsibleState])).toEqual([
    ['session:old:old/main', 0],
    ['session:old:old/main+', 2],
    ['session:old:old/main+', 2],
  ]);
});

test('UI-1 AGT-1 gives sessions of one team different lines, although their agents have the same ids', () => {
  const team = ['one', 'two'].flatMap((sessionId) => [
    anAgent({ id: 'red/leader', sessionId, name: `Lead ${sessionId}` }),
    anAgent({ id: 'red/a', sessionId, name: `Mate ${sessionId}`, kind: 'teammate', parentId: 'red/leader' }),
  ]);
  const { lines, ids } = opened(
    [aSession({ id: 'one', startedAt: minutesAgo(2) }), aSession({ id: 'two', startedAt: minutesAgo(1) })],
    team,
  );
  expect(lines().map((line) => line.trim().split(' ').slice(1, 3).join(' '))).toEqual([
    'Lead one',
    'Mate one',
    'Lead two',
    'Mate two',
  ]);
  expect(new Set(ids()).size).toBe(4);
});

test('UI-1 counts the waiting sessions in the badge, before any view was opened', () => {
  const { tree, change } = opened(sessions, agents);
  tree.visible = false;
  expect(tree.badge).toEqual({ value: 1, tooltip: '1 waiting for you' });
  change(sessions.slice(1));
  expect(tree.badge).toBe(undefined);
});

test('UI-8 refreshes once for many changes, and not while the tree is hidden', () => {
  const { tree, change, clock, counts, dispose } = opened(sessions, agents);
  for (let count = 0; count < 50; count++) change(sessions);
  clock.advance(100);
  expect([counts(), clock.pending()]).toEqual([[1, 0], 0]);
  tree.visible = false;
  change(sessions);
  clock.advance(100);
  expect(counts()).toEqual([1, 0]);
  tree.visible = true;
  tree.changed.fire({ visible: true });
  expect(counts()).toEqual([2, 1]);
  change(sessions);
  dispose.dispose();
  expect(clock.pending()).toBe(0);
});
