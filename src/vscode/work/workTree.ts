import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../../app/ports.ts';
import { hasEnded } from '../../domain/workItems.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { createBeginning } from '../beginning.ts';
import { viewIds } from '../ids.ts';
import { shortMoments } from '../moment.ts';
import type { Elsewhere } from '../thisWindow.ts';
import { phraseFor } from '../phrases.ts';
import type { ViewChoices } from '../viewChoices.ts';
import type { GuardStanding } from './guardStanding.ts';
import { gapText, guardText } from './guardWords.ts';
import { createTouchers, type TouchersParts } from './touchers.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { endedOf, nodeId, type WorkNode, workChildren, workParent, workRoots } from './workNodes.ts';
import { endedLine, fileLine, itemLine, projectLine, touchLine, type WorkTelling } from './workWords.ts';

export interface WorkTreeParts {
  readonly source: StateSource;
  readonly collector: TouchersParts['collector'] & Pick<Collector, 'sawWork'>;
  readonly clock: Clock;
  readonly choices: Pick<ViewChoices, 'filter' | 'onChange'>;
  readonly elsewhere: Pick<Elsewhere, 'isHere' | 'onChange'>;
  readonly guard: Pick<GuardStanding, 'modes' | 'again' | 'onChange'>;
}

export interface WorkTree extends Disposable {
  /** Brings an item into sight as soon as it is there, where the tree is to be seen; the focus stays where it is. */
  show(key: string): void;
  /** Something was erased: what was asked for is asked for anew. */
  erased(): void;
}

interface Drawing {
  readonly outline: string;
  readonly items: ReadonlyMap<string, { readonly item: WorkItem; readonly touchers: string }>;
}

/** Many patches come within the time in which nobody could read a line. */
const CALM_MS = 100;

/** UI-1, GRD-1, UI-7: the work items as the editor's own tree, who touched them, and what edits are held to here. */
export function createWorkTree(parts: WorkTreeParts): WorkTree {
  const { source, clock, choices, elsewhere, guard } = parts;
  const changed = new vscode.EventEmitter<WorkNode | WorkNode[] | undefined>();
  const touchers = createTouchers(parts);
  const format = shortMoments({ locale: vscode.env.language });
  const moment = (ts: string) => format(ts, clock.now());
  /** The editor knows a line by the object that it was given first. */
  const nodes = new Map<string, WorkNode>();
  const beginning = createBeginning(source);
  let calm: Disposable | undefined;
  let missed = false;
  let drawn = drawing();
  let wanted: string | undefined;
  let anew = false;

  const view = vscode.window.createTreeView(viewIds.workItems, {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getTreeItem: (node: WorkNode) => Object.assign(lineOf(node), { id: nodeId(node) }),
      getChildren: (node?: WorkNode) => (node === undefined ? roots() : childrenOf(node)),
      getParent: (node: WorkNode) => kept(workParent(node, items())),
    },
    showCollapseAll: true,
  });

  const seeing = createSeeing(parts, view);

  function items(): readonly WorkItem[] {
    const { workItems } = source.snapshot();
    return choices.filter() === 'all' ? workItems : workItems.filter(isHere);
  }

  function isHere({ project }: { readonly project: string }): boolean {
    return elsewhere.isHere({ project, cwd: project });
  }

  function kept<Node extends WorkNode | undefined>(node: Node): Node {
    if (node === undefined) return node;
    const id = nodeId(node);
    const known = nodes.get(id);
    if (known === undefined) nodes.set(id, node);
    return (known ?? node) as Node;
  }

  function roots(): WorkNode[] | Promise<WorkNode[]> {
    const now = workRoots(items()).map(kept);
    return beginning.isOn() && now.length === 0 ? beginning.over().then(roots) : now;
  }

  function childrenOf(node: WorkNode): WorkNode[] | Promise<WorkNode[]> {
    const children = workChildren(node, items()).map(kept);
    const sessions = children.flatMap((child) => (child.kind === 'touch' ? [child.sessionId] : []));
    const finding = touchers.find(sessions);
    return finding === undefined ? children : finding.then(() => children);
  }

  function telling(): WorkTelling {
    return { items: source.snapshot().workItems, moment };
  }

  function lineOf(node: WorkNode): vscode.TreeItem {
    if (node.kind === 'project') return projectLine(node, items());
    if (node.kind === 'ended') return endedLine(node, endedOf(node.project, items()).length);
    const item = items().find(({ key }) => key === node.key);
    // What has gone since is asked for once more at times.
    if (item === undefined) return new vscode.TreeItem('');
    if (node.kind === 'item') {
      seeing.drawn(item);
      return itemLine(item, telling());
    }
    if (node.kind === 'file') return fileLine(node, item.project);
    return touchLine(node, touchers.of(node.sessionId), workChildren(node, [item]).length);
  }

  /** Which lines there are, and what is said in those of each item: unchanged entities are told by identity. */
  function drawing(): Drawing {
    const { sessions, agents } = source.snapshot();
    const said = new Map(sessions.map(({ id, title, state, phase }) => [id, [title, state, phase].join('\n')]));
    for (const { sessionId, kind, name } of agents) {
      if (kind === 'main') said.set(sessionId, `${said.get(sessionId) ?? ''}\n${name}`);
    }
    const present = items();
    return {
      outline: present
        .map(({ key, status, startedAt, finishedAt }) => [key, status, startedAt, finishedAt].join(' '))
        .join('\n'),
      items: new Map(
        present.map((item) => [item.key, { item, touchers: item.sessions.map((id) => said.get(id)).join('\n') }]),
      ),
    };
  }

  function refresh(): void {
    calm = undefined;
    describe();
    missed = !view.visible;
    if (missed) return;
    const before = drawn;
    drawn = drawing();
    // What one item waits for stands in the line of another.
    if (anew || drawn.outline !== before.outline) {
      anew = false;
      forgetNodes();
      changed.fire(undefined);
    } else {
      const news = [...drawn.items].filter(([key, now]) => isOther(now, before.items.get(key)));
      if (news.length > 0) changed.fire(news.map(([key]) => kept<WorkNode>({ kind: 'item', key })));
    }
    reveal();
  }

  /** Those of items that are gone, so that a long day does not gather them. */
  function forgetNodes(): void {
    for (const [id, node] of nodes) if ('key' in node && !drawn.items.has(node.key)) nodes.delete(id);
  }

  function reveal(): void {
    if (wanted === undefined || !view.visible || !drawn.items.has(wanted)) return;
    const node: WorkNode = kept({ kind: 'item', key: wanted });
    const item = drawn.items.get(wanted)?.item;
    wanted = undefined;
    // To bring one of these into sight would unfold all that are over.
    if (item === undefined || hasEnded(item)) return;
    // The line may be gone by now, and then there is nothing to bring into sight.
    void Promise.resolve(view.reveal(node, { select: false, focus: false })).catch(() => undefined);
  }

  /** Above the tree and beside its name: what makes it look other than one might expect, and how the guard stands. */
  function describe(): void {
    const { workItems, guardGaps } = source.snapshot();
    const isNarrowed = choices.filter() === 'here';
    const here = isNarrowed ? phraseFor('describe.here') : '';
    const description = [here, guardText(guard.modes())].filter(Boolean).join(' · ');
    // The editor draws the head of the view for each value that it is given.
    if ((view.description ?? '') !== description) view.description = description;
    const left = isNarrowed ? workItems.filter((item) => !isHere(item)).length : 0;
    const allLeft = left > 0 && left === workItems.length;
    const sentences = [
      gapText(guardGaps.filter(isHere), moment),
      allLeft ? phraseFor('work.elsewhere', { count: left }) : undefined,
    ].filter((sentence) => sentence !== undefined);
    // The welcome shows only where there is no message at all.
    const message = sentences.length === 0 ? undefined : sentences.join(' ');
    const head: { message?: string | undefined } = view;
    if (head.message !== message) head.message = message;
  }

  function follow(): void {
    beginning.follow();
    calm ??= clock.after(CALM_MS, refresh);
  }

  const disposables = vscode.Disposable.from(
    view,
    changed,
    source.onChange((change) => {
      if (change.type === 'reset') touchers.forget();
      follow();
    }),
    choices.onChange(follow),
    elsewhere.onChange(follow),
    guard.onChange(describe),
    view.onDidChangeVisibility(({ visible }) => {
      if (!visible) return;
      guard.again();
      if (missed) refresh();
    }),
  );
  describe();
  return {
    show(key) {
      wanted = key;
      if (view.visible) follow();
    },
    erased() {
      touchers.forget();
      anew = true;
      follow();
    },
    dispose() {
      beginning.dispose();
      calm?.dispose();
      seeing.dispose();
      disposables.dispose();
    },
  };
}

/** Enough time to read a line. */
const READ_MS = 1_000;

/**
 * GRD-5: reports to the collector which items a person has seen: those shown in the visible tree for a second while the window has
 * the focus.
 */
function createSeeing(
  { source, clock, collector }: Pick<WorkTreeParts, 'source' | 'clock' | 'collector'>,
  view: Pick<vscode.TreeView<WorkNode>, 'visible' | 'onDidChangeVisibility'>,
) {
  const drawn = new Set<string>();
  let reading: Disposable | undefined;

  function look(): void {
    const isLookedAt = drawn.size > 0 && view.visible && vscode.window.state.focused;
    if (!isLookedAt) {
      reading?.dispose();
      reading = undefined;
    } else reading ??= clock.after(READ_MS, () => void tell());
  }

  async function tell(): Promise<void> {
    reading = undefined;
    const keys = source
      .snapshot()
      .workItems.flatMap(({ key, seenAt }) => (seenAt === undefined && drawn.has(key) ? key : []));
    drawn.clear();
    // If no collector answers now, the next look reports them again.
    if (keys.length > 0 && !(await collector.sawWork(keys))) for (const key of keys) drawn.add(key);
  }

  const disposables = vscode.Disposable.from(
    view.onDidChangeVisibility(look),
    vscode.window.onDidChangeWindowState(look),
  );
  return {
    drawn({ key, seenAt }: WorkItem): void {
      if (seenAt !== undefined) return;
      drawn.add(key);
      look();
    },
    dispose(): void {
      reading?.dispose();
      disposables.dispose();
    },
  };
}

type Drawn = ReturnType<Drawing['items']['get']>;

function isOther(now: Drawn, before: Drawn): boolean {
  return now?.item !== before?.item || now?.touchers !== before?.touchers;
}
