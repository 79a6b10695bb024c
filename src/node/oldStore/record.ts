import type { Erasing } from '../../app/erasurePorts.ts';
import type { EventRecord, SessionRow } from '../../app/ports.ts';
import type { WorkChange } from '../../app/workPorts.ts';
import { upgradeStoredEvent } from '../../domain/storedEvent.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { WorkItem } from '../../protocol/work.ts';
import type { ShelfChange } from '../store/shelfStatements.ts';

/** What retention takes away; ids, not conditions, so that a replay takes away the same. */
export interface Trim {
  /** Events that go altogether. */
  readonly remove: readonly string[];
  /** Events whose raw payload goes. */
  readonly strip: readonly string[];
  /** Sessions whose rows go; their events have gone before. */
  readonly forget: readonly string[];
  /** Rows to be saved with it: as they were before, where one made from what is left would tell less. */
  readonly rows: readonly SessionRow[];
  /** Events as they are kept from now on. */
  readonly rewrite?: readonly AgentEvent[];
}

/** One record of the journal. Undefined: of a kind that this version does not know. */
export type Entry =
  | { readonly kind: 'event'; readonly record: EventRecord }
  | { readonly kind: 'trim'; readonly trim: Trim }
  | { readonly kind: 'erase'; readonly erasing: Erasing }
  | { readonly kind: 'work'; readonly change: WorkChange }
  | { readonly kind: 'shelf'; readonly change: ShelfChange }
  | undefined;

function isStorable(value: unknown): value is EventRecord {
  const record = value as Partial<EventRecord> | null;
  return (
    isEvent(record?.event) &&
    Number.isFinite(record?.rank) &&
    Array.isArray(record?.keys) &&
    record.keys.every((key) => typeof key === 'string')
  );
}

function isEvent(value: unknown): value is AgentEvent {
  const event = value as Partial<AgentEvent> | null | undefined;
  return typeof event?.id === 'string' && typeof event.session_id === 'string' && typeof event.ts === 'string';
}

export function decodeEntry(payload: Uint8Array): Entry {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8'),
    );
    if (isStorable(value)) return { kind: 'event', record: { ...value, event: upgradeStoredEvent(value.event) } };
    const { trim, erase, work, shelf } = (value ?? {}) as Readonly<
      Record<'trim' | 'erase' | 'work' | 'shelf', unknown>
    >;
    if (isErasing(erase)) return { kind: 'erase', erasing: erase };
    if (isWorkChange(work)) return { kind: 'work', change: work };
    if (isShelfChange(shelf)) return { kind: 'shelf', change: shelf };
    return isTrim(trim) ? { kind: 'trim', trim: upgradedTrim(trim) } : undefined;
  } catch {
    return undefined;
  }
}

function upgradedTrim(trim: Trim): Trim {
  return trim.rewrite ? { ...trim, rewrite: trim.rewrite.map(upgradeStoredEvent) } : trim;
}

function isErasing(value: unknown): value is Erasing {
  // Records of earlier versions hold the sessions and a time.
  const { sessions, transcripts = {}, waiting = [] } = (value ?? {}) as Partial<Erasing>;
  const hasBytes = Object.values(transcripts).every(Number.isFinite);
  return (sessions === 'all' || isTexts(sessions)) && hasBytes && isTexts(waiting);
}

function isWorkChange(value: unknown): value is WorkChange {
  const { save, remove } = (value ?? {}) as Partial<WorkChange>;
  return Array.isArray(save) && save.every(isWorkItem) && isTexts(remove);
}

function isShelfChange(value: unknown): value is ShelfChange {
  const { shelf, save, remove } = (value ?? {}) as Partial<ShelfChange>;
  const isKept = (kept: Partial<ShelfChange['save'][number]> | null) =>
    isTexts([kept?.key, kept?.session ?? '']) && kept?.value !== undefined;
  return typeof shelf === 'string' && Array.isArray(save) && save.every(isKept) && isTexts(remove);
}

function isWorkItem(value: unknown): value is WorkItem {
  const { key, id, title, status, project, createdAt, dependencies, sessions, files, touches } = (value ??
    {}) as Partial<WorkItem>;
  return (
    isTexts([key, id, title, status, project, createdAt]) &&
    [dependencies, sessions, files].every(isTexts) &&
    Array.isArray(touches) &&
    touches.every(
      (touch: Partial<WorkItem['touches'][number]> | null) => isTexts([touch?.session]) && isTexts(touch?.files),
    )
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isTrim(value: unknown): value is Trim {
  if (typeof value !== 'object' || value === null) return false;
  const lists = ['remove', 'strip', 'forget'].map((name) => (value as Record<string, unknown>)[name]);
  const { rows, rewrite = [] } = value as Record<string, unknown>;
  return (
    Array.isArray(rewrite) &&
    rewrite.every(isEvent) &&
    lists.every((list) => Array.isArray(list) && list.every((id) => typeof id === 'string')) &&
    Array.isArray(rows) &&
    rows.every(isRow)
  );
}

function isRow(value: unknown): value is SessionRow {
  const { id, lastEventAt, reducer, json } = (value ?? {}) as Partial<SessionRow>;
  return (
    typeof id === 'string' && typeof lastEventAt === 'string' && typeof reducer === 'number' && typeof json === 'string'
  );
}
