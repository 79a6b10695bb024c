import type { JsonObject } from '../../protocol/json.ts';
import type { HookEntry } from './hookSet.ts';
import { hookOf, type Ours, type Placing, type Slot } from './ourHooks.ts';
import {
  blankBefore,
  type Container,
  editMembers,
  isOneLine,
  type Layout,
  type NewMember,
  replacement,
  type Span,
} from './settingsLayout.ts';
import type { SettingsNode } from './settingsText.ts';

/** What is done inside a container. `gone`: nothing is left in it and we made it, so whoever holds it drops it whole. */
export interface Outcome {
  readonly spans: readonly Span[];
  readonly gone: boolean;
}

/** One event's list after its hooks of ours found their place. */
export function editList(layout: Layout, list: Container, { slots, whole }: Ours, { kept, missing }: Placing): Outcome {
  const living = new Set([...kept.keys()].map(({ element }) => element));
  const goes = (element: number) => whole.has(element) && !living.has(element);
  const rewritten = [...kept].flatMap(([slot, fate]) => {
    return fate === 'stays'
      ? []
      : [replacement(layout, slot.node, { value: slot.inGroup ? hookOf(fate) : fate.element })];
  });
  const dropped = slots.filter((slot) => !kept.has(slot) && !goes(slot.element));
  const added = missing.map(({ element }) => ({ value: element }));
  const outer = editContainer(layout, list, goes, added);
  return { spans: [...rewritten, ...dropFromGroups(layout, dropped), ...outer.spans], gone: outer.gone };
}

function dropFromGroups(layout: Layout, dropped: readonly Slot[]): readonly Span[] {
  const byList = new Map<SettingsNode, Set<number>>();
  for (const { inGroup } of dropped) {
    if (!inGroup) continue;
    const indices = byList.get(inGroup.list) ?? new Set();
    byList.set(inGroup.list, indices.add(inGroup.index));
  }
  return [...byList].flatMap(([node, indices]) => {
    return editMembers(layout, { node, inLine: false }, (index) => indices.has(index), []);
  });
}

/** An object whose members hold what was edited already. */
export function editObject(
  layout: Layout,
  container: Container,
  outcomes: ReadonlyMap<number, Outcome>,
  added: readonly NewMember[],
): Outcome {
  const inner = [...outcomes.values()].flatMap(({ spans, gone }) => (gone ? [] : spans));
  const outer = editContainer(layout, container, (index) => outcomes.get(index)?.gone === true, added);
  return { spans: [...inner, ...outer.spans], gone: outer.gone };
}

function editContainer(
  layout: Layout,
  container: Container,
  goes: (index: number) => boolean,
  added: readonly NewMember[],
): Outcome {
  const { members } = container.node;
  const isEmptied = members.length > 0 && added.length === 0 && members.every((_, index) => goes(index));
  const blank = isEmptied ? blankBefore(layout, container.node) : '';
  if (blank === undefined) return { spans: [], gone: true };
  return { spans: editMembers(layout, container, goes, added, blank), gone: false };
}

/** A container among the members of another. */
export function within(layout: Layout, outer: SettingsNode, node: SettingsNode): Container {
  return { node, inLine: isOneLine(layout, outer) };
}

/** The lists of entries, by event, in the order in which the events come first. */
export function byEvent(entries: readonly HookEntry[]): ReadonlyMap<string, readonly HookEntry[]> {
  const lists = new Map<string, HookEntry[]>();
  for (const entry of entries) {
    const list = lists.get(entry.event);
    if (list) list.push(entry);
    else lists.set(entry.event, [entry]);
  }
  return lists;
}

export function eventMembers(entries: readonly HookEntry[]): readonly NewMember[] {
  return [...byEvent(entries)].map(([key, list]) => ({ key, value: list.map(({ element }) => element) }));
}

/** `hooks` comes before the head: a person's file gets it at the end, so a file that we made is told from theirs. */
export function fileMembers(entries: readonly HookEntry[], head: JsonObject = {}): readonly NewMember[] {
  const events = eventMembers(entries).map(({ key = '', value }) => [key, value] as const);
  const rest = Object.entries(head).map(([key, value]) => ({ key, value }));
  return [{ key: 'hooks', value: Object.fromEntries(events) }, ...rest];
}
