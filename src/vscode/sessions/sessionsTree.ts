import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { isThere, summarise } from '../../domain/selectors.ts';
import { isFilter, sessionFilter } from '../../domain/sessionFilter.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { createBeginning } from '../beginning.ts';
import { commandIds, viewIds } from '../ids.ts';
import type { PersonsTime } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import { deliveryLines } from '../relay/deliveryText.ts';
import { storedSessions } from '../sessionPick.ts';
import { hasContent, projectOf } from '../sessionWords.ts';
import { agentIcon, doingText, sessionDescription, sessionIcon } from './agentWords.ts';
import { createHistory } from './history.ts';
import { byLastWork } from './pastDays.ts';
import { pastItem, pastLines } from './pastWords.ts';
import { createSessionChoices, type SessionChoiceCommandId } from './sessionChoices.ts';
import { isLive, type LiveNode, pastChildren, pastRoots, type SessionNode } from './sessionNodes.ts';
import { linesTooltip } from './tooltip.ts';

export interface SessionsTreeParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'sessions' | 'deliveries'>;
  readonly clock: Clock;
  /** Of the workspace. */
  readonly memory: vscode.Memento;
  /** Whether a chat is told of sessions. */
  readonly relays: () => boolean;
  readonly showHidden: () => boolean;
  readonly onChoice: (listener: () => void) => Disposable;
  /** It may be asked now whether hooks are installed. */
  readonly seen: () => void;
}

export type SessionsTreeCommandId = SessionChoiceCommandId | typeof commandIds.moreSessions;

export interface SessionsTree extends Disposable {
  readonly table: Readonly<Record<SessionsTreeCommandId, () => unknown>>;
  /** Something was erased: the history is read anew. */
  erased(): void;
}

/** Many patches come within the time in which nobody could read a line. */
const CALM_MS = 100;

/**
 * UI-1, UI-7, CNV-3: the sessions as the editor's own tree, which reads the same without pictures: those that are there, and below
 * them those that are over. It bears the badge: a webview has none before it was opened for the first time.
 */
export function createSessionsTree(parts: SessionsTreeParts): SessionsTree {
  const { source, clock } = parts;
  const changed = new vscode.EventEmitter<undefined>();
  /** Those that have, or had, others below them. */
  const parents = new Set<string>();
  let calm: Disposable | undefined;
  let missed = false;
  const beginning = createBeginning(source);
  const choices = createSessionChoices({
    ...{ memory: parts.memory, clock },
    sessions: async () => [
      ...source.snapshot().sessions,
      ...((await storedSessions(parts.collector)) ?? history.sessions()),
    ],
    changed(what) {
      if (what === 'filter') history.forget();
      showFilter();
      follow();
    },
  });
  const history = createHistory({ collector: parts.collector, filter: choices.filter, changed: follow });
  const when = (): PersonsTime => ({ locale: vscode.env.language, now: clock.now() });
  /** What of the present says that the history may be another. */
  let known = pastMark(source);

  const provider: vscode.TreeDataProvider<SessionNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) =>
      withoutNews(node, isLive(node) ? withChildren(node, itemOf(node, source.snapshot())) : pastItem(node, when())),
    resolveTreeItem: async (item, node) => await withNews(item, node),
    getChildren(node) {
      if (node === undefined) return roots();
      if (node.kind === 'project' || node.kind === 'day') return [...pastChildren(node, when())];
      return isLive(node) ? childrenOf(node, source.snapshot(), parts.showHidden()) : [];
    },
  };
  const view = vscode.window.createTreeView(viewIds.sessions, { treeDataProvider: provider, showCollapseAll: true });

  /** What a chat was told of it is asked for when somebody looks: the editor asks for a tooltip that is not there yet. */
  function withoutNews(node: SessionNode, item: vscode.TreeItem): vscode.TreeItem {
    if ((node.kind === 'session' || node.kind === 'past') && parts.relays()) delete item.tooltip;
    return item;
  }

  async function withNews(item: vscode.TreeItem, node: SessionNode): Promise<vscode.TreeItem> {
    if ((node.kind !== 'session' && node.kind !== 'past') || item.tooltip !== undefined) return item;
    const lines = node.kind === 'past' ? pastLines(node.session, when()) : liveLines(node, source.snapshot());
    const told = (await parts.collector.deliveries(node.sessionId)) ?? [];
    item.tooltip = linesTooltip(...lines, ...deliveryLines(told, when()));
    return item;
  }

  /** While nothing else can be shown the editor waits for the history, and for whoever may be asked for it, and says that it does. */
  function roots(): SessionNode[] | Promise<SessionNode[]> {
    if (beginning.isOn()) {
      const there = rootsNow();
      return there.length > 0 ? there : beginning.over().then(roots);
    }
    const reading = history.standing() === 'unread' ? history.refresh() : undefined;
    const now = rootsNow();
    return reading === undefined || now.length > 0 ? now : reading.then(rootsNow);
  }

  function rootsNow(): SessionNode[] {
    const filter = choices.filter();
    const isWanted = sessionFilter(filter);
    // Whoever asks for a title means that very session.
    const isListed = (session: Session) => filter.title !== undefined || hasContent(session);
    const { sessions } = source.snapshot();
    const there = sessions.filter((session) => isThere(session) && isWanted(session));
    const past = pastSessions(history.sessions(), sessions).filter((session) => isWanted(session) && isListed(session));
    const all: SessionNode[] = [
      ...liveRoots(there, source.snapshot()),
      ...pastRoots({ sessions: past, history, grouping: choices.grouping(), when: when() }),
    ];
    const matchesNothing = all.length === 0 && isFilter(filter) && history.standing() === 'read';
    return matchesNothing ? [{ kind: 'nothing' }] : all;
  }

  /**
   * A line that gets its first child later would stay closed, unless it is another line to the editor. It is that once: whoever
   * moves about in the tree by the keyboard would lose the place each time.
   */
  function withChildren(node: LiveNode, item: vscode.TreeItem): vscode.TreeItem {
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
    if (missed) return;
    const now = pastMark(source);
    // Nobody has seen it yet: it is read when the editor asks for the lines.
    if (now !== known && history.standing() !== 'unread' && !beginning.isOn()) {
      void history.refresh();
      known = now;
    }
    changed.fire(undefined);
  }

  function showBadge(): void {
    const { waiting: value } = summarise(source.snapshot());
    if ((view.badge?.value ?? 0) === value) return;
    view.badge = value === 0 ? undefined : { value, tooltip: phraseFor('badge.waiting', { count: value }) };
  }

  function showFilter(): void {
    view.message = choices.filterText();
  }

  function follow(): void {
    beginning.follow();
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
    table: { ...choices.table, [commandIds.moreSessions]: () => history.more() },
    erased() {
      history.forget();
      follow();
    },
    dispose() {
      beginning.dispose();
      calm?.dispose();
      disposables.dispose();
    },
  };
}

/** Who is over and who can be asked: when that changes, the history does. */
function pastMark(source: StateSource): string {
  const { sessions, owner } = source.snapshot();
  const over = sessions.filter((session) => !isThere(session)).map(({ id }) => id);
  return JSON.stringify([source.status(), owner?.instance, over]);
}

/** What the present says of a session goes before what was read of it. Newest first. */
function pastSessions(read: readonly Session[], present: readonly Session[]): readonly Session[] {
  const now = new Map(present.map((session) => [session.id, session]));
  return [...read.filter(({ id }) => !now.has(id)), ...present.filter((session) => !isThere(session))].toSorted(
    byLastWork,
  );
}

type State = Pick<Snapshot, 'sessions' | 'agents'>;

/** In the order in which they began: a line that jumps about can't be clicked. */
function liveRoots(there: readonly Session[], state: State): LiveNode[] {
  return there
    .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .map(({ id }) => ({ kind: 'session', sessionId: id, agentId: mainOf(id, state)?.id }));
}

function childrenOf(node: LiveNode, state: State, showHidden: boolean): LiveNode[] {
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

function nodeIn(node: LiveNode, state: State) {
  const session = state.sessions.find(({ id }) => id === node.sessionId);
  const agent = state.agents.find(({ id, sessionId }) => id === node.agentId && sessionId === node.sessionId);
  return { session, agent };
}

function itemOf(node: LiveNode, state: State): vscode.TreeItem {
  const { session, agent } = nodeIn(node, state);
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
  item.tooltip = linesTooltip(...tooltipLines(session, agent));
  return item;
}

function liveLines(node: LiveNode, state: State): readonly string[] {
  const { session, agent } = nodeIn(node, state);
  return session === undefined ? [] : tooltipLines(session, agent);
}

function tooltipLines(session: Session, agent: Agent | undefined): readonly string[] {
  return [session.title, agent === undefined ? '' : doingText(agent), session.project || session.cwd];
}

function ofAgent(agent: Agent | undefined, session: Session): vscode.TreeItem {
  if (agent === undefined) return new vscode.TreeItem('');
  const item = new vscode.TreeItem(agentText(agent.name));
  item.description = [agentText(agent.type), doingText(agent)].filter(Boolean).join(' · ');
  item.iconPath = agentIcon(agent, session);
  item.tooltip = linesTooltip(agent.task ?? '', agent.says ?? '');
  return item;
}
