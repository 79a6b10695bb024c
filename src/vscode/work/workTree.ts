import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { hasEnded } from '../../domain/workItems.ts';
import type { Agent } from '../../protocol/state.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { FirstConnection } from '../firstConnection.ts';
import { viewIds } from '../ids.ts';
import { shortMoments } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import type { Elsewhere } from '../thisWindow.ts';
import type { ViewChoices } from '../viewChoices.ts';
import { gapText, type GuardModes, guardText } from './guardModes.ts';
import { endedLine, fileLine, itemLine, projectLine, type Toucher, touchLine } from './workLines.ts';
import { endedOf, nodeId, type WorkNode, workChildren, workParent, workRoots } from './workNodes.ts';

export interface WorkTreeParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'session' | 'sawWork'>;
  readonly clock: Clock;
  readonly choices: Pick<ViewChoices, 'filter' | 'onChange'>;
  readonly elsewhere: Pick<Elsewhere, 'isHere' | 'onChange'>;
  readonly guard: Pick<GuardModes, 'modes' | 'refresh' | 'onChange'>;
}

/** What the tree shows, for comparison with the next state. */
interface Drawing {
  /** Which lines there are, and in which order. */
  readonly outline: string;
  readonly items: ReadonlyMap<string, DrawnItem>;
}

interface DrawnItem {
  readonly item: WorkItem;
  /** What the lines of its sessions say. */
  readonly touchers: string;
}

/** The shortest time between two updates: many patches come within the time in which nobody could read a line. */
const CALM_MS = 100;

/** UI-1, GRD-1, UI-7: the work items as a tree of the editor, with the sessions that touched them, and to what the guard holds edits. */
export class WorkTree implements Disposable {
  readonly #parts: WorkTreeParts;
  readonly #changed = new vscode.EventEmitter<WorkNode | WorkNode[] | undefined>();
  readonly #touchers: Touchers;
  readonly #moments = shortMoments({ locale: vscode.env.language });
  /** The editor recognises a line by the object that it was given first. */
  readonly #nodes = new Map<string, WorkNode>();
  readonly #connection: FirstConnection;
  readonly #view: vscode.TreeView<WorkNode>;
  readonly #seenItems: SeenItems;
  readonly #disposables: Disposable;
  #calm: Disposable | undefined;
  /** Something changed while the tree was hidden. */
  #isOutdated = false;
  #drawn: Drawing;
  /** The key of an item that is to be revealed as soon as it is there. */
  #wanted: string | undefined;
  /** The next update draws every line. */
  #drawAll = false;

  constructor(parts: WorkTreeParts) {
    const { source, choices, elsewhere, guard } = parts;
    this.#parts = parts;
    this.#touchers = new Touchers(parts);
    this.#connection = new FirstConnection(source);
    this.#drawn = this.#drawing();
    this.#view = vscode.window.createTreeView(viewIds.workItems, {
      treeDataProvider: this.#provider(),
      showCollapseAll: true,
    });
    this.#seenItems = new SeenItems(parts, this.#view);
    this.#disposables = vscode.Disposable.from(
      this.#view,
      this.#changed,
      source.onChange((change) => {
        if (change.type === 'reset') this.#touchers.forget();
        this.#follow();
      }),
      choices.onChange(() => this.#follow()),
      elsewhere.onChange(() => this.#follow()),
      guard.onChange(() => this.#describe()),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        guard.refresh();
        if (this.#isOutdated) this.#refresh();
      }),
    );
    this.#describe();
  }

  /** Reveals an item as soon as it is there, if the tree is visible. The keyboard's focus stays where it is. */
  show(key: string): void {
    this.#wanted = key;
    if (this.#view.visible) this.#follow();
  }

  /** Asks again for everything that was read. Called after something was deleted. */
  reread(): void {
    this.#touchers.forget();
    this.#drawAll = true;
    this.#follow();
  }

  dispose(): void {
    this.#connection.dispose();
    this.#calm?.dispose();
    this.#seenItems.dispose();
    this.#disposables.dispose();
  }

  #provider(): vscode.TreeDataProvider<WorkNode> {
    return {
      onDidChangeTreeData: this.#changed.event,
      getTreeItem: (node) => Object.assign(this.#lineOf(node), { id: nodeId(node) }),
      getChildren: (node) => (node === undefined ? this.#roots() : this.#childrenOf(node)),
      getParent: (node) => {
        const parent = workParent(node, this.#items());
        return parent && this.#kept(parent);
      },
    };
  }

  #items(): readonly WorkItem[] {
    const { source, choices } = this.#parts;
    const { workItems } = source.snapshot();
    return choices.filter() === 'all' ? workItems : workItems.filter((item) => this.#isHere(item));
  }

  #isHere({ project }: { readonly project: string }): boolean {
    return this.#parts.elsewhere.isHere({ project, cwd: project });
  }

  /** The object by which the editor recognises this line. */
  #kept(node: WorkNode): WorkNode {
    const id = nodeId(node);
    const known = this.#nodes.get(id);
    if (known === undefined) this.#nodes.set(id, node);
    return known ?? node;
  }

  #roots(): WorkNode[] | Promise<WorkNode[]> {
    const now = workRoots(this.#items()).map((node) => this.#kept(node));
    const waits = this.#connection.isPending() && now.length === 0;
    return waits ? this.#connection.made().then(() => this.#roots()) : now;
  }

  #childrenOf(node: WorkNode): WorkNode[] | Promise<WorkNode[]> {
    const children = workChildren(node, this.#items()).map((child) => this.#kept(child));
    const sessions = children.flatMap((child) => (child.kind === 'touch' ? [child.sessionId] : []));
    const finding = this.#touchers.find(sessions);
    return finding === undefined ? children : finding.then(() => children);
  }

  #moment(ts: string): string {
    return this.#moments(ts, this.#parts.clock.now());
  }

  #lineOf(node: WorkNode): vscode.TreeItem {
    const items = this.#items();
    if (node.kind === 'project') return projectLine(node, items);
    if (node.kind === 'ended') return endedLine(endedOf(node.project, items).length);
    const item = items.find(({ key }) => key === node.key);
    // The editor may ask once more for a line that has gone.
    if (item === undefined) return new vscode.TreeItem('');
    if (node.kind === 'item') {
      this.#seenItems.add(item);
      const all = this.#parts.source.snapshot().workItems;
      return itemLine(item, { items: all, moment: (ts) => this.#moment(ts) });
    }
    if (node.kind === 'file') return fileLine(node, item.project);
    return touchLine(node, this.#touchers.of(node.sessionId), workChildren(node, [item]).length);
  }

  #drawing(): Drawing {
    const { sessions, agents } = this.#parts.source.snapshot();
    const words = new Map(sessions.map(({ id, title, state, phase }) => [id, [title, state, phase].join('\n')]));
    for (const { sessionId, kind, name } of agents) {
      if (kind === 'main') words.set(sessionId, `${words.get(sessionId) ?? ''}\n${name}`);
    }
    const items = this.#items();
    return {
      outline: items
        .map(({ key, status, startedAt, finishedAt }) => [key, status, startedAt, finishedAt].join(' '))
        .join('\n'),
      items: new Map(
        items.map((item) => [item.key, { item, touchers: item.sessions.map((id) => words.get(id)).join('\n') }]),
      ),
    };
  }

  #follow(): void {
    this.#connection.follow();
    this.#calm ??= this.#parts.clock.after(CALM_MS, () => this.#refresh());
  }

  #refresh(): void {
    this.#calm = undefined;
    this.#describe();
    this.#isOutdated = !this.#view.visible;
    if (this.#isOutdated) return;
    const before = this.#drawn;
    this.#drawn = this.#drawing();
    // The line of an item also names the items that it waits for, so a changed outline draws every line.
    if (this.#drawAll || this.#drawn.outline !== before.outline) {
      this.#drawAll = false;
      this.#forgetNodes();
      this.#changed.fire(undefined);
    } else {
      const news = [...this.#drawn.items].filter(([key, now]) => differs(now, before.items.get(key)));
      if (news.length > 0) this.#changed.fire(news.map(([key]) => this.#kept({ kind: 'item', key })));
    }
    this.#reveal();
  }

  /** Drops the lines of items that are gone, so that they don't gather over a long day. */
  #forgetNodes(): void {
    for (const [id, node] of this.#nodes) {
      if ('key' in node && !this.#drawn.items.has(node.key)) this.#nodes.delete(id);
    }
  }

  #reveal(): void {
    const wanted = this.#wanted === undefined ? undefined : this.#drawn.items.get(this.#wanted)?.item;
    if (wanted === undefined || !this.#view.visible) return;
    this.#wanted = undefined;
    // To reveal an ended item would unfold all ended items.
    if (hasEnded(wanted)) return;
    const node = this.#kept({ kind: 'item', key: wanted.key });
    // The line may be gone by now.
    void Promise.resolve(this.#view.reveal(node, { select: false, focus: false })).catch(() => undefined);
  }

  /** Says above the tree and beside its name why it may show less than one expects, and what the guard does. */
  #describe(): void {
    const { source, choices, guard } = this.#parts;
    const { workItems, guardGaps } = source.snapshot();
    const isNarrowed = choices.filter() === 'here';
    const here = isNarrowed ? phraseFor('describe.here') : '';
    const description = [here, guardText(guard.modes())].filter(Boolean).join(' · ');
    // The editor draws the head of the view for each value that it is given.
    if ((this.#view.description ?? '') !== description) this.#view.description = description;
    const left = isNarrowed ? workItems.filter((item) => !this.#isHere(item)).length : 0;
    const allLeft = left > 0 && left === workItems.length;
    const sentences = [
      gapText(
        guardGaps.filter((gap) => this.#isHere(gap)),
        (ts) => this.#moment(ts),
      ),
      allLeft ? phraseFor('work.elsewhere', { count: left }) : undefined,
    ].filter((sentence) => sentence !== undefined);
    // The welcome shows only while there is no message at all.
    const message = sentences.length === 0 ? undefined : sentences.join(' ');
    const head: { message?: string | undefined } = this.#view;
    if (head.message !== message) head.message = message;
  }
}

/** Entities that did not change are the same objects. */
function differs(now: DrawnItem, before: DrawnItem | undefined): boolean {
  return now.item !== before?.item || now.touchers !== before.touchers;
}

/** How many sessions are asked for at once. The collector has other requests to answer too. */
const AT_ONCE = 8;

/** The sessions that touched an item. Most are over, and each of those is asked for once, when its line is unfolded. */
class Touchers {
  readonly #source: Pick<StateSource, 'snapshot'>;
  readonly #collector: Pick<Collector, 'session'>;
  readonly #past = new Map<string, Toucher | undefined>();
  /** Rises with `forget`, so that an earlier answer is dropped. */
  #round = 0;

  constructor({ source, collector }: Pick<WorkTreeParts, 'source' | 'collector'>) {
    this.#source = source;
    this.#collector = collector;
  }

  /** `undefined` if the session is not stored, or has not been asked for yet. */
  of(sessionId: string): Toucher | undefined {
    return this.#present(sessionId) ?? this.#past.get(sessionId);
  }

  /** Asks for the sessions that the state does not have; `undefined` if there is nothing to ask. */
  find(sessionIds: readonly string[]): Promise<void> | undefined {
    const unknown = sessionIds.filter((id) => !this.#past.has(id) && this.#present(id) === undefined);
    return unknown.length === 0 ? undefined : this.#findAll(unknown);
  }

  /** Called when something was deleted, or when a collector may answer again. */
  forget(): void {
    this.#round++;
    this.#past.clear();
  }

  #present(sessionId: string): Toucher | undefined {
    const { sessions, agents } = this.#source.snapshot();
    const session = sessions.find(({ id }) => id === sessionId);
    return session && { session, mascot: mainName(agents, sessionId) };
  }

  async #findAll(sessionIds: readonly string[]): Promise<void> {
    for (let place = 0; place < sessionIds.length; place += AT_ONCE) {
      await Promise.all(sessionIds.slice(place, place + AT_ONCE).map((id) => this.#findOne(id)));
    }
  }

  async #findOne(sessionId: string): Promise<void> {
    const round = this.#round;
    const found = await this.#collector.session(sessionId);
    if (round !== this.#round) return;
    this.#past.set(sessionId, found && { session: found, mascot: mainName(found.agents, sessionId) });
  }
}

function mainName(agents: readonly Agent[], id: string): string | undefined {
  return agents.find(({ sessionId, kind }) => sessionId === id && kind === 'main')?.name;
}

/** Enough time to read a line. */
const READ_MS = 1_000;

/**
 * GRD-5: reports to the collector which items a person has seen: those shown in the visible tree for a second while the window has
 * the focus.
 */
class SeenItems implements Disposable {
  readonly #parts: Pick<WorkTreeParts, 'source' | 'clock' | 'collector'>;
  readonly #view: Pick<vscode.TreeView<WorkNode>, 'visible'>;
  readonly #shown = new Set<string>();
  readonly #disposables: Disposable;
  #reading: Disposable | undefined;

  constructor(
    parts: Pick<WorkTreeParts, 'source' | 'clock' | 'collector'>,
    view: Pick<vscode.TreeView<WorkNode>, 'visible' | 'onDidChangeVisibility'>,
  ) {
    this.#parts = parts;
    this.#view = view;
    this.#disposables = vscode.Disposable.from(
      view.onDidChangeVisibility(() => this.#look()),
      vscode.window.onDidChangeWindowState(() => this.#look()),
    );
  }

  /** The line of this item has been shown. */
  add({ key, seenAt }: WorkItem): void {
    if (seenAt !== undefined) return;
    this.#shown.add(key);
    this.#look();
  }

  dispose(): void {
    this.#reading?.dispose();
    this.#disposables.dispose();
  }

  #look(): void {
    const isLookedAt = this.#shown.size > 0 && this.#view.visible && vscode.window.state.focused;
    if (!isLookedAt) {
      this.#reading?.dispose();
      this.#reading = undefined;
    } else this.#reading ??= this.#parts.clock.after(READ_MS, () => void this.#report());
  }

  async #report(): Promise<void> {
    this.#reading = undefined;
    const { source, collector } = this.#parts;
    const keys = source
      .snapshot()
      .workItems.flatMap(({ key, seenAt }) => (seenAt === undefined && this.#shown.has(key) ? key : []));
    this.#shown.clear();
    // If no collector answers now, the next look reports them again.
    if (keys.length > 0 && !(await collector.sawWork(keys))) for (const key of keys) this.#shown.add(key);
  }
}
