import type { Json, JsonObject } from '../../protocol/json.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { homeOfCommand, isGuardCommand } from './command.ts';
import type { HookEntry, HooksFormat } from './hookSet.ts';
import type { SettingsNode } from './settingsText.ts';

/** One hook of ours in the list of an event. */
export interface Slot {
  /** Its element in the list of the event. */
  readonly element: number;
  /** Where in that group it stands; undefined: the element holds nothing but this hook. */
  readonly inGroup:
    { readonly list: SettingsNode; readonly index: number; readonly matcher: Json | undefined } | undefined;
  readonly command: string;
  /** The element, or the hook where it shares its group. */
  readonly node: SettingsNode;
}

/** All of ours in one event's list, and the elements in which nothing else stands. */
export interface Ours {
  readonly slots: readonly Slot[];
  readonly whole: ReadonlySet<number>;
}

/** `homes`: finds only hooks that call one of these homes; default: hooks of any home. */
export function findOurs(text: string, list: SettingsNode, format: HooksFormat, homes?: readonly string[]): Ours {
  const slots: Slot[] = [];
  const whole = new Set<number>();
  for (const [element, { value }] of list.members.entries()) {
    const found =
      format.shape === 'flat'
        ? asHook(text, value, element, format, homes)
        : asGroup(text, value, element, format, homes);
    slots.push(...found.slots);
    if (found.whole) whole.add(element);
  }
  return { slots, whole };
}

interface FoundInElement {
  readonly slots: readonly Slot[];
  readonly whole: boolean;
}

function asHook(
  text: string,
  node: SettingsNode,
  element: number,
  format: HooksFormat,
  homes: readonly string[] | undefined,
): FoundInElement {
  const command = ourCommand(text, node, format, homes);
  return command === undefined
    ? { slots: [], whole: false }
    : { slots: [{ element, inGroup: undefined, command, node }], whole: true };
}

function asGroup(
  text: string,
  group: SettingsNode,
  element: number,
  format: HooksFormat,
  homes: readonly string[] | undefined,
): FoundInElement {
  const lists = group.kind === 'object' ? group.members.filter(({ key }) => key === 'hooks') : [];
  const hooks = lists.flatMap(({ value: list }) =>
    list.members.map(({ value }, index) => ({ list, index, node: value })),
  );
  const ours = hooks.flatMap((hook) => {
    const command = ourCommand(text, hook.node, format, homes);
    return command === undefined ? [] : [{ ...hook, command }];
  });
  const whole = ours.length > 0 && ours.length === hooks.length && lists.every(({ value }) => value.kind === 'array');
  const only = ours[0];
  if (whole && only && ours.length === 1) {
    return { slots: [{ element, inGroup: undefined, command: only.command, node: group }], whole };
  }
  const matcher = ours.length > 0 ? field(text, group, 'matcher') : undefined;
  const slots = ours.map(({ list, index, node, command }) => {
    return { element, inGroup: { list, index, matcher }, command, node };
  });
  return { slots, whole };
}

function ourCommand(
  text: string,
  hook: SettingsNode,
  { commandKey }: HooksFormat,
  homes: readonly string[] | undefined,
): string | undefined {
  if (hook.kind !== 'object') return undefined;
  const value = hook.members.findLast(({ key }) => key === commandKey)?.value;
  if (value?.kind !== 'string') return undefined;
  const command = valueOf(text, value);
  const named = typeof command === 'string' ? homeOfCommand(command) : undefined;
  return named !== undefined && (homes === undefined || homes.includes(named)) ? (command as string) : undefined;
}

function field(text: string, node: SettingsNode, key: string): Json | undefined {
  const value = node.members.findLast((member) => member.key === key)?.value;
  return value && valueOf(text, value);
}

export function valueOf(text: string, { start, end }: SettingsNode): Json {
  return JSON.parse(text.slice(start, end)) as Json;
}

/** What becomes of each slot, and which entries have none. */
export interface Placing {
  /** `stays` as it is, or is written anew as an entry; a slot that is not in here goes. */
  readonly kept: ReadonlyMap<Slot, 'stays' | HookEntry>;
  readonly missing: readonly HookEntry[];
}

type Fits = (slot: Slot, entry: HookEntry) => boolean;

/** HKI-8: a hook that can stay does, and an older form gives its place to the new one, for Codex trusts by place. */
export function place(
  text: string,
  slots: readonly Slot[],
  entries: readonly HookEntry[],
  format: HooksFormat,
): Placing {
  const kept = new Map<Slot, 'stays' | HookEntry>();
  let missing = entries;
  const pass = (fits: Fits, stays: boolean) => {
    missing = missing.filter((entry) => {
      const slot = slots.find((candidate) => !kept.has(candidate) && fits(candidate, entry));
      if (slot) kept.set(slot, stays ? 'stays' : entry);
      return slot === undefined;
    });
  };
  pass((slot, entry) => isAsWanted(text, slot, entry, format), true);
  pass((slot, entry) => canBecome(slot, entry) && slot.command === commandOf(entry, format), false);
  pass((slot, entry) => {
    return canBecome(slot, entry) && isGuardCommand(slot.command) === isGuardCommand(commandOf(entry, format));
  }, false);
  pass(canBecome, false);
  return { kept, missing };
}

function isAsWanted(text: string, slot: Slot, entry: HookEntry, format: HooksFormat): boolean {
  if (slot.command !== commandOf(entry, format)) return false;
  const wanted = slot.inGroup ? hookOf(entry) : entry.element;
  return canBecome(slot, entry) && isEqual(valueOf(text, slot.node), wanted);
}

/** In a group with somebody else's hooks the matcher is theirs too. */
function canBecome({ inGroup }: Slot, { element }: HookEntry): boolean {
  return inGroup === undefined || isEqual(inGroup.matcher ?? null, element.matcher ?? null);
}

/** The hook within its group. */
export function hookOf({ element }: HookEntry): JsonObject {
  const first = Array.isArray(element.hooks) ? (element.hooks as readonly Json[])[0] : undefined;
  return isJsonObject(first) ? first : element;
}

function commandOf(entry: HookEntry, { commandKey }: HooksFormat): string {
  const command = hookOf(entry)[commandKey];
  return typeof command === 'string' ? command : '';
}

/** In meaning: neither white space nor the order of keys counts. */
export function isEqual(a: Json, b: Json): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  );
}
