import { type EffectiveHooks, effectiveHooks } from './effectiveHooks.ts';
import { editList, editObject, eventMembers, fileMembers, type Outcome, within } from './containerEdit.ts';
import type { HooksFormat, HookSet } from './hookSet.ts';
import { findOurs, isEqual, valueOf } from './ourHooks.ts';
import {
  apply,
  blankBefore,
  editMembers,
  type Layout,
  layoutOf,
  type NewMember,
  type Span,
  written,
} from './settingsLayout.ts';
import { lastMember, type Member, readSettings, type SettingsNode } from './settingsText.ts';

/** Why a settings file is left as it is. `line` and `column` count from 1. */
export interface Refusal {
  readonly reason:
    'syntax' | 'comment' | 'trailing-comma' | 'not-an-object' | 'hooks-not-an-object' | 'event-not-a-list' | 'too-deep';
  readonly line: number;
  readonly column: number;
  /** The event's name, for `event-not-a-list`. */
  readonly event?: string;
}

/** Undefined for a text: there is no such file. */
export type Edit =
  | { readonly kind: 'edited'; readonly text: string | undefined }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What of ours is in a settings file. */
export interface Standing {
  /** `partial`: some of the wanted are missing; `outdated`: some are an older form, or are wanted no more. */
  readonly state: 'absent' | 'whole' | 'partial' | 'outdated';
  /** Names of events. */
  readonly missing: readonly string[];
  readonly outdated: readonly string[];
  /** The person's own switch `disableAllHooks`. */
  readonly disabled: boolean;
}

/** Puts in what is wanted and not there, and brings ours up to date; nothing else is touched. Twice is once. */
export function installHooks(text: string | undefined, wanted: HookSet): Edit {
  const read = readSettings(text ?? '');
  if ('reason' in read) return { kind: 'refused', refusal: read };
  const { root } = read;
  if (!root) return wanted.entries.length === 0 ? { kind: 'unchanged' } : edited(newFile(text, wanted));
  const found = effectiveHooks(read.text, root, wanted);
  if ('reason' in found) return { kind: 'refused', refusal: found };
  const file: File = { layout: layoutOf(read), root, format: wanted.format };
  if (found.hooks) return editFile(file, convergeHooks(file.layout, root, found), [], false);
  const members = fileMembers(wanted.entries, root.members.length === 0 ? wanted.format.head : undefined);
  return editFile(file, new Map(), wanted.entries.length === 0 ? [] : members, false);
}

/**
 * Takes ours out, from repeated keys too. `weMadeIt`: the file was not there before; it goes when nothing else is in it.
 * `onlyHomes`: leaves hooks of other homes in place.
 */
export function uninstallHooks(
  text: string | undefined,
  format: HooksFormat,
  weMadeIt = false,
  onlyHomes?: readonly string[],
): Edit {
  if (text === undefined) return { kind: 'unchanged' };
  const read = readSettings(text);
  if ('reason' in read) return { kind: 'refused', refusal: read };
  const { root } = read;
  if (!root) return weMadeIt ? edited(undefined) : { kind: 'unchanged' };
  // Valid, and in no form that could hold ours.
  if (root.kind !== 'object') return { kind: 'unchanged' };
  const file: File = { layout: layoutOf(read), root, format };
  const outcomes = root.members.flatMap(({ key, value }, index) => {
    const outcome = key === 'hooks' && value.kind === 'object' ? emptyHooks(file, value, onlyHomes) : undefined;
    return outcome ? [[index, outcome] as const] : [];
  });
  return editFile(file, new Map(outcomes), [], weMadeIt);
}

export function standingOf(text: string | undefined, wanted: HookSet): Standing | Refusal {
  const read = readSettings(text ?? '');
  if ('reason' in read) return read;
  const found = read.root ? effectiveHooks(read.text, read.root, wanted) : { events: [], absent: wanted.entries };
  if ('reason' in found) return found;
  const disabled = read.root ? lastMember(read.root, 'disableAllHooks') : undefined;
  const missing = [...found.absent, ...found.events.flatMap(({ placing }) => placing.missing)].map(
    ({ event }) => event,
  );
  const outdated = found.events.filter(({ ours, placing }) =>
    ours.slots.some((slot) => placing.kept.get(slot) !== 'stays'),
  );
  return {
    state: stateOf(found, missing.length, outdated.length),
    missing: wanted.entries
      .map(({ event }) => event)
      .filter(isFirst)
      .filter((event) => missing.includes(event)),
    outdated: outdated.map(({ event }) => event),
    disabled: disabled !== undefined && valueOf(read.text, disabled) === true,
  };
}

/** An older form comes with what it did not have yet, so `outdated` says more than `partial`. */
function stateOf({ events }: EffectiveHooks, missing: number, outdated: number): Standing['state'] {
  if (events.every(({ ours }) => ours.slots.length === 0)) return missing > 0 ? 'absent' : 'whole';
  if (outdated > 0) return 'outdated';
  return missing > 0 ? 'partial' : 'whole';
}

function isFirst(event: string, index: number, events: readonly string[]): boolean {
  return events.indexOf(event) === index;
}

interface File {
  readonly layout: Layout;
  readonly root: SettingsNode;
  readonly format: HooksFormat;
}

type Outcomes = ReadonlyMap<number, Outcome>;

function convergeHooks(layout: Layout, root: SettingsNode, { hooks, events, absent }: EffectiveHooks): Outcomes {
  if (!hooks) return new Map();
  const { node, member } = hooks;
  const outcomes = events.map(({ member: index, list, ours, placing }) => {
    return [index, editList(layout, within(layout, node, list), ours, placing)] as const;
  });
  return new Map([[member, editObject(layout, within(layout, root, node), new Map(outcomes), eventMembers(absent))]]);
}

function emptyHooks(
  { layout, root, format }: File,
  hooks: SettingsNode,
  homes: readonly string[] | undefined,
): Outcome | undefined {
  const outcomes = hooks.members.flatMap(({ value: list }, index) => {
    const ours = list.kind === 'array' ? findOurs(layout.text, list, format, homes) : undefined;
    if (!ours || ours.slots.length === 0) return [];
    const placing = { kept: new Map(), missing: [] };
    return [[index, editList(layout, within(layout, hooks, list), ours, placing)] as const];
  });
  return outcomes.length === 0 ? undefined : editObject(layout, within(layout, root, hooks), new Map(outcomes), []);
}

function editFile(file: File, outcomes: Outcomes, added: readonly NewMember[], weMadeIt: boolean): Edit {
  const { layout, root } = file;
  const isGone = (index: number) => outcomes.get(index)?.gone === true;
  const left = root.members.filter((_, index) => !isGone(index));
  const isLeftEmpty = added.length === 0 && (left.length === 0 || isHead(file, left));
  const alone = isLeftEmpty ? leaveAlone(file, left.length < root.members.length, isGone(0), weMadeIt) : undefined;
  if (alone) return alone;
  const { spans, gone } = editObject(layout, { node: root, inLine: false }, outcomes, added);
  return applied(layout.text, gone ? editMembers(layout, { node: root, inLine: false }, isGone, []) : spans);
}

/**
 * The file without hooks, where nothing but the head is left in it. Whether it was missing is for the caller to know: by its
 * text alone it may as well be a person's `{}` that some program wrote anew. One that was there without any text got no line
 * break at its end, which tells it.
 */
function leaveAlone({ layout, root }: File, wasOurs: boolean, wasFirst: boolean, weMadeIt: boolean): Edit | undefined {
  const { text } = layout;
  const blank = wasFirst ? blankBefore(layout, root) : undefined;
  if (blank !== undefined) return applied(text, [{ start: root.start + 1, end: root.end - 1, text: blank }]);
  if (weMadeIt) return edited(undefined);
  return wasOurs && wasFirst && text.length === root.end ? edited(text.slice(0, root.start)) : undefined;
}

function isHead({ layout, format: { head = {} } }: File, members: readonly Member[]): boolean {
  const keys = Object.keys(head);
  return (
    keys.length === members.length &&
    keys.every((key, index) => {
      const member = members[index];
      return member?.key === key && isEqual(valueOf(layout.text, member.value), head[key] ?? null);
    })
  );
}

function newFile(blank: string | undefined, { entries, format }: HookSet): string {
  const layout = layoutOf({ text: blank ?? '', root: undefined });
  const members = fileMembers(entries, format.head).map(({ key = '', value }) => [key, value] as const);
  const end = blank === undefined ? layout.endOfLine : '';
  return (blank ?? '') + written(layout, { value: Object.fromEntries(members) }, '') + end;
}

function applied(text: string, spans: readonly Span[]): Edit {
  return spans.length === 0 ? { kind: 'unchanged' } : edited(apply(text, spans));
}

function edited(text: string | undefined): Edit {
  return { kind: 'edited', text };
}
