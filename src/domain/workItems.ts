import type { WorkItem, WorkStatus } from '../protocol/work.ts';
import { hashHex } from './hash.ts';

/** Of an item that goes on for months: what came first stays. */
const SESSIONS_MAX = 200;
const FILES_MAX = 500;

const WORKERS_MAX = 50;

const KEY_DIGITS = 16;

export function workKey(project: string, id: string): string {
  return `${hashHex(project).slice(0, KEY_DIGITS)}/${id}`;
}

export interface NewItem extends Pick<WorkItem, 'id' | 'title' | 'project' | 'dependencies'> {
  readonly madeBy: 'person' | 'agent';
  /** The session that makes the item. */
  readonly madeIn?: string | undefined;
}

export function newItem({ id, title, project, dependencies, madeBy, madeIn }: NewItem, at: string): WorkItem {
  return {
    ...{ key: workKey(project, id), id, title, status: 'pending', project, createdAt: at, madeBy },
    ...(madeIn === undefined ? {} : { madeIn }),
    ...(madeBy === 'person' ? { seenAt: at } : {}),
    dependencies: [...new Set(dependencies)],
    ...{ workers: [], sessions: [], files: [], touches: [] },
  };
}

/** An ended one is opened again. */
export function startedItem({ finishedAt: _ended, ...item }: WorkItem, at: string, session?: string): WorkItem {
  const { startedBy: _before, ...rest } = item;
  return {
    ...rest,
    status: 'running',
    startedAt: at,
    ...(session === undefined ? {} : { startedBy: session }),
    workers: session === undefined ? [] : [{ session, at }],
  };
}

/** GRD-5: marks an item as seen by a person; returns the same object if it was seen before. */
export function seenItem(item: WorkItem, at: string): WorkItem {
  return item.seenAt === undefined ? { ...item, seenAt: at } : item;
}

/** Another session works on what runs already; the same item when it said so last. */
export function joinedItem(item: WorkItem, at: string, session: string): WorkItem {
  if (item.workers.at(-1)?.session === session) return item;
  const others = item.workers.filter((worker) => worker.session !== session);
  return { ...item, workers: [...others, { session, at }].slice(-WORKERS_MAX) };
}

export function endedItem(item: WorkItem, status: 'done' | 'cancelled', at: string): WorkItem {
  return { ...item, status, finishedAt: at };
}

export function hasEnded({ status }: { readonly status: WorkStatus }): boolean {
  return status === 'done' || status === 'cancelled';
}

/** What has to end before it may begin. One that is not there any more is waited for by nobody. */
export function openNeeds(item: WorkItem, items: readonly WorkItem[]): readonly string[] {
  const open = new Set(items.filter((each) => each.project === item.project && !hasEnded(each)).map(({ id }) => id));
  return item.dependencies.filter((id) => open.has(id));
}

/** Whether an item waits for itself in the end: then neither could ever begin. */
export function waitsForItself(item: WorkItem, items: readonly WorkItem[]): boolean {
  const seen = new Set<string>();
  const open = [...item.dependencies];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === item.id) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(items.find((each) => each.project === item.project && each.id === id)?.dependencies ?? []));
  }
  return false;
}

/** Those whose last need was this one. */
export function freedBy(ended: WorkItem, items: readonly WorkItem[]): readonly WorkItem[] {
  return items.filter(
    (item) =>
      item.project === ended.project &&
      item.status === 'pending' &&
      item.dependencies.includes(ended.id) &&
      openNeeds(item, items).length === 0,
  );
}

/**
 * For which item something is done in a project at that moment: for the one that its own session said last to work on, else
 * for the one that was started last by anybody.
 */
export function itemAt(
  items: readonly WorkItem[],
  { project, session, at }: { readonly project: string; readonly session: string; readonly at: string },
): WorkItem | undefined {
  const running = items
    .filter((item) => item.project === project && ranAt(item, at))
    .toSorted((a, b) => compare(a.startedAt, b.startedAt));
  const own = running
    .flatMap((item) => {
      const worker = item.workers.find((each) => each.session === session);
      return worker ? [{ item, at: worker.at }] : [];
    })
    .toSorted((a, b) => compare(a.at, b.at));
  return own.at(-1)?.item ?? running.at(-1);
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : Number(a > b);
}

function ranAt({ status, startedAt, finishedAt }: WorkItem, at: string): boolean {
  if (startedAt === undefined || startedAt > at) return false;
  return status === 'running' || (finishedAt !== undefined && at < finishedAt);
}

/** The same item when it is known already. */
export function touched(item: WorkItem, session: string, files: readonly string[]): WorkItem {
  const before = item.touches.find((touch) => touch.session === session);
  if (!before && item.touches.length >= SESSIONS_MAX) return item;
  const room = FILES_MAX - item.touches.reduce((sum, touch) => sum + touch.files.length, 0);
  const fresh = [...new Set(files)].filter((file) => !before?.files.includes(file)).slice(0, Math.max(0, room));
  if (before && fresh.length === 0) return item;
  const touch = { session, files: [...(before?.files ?? []), ...fresh] };
  return withTouches(
    item,
    before ? item.touches.map((each) => (each === before ? touch : each)) : [...item.touches, touch],
  );
}

/** The same item when the session never touched it. */
export function withoutTouches(item: WorkItem, session: string): WorkItem {
  const touches = item.touches.filter((touch) => touch.session !== session);
  return touches.length === item.touches.length ? item : withTouches(item, touches);
}

/** CNV-4: as if these sessions had never been. */
export function withoutSessions(item: WorkItem, gone: ReadonlySet<string>): WorkItem {
  const { madeIn, startedBy, ...rest } = item;
  const isGone = [madeIn, startedBy].some((session) => session !== undefined && gone.has(session));
  const touches = item.touches.filter(({ session }) => !gone.has(session));
  const workers = item.workers.filter(({ session }) => !gone.has(session));
  const count = item.touches.length + item.workers.length;
  if (!isGone && touches.length + workers.length === count) return item;
  const kept = {
    ...(madeIn === undefined || gone.has(madeIn) ? {} : { madeIn }),
    ...(startedBy === undefined || gone.has(startedBy) ? {} : { startedBy }),
  };
  return withTouches({ ...rest, ...kept, workers }, touches);
}

function withTouches(item: WorkItem, touches: WorkItem['touches']): WorkItem {
  return {
    ...item,
    touches,
    sessions: touches.map(({ session }) => session),
    files: [...new Set(touches.flatMap(({ files }) => files))],
  };
}
