import type { WorkItem } from '../protocol/work.ts';
import { tokensOf } from './plainWords.ts';
import { type AgentWords, type ContextPart, itemName, joined, ours, quotedAgent, quotedPerson } from './provenance.ts';
import type { PersonWords } from '../protocol/stored.ts';
import { hasEnded, openNeeds } from './workItems.ts';

const TITLE_MAX = 90;
const ID_MAX = 80;

/**
 * GRD-5: may agents get an item's title? Yes if a person made the item, or once a person has seen or started it. An unknown author counts
 * as an agent.
 */
export function mayTellTitle({ madeBy, seenAt }: WorkItem, agentWords: boolean): boolean {
  return madeBy === 'person' || (agentWords && seenAt !== undefined);
}

/** An item for an agent's context. */
export function itemText(item: WorkItem, agentWords: boolean): ContextPart {
  return ours`${itemName(item.id, ID_MAX)}: ${titleText(item, agentWords)}`;
}

export function titleText(item: WorkItem, agentWords: boolean): ContextPart {
  const { madeBy, title } = item;
  if (!mayTellTitle(item, agentWords)) return ours`made by an agent`;
  if (madeBy === 'person') return quotedPerson(title as PersonWords, TITLE_MAX);
  return ours`an agent titled it ${quotedAgent(title as AgentWords, TITLE_MAX)}`;
}

/** MEM-1: the open items of a project, those that run first, as many as there is room for. */
export function workLines(items: readonly WorkItem[], tokens: number, agentWords: boolean): readonly ContextPart[] {
  const open = items.filter((item) => !hasEnded(item)).toSorted((a, b) => order(a) - order(b));
  const head = ours`Open work items of this project (\`mascot work list\` has them all):`;
  const lines: ContextPart[] = [];
  let room = tokens - tokensOf(head);
  for (const item of open) {
    const line = lineOf(item, items, agentWords);
    room -= tokensOf(`${line}\n`);
    if (room < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? [] : [head, ...lines];
}

function order({ status }: WorkItem): number {
  return status === 'running' ? 0 : 1;
}

const statusText = { running: ours`running`, pending: ours`pending`, done: ours`done`, cancelled: ours`cancelled` };

function lineOf(item: WorkItem, items: readonly WorkItem[], agentWords: boolean): ContextPart {
  const needs = item.status === 'pending' ? openNeeds(item, items).slice(0, 3) : [];
  const ids = joined(
    needs.map((id) => itemName(id, ID_MAX)),
    ', ',
  );
  const waits = needs.length === 0 ? ours`` : ours`, after ${ids}`;
  const id = itemName(item.id, ID_MAX);
  return ours`- ${id} (${statusText[item.status]}${waits}): ${titleText(item, agentWords)}`;
}
