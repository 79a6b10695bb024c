import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Database, SqlJsStatic, SqlValue } from 'sql.js';
import type { SessionAge, SessionRow } from '../../app/ports.ts';
import { type ShelfRows, shelfStatements } from './shelfStatements.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import { type WorkRows, workStatements } from './workStatements.ts';
import { ErasedMarkRows } from './erasedMarks.ts';
import type { SaidRange, SessionRun, Telling } from './segmentDigest.ts';

/** What a session has in one sealed segment. */
export interface StoredRun extends Omit<SessionRun, 'session'> {
  readonly segment: number;
}

/** What the index knows of a sealed segment. */
export interface IndexedSegment {
  /** In bytes. */
  readonly size: number;
  readonly runs: readonly SessionRun[];
  readonly said: SaidRange | undefined;
}

export type RunTotals = Pick<SessionRun, 'events' | 'sayings' | 'bytes'>;

/** To be raised with any change of the tables: an index of another version is made again from the log. */
const VERSION = 1;

/** Rows of sessions, and where the log holds what. It has no words of a tool's, and can be made again from the log at any time. */
const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY NOT NULL,
    last_event_at TEXT NOT NULL,
    reducer INTEGER NOT NULL,
    state BLOB NOT NULL,
    trimmed INTEGER NOT NULL DEFAULT 0,
    reduced_to INTEGER NOT NULL,
    tty TEXT, parent_pid INTEGER, fingerprint TEXT
  );
  CREATE INDEX sessions_newest ON sessions (last_event_at, id);
  CREATE INDEX sessions_by_fingerprint ON sessions (fingerprint);
  CREATE TABLE segments (first_seq INTEGER PRIMARY KEY NOT NULL, size INTEGER NOT NULL, said_from REAL, said_to REAL);
  CREATE TABLE runs (
    session_id TEXT NOT NULL,
    segment INTEGER NOT NULL,
    events INTEGER NOT NULL,
    sayings INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    oldest TEXT NOT NULL,
    PRIMARY KEY (session_id, segment)
  ) WITHOUT ROWID;
  CREATE INDEX runs_by_segment ON runs (segment);
  CREATE TABLE tellings (told TEXT NOT NULL, seq INTEGER NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (told, seq)) WITHOUT ROWID;
  CREATE TABLE work_items (key TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE shelves (
    shelf TEXT NOT NULL, key TEXT NOT NULL, session_id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (shelf, key)
  ) WITHOUT ROWID;
  CREATE INDEX shelves_by_session ON shelves (session_id) WHERE session_id <> '';
  CREATE TABLE erasures (
    kind TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, bytes INTEGER, PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};
`;

/** States of sessions that nothing happened in lately are compressed; so many at a time, in about ten milliseconds. */
const COMPRESSED_AT_ONCE = 50;

/** So many sessions may have a newer row than the database: as many as people run at the same time, and few enough to be written at once. */
const UNWRITTEN_MAX = 16;

/**
 * The small database in memory. It says up to which record of the log it has taken everything in (`reaches`); whoever changes it
 * tells it so in the same turn.
 */
export class StoreIndex {
  readonly work: WorkRows;
  readonly shelves: ShelfRows;
  readonly erased: ErasedMarkRows;
  readonly #database: Database;
  readonly #statements: ReturnType<typeof statementsOn>;
  /** Rows that are not in the database yet, the latest saved last: the next event of a session replaces its row. */
  readonly #unwritten = new Map<string, { readonly row: SessionRow; readonly reducedTo: number }>();

  private constructor(database: Database) {
    this.#database = database;
    this.#statements = statementsOn(database);
    this.work = workStatements(database);
    this.shelves = shelfStatements(database);
    this.erased = new ErasedMarkRows(database);
  }

  static empty(sqlite: SqlJsStatic): StoreIndex {
    const database = new sqlite.Database();
    setUp(database);
    database.run(TABLES);
    return new StoreIndex(database);
  }

  /** Undefined if the bytes are no index of this version. `image` may be changed afterwards. */
  static from(sqlite: SqlJsStatic, image: Uint8Array): StoreIndex | undefined {
    const database = new sqlite.Database(image);
    try {
      setUp(database);
      if (Number(database.exec('PRAGMA user_version')[0]?.values[0]?.[0]) === VERSION) return new StoreIndex(database);
    } catch {
      // SQLite can't read the bytes, or the tables have other names.
    }
    database.close();
    return undefined;
  }

  get reaches(): number {
    return Number(rowsOf(this.#statements.meta, ['reaches'])[0]?.[0] ?? 0);
  }

  set reaches(seq: number) {
    run(this.#statements.setMeta, ['reaches', String(seq)]);
  }

  /** The row's `json` is read when the row is written: at the latest before the next question about rows, or the next image. */
  saveSession(row: SessionRow, reducedTo: number): void {
    this.#unwritten.delete(row.id);
    this.#unwritten.set(row.id, { row, reducedTo });
    const [oldest] = this.#unwritten.keys();
    if (this.#unwritten.size > UNWRITTEN_MAX && oldest !== undefined) this.#write(oldest);
  }

  /** Puts the session's row into the database, unless it is there. */
  #write(id: string): void {
    const saved = this.#unwritten.get(id);
    if (saved === undefined) return;
    const { lastEventAt, reducer, json } = saved.row;
    const values = [toSqlText(id), toSqlText(lastEventAt), reducer, toSqlText(json), saved.reducedTo];
    run(this.#statements.saveSession, values);
    this.#unwritten.delete(id);
  }

  #writeRows(): void {
    for (const id of this.#unwritten.keys()) this.#write(id);
  }

  /** The statements about rows of sessions, once all rows are in the database. */
  get #onRows() {
    this.#writeRows();
    return this.#statements;
  }

  session(id: string): SessionRow | undefined {
    this.#write(id);
    const row = rowsOf(this.#statements.session, [toSqlText(id)])[0];
    return row && sessionOf(row);
  }

  /** Newest first. */
  sessionsBefore(key: readonly [lastEventAt: string, id: string] | undefined, limit: number): SessionRow[] {
    const { newest, older } = this.#onRows;
    const rows = key ? rowsOf(older, [toSqlText(key[0]), toSqlText(key[1]), limit]) : rowsOf(newest, [limit]);
    return rows.map(sessionOf);
  }

  /** Oldest first. */
  agesAfter(after: SessionAge | undefined, limit: number): SessionAge[] {
    const { oldest, younger } = this.#onRows;
    const rows = after
      ? rowsOf(younger, [toSqlText(after.lastEventAt), toSqlText(after.id), limit])
      : rowsOf(oldest, [limit]);
    return rows.map(([id, at]) => ({ id: textIn(id), lastEventAt: textIn(at) }));
  }

  countSessions(): number {
    return Number(rowsOf(this.#onRows.countSessions, [])[0]?.[0]);
  }

  /** Retention took events of this session: its row tells more than what is left of them. */
  markTrimmed(id: string): void {
    run(this.#onRows.markTrimmed, [toSqlText(id)]);
  }

  /** Removes its row, and what is known of where its events lie. True if it had a row. */
  removeSession(id: string): boolean {
    const key = toSqlText(id);
    run(this.#statements.removeRunsOf, [key]);
    run(this.#statements.removeTellings, [key]);
    return rowsOf(this.#onRows.removeSession, [key]).length > 0;
  }

  /** Ids of sessions whose row was made from fewer events than sealed segments hold of them, or that have no row; newest first. */
  unreduced(): string[] {
    return rowsOf(this.#onRows.unreduced, []).map(([id]) => textIn(id));
  }

  /** Notes that the session's row, if it has one, tells of all events up to this sequence number. */
  reducedTo(id: string, seq: number): void {
    run(this.#onRows.reducedTo, [seq, toSqlText(id)]);
  }

  /** Up to which sequence number the session's row tells of its events; 0 if it has no row. */
  rowReaches(id: string): number {
    return Number(rowsOf(this.#onRows.rowReaches, [toSqlText(id)])[0]?.[0] ?? 0);
  }

  /** Puts what a segment of this size holds in place of what was known of it. */
  setSegment(segment: number, { size, runs, said }: IndexedSegment): void {
    inTransaction(this.#database, () => {
      this.removeSegment(segment);
      run(this.#statements.addSegment, [segment, size, said?.[0] ?? null, said?.[1] ?? null]);
      for (const each of runs) this.#addRun(segment, each);
    });
  }

  #addRun(segment: number, { session, events, sayings, bytes, lastSeq, oldest }: SessionRun): void {
    const values = [toSqlText(session), segment, events, sayings, bytes, lastSeq, toSqlText(oldest)];
    run(this.#statements.addRun, values);
  }

  /** Puts this in place of what was known of a session in a segment; undefined: nothing of it is left there. */
  setRun(segment: number, session: string, left: SessionRun | undefined): void {
    run(this.#statements.removeRun, [toSqlText(session), segment]);
    if (left) this.#addRun(segment, left);
  }

  removeSegment(segment: number): void {
    run(this.#statements.removeRuns, [segment]);
    run(this.#statements.removeSegment, [segment]);
  }

  /** The sealed segments that are known, by their first sequence numbers, with their sizes. */
  segments(): Map<number, number> {
    return new Map(rowsOf(this.#statements.segments, []).map(([segment, size]) => [Number(segment), Number(size)]));
  }

  /** The sealed segments in which something was said, and when. */
  saidSegments(): readonly { readonly segment: number; readonly said: SaidRange }[] {
    return rowsOf(this.#statements.saidSegments, []).map(([segment, from, to]) => ({
      segment: Number(segment),
      said: [Number(from), Number(to)],
    }));
  }

  /** Where a session's events lie in sealed segments, oldest segment first. */
  runsOf(session: string): StoredRun[] {
    return rowsOf(this.#statements.runs, [toSqlText(session)]).map(
      ([segment, events, sayings, bytes, lastSeq, oldest]) => ({
        segment: Number(segment),
        events: Number(events),
        sayings: Number(sayings),
        bytes: Number(bytes),
        lastSeq: Number(lastSeq),
        oldest: textIn(oldest),
      }),
    );
  }

  /** Of all sealed segments. */
  totals(): RunTotals {
    const [events, sayings, bytes] = rowsOf(this.#statements.totals, [])[0] ?? [];
    return { events: Number(events ?? 0), sayings: Number(sayings ?? 0), bytes: Number(bytes ?? 0) };
  }

  /** How many events these segments hold, by segment. */
  eventsIn(segments: readonly number[]): Map<number, number> {
    const count = (segment: number) => Number(rowsOf(this.#statements.segmentEvents, [segment])[0]?.[0] ?? 0);
    return new Map(segments.map((segment) => [segment, count(segment)]));
  }

  /** The earliest `ts` in sealed segments; undefined if there are no events. */
  oldest(): string | undefined {
    const oldest = rowsOf(this.#statements.oldestRun, [])[0]?.[0];
    return oldest === null || oldest === undefined ? undefined : textIn(oldest);
  }

  /** Every session that has a row or events in sealed segments. */
  everySession(): string[] {
    return rowsOf(this.#onRows.everySession, []).map(([id]) => textIn(id));
  }

  addTelling({ told, seq, session }: Telling): void {
    run(this.#statements.addTelling, [toSqlText(told), seq, toSqlText(session)]);
  }

  /** Events that tell of this session. */
  tellingsOf(told: string): Pick<Telling, 'seq' | 'session'>[] {
    return rowsOf(this.#statements.tellings, [toSqlText(told)]).map(([seq, session]) => ({
      seq: Number(seq),
      session: textIn(session),
    }));
  }

  /** Rows that wait to be written are no part of it: they would go with what is rolled back. */
  inTransaction<T>(work: () => T): T {
    this.#writeRows();
    return inTransaction(this.#database, work);
  }

  /** Compresses some states of sessions whose last event was before. False if none is left. */
  compressStates(before: string): boolean {
    const rows = rowsOf(this.#onRows.plainStates, [toSqlText(before), COMPRESSED_AT_ONCE]);
    this.inTransaction(() => {
      for (const [id, state] of rows)
        run(this.#statements.setState, [deflateRawSync(String(state), { level: 3 }), id ?? null]);
    });
    return rows.length === COMPRESSED_AT_ONCE;
  }

  /** Copies all that is there to new pages: SQLite leaves copies of moved rows in the unused part of old ones. */
  vacuum(): void {
    this.#database.run('VACUUM');
  }

  /** The bytes of the database. Statements stay valid. */
  image(): Uint8Array {
    this.#writeRows();
    return this.#database.export();
  }

  close(): void {
    this.#database.close();
  }
}

function setUp(database: Database): void {
  // In memory there is nothing to sync; a rollback needs the journal all the same. What was deleted must not stay in empty pages.
  database.run(
    'PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON',
  );
}

function statementsOn(database: Database) {
  const session = 'SELECT id, last_event_at, reducer, state, trimmed FROM sessions';
  const word = (name: string) => `CASE WHEN json_valid(?4) THEN json_extract(?4, '$.session.${name}') END`;
  const sql = {
    meta: 'SELECT value FROM meta WHERE key = ?',
    setMeta: 'INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)',
    // SES-1: `tty`, `parent_pid` and `fingerprint` are words of the state.
    saveSession: `INSERT INTO sessions (id, last_event_at, reducer, state, reduced_to, tty, parent_pid, fingerprint)
      VALUES (?1, ?2, ?3, ?4, ?5, ${word('tty')}, ${word('agentPid')}, ${word('fingerprint')})
      ON CONFLICT (id) DO UPDATE SET last_event_at = excluded.last_event_at, reducer = excluded.reducer, state = excluded.state,
        reduced_to = excluded.reduced_to, tty = excluded.tty, parent_pid = excluded.parent_pid, fingerprint = excluded.fingerprint`,
    session: `${session} WHERE id = ?`,
    newest: `${session} ORDER BY last_event_at DESC, id DESC LIMIT ?`,
    older: `${session} WHERE (last_event_at, id) < (?, ?) ORDER BY last_event_at DESC, id DESC LIMIT ?`,
    oldest: 'SELECT id, last_event_at FROM sessions ORDER BY last_event_at, id LIMIT ?',
    younger:
      'SELECT id, last_event_at FROM sessions WHERE (last_event_at, id) > (?, ?) ORDER BY last_event_at, id LIMIT ?',
    countSessions: 'SELECT count(*) FROM sessions',
    markTrimmed: 'UPDATE sessions SET trimmed = 1 WHERE id = ?',
    removeSession: 'DELETE FROM sessions WHERE id = ? RETURNING id',
    reducedTo: 'UPDATE sessions SET reduced_to = ? WHERE id = ?',
    rowReaches: 'SELECT reduced_to FROM sessions WHERE id = ?',
    unreduced: `SELECT r.session_id FROM runs r LEFT JOIN sessions s ON s.id = r.session_id
      GROUP BY r.session_id HAVING max(r.last_seq) > coalesce(max(s.reduced_to), 0) ORDER BY max(r.last_seq) DESC`,
    addRun:
      'INSERT OR REPLACE INTO runs (session_id, segment, events, sayings, bytes, last_seq, oldest) VALUES (?, ?, ?, ?, ?, ?, ?)',
    removeRuns: 'DELETE FROM runs WHERE segment = ?',
    removeRun: 'DELETE FROM runs WHERE session_id = ? AND segment = ?',
    removeRunsOf: 'DELETE FROM runs WHERE session_id = ?',
    addSegment: 'INSERT INTO segments (first_seq, size, said_from, said_to) VALUES (?, ?, ?, ?)',
    saidSegments: 'SELECT first_seq, said_from, said_to FROM segments WHERE said_to IS NOT NULL',
    removeSegment: 'DELETE FROM segments WHERE first_seq = ?',
    segments: 'SELECT first_seq, size FROM segments',
    runs: 'SELECT segment, events, sayings, bytes, last_seq, oldest FROM runs WHERE session_id = ? ORDER BY segment',
    segmentEvents: 'SELECT sum(events) FROM runs WHERE segment = ?',
    totals: 'SELECT sum(events), sum(sayings), sum(bytes) FROM runs',
    oldestRun: 'SELECT min(oldest) FROM runs',
    everySession: 'SELECT id FROM sessions UNION SELECT session_id FROM runs',
    addTelling: 'INSERT OR REPLACE INTO tellings (told, seq, session_id) VALUES (?, ?, ?)',
    tellings: 'SELECT seq, session_id FROM tellings WHERE told = ? ORDER BY seq',
    removeTellings: 'DELETE FROM tellings WHERE session_id = ?',
    plainStates: "SELECT id, state FROM sessions WHERE typeof(state) = 'text' AND last_event_at < ? LIMIT ?",
    setState: 'UPDATE sessions SET state = ? WHERE id = ?',
  } as const;
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)] as const);
  return Object.fromEntries(prepared) as Record<keyof typeof sql, ReturnType<Database['prepare']>>;
}

function textIn(value: SqlValue | undefined): string {
  return fromSqlText(String(value));
}

function sessionOf([id, lastEventAt, reducer, state, trimmed]: SqlValue[]): SessionRow {
  return {
    id: textIn(id),
    lastEventAt: textIn(lastEventAt),
    reducer: Number(reducer),
    json: textIn(state instanceof Uint8Array ? inflateRawSync(state).toString('utf8') : state),
    ...(trimmed === 1 ? { trimmed: true } : {}),
  };
}
