import { checkLimit, decodeCursor, encodeCursor } from '../../node/store/cursor.ts';
import { NEWEST_ERASURES } from '../../node/store/erasedMarks.ts';
import { StoreClosedError } from '../../node/log/errors.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { interactionOf, isSaying, searchable } from '../../domain/interactions.ts';
import { hashHex } from '../../domain/hash.ts';
import { forgetting } from '../../domain/told.ts';
import type { Change } from '../changePorts.ts';
import { memoryShelves } from './memoryShelf.testkit.ts';
import { memoryWork } from './memoryWork.testkit.ts';
import type { EventRecord, EventSelection, EventStore, Page, PageRequest, SayingSearch, SessionRow } from '../ports.ts';

/** The real store gives a block of its log at a time. */
const PIECE = 100;

type Unnumbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

export interface MemoryStore extends EventStore {
  /** From now on `append` rejects with this; undefined lets it work again. */
  failAppendsWith(error: Error | undefined): void;
  /** Everything that is kept, keys included. */
  records(): readonly EventRecord[];
}

/** The fake that every use case is tested with; the contract suite holds it to what the real store does. */
export function memoryStore(): MemoryStore {
  const records = new Map<string, EventRecord>();
  const seen = new Map<string, string>();
  const rows = new Map<string, SessionRow>();
  /** Number of the last erasure by session; under '' that of everything. */
  const erasures = new Map<string, number>();
  const hadThen = new Set<string>();
  const transcripts = new Map<string, number>();
  const keysOfErased = new Set<string>();
  /** With the number of their erasure. */
  const waitingThen = new Map<string, number>();
  let erasureCount = 0;
  const changes: Change[] = [];
  /** By event, the number of the change that told it last. */
  const toldIn = new Map<string, number>();
  const work = memoryWork((change) => note({ kind: 'work', change }));
  const shelves = memoryShelves();
  let failure: Error | undefined;
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new StoreClosedError();
  }

  function note(change: Unnumbered<Change>): void {
    const seq = changes.length + 1;
    changes.push({ ...change, seq });
    if (change.kind === 'event') toldIn.set(change.event.id, seq);
  }

  function change(record: EventRecord, event: AgentEvent): void {
    records.set(event.id, { ...record, event });
    note({ kind: 'event', event, was: toldIn.get(event.id) });
  }

  /** The newest telling of an event, unless the event is gone. */
  function isThere(change: Change): boolean {
    return change.kind !== 'event' || (toldIn.get(change.event.id) === change.seq && records.has(change.event.id));
  }

  function inOrder(sessionId?: string): EventRecord[] {
    assertOpen();
    const wanted = [...records.values()].filter(
      ({ event }) => sessionId === undefined || event.session_id === sessionId,
    );
    return wanted.sort((a, b) => compare(keyOf(a), keyOf(b)));
  }

  function sayings(sessionId?: string): EventRecord[] {
    return inOrder(sessionId).filter(({ event }) => isSaying(event));
  }

  return {
    failAppendsWith: (error) => {
      failure = error;
    },
    records: () => [...records.values()],
    lookup: (key) => {
      assertOpen();
      return seen.get(key) ?? (keysOfErased.has(key) ? '' : undefined);
    },
    append: async (added, touching) => {
      assertOpen();
      await Promise.resolve();
      if (failure) throw failure;
      const make = touching?.(added.map(({ event }) => event));
      if (make) work.take(make(work.items()));
      for (const record of structuredClone(added)) {
        if (!records.has(record.event.id)) {
          records.set(record.event.id, record);
          note({ kind: 'event', event: record.event });
        }
        for (const key of record.keys) if (!seen.has(key)) seen.set(key, record.event.id);
      }
    },
    saveSessions: (saved) => {
      assertOpen();
      for (const row of saved) rows.set(row.id, rows.get(row.id)?.trimmed ? { ...row, trimmed: true } : { ...row });
    },
    session: (id) => {
      assertOpen();
      return rows.get(id);
    },
    sessions: ({ limit, cursor }) => {
      assertOpen();
      checkLimit(limit);
      const newestFirst = [...rows.values()].sort((a, b) => compare(rowKeyOf(b), rowKeyOf(a)));
      const after = cursor === undefined ? undefined : decodeCursor(cursor, 'sessions', ['string', 'string']);
      const rest = after ? newestFirst.filter((row) => compare(rowKeyOf(row), after) < 0) : newestFirst;
      return page(rest, limit, (row) => encodeCursor({ list: 'sessions', key: rowKeyOf(row) }));
    },
    events: (sessionId) => inOrder(sessionId).map(eventOf),
    eventsPage: (id, request) => eventPage(`events/${id}`, inOrder(id), request),
    changes: {
      lastSeq: () => changes.length,
      after: (seq) => {
        const piece = changes.slice(seq, seq + PIECE);
        return { changes: structuredClone(piece.filter(isThere)), upTo: seq + piece.length };
      },
      countAfter: (seq) => changes.slice(seq).filter((each) => each.kind === 'event' && isThere(each)).length,
    },
    eventsAfter: (id, key, limit, upTo = Infinity) => {
      checkLimit(limit);
      const rest = inOrder(id).filter(
        (each) =>
          (toldIn.get(each.event.id) ?? 0) <= upTo && (!key || compare(keyOf(each), [key.ts, key.rank, key.id]) > 0),
      );
      const items = rest.slice(0, limit);
      const [ts, rank, last] = items.length > 0 ? keyOf(items.at(-1)!) : [];
      const at = ts === undefined || rank === undefined || last === undefined ? undefined : { ts, rank, id: last };
      return { events: items.map(eventOf), key: at, more: rest.length > limit };
    },
    newestEvents: (id, limit) => {
      checkLimit(limit);
      return inOrder(id)
        .slice(-limit)
        .map((each) => ({ ...eventOf(each), raw: {} }));
    },
    sayings: (id, request) => eventPage(`sayings/${id}`, sayings(id), request),
    searchSayings: (search, request) =>
      eventPage(
        'search',
        sayings()
          .filter(({ event }) => isWanted(event, search))
          .reverse(),
        request,
        -1,
      ),
    eventCount: () => inOrder().length,
    usedBytes: () => JSON.stringify(inOrder()).length,
    oldestSessions: (after, limit) => {
      assertOpen();
      const oldestFirst = [...rows.values()].sort((a, b) => compare(rowKeyOf(a), rowKeyOf(b)));
      return oldestFirst
        .filter((row) => !after || compare(rowKeyOf(row), [after.lastEventAt, after.id]) > 0)
        .slice(0, limit)
        .map(({ id, lastEventAt }) => ({ id, lastEventAt }));
    },
    eventIds: (sessionId, selection, limit) =>
      inOrder(sessionId)
        .filter(({ event }) => isSelected(event, selection))
        .slice(0, limit)
        .map(({ event }) => event.id),
    trim: async ({ sessionId, remove = [], strip = [], forget = false }) => {
      assertOpen();
      await Promise.resolve();
      if (failure) throw failure;
      for (const id of remove) {
        const row = rows.get(records.get(id)?.event.session_id ?? '');
        if (row) rows.set(row.id, { ...row, trimmed: true });
        records.delete(id);
        for (const [key, eventId] of seen) if (eventId === id) seen.delete(key);
      }
      for (const id of strip) {
        const record = records.get(id);
        if (record) change(record, { ...record.event, raw: {}, raw_removed: true });
      }
      if (forget && inOrder(sessionId).length === 0) rows.delete(sessionId);
      if (forget) shelves.forget([sessionId]);
    },
    rewrite: async ({ events, rows: saved }) => {
      assertOpen();
      await Promise.resolve();
      if (failure) throw failure;
      const takenBack = events.flatMap(({ id, payload }) => (payload.unlogged === true ? id : []));
      if (takenBack.length > 0) note({ kind: 'takenBack', ids: takenBack });
      for (const event of structuredClone(events)) {
        const record = records.get(event.id);
        if (record) change(record, event);
        for (const told of records.values()) {
          const rest = forgetting(told.event, (each) => each === event.session_id);
          if (told.event.ts >= event.ts && rest !== told.event) change(told, rest);
        }
      }
      for (const row of saved) rows.set(row.id, rows.get(row.id)?.trimmed ? { ...row, trimmed: true } : { ...row });
    },
    erased: {
      count: () => erasureCount,
      of: (id) => Math.max(erasures.get(id) ?? 0, erasures.get('') ?? 0),
      had: (id) => hadThen.has(id),
      bytesOf: (_id, path) => transcripts.get(hashHex(path)) ?? 0,
      isWaiting: (name) => (waitingThen.get(name) ?? -Infinity) > erasureCount - NEWEST_ERASURES,
    },
    erase: async ({ sessions, transcripts: there = {}, waiting = [] }) => {
      assertOpen();
      await Promise.resolve();
      if (failure) throw failure;
      work.forget(sessions);
      shelves.forget(sessions);
      const isGone = (id: string) => sessions === 'all' || sessions.includes(id);
      const [events, states] = [
        [...records.values()].filter(({ event }) => isGone(event.session_id)),
        [...rows.keys()],
      ];
      for (const { event, keys } of events) {
        records.delete(event.id);
        for (const key of keys) {
          if (seen.get(key) === event.id) seen.delete(key);
          if (/^[do]:/.test(key)) keysOfErased.add(key);
        }
        hadThen.add(event.session_id);
      }
      note({ kind: 'erased', sessions });
      if (sessions !== 'all') note({ kind: 'work', change: { save: work.items() } });
      for (const left of records.values()) {
        const rest = forgetting(left.event, isGone);
        if (rest !== left.event) change(left, rest);
      }
      for (const id of states.filter(isGone)) {
        rows.delete(id);
        hadThen.add(id);
      }
      erasureCount++;
      for (const id of sessions === 'all' ? [''] : sessions) {
        erasures.set(id, erasureCount);
        if (id !== '') hadThen.add(id);
      }
      for (const [path, bytes] of Object.entries(there)) transcripts.set(path, bytes);
      for (const name of waiting) waitingThen.set(name, erasureCount);
      return { sessions: states.filter(isGone).length, events: events.length };
    },
    work,
    shelf: shelves.shelf,
    wipe: () => Promise.resolve([]),
    size: async () => ({
      sessions: rows.size,
      interactions: sayings().length,
      events: records.size,
      oldest: [...records.values()].map(({ event }) => event.ts).sort()[0] ?? null,
      databaseBytes: JSON.stringify([...records.values()]).length,
      journalBytes: 0,
    }),
    checkpoint: async () => assertOpen(),
    close: async () => {
      closed = true;
    },
  };
}

function isSelected(event: AgentEvent, selection: EventSelection): boolean {
  if (selection.kind === 'raw') return event.ts < selection.before && Object.keys(event.raw).length > 0;
  return event.ts <= selection.upTo && (selection.kind === 'all' || !isSaying(event));
}

function isWanted(event: AgentEvent, { text, role, from, to, isOfSession }: SayingSearch): boolean {
  const interaction = interactionOf(event);
  return (
    interaction !== undefined &&
    searchable(interaction.content).includes(searchable(text)) &&
    (role === undefined || interaction.role === role) &&
    (from === undefined || event.ts >= from) &&
    (to === undefined || event.ts < to) &&
    (isOfSession?.(event.session_id) ?? true)
  );
}

function eventPage(
  list: string,
  ordered: readonly EventRecord[],
  { limit, cursor }: PageRequest,
  direction: 1 | -1 = 1,
): Page<AgentEvent> {
  checkLimit(limit);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, list, ['string', 'number', 'string']);
  const rest = after ? ordered.filter((record) => compare(keyOf(record), after) * direction > 0) : ordered;
  const { items, next } = page(rest, limit, (record) => encodeCursor({ list, key: keyOf(record) }));
  return { items: items.map(eventOf), next };
}

function eventOf(record: EventRecord): AgentEvent {
  return structuredClone(record.event);
}

function keyOf({ event, rank }: EventRecord): [string, number, string] {
  return [event.ts, rank, event.id];
}

function rowKeyOf(row: SessionRow): [string, string] {
  return [row.lastEventAt, row.id];
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function page<T>(rest: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursorOf(last) };
}
