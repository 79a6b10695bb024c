import { isObject } from '../../forwarder/payload.ts';
import { openNeeds } from '../domain/workItems.ts';
import type { WorkItem } from '../protocol/work.ts';
import { type Answer, objectsIn, textIn } from './answers.ts';
import { age, printable, shortened, table } from './text.ts';

const statuses: readonly WorkItem['status'][] = ['pending', 'running', 'done', 'cancelled'];

/** The collector may be of another version: what is not understood counts as waiting to be begun. */
export function readWorkItem(value: Answer): WorkItem {
  const moment = (key: 'startedAt' | 'finishedAt' | 'startedBy') => {
    const text = textIn(value, key);
    return text === '' ? {} : { [key]: text };
  };
  return {
    key: textIn(value, 'key'),
    id: textIn(value, 'id'),
    title: textIn(value, 'title'),
    status: statuses.find((status) => status === value['status']) ?? 'pending',
    dependencies: textsIn(value, 'dependencies'),
    project: textIn(value, 'project'),
    createdAt: textIn(value, 'createdAt'),
    ...moment('startedAt'),
    ...moment('finishedAt'),
    ...moment('startedBy'),
    workers: objectsIn(value, 'workers').map((each) => ({ session: textIn(each, 'session'), at: textIn(each, 'at') })),
    sessions: textsIn(value, 'sessions'),
    files: textsIn(value, 'files'),
    touches: objectsIn(value, 'touches').map((touch) => ({
      session: textIn(touch, 'session'),
      files: textsIn(touch, 'files'),
    })),
  };
}

/** What a change answers. */
export function readChanged(answer: Answer): { readonly item: WorkItem; readonly changed: boolean } {
  const item = answer['item'];
  return { item: readWorkItem(isObject(item) ? item : {}), changed: answer['changed'] !== false };
}

function textsIn(value: Answer, key: string): string[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

const order: readonly WorkItem['status'][] = ['running', 'pending', 'done', 'cancelled'];

/** Open ones first: what runs, then what was asked for first; then what ended last. */
export function inOrder(items: readonly WorkItem[]): readonly WorkItem[] {
  const rank = ({ status }: WorkItem) => Math.min(order.indexOf(status), order.indexOf('done'));
  return items.toSorted((one, other) => {
    const between = rank(one) - rank(other);
    if (between !== 0) return between;
    const earlier = compare(since(one), since(other));
    return one.status === 'pending' ? earlier : -earlier;
  });
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** When it came to be what it is. */
function since({ status, createdAt, startedAt, finishedAt }: WorkItem): string {
  if (status === 'pending') return createdAt;
  return (status === 'running' ? startedAt : finishedAt) ?? createdAt;
}

export interface ListTelling {
  readonly now: number;
  /** Undefined: of all projects, which are named then. */
  readonly project: string | undefined;
  readonly limit: number;
}

export function workLines(items: readonly WorkItem[], { now, project, limit }: ListTelling): readonly string[] {
  if (items.length === 0) {
    const where = project === undefined ? '' : ` in ${printable(project)}`;
    return [`No work items${where}. Create one with: mascot work create <id> --title "…" --start`];
  }
  const named = project === undefined;
  const rows = inOrder(items)
    .slice(0, limit)
    .map((item) => [
      item.status === 'running' ? '*' : '',
      printable(item.id),
      item.status,
      age(now - Date.parse(since(item))),
      idsText(needsOf(item, items)) || '-',
      ...(named ? [printable(item.project)] : []),
      titleOf(item),
    ]);
  const left = items.length - rows.length;
  return [
    ...table([['', 'ID', 'STATUS', 'SINCE', 'NEEDS', ...(named ? ['PROJECT'] : []), 'TITLE'], ...rows]),
    ...(left > 0 ? [`There are ${left} more: raise --limit.`] : []),
  ];
}

/** Those that are still waited for. */
export function needsOf(item: WorkItem, items: readonly WorkItem[]): readonly string[] {
  return item.status === 'pending' ? openNeeds(item, items) : [];
}

export function idsText(ids: readonly string[]): string {
  return ids.map(printable).join(', ');
}

const TITLE_MAX = 300;

export function titleOf({ title, id }: WorkItem): string {
  return shortened(printable(title), TITLE_MAX) || printable(id);
}

/** How the work goes on, as commands for this one. */
export interface NextCommands {
  start(id: string): string;
  end(id: string): string;
}

const FILES_SHOWN = 50;

export function workItemLines(
  item: WorkItem,
  others: readonly WorkItem[],
  { now, next }: { readonly now: number; readonly next: NextCommands },
): readonly string[] {
  const moment = (ts: string | undefined) =>
    ts === undefined ? '' : `${printable(ts)} (${agoText(now - Date.parse(ts))})`;
  const statusOf = (id: string) => others.find((other) => other.project === item.project && other.id === id)?.status;
  const needs = item.dependencies.map((id) => `${printable(id)} (${statusOf(id) ?? 'unknown'})`).join(', ');
  const by = item.startedBy === undefined ? '' : ` by session ${printable(item.startedBy)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['Title', titleOf(item)],
    ['Status', item.status],
    ['Needs', needs],
    ['Project', printable(item.project)],
    ['Created', moment(item.createdAt)],
    ['Started', item.startedAt === undefined ? '' : `${moment(item.startedAt)}${by}`],
    ['Ended', moment(item.finishedAt)],
  ];
  return [
    printable(item.id),
    ...table(rows.filter(([, text]) => text !== '').map(([name, text]) => [`  ${name}`, text])),
    ...item.touches.flatMap(({ session, files }) => [
      `  Session ${printable(session)} edited ${files.length === 0 ? 'nothing' : `${files.length} ${files.length === 1 ? 'file' : 'files'}:`}`,
      ...files.slice(0, FILES_SHOWN).map((file) => `    ${printable(file)}`),
      ...(files.length > FILES_SHOWN ? [`    … and ${files.length - FILES_SHOWN} more (--json tells them)`] : []),
    ]),
    ...nextLine(item, others, next),
  ];
}

function nextLine(item: WorkItem, others: readonly WorkItem[], next: NextCommands): readonly string[] {
  switch (item.status) {
    case 'running':
      return [`When it is done: ${next.end(item.id)}`];
    case 'pending': {
      const open = needsOf(item, others);
      return open.length === 0
        ? [`Start it with: ${next.start(item.id)}`]
        : [`Before it can start these have to end: ${idsText(open)}`];
    }
    default:
      return [`Open it again with: ${next.start(item.id)}`];
  }
}

function agoText(milliseconds: number): string {
  const words = age(milliseconds);
  return words === 'now' ? 'just now' : `${words} ago`;
}
