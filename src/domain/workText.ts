import type { WorkItem } from '../protocol/work.ts';
import { quoted, tokensOf } from './plainWords.ts';
import { hasEnded, openNeeds } from './workItems.ts';

const TITLE_MAX = 90;

/** MEM-1: the open items of a project, those that run first, as many as there is room for. */
export function workLines(items: readonly WorkItem[], tokens: number): readonly string[] {
  const open = items.filter((item) => !hasEnded(item)).toSorted((a, b) => order(a) - order(b));
  const head = 'Open work items of this project (`mascot work list` has them all):';
  const lines: string[] = [];
  let room = tokens - tokensOf(head);
  for (const item of open) {
    const line = lineOf(item, items);
    room -= tokensOf(`${line}\n`);
    if (room < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? [] : [head, ...lines];
}

function order({ status }: WorkItem): number {
  return status === 'running' ? 0 : 1;
}

function lineOf(item: WorkItem, items: readonly WorkItem[]): string {
  const needs = openNeeds(item, items);
  const waits = item.status === 'pending' && needs.length > 0 ? `, after ${needs.slice(0, 3).join(', ')}` : '';
  return `- ${item.id} (${item.status}${waits}): ${quoted(item.title, TITLE_MAX)}`;
}
