import { hasEnded } from '../../domain/workItems.ts';
import type { WorkItem } from '../../protocol/work.ts';

/** The line of a project; only there if several projects have items. */
export interface WorkProjectNode {
  readonly kind: 'project';
  readonly project: string;
}

/** The line above the ended items of a project. */
export interface EndedNode {
  readonly kind: 'ended';
  readonly project: string;
}

export interface ItemNode {
  readonly kind: 'item';
  readonly key: string;
}

/** A session that touched an item. Commands of sessions take this node as their argument. */
export interface TouchNode {
  readonly kind: 'touch';
  readonly key: string;
  readonly sessionId: string;
}

export interface FileNode {
  readonly kind: 'file';
  readonly key: string;
  readonly sessionId: string;
  readonly file: string;
}

export type WorkNode = WorkProjectNode | EndedNode | ItemNode | TouchNode | FileNode;

export function nodeId(node: WorkNode): string {
  switch (node.kind) {
    case 'project':
    case 'ended':
      return `${node.kind}:${node.project}`;
    case 'item':
      return `item:${node.key}`;
    case 'touch':
      return `touch:${node.key}:${node.sessionId}`;
    case 'file':
      return `file:${node.key}:${node.sessionId}:${node.file}`;
  }
}

export function workRoots(items: readonly WorkItem[]): readonly WorkNode[] {
  const projects = [...new Set(items.map(({ project }) => project))];
  const [only] = projects;
  if (projects.length > 1) return projects.toSorted(compare).map((project) => ({ kind: 'project', project }));
  return only === undefined ? [] : projectNodes(only, items);
}

export function workChildren(node: WorkNode, items: readonly WorkItem[]): readonly WorkNode[] {
  switch (node.kind) {
    case 'project':
      return projectNodes(node.project, items);
    case 'ended':
      return itemNodes(endedOf(node.project, items));
    case 'item':
      return touchesOf(node, items).map(({ session }) => ({ kind: 'touch', key: node.key, sessionId: session }));
    case 'touch': {
      const { key, sessionId } = node;
      const touch = touchesOf(node, items).find(({ session }) => session === sessionId);
      return (touch?.files ?? []).map((file) => ({ kind: 'file', key, sessionId, file }));
    }
    case 'file':
      return [];
  }
}

/** `undefined` if the line is at the top, or not there. */
export function workParent(node: WorkNode, items: readonly WorkItem[]): WorkNode | undefined {
  if (node.kind === 'project') return undefined;
  if (node.kind === 'touch') return { kind: 'item', key: node.key };
  if (node.kind === 'file') return { kind: 'touch', key: node.key, sessionId: node.sessionId };
  const item = node.kind === 'item' ? items.find(({ key }) => key === node.key) : undefined;
  if (item && hasEnded(item)) return { kind: 'ended', project: item.project };
  const project = node.kind === 'ended' ? node.project : item?.project;
  const isGrouped = items.some((other) => other.project !== project);
  return project !== undefined && isGrouped ? { kind: 'project', project } : undefined;
}

/** The running items in the order in which they began, then the pending ones in the order in which they were made. */
export function openItems(items: readonly WorkItem[]): readonly WorkItem[] {
  const inOrder = items.toSorted((a, b) => compare(a.startedAt ?? a.createdAt, b.startedAt ?? b.createdAt));
  return [...inOrder.filter(isRunning), ...inOrder.filter(({ status }) => status === 'pending')];
}

export function isRunning({ status }: WorkItem): boolean {
  return status === 'running';
}

/** The ended items, the last to end first. */
export function endedItems(items: readonly WorkItem[]): readonly WorkItem[] {
  return items.filter(hasEnded).toSorted((a, b) => compare(b.finishedAt ?? '', a.finishedAt ?? ''));
}

function projectNodes(project: string, items: readonly WorkItem[]): readonly WorkNode[] {
  const mine = items.filter((item) => item.project === project);
  const open = itemNodes(openItems(mine));
  return endedOf(project, items).length === 0 ? open : [...open, { kind: 'ended', project }];
}

export function endedOf(project: string, items: readonly WorkItem[]): readonly WorkItem[] {
  return endedItems(items.filter((item) => item.project === project));
}

function itemNodes(items: readonly WorkItem[]): readonly ItemNode[] {
  return items.map(({ key }) => ({ kind: 'item', key }));
}

function touchesOf({ key }: { readonly key: string }, items: readonly WorkItem[]): WorkItem['touches'] {
  return items.find((item) => item.key === key)?.touches ?? [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
