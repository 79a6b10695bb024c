import initSqlJs, { type Database, type SqlJsStatic, type SqlValue, type Statement } from 'sql.js';
import type { ErasedMarks, Erasing, Erasure } from '../../app/erasurePorts.ts';
import type { EventRecord, SayingSearch, SessionRow, StoreSize } from '../../app/ports.ts';
import { isSaying } from '../../domain/interactions.ts';
import { toldOf } from '../../domain/told.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { eraseStatements } from './eraseStatements.ts';
import { migrate, migrations, type Migration } from './migrations.ts';
import { readEvent } from './readEvent.ts';
import type { Trim } from './record.ts';
import type { FoundSlice, StampedRow } from './searchIndex.ts';
import { searchStatements } from './searchStatements.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import { type Trimmable, trimStatements } from './trimStatements.ts';
import { type ShelfRows, shelfStatements } from './shelfStatements.ts';
import { type WorkRows, workStatements } from './workStatements.ts';

/** How much of which journal segment an image contains, by the segment's name. */
export type Coverage = ReadonlyMap<string, number>;

export type EventKey = readonly [ts: string, rank: number, id: string];
export interface EventSlice {
  readonly rows: readonly { readonly event: AgentEvent; readonly key: EventKey }[];
  /** Whether others follow. */
  readonly more: boolean;
}

export type SessionKey = readonly [lastEventAt: string, id: string];

/** The rows in memory: what can be made again from an image and the journal behind it. */
export interface StoreDatabase {
  /** All or none. Existing rows stay unchanged; `isLate`: events of sessions erased since are skipped. */
  insert(records: readonly EventRecord[], isLate?: boolean): void;
  lookup(key: string): string | undefined;
  saveSessions(rows: readonly SessionRow[]): void;
  session(id: string): SessionRow | undefined;
  sessionsAfter(key: SessionKey | undefined, limit: number): SessionRow[];
  events(sessionId: string): AgentEvent[];
  eventsAfter(sessionId: string, key: EventKey | undefined, limit: number): EventSlice;
  sayingsAfter(sessionId: string, key: EventKey | undefined, limit: number): EventSlice;
  /** Newest first. */
  newestEvents(sessionId: string, limit: number): EventSlice;
  /** Newest first, over all sessions; some milliseconds of it. */
  search(search: SayingSearch, after: EventKey | undefined, limit: number): FoundSlice;
  /** Less than a millisecond of what a first search would have to wait for. False: it would wait for nothing. */
  warmSearch(): boolean;
  /** CNV-3: makes so many rows of an older version fit for the search. */
  stampMissing(limit: number): void;
  /** Of a session, up to this key. */
  countUpTo(sessionId: string, key: EventKey | undefined): number;
  eventCount(): number;
  /** All or nothing of it; what is gone already is no error. */
  trim(trim: Trim, isLate?: boolean): void;
  readonly trimmable: Trimmable;
  readonly work: Pick<WorkRows, 'items' | 'change'>;
  readonly shelves: Omit<ShelfRows, 'forget'>;
  /**
   * Erases everything named, and at the end the marks of it. Yields every few milliseconds; nothing else may write to these rows until
   * it has returned.
   */
  erase(erasing: Erasing): Generator<undefined, Erasure>;
  readonly erased: ErasedMarks;
  counts(): Omit<StoreSize, 'databaseBytes' | 'journalBytes'>;
  /** Sessions with events that came after their row was saved. */
  unreduced(): string[];
  setUnreduced(sessionIds: readonly string[]): void;
  /** Bytes of all pages, and about what the rows would need in new ones. */
  space(): { readonly size: number; readonly used: number };
  /** Gives back the pages that hold nothing. Takes as long as copying the whole. */
  vacuum(): void;
  coverage(): Coverage;
  /** The bytes of an image that says of itself what it contains. */
  exportImage(coverage: Coverage): Uint8Array;
  close(): void;
}

export type Sqlite = SqlJsStatic;

/** Node has it, but only the browser's types say so. */
declare const WebAssembly: { validate(bytes: Uint8Array | ArrayBuffer): boolean };

/** Large pages: copying an image of 50 MB takes half the time that pages of 4 KiB take, and rows of 2 KB fit without overflow. */
const PAGE_BYTES = 16_384;

/** Reading and parsing this much takes about 10 ms; nobody else is served meanwhile. */
const SLICE_CHARACTERS = 1_000_000;

/** What a densely written event costs beyond its text: the page's unused end; its keys, indexes and share of the session's row. */
const PAGE_WASTE = 0.12;
const KEYS_BYTES = 500;

export async function loadSqlite(wasm: Uint8Array | ArrayBuffer): Promise<Sqlite> {
  // sql.js keeps its first answer for the life of the process, and leaves an unhandled rejection beside a bad one.
  if (!WebAssembly.validate(wasm)) {
    throw new Error('sql-wasm.wasm is damaged or not the whole file. Install the extension again.');
  }
  // Typed as an ArrayBuffer, but all that is done with it is WebAssembly.instantiate, which takes a view as well.
  return initSqlJs({ wasmBinary: wasm as ArrayBuffer });
}

/** SQLite can't make sense of the bytes; as against a migration that fails, which is no reason to set a file aside. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
}

/** `bytes` may be written to afterwards: sql.js keeps a Node buffer as its file rather than copying it. */
export function openDatabase(
  sqlite: Sqlite,
  image: { readonly bytes: Uint8Array; readonly verified: boolean } | undefined,
  steps: readonly Migration[] = migrations,
): StoreDatabase {
  const database = new sqlite.Database(image?.bytes);
  try {
    setUp(database);
    if (image && !image.verified) checkPages(database);
    migrate(database, steps);
    return statementsOver(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function setUp(database: Database): void {
  try {
    // In memory there is nothing to sync and no file to keep; a rollback needs the journal all the same. What was deleted must
    // not stay in the image's empty pages.
    database.run(
      `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON`,
    );
    database.exec('SELECT count(*) FROM sqlite_schema');
  } catch (error) {
    throw new UnreadableImageError('it is not a database that SQLite can read', { cause: error });
  }
}

function checkPages(database: Database): void {
  let verdict: unknown;
  try {
    verdict = database.exec('PRAGMA quick_check(1)')[0]?.values[0]?.[0];
  } catch (error) {
    verdict = error;
  }
  if (verdict !== 'ok') throw new UnreadableImageError('its pages are damaged', { cause: verdict });
}

function statementsOver(database: Database): StoreDatabase {
  const prepare = (sql: string): Statement => database.prepare(sql);
  const insertEvent = prepare('INSERT OR IGNORE INTO events (id, session_id, ts, rank, json) VALUES (?, ?, ?, ?, ?)');
  const insertSeen = prepare('INSERT OR IGNORE INTO seen (key, event_id) VALUES (?, ?)');
  const insertSaying = prepare(
    'INSERT OR IGNORE INTO sayings (session_id, ts, rank, id, signature) VALUES (?, ?, ?, ?, ?)',
  );
  const insertTelling = prepare('INSERT OR IGNORE INTO tellings (session_id, event_id) VALUES (?, ?)');
  const insertUnreduced = prepare('INSERT OR IGNORE INTO unreduced (session_id) VALUES (?)');
  const deleteUnreduced = prepare('DELETE FROM unreduced WHERE session_id = ?');
  const selectSeen = prepare('SELECT event_id FROM seen WHERE key = ?');
  const upsertSession = prepare(
    `INSERT INTO sessions (id, last_event_at, reducer, json) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET last_event_at = excluded.last_event_at, reducer = excluded.reducer, json = excluded.json`,
  );
  const sessionColumns =
    'SELECT id, last_event_at, reducer, json, EXISTS (SELECT 1 FROM trimmed t WHERE t.session_id = sessions.id) FROM sessions';
  const selectSession = prepare(`${sessionColumns} WHERE id = ?`);
  const newestSessions = prepare(`${sessionColumns} ORDER BY last_event_at DESC, id DESC LIMIT ?`);
  const olderSessions = prepare(
    `${sessionColumns} WHERE (last_event_at, id) < (?, ?) ORDER BY last_event_at DESC, id DESC LIMIT ?`,
  );
  const eventColumns = 'SELECT json, ts, rank, id FROM events WHERE session_id = ?';
  const inOrder = 'ORDER BY ts, rank, id';
  const allEvents = prepare(`${eventColumns} ${inOrder}`);
  const laterEvents = prepare(`${eventColumns} AND (ts, rank, id) > (?, ?, ?) ${inOrder}`);
  const lastEvents = prepare(
    `SELECT json_set(json_remove(json, '$.raw'), '$.raw', json('{}')), ts, rank, id FROM events WHERE session_id = ? ORDER BY ts DESC, rank DESC, id DESC`,
  );
  // CROSS JOIN keeps SQLite from turning the two tables round: only this way it reads in order, and no more than it gives.
  const sayingColumns =
    'SELECT e.json, s.ts, s.rank, s.id FROM sayings s CROSS JOIN events e ON e.id = s.id WHERE s.session_id = ?';
  const sayingKey = '(s.ts, s.rank, s.id)';
  const sayingsInOrder = 'ORDER BY s.ts, s.rank, s.id';
  const firstSayings = prepare(`${sayingColumns} ${sayingsInOrder}`);
  const laterSayings = prepare(`${sayingColumns} AND ${sayingKey} > (?, ?, ?) ${sayingsInOrder}`);
  const countEvents = prepare('SELECT count(*) FROM events');
  const countAll = prepare('SELECT count(*) FROM events WHERE session_id = ?');
  const countEarlier = prepare('SELECT count(*) FROM events WHERE session_id = ? AND (ts, rank, id) <= (?, ?, ?)');
  const upsertMeta = prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const selectMeta = prepare('SELECT value FROM meta WHERE key = ?');

  const metaOf = (key: string) => rowsOf(selectMeta, [key])[0]?.[0];
  const trimming = trimStatements(database);
  const erasing = eraseStatements(database);
  const work = workStatements(database);
  const shelves = shelfStatements(database);
  const countSessions = prepare('SELECT count(*) FROM sessions');
  const countSayings = prepare('SELECT count(*) FROM sayings');
  // Session by session each is one look into the index; over all events it would be a walk through it.
  const oldestEvent = prepare(
    `SELECT min((SELECT ts FROM events e WHERE e.session_id = s.id ORDER BY ts LIMIT 1)) FROM sessions s`,
  );
  const searching = searchStatements(database);
  /** Of all events' texts: what pages hold half empty is still free. */
  let eventBytes = Number(metaOf('event_bytes') ?? 0);
  let eventCount = Number(rowsOf(countEvents, [])[0]?.[0] ?? 0);

  function saveRow(row: SessionRow): void {
    run(upsertSession, [toSqlText(row.id), toSqlText(row.lastEventAt), row.reducer, toSqlText(row.json)]);
    run(deleteUnreduced, [toSqlText(row.id)]);
  }

  return {
    insert: (records, isLate = false) => {
      const { bytes, events, said } = inTransaction(database, () => {
        let [bytes, events] = [0, 0];
        const said: StampedRow[] = [];
        for (const { event, keys, rank } of records) {
          if (isLate && erasing.marks.of(event.session_id) > 0) continue;
          const [id, session] = [toSqlText(event.id), toSqlText(event.session_id)];
          const json = JSON.stringify(event);
          run(insertEvent, [id, session, toSqlText(event.ts), rank, json]);
          if (database.getRowsModified() > 0) {
            bytes += Buffer.byteLength(json);
            events++;
            run(insertUnreduced, [session]);
            for (const told of toldOf(event)) run(insertTelling, [toSqlText(told), id]);
            if (isSaying(event)) {
              const stamp = searching.stampOf(event);
              run(insertSaying, [session, toSqlText(event.ts), rank, id, stamp]);
              said.push({ key: [event.ts, rank, event.id], sessionId: event.session_id, stamp });
            }
          }
          for (const key of keys) run(insertSeen, [toSqlText(key), id]);
        }
        return { bytes, events, said };
      });
      eventBytes += bytes;
      eventCount += events;
      searching.index.added(said);
    },
    trim: (trim, isLate = false) => {
      // CNV-4: one that comes late, of an owner of before, keeps no row of what was erased since.
      const saveKept = (row: SessionRow) => {
        if (!isLate || erasing.marks.of(row.id) === 0) saveRow(row);
      };
      const { bytes, events, sayings } = trimming.trim(trim, saveKept);
      if (trim.forget.length > 0) shelves.forget(trim.forget);
      eventBytes -= bytes;
      eventCount -= events;
      searching.index.removed(sayings);
    },
    trimmable: trimming.trimmable,
    work,
    shelves,
    erase: function* (what) {
      work.forget(what.sessions);
      shelves.forget(what.sessions);
      let [sessions, events] = [0, 0];
      const steps = erasing.erase(what);
      for (;;) {
        const { value: gone, done } = steps.next();
        eventBytes -= gone.bytes;
        eventCount -= gone.events;
        searching.index.removed(gone.sayings);
        sessions += gone.sessions;
        events += gone.events;
        if (done) break;
        yield;
      }
      return { sessions, events };
    },
    erased: erasing.marks,
    counts: () => {
      const [sessions, interactions] = [countSessions, countSayings].map((each) => Number(rowsOf(each, [])[0]?.[0]));
      const oldest = rowsOf(oldestEvent, [])[0]?.[0] ?? null;
      return {
        sessions: sessions ?? 0,
        interactions: interactions ?? 0,
        events: eventCount,
        oldest: oldest === null ? null : textOf(oldest),
      };
    },
    lookup: (key) => {
      const row = rowsOf(selectSeen, [toSqlText(key)])[0];
      if (row) return textOf(row[0]);
      return erasing.hadKey(key) ? '' : undefined;
    },
    saveSessions: (rows) =>
      inTransaction(database, () => {
        rows.forEach(saveRow);
      }),
    session: (id) => {
      const row = rowsOf(selectSession, [toSqlText(id)])[0];
      return row && sessionOf(row);
    },
    sessionsAfter: (key, limit) =>
      (key
        ? rowsOf(olderSessions, [toSqlText(key[0]), toSqlText(key[1]), limit])
        : rowsOf(newestSessions, [limit])
      ).map(sessionOf),
    events: (sessionId) => rowsOf(allEvents, [toSqlText(sessionId)]).map(([json]) => readEvent(json)),
    eventsAfter: (sessionId, key, limit) =>
      sliceOf(key ? laterEvents : allEvents, [toSqlText(sessionId), ...keyValues(key)], limit),
    sayingsAfter: (sessionId, key, limit) =>
      sliceOf(key ? laterSayings : firstSayings, [toSqlText(sessionId), ...keyValues(key)], limit),
    newestEvents: (sessionId, limit) => sliceOf(lastEvents, [toSqlText(sessionId)], limit),
    search: searching.index.search,
    warmSearch: searching.index.warm,
    stampMissing: searching.stampMissing,
    countUpTo: (sessionId, key) =>
      Number(rowsOf(key ? countEarlier : countAll, [toSqlText(sessionId), ...keyValues(key)])[0]?.[0]),
    eventCount: () => eventCount,
    setUnreduced: (ids) =>
      inTransaction(database, () => {
        database.run('DELETE FROM unreduced');
        for (const id of ids) run(insertUnreduced, [toSqlText(id)]);
      }),
    space: () => {
      const [pages = 0, free = 0, bytes = 0] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
        Number(database.exec(`PRAGMA ${name}`)[0]?.values[0]?.[0] ?? 0),
      );
      const size = pages * bytes;
      return { size, used: Math.min(size - free * bytes, eventBytes * (1 + PAGE_WASTE) + eventCount * KEYS_BYTES) };
    },
    vacuum: () => void database.run('VACUUM'),
    unreduced: () => {
      const rows = database.exec('SELECT session_id FROM unreduced ORDER BY session_id')[0]?.values ?? [];
      return rows.map((row) => textOf(row[0]));
    },
    coverage: () => {
      const text = metaOf('coverage');
      return new Map(text ? Object.entries(JSON.parse(String(text)) as Record<string, number>) : []);
    },
    exportImage: (coverage) => {
      run(upsertMeta, ['coverage', JSON.stringify(Object.fromEntries(coverage))]);
      run(upsertMeta, ['event_bytes', String(eventBytes)]);
      // Throws inside a write transaction (sql.js 1.16); there is none here, since each ends within its call. The
      // statements stay valid: it copies the pages through SQLite's backup and leaves the connection open.
      return database.export();
    },
    close: () => database.close(),
  };
}

/** At most `limit` rows of events, and no more than `SLICE_CHARACTERS` but for the first one. */
function sliceOf(statement: Statement, values: SqlValue[], limit: number): EventSlice {
  const rows: { event: AgentEvent; key: EventKey }[] = [];
  let size = 0;
  try {
    statement.bind(values);
    while (statement.step()) {
      if (rows.length >= limit || size >= SLICE_CHARACTERS) return { rows, more: true };
      const row = statement.get();
      size += String(row[0]).length;
      rows.push({ event: readEvent(row[0]), key: [textOf(row[1]), Number(row[2]), textOf(row[3])] });
    }
    return { rows, more: false };
  } finally {
    statement.reset();
  }
}

function keyValues(key: EventKey | undefined): SqlValue[] {
  return key ? [toSqlText(key[0]), key[1], toSqlText(key[2])] : [];
}

function textOf(value: SqlValue | undefined): string {
  return fromSqlText(String(value));
}

function sessionOf(row: SqlValue[]): SessionRow {
  const [id, lastEventAt, reducer, json, trimmed] = row;
  return {
    id: textOf(id),
    lastEventAt: textOf(lastEventAt),
    reducer: Number(reducer),
    json: textOf(json),
    ...(trimmed === 1 ? { trimmed: true } : {}),
  };
}
