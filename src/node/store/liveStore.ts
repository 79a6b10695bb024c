import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Erasing, Erasure } from '../../app/erasurePorts.ts';
import type {
  EventRecord,
  EventSelection,
  EventStore,
  Log,
  Page,
  PageRequest,
  Rewriting,
  SessionAge,
  Trimming,
} from '../../app/ports.ts';
import type { Kept, Shelf } from '../../app/shelfPorts.ts';
import type { MakeWorkChange, Touching, WorkChange } from '../../app/workPorts.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { Compact } from './compact.ts';
import { checkLimit, decodeCursor, encodeCursor } from './cursor.ts';
import type { EventKey, EventSlice, StoreDatabase } from './database.ts';
import { StoreClosedError, StoreFencedError } from './errors.ts';
import type { Journal } from './journal.ts';
import { encodeErase, encodeRecord, encodeShelf, encodeTrim, encodeWork, type Trim } from './record.ts';
import type { StoredImage } from './recovery.ts';
import { replay } from './replay.ts';
import { sizesIn } from './storeFiles.ts';
import { warmLater } from './warming.ts';
import { createWiping } from './wiping.ts';

export interface LiveStoreParts {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly log: Log;
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly journal: Journal;
  readonly database: StoreDatabase;
  /** Above every file's that was found. */
  readonly generation: number;
  readonly image: StoredImage | undefined;
  /** What the journal holds beyond the image. */
  readonly bytesSinceImage: number;
  readonly checkpointAfterBytes: number;
  readonly compact?: Compact | undefined;
  readonly imageHereUpToBytes?: number | undefined;
  readonly fenceFreshMs?: number | undefined;
}

/**
 * After a write somebody is told that it is stored, so the fence is asked then; before it, only when it was not asked just now.
 * A process that was stopped in between sees that more time than this has gone.
 */
const FENCE_FRESH_MS = 50;

function eventPage(
  list: string,
  { limit, cursor }: PageRequest,
  read: (key: EventKey | undefined, limit: number) => EventSlice,
): Page<AgentEvent> {
  checkLimit(limit);
  const key = cursor === undefined ? undefined : decodeCursor(cursor, list, ['string', 'number', 'string']);
  const { rows, more } = read(key, limit);
  const last = more ? rows.at(-1) : undefined;
  return { items: rows.map(({ event }) => event), next: last ? encodeCursor({ list, key: last.key }) : null };
}

function keyOf(key: OrderKey | undefined): EventKey | undefined {
  return key && [key.ts, key.rank, key.id];
}

const noChange: WorkChange = { save: [] };

function changes({ save, remove = [] }: WorkChange): boolean {
  return save.length + remove.length > 0;
}

function encodeChange(change: WorkChange): readonly Uint8Array[] {
  return changes(change) ? [encodeWork(change)] : [];
}

export function createLiveStore(parts: LiveStoreParts): EventStore {
  const { log, journal, database, fenceFreshMs = FENCE_FRESH_MS } = parts;
  /** Durable, but their rows could not be made; retried with every append, and by the replay of the next start. */
  let withoutRows: readonly EventRecord[] = [];
  let lastTurn: Promise<unknown> = Promise.resolve();
  let heldAt = -Infinity;
  let closing: Promise<void> | undefined;
  let closed = false;
  const checkpoints = createCheckpoints({
    ...parts,
    assertMayWrite,
    inTurn,
    settleRows() {
      if (withoutRows.length > 0) makeRows([]);
      if (withoutRows.length > 0) throw new Error('events wait for their rows; an image without them would lose them');
    },
    takeLate(records) {
      for (const _turn of replay(database, records, true)) continue;
    },
  });

  const wiping = createWiping({ ...parts, assertMayWrite, inTurn, renew: () => checkpoints.renew() });

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work, work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function assertMayWrite(): Promise<void> {
    // A checkpoint may still be running after the close, when another owner already has the folder.
    if (closed) throw new StoreClosedError();
    if (!(await parts.mayWrite())) throw new StoreFencedError();
    heldAt = performance.now();
  }

  function open(): StoreDatabase {
    if (closed) throw new StoreClosedError();
    return database;
  }

  function makeRows(records: readonly EventRecord[]): void {
    const waiting = [...withoutRows, ...records];
    try {
      database.insert(waiting);
      withoutRows = [];
    } catch (error) {
      withoutRows = waiting;
      log.error(`store: ${waiting.length} events are safe in the journal but not yet to be read: ${String(error)}`);
    }
  }

  /**
   * What is in the journal before another took over is read by that one; what came later it may miss. So nothing counts as
   * stored unless the fence still holds when it is on the disk.
   */
  async function write(payloads: readonly Uint8Array[]): Promise<void> {
    if (performance.now() - heldAt >= fenceFreshMs) await assertMayWrite();
    checkpoints.grew(await journal.append(payloads));
    await assertMayWrite();
  }

  function checkpointIfDue(): void {
    if (closing || !checkpoints.isDue()) return;
    checkpoints.run().catch((error: unknown) => log.warn(`store: no checkpoint: ${String(error)}`));
  }

  async function append(records: readonly EventRecord[], touching?: Touching): Promise<void> {
    if (closing) throw new StoreClosedError();
    if (records.length === 0) return;
    const payloads = records.map(encodeRecord);
    await inTurn(async () => {
      const change = touching?.(records.map(({ event }) => event))?.(database.work.items()) ?? noChange;
      // First: what is cut off in the middle was never acknowledged, and an event that is not there comes again.
      await write([...encodeChange(change), ...payloads]);
      if (changes(change)) database.work.change(change);
      makeRows(records);
      checkpointIfDue();
    });
  }

  async function trim({
    sessionId,
    remove = [],
    strip = [],
    forget: isForgotten = false,
    keepRow = false,
  }: Trimming): Promise<void> {
    if (closing) throw new StoreClosedError();
    await inTurn(async () => {
      const forget = isForgotten ? [sessionId] : [];
      const rows = (keepRow ? database.session(sessionId) : undefined) ?? [];
      const whole: Trim = { remove, strip, forget, rows: [rows].flat() };
      await write([encodeTrim(whole)]);
      database.trim(whole);
      checkpoints.forgot(forget.filter((id) => database.session(id) === undefined));
      checkpointIfDue();
    });
  }

  async function changeWork(make: MakeWorkChange): Promise<void> {
    if (closing) throw new StoreClosedError();
    await inTurn(async () => {
      const change = make(database.work.items());
      if (!changes(change)) return;
      await write(encodeChange(change));
      database.work.change(change);
      checkpointIfDue();
    });
  }

  function shelf(name: string): Shelf {
    return {
      get: (key) => open().shelves.get(name, key),
      after: (key, limit) => open().shelves.after(name, key, limit),
      count: () => open().shelves.count(name),
      async put(save, remove = []) {
        if (closing) throw new StoreClosedError();
        const erasedOf = ({ session }: Kept) => (session === undefined ? 0 : database.erased.of(session));
        const before = save.map(erasedOf);
        await inTurn(async () => {
          // What was decided before an erasure does not come back after it.
          const isGone = (kept: Kept, index: number) => erasedOf(kept) !== before[index];
          const change = { shelf: name, save: save.filter((kept, index) => !isGone(kept, index)), remove };
          if (change.save.length + remove.length === 0) return;
          await write([encodeShelf(change)]);
          database.shelves.change(change);
          checkpointIfDue();
        });
      },
    };
  }

  async function rewrite({ events, rows }: Rewriting): Promise<void> {
    if (closing) throw new StoreClosedError();
    await inTurn(async () => {
      const whole: Trim = { remove: [], strip: [], forget: [], rows, rewrite: events };
      await assertMayWrite();
      await wiping.begin();
      await write([encodeTrim(whole)]);
      const now = new Map(events.map((event) => [event.id, event]));
      withoutRows = withoutRows.map((record) => ({ ...record, event: now.get(record.event.id) ?? record.event }));
      database.trim(whole);
      checkpoints.saved(rows);
    });
  }

  async function erase(erasing: Erasing): Promise<Erasure> {
    if (closing) throw new StoreClosedError();
    return inTurn(async () => {
      await assertMayWrite();
      await wiping.begin();
      await write([encodeErase(erasing)]);
      const isGone = ({ event }: EventRecord) =>
        erasing.sessions === 'all' || erasing.sessions.includes(event.session_id);
      withoutRows = withoutRows.filter((record) => !isGone(record));
      const gone = await inSteps(database.erase(erasing));
      checkpoints.forgot(erasing.sessions);
      return gone;
    });
  }

  /** The rows of a long session take longer to go than the editor's other extensions can wait. */
  async function inSteps<T>(work: Generator<undefined, T>): Promise<T> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      await othersTurn();
    }
  }

  async function checkpoint(): Promise<void> {
    if (closed) throw new StoreClosedError();
    await checkpoints.run();
  }

  const warming = warmLater(() => open().warmSearch(), log);

  async function shutDown(): Promise<void> {
    warming.stop();
    await lastTurn;
    try {
      // Another window waits for its turn, and the journal holds everything: the next start replays it.
      if (checkpoints.isQuick()) await checkpoint();
    } catch (error) {
      // Whoever closes gives the claim back when it takes too long.
      if (!(error instanceof StoreFencedError)) log.warn(`store: closed without a checkpoint: ${String(error)}`);
    }
    await inTurn(async () => {
      await journal.seal();
      database.close();
      closed = true;
    });
  }

  return {
    lookup: (key) => open().lookup(key) ?? withoutRows.find((record) => record.keys.includes(key))?.event.id,
    append,
    trim,
    rewrite,
    erase,
    erased: database.erased,
    work: { items: () => open().work.items(), change: changeWork },
    shelf,
    wipe: async () => {
      if (closing) throw new StoreClosedError();
      return wiping.wipe();
    },
    size: async () => ({ ...open().counts(), ...(await sizesIn(parts.fs, parts.folder)) }),
    saveSessions: (rows) => {
      if (rows.length === 0) return;
      open().saveSessions(rows);
      checkpoints.saved(rows);
    },
    session: (id) => open().session(id),
    sessions: ({ limit, cursor }) => {
      checkLimit(limit);
      const key = cursor === undefined ? undefined : decodeCursor(cursor, 'sessions', ['string', 'string']);
      const rows = open().sessionsAfter(key, limit + 1);
      const items = rows.slice(0, limit);
      const last = rows.length > limit ? items.at(-1) : undefined;
      return { items, next: last ? encodeCursor({ list: 'sessions', key: [last.lastEventAt, last.id] }) : null };
    },
    events: (sessionId) => open().events(sessionId),
    eventsPage: (id, request) => eventPage(`events/${id}`, request, (key, limit) => open().eventsAfter(id, key, limit)),
    newestEvents: (id, limit) => {
      checkLimit(limit);
      return open()
        .newestEvents(id, limit)
        .rows.map(({ event }) => event)
        .reverse();
    },
    eventsAfter: (id, key, limit) => {
      checkLimit(limit);
      const { rows, more } = open().eventsAfter(id, keyOf(key), limit);
      const [ts, rank, last] = rows.at(-1)?.key ?? [];
      const at = ts === undefined || rank === undefined || last === undefined ? undefined : { ts, rank, id: last };
      return { events: rows.map(({ event }) => event), key: at, more };
    },
    countEvents: (id, upTo) => open().countUpTo(id, keyOf(upTo)),
    sayings: (id, request) => eventPage(`sayings/${id}`, request, (key, limit) => open().sayingsAfter(id, key, limit)),
    searchSayings: (search, { limit, cursor }) => {
      checkLimit(limit);
      const after = cursor === undefined ? undefined : decodeCursor(cursor, 'search', ['string', 'number', 'string']);
      const { events, lookedTo } = open().search(search, after, limit);
      return { items: events, next: lookedTo ? encodeCursor({ list: 'search', key: lookedTo }) : null };
    },
    eventCount: () => open().eventCount(),
    usedBytes: () => open().space().used,
    oldestSessions: (after: SessionAge | undefined, limit) => open().trimmable.oldest(after, limit),
    eventIds: (id, selection: EventSelection, limit) => open().trimmable.eventIds(id, selection, limit),
    checkpoint,
    close: () => (closing ??= shutDown()),
  };
}
