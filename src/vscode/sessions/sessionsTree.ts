import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../../app/ports.ts';
import { isThere, summarise } from '../../domain/selectors.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { commandIds, viewIds } from '../ids.ts';
import type { MascotIds } from '../mascots/mascotPick.ts';
import { phraseFor } from '../phrases.ts';
import { projectOf } from '../sessionWords.ts';
import { agentIcon, doingText, sessionDescription, sessionIcon } from './agentWords.ts';

/** Commands of its menus get these as they are. A session stands for its main agent. */
interface Node extends MascotIds {
  readonly kind: 'session' | 'agent';
}

export interface SessionsTreeParts {
  readonly source: StateSource;
  readonly clock: Clock;
  readonly showHidden: () => boolean;
  readonly onChoice: (listener: () => void) => Disposable;
  /** It may be asked now whether hooks are installed. */
  readonly seen: () => void;
}

/** Many patches come within the time in which nobody could read a line. */
const CALM_MS = 100;

/**
 * UI-1, UI-7: the sessions as the editor's own tree, which reads the same without pictures. It bears the badge: a webview has none
 * before it was opened for the first time.
 */
export function createSessionsTree(parts: SessionsTreeParts): Disposable {
  const { source, clock } = parts;
  const changed = new vscode.EventEmitter<undefined>();
  /** Those that have, or had, others below them. */
  const parents = new Set<string>();
  let calm: Disposable | undefined;
  let missed = false;

  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) => withChildren(node, itemOf(node, source.snapshot())),
    getChildren: (node) => childrenOf(node, source.snapshot(), parts.showHidden()),
  };
  const view = vscode.window.createTreeView(viewIds.sessions, { treeDataProvider: provider, showCollapseAll: true });

  /**
   * A line that gets its first child later would stay closed, unless it is another line to the editor. It is that once: whoever
   * moves about in the tree by the keyboard would lose the place each time.
   */
  function withChildren(node: Node, item: vscode.TreeItem): vscode.TreeItem {
    // Agents of one team have the same ids in each of its sessions.
    const id = [node.kind, node.sessionId, node.agentId ?? ''].join(':');
    // Hidden ones count as there: with their parents they come and go as the person chooses.
    if (childrenOf(node, source.snapshot(), true).length > 0) parents.add(id);
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const open = node.kind === 'session' ? Expanded : Collapsed;
    item.collapsibleState = parents.has(id) ? open : None;
    item.id = parents.has(id) ? `${id}+` : id;
    return item;
  }

  function refresh(): void {
    calm = undefined;
    missed = !view.visible;
    if (view.visible) changed.fire(undefined);
  }

  function showBadge(): void {
    const { waiting: value } = summarise(source.snapshot());
    if ((view.badge?.value ?? 0) === value) return;
    view.badge = value === 0 ? undefined : { value, tooltip: phraseFor('badge.waiting', { count: value }) };
  }

  function follow(): void {
    showBadge();
    calm ??= clock.after(CALM_MS, refresh);
  }

  const disposables = vscode.Disposable.from(
    view,
    changed,
    source.onChange(follow),
    parts.onChoice(follow),
    view.onDidChangeVisibility(({ visible }) => {
      if (!visible) return;
      parts.seen();
      if (missed) refresh();
    }),
  );
  showBadge();
  return {
    dispose() {
      calm?.dispose();
      disposables.dispose();
    },
  };
}

/** It has room for a path, or for what somebody said last. */
const TOOLTIP_LINE_MAX = 300;

type State = Pick<Snapshot, 'sessions' | 'agents'>;

/** In the order in which they began: a line that jumps about can't be clicked. */
function childrenOf(node: Node | undefined, state: State, showHidden: boolean): Node[] {
  if (node === undefined) {
    const sessions = state.sessions.filter(isThere).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    return sessions.map(({ id }) => ({ kind: 'session', sessionId: id, agentId: mainOf(id, state)?.id }));
  }
  const mine = state.agents.filter((agent) => agent.sessionId === node.sessionId && agent.present);
  const main = mainOf(node.sessionId, state);
  const helpers = mine.filter((agent) => agent !== main && (showHidden || agent.hidden !== true));
  const isBelow = ({ parentId }: Agent) =>
    node.kind === 'agent' ? parentId === node.agentId : !helpers.some(({ id }) => id === parentId);
  return helpers.filter(isBelow).map(({ id, sessionId }) => ({ kind: 'agent', sessionId, agentId: id }));
}

function mainOf(sessionId: string, { agents }: State): Agent | undefined {
  return agents.find((agent) => agent.sessionId === sessionId && agent.kind === 'main');
}

function itemOf(node: Node, state: State): vscode.TreeItem {
  const session = state.sessions.find(({ id }) => id === node.sessionId);
  const agent = state.agents.find(({ id, sessionId }) => id === node.agentId && sessionId === node.sessionId);
  // What has gone since is asked for once more at times.
  if (session === undefined) return new vscode.TreeItem('');
  const item = node.kind === 'session' ? ofSession(session, agent) : ofAgent(agent, session);
  item.contextValue = [node.kind, agent?.employmentType === 'employee' ? 'pinned' : '', agent?.hidden ? 'hidden' : '']
    .filter(Boolean)
    .join(' ');
  item.accessibilityInformation = { label: `${String(item.label)}: ${String(item.description)}` };
  item.command = {
    command: commandIds.showInPanel,
    title: phraseFor('pick.show'),
    arguments: [{ sessionId: node.sessionId, agentId: node.agentId }],
  };
  return item;
}

function ofSession(session: Session, agent: Agent | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(agent === undefined ? projectOf(session) : agentText(agent.name));
  item.description = sessionDescription(session);
  item.iconPath = sessionIcon(session);
  item.tooltip = tooltip(session.title, agent === undefined ? '' : doingText(agent), session.project || session.cwd);
  return item;
}

function ofAgent(agent: Agent | undefined, session: Session): vscode.TreeItem {
  if (agent === undefined) return new vscode.TreeItem('');
  const item = new vscode.TreeItem(agentText(agent.name));
  item.description = [agentText(agent.type), doingText(agent)].filter(Boolean).join(' · ');
  item.iconPath = agentIcon(agent, session);
  item.tooltip = tooltip(agent.task ?? '', agent.says ?? '');
  return item;
}

function tooltip(...lines: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const [index, line] of lines.filter(Boolean).entries()) {
    if (index > 0) text.appendMarkdown('\n\n');
    text.appendText(agentText(line, TOOLTIP_LINE_MAX));
  }
  return text;
}
