import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { isThere, summarise } from '../../domain/selectors.ts';
import { isFilter, sessionFilter } from '../../domain/sessionFilter.ts';
import type { Session } from '../../protocol/state.ts';
import { FirstConnection } from '../firstConnection.ts';
import { commandIds, viewIds } from '../ids.ts';
import type { PersonsTime } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import { deliveryLines } from '../relay/deliveryText.ts';
import { storedSessions } from '../sessionPick.ts';
import { hasContent } from '../sessionWords.ts';
import type { ViewChoices } from '../viewChoices.ts';
import { type SessionChoiceCommandId, SessionChoices } from './sessionChoices.ts';
import { SessionHistory } from './sessionHistory.ts';
import { linesTooltip, liveItem, liveLines, pastItem, pastLines } from './sessionLines.ts';
import {
  isLive,
  liveChildren,
  type LiveNode,
  liveRoots,
  pastChildren,
  pastRoots,
  pastSessions,
  type SessionNode,
} from './sessionNodes.ts';

export interface SessionsTreeParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'sessions' | 'deliveries'>;
  readonly clock: Clock;
  /** The workspace's memory. */
  readonly memory: vscode.Memento;
  /** Whether sessions are sent to a chat. */
  readonly relays: () => boolean;
  readonly choices: Pick<ViewChoices, 'showHidden' | 'onChange'>;
  /** Called when the tree comes into view. */
  readonly onShown: () => void;
}

type SessionsTreeCommandId = SessionChoiceCommandId | typeof commandIds.moreSessions;

/** The shortest time between two updates: many patches come within the time in which nobody could read a line. */
const CALM_MS = 100;

/**
 * UI-1, UI-7, CNV-3: the sessions as a tree of the editor, which screen readers read well: those that are there, and below them those
 * that are over. The tree bears the badge, because a webview has none before it was opened for the first time.
 */
export class SessionsTree implements Disposable {
  readonly #parts: SessionsTreeParts;
  readonly #changed = new vscode.EventEmitter<undefined>();
  /** The ids of lines that have, or once had, lines below them. */
  readonly #parents = new Set<string>();
  readonly #connection: FirstConnection;
  readonly #choices: SessionChoices;
  readonly #history: SessionHistory;
  readonly #view: vscode.TreeView<SessionNode>;
  readonly #disposables: Disposable;
  readonly commands: Readonly<Record<SessionsTreeCommandId, () => unknown>>;
  #calm: Disposable | undefined;
  /** Something changed while the tree was hidden. */
  #isOutdated = false;
  /** The mark of the state with which the history was read last. */
  #readMark: string;

  constructor(parts: SessionsTreeParts) {
    const { source, collector, clock, memory } = parts;
    this.#parts = parts;
    this.#connection = new FirstConnection(source);
    this.#choices = new SessionChoices({
      ...{ memory, clock },
      sessions: async () => [
        ...source.snapshot().sessions,
        ...((await storedSessions(collector)) ?? this.#history.sessions()),
      ],
      onChange: (what) => this.#choose(what),
    });
    this.#history = new SessionHistory({
      collector,
      filter: () => this.#choices.filter(),
      onRead: () => this.#follow(),
    });
    this.#readMark = historyMark(source);
    this.commands = { ...this.#choices.commands, [commandIds.moreSessions]: () => this.#history.more() };
    this.#view = vscode.window.createTreeView(viewIds.sessions, {
      treeDataProvider: this.#provider(),
      showCollapseAll: true,
    });
    this.#disposables = vscode.Disposable.from(
      this.#view,
      this.#changed,
      source.onChange(() => this.#follow()),
      parts.choices.onChange(() => this.#follow()),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        parts.onShown();
        if (this.#isOutdated) this.#refresh();
      }),
    );
    this.#showBadge();
  }

  /** Reads the history again. Called after something was deleted. */
  reread(): void {
    this.#history.forget();
    this.#follow();
  }

  dispose(): void {
    this.#connection.dispose();
    this.#calm?.dispose();
    this.#disposables.dispose();
  }

  #provider(): vscode.TreeDataProvider<SessionNode> {
    return {
      onDidChangeTreeData: this.#changed.event,
      getTreeItem: (node) => this.#itemOf(node),
      resolveTreeItem: async (item, node) => await this.#withDeliveries(item, node),
      getChildren: (node) => (node === undefined ? this.#roots() : this.#childrenOf(node)),
    };
  }

  #when(): PersonsTime {
    return { locale: vscode.env.language, now: this.#parts.clock.now() };
  }

  #itemOf(node: SessionNode): vscode.TreeItem {
    const item = isLive(node)
      ? this.#withChildren(node, liveItem(node, this.#parts.source.snapshot()))
      : pastItem(node, this.#when());
    // The editor asks for a missing tooltip when the person points at the line; only then deliveries are asked for.
    if ((node.kind === 'session' || node.kind === 'past') && this.#parts.relays()) delete item.tooltip;
    return item;
  }

  async #withDeliveries(item: vscode.TreeItem, node: SessionNode): Promise<vscode.TreeItem> {
    if ((node.kind !== 'session' && node.kind !== 'past') || item.tooltip !== undefined) return item;
    const { source, collector } = this.#parts;
    const lines = node.kind === 'past' ? pastLines(node.session, this.#when()) : liveLines(node, source.snapshot());
    const deliveries = (await collector.deliveries(node.sessionId)) ?? [];
    item.tooltip = linesTooltip(...lines, ...deliveryLines(deliveries, this.#when()));
    return item;
  }

  /**
   * The editor keeps a line closed that gets its first child later, unless the line has a new id. It gets one once and keeps it, because
   * a new id also loses the place of a person who moves in the tree by the keyboard.
   */
  #withChildren(node: LiveNode, item: vscode.TreeItem): vscode.TreeItem {
    // Agents of one team have the same ids in each of its sessions.
    const id = [node.kind, node.sessionId, node.agentId ?? ''].join(':');
    // Hidden children count too, so that the id does not change when the person shows or hides them.
    if (liveChildren(node, this.#parts.source.snapshot(), true).length > 0) this.#parents.add(id);
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const open = node.kind === 'session' ? Expanded : Collapsed;
    item.collapsibleState = this.#parents.has(id) ? open : None;
    item.id = this.#parents.has(id) ? `${id}+` : id;
    return item;
  }

  #childrenOf(node: SessionNode): SessionNode[] {
    if (node.kind === 'project' || node.kind === 'day') return [...pastChildren(node, this.#when())];
    if (!isLive(node)) return [];
    return liveChildren(node, this.#parts.source.snapshot(), this.#parts.choices.showHidden());
  }

  /** While there is nothing to show, the editor waits for a collector and for the history, and shows that it waits. */
  #roots(): SessionNode[] | Promise<SessionNode[]> {
    if (this.#connection.isPending()) {
      const there = this.#rootsNow();
      return there.length > 0 ? there : this.#connection.made().then(() => this.#roots());
    }
    const reading = this.#history.progress() === 'unread' ? this.#history.refresh() : undefined;
    const now = this.#rootsNow();
    return reading === undefined || now.length > 0 ? now : reading.then(() => this.#rootsNow());
  }

  #rootsNow(): SessionNode[] {
    const { source } = this.#parts;
    const history = this.#history;
    const filter = this.#choices.filter();
    const isWanted = sessionFilter(filter);
    // A person who filters by a title looks for that very session.
    const isListed = (session: Session) => filter.title !== undefined || hasContent(session);
    const { sessions } = source.snapshot();
    const there = sessions.filter((session) => isThere(session) && isWanted(session));
    const past = pastSessions(history.sessions(), sessions).filter((session) => isWanted(session) && isListed(session));
    const all: SessionNode[] = [
      ...liveRoots(there, source.snapshot()),
      ...pastRoots({ sessions: past, history, grouping: this.#choices.grouping(), when: this.#when() }),
    ];
    const matchesNothing = all.length === 0 && isFilter(filter) && history.progress() === 'read';
    return matchesNothing ? [{ kind: 'nothing' }] : all;
  }

  #choose(what: 'filter' | 'grouping'): void {
    if (what === 'filter') this.#history.forget();
    this.#view.message = this.#choices.filterText();
    this.#follow();
  }

  /** Updates the badge now and the lines soon. */
  #follow(): void {
    this.#connection.follow();
    this.#showBadge();
    this.#calm ??= this.#parts.clock.after(CALM_MS, () => this.#refresh());
  }

  #refresh(): void {
    this.#calm = undefined;
    this.#isOutdated = !this.#view.visible;
    if (this.#isOutdated) return;
    const mark = historyMark(this.#parts.source);
    // An unread history is read when the editor asks for the lines.
    if (mark !== this.#readMark && this.#history.progress() !== 'unread' && !this.#connection.isPending()) {
      void this.#history.refresh();
      this.#readMark = mark;
    }
    this.#changed.fire(undefined);
  }

  #showBadge(): void {
    const { waiting: value } = summarise(this.#parts.source.snapshot());
    if ((this.#view.badge?.value ?? 0) === value) return;
    this.#view.badge = value === 0 ? undefined : { value, tooltip: phraseFor('badge.waiting', { count: value }) };
  }
}

/** Changes when the history may have changed: with the sessions that are over, and with the owner. */
function historyMark(source: StateSource): string {
  const { sessions, owner } = source.snapshot();
  const over = sessions.filter((session) => !isThere(session)).map(({ id }) => id);
  return JSON.stringify([source.status(), owner?.instance, over]);
}
