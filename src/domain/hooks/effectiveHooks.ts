import { byEvent } from './containerEdit.ts';
import type { HookEntry, HookSet } from './hookSet.ts';
import { findOurs, type Ours, place, type Placing } from './ourHooks.ts';
import type { Refusal } from './settingsEdit.ts';
import { refusalAt, type SettingsNode } from './settingsText.ts';

/** The list of one event, with what of ours is in it and what becomes of that. */
export interface EventStanding {
  readonly event: string;
  /** Its place among the members of `hooks`. */
  readonly member: number;
  readonly list: SettingsNode;
  readonly ours: Ours;
  readonly placing: Placing;
}

/** What an agent would read: of repeated keys the last one. */
export interface EffectiveHooks {
  readonly hooks?: { readonly node: SettingsNode; readonly member: number };
  readonly events: readonly EventStanding[];
  /** Entries of events that have no list. */
  readonly absent: readonly HookEntry[];
}

export function effectiveHooks(
  text: string,
  root: SettingsNode,
  { format, entries }: HookSet,
): EffectiveHooks | Refusal {
  if (root.kind !== 'object') return refusalAt(text, 'not-an-object', root.start);
  const member = root.members.findLastIndex(({ key }) => key === 'hooks');
  const node = root.members[member]?.value;
  if (!node) return { events: [], absent: entries };
  if (node.kind !== 'object') return refusalAt(text, 'hooks-not-an-object', node.start);
  const wanted = byEvent(entries);
  const lists = new Map(node.members.map(({ key = '', value }, index) => [key, { list: value, member: index }]));
  const events: EventStanding[] = [];
  for (const [event, { list, member: at }] of lists) {
    const own = wanted.get(event);
    if (list.kind !== 'array') {
      if (own) return refusalAt(text, 'event-not-a-list', list.start, event);
      continue;
    }
    const ours = findOurs(text, list, format);
    if (own || ours.slots.length > 0) {
      events.push({ event, member: at, list, ours, placing: place(text, ours.slots, own ?? [], format) });
    }
  }
  return { hooks: { node, member }, events, absent: entries.filter(({ event }) => !lists.has(event)) };
}
