import type { Database, Statement } from 'sql.js';
import type { ErasedMarks, Erasing } from '../../app/erasurePorts.ts';
import { hashHex } from '../../domain/hash.ts';
import type { EventKey } from './database.ts';
import { eventRemoval } from './removeEvent.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import { tellingRemoval } from './tellings.ts';
import type { Trimmed } from './trimStatements.ts';

/** CNV-4: erases rows, and keeps marks of what was erased. */
export interface EraseStatements {
  /** Yields what is gone after each slice (a transaction of some milliseconds). Complete once the generator has returned. */
  erase(erasing: Erasing): Generator<Erased, Erased>;
  readonly marks: ErasedMarks;
  /** Was an event with this key erased recently? Then the same delivery may still arrive a second time. */
  hadKey(key: string): boolean;
}

export interface Erased extends Trimmed {
  readonly sessions: number;
}

/**
 * `all`: the last erasure of everything. `session`: a session erased by itself. `had`: hash of the id of a session that was erased with
 * everything (ids are not kept). `transcript`: hash of its path. `file`: name of a file in the spool. `key`: key of a delivery.
 */
type MarkKind = 'all' | 'session' | 'had' | 'transcript' | 'file' | 'key';

interface Mark {
  readonly number: number;
  /** Length of a transcript. Undefined for a session that an earlier version erased: its length is unknown. */
  readonly bytes: number | undefined;
}

/**
 * How many of the newest keys each erasure remembers: a repeated delivery arrives within seconds. Fingerprints of contents are not
 * remembered, because the same thing can happen again in the same second of a clock that was set back.
 */
const KEYS_OF_EVENTS = 100;

/** How many erasures keep their keys and spool files: files of one erasure may still be there at the next. */
export const NEWEST_ERASURES = 20;

/** What is deleted is overwritten, so its size counts as much as how many there are. */
const EVENTS_AT_ONCE = 250;
const BYTES_AT_ONCE = 1_000_000;

const nothing: Erased = { bytes: 0, events: 0, sayings: [], sessions: 0 };

const tables = ['sayings', 'seen', 'tellings', 'unreduced', 'trimmed', 'sessions'];

export function eraseStatements(database: Database): EraseStatements {
  const prepare = (sql: string): Statement => database.prepare(sql);
  const remove = eventRemoval(database);
  const idsOfSession = prepare(`SELECT id FROM events WHERE session_id = ? LIMIT ${EVENTS_AT_ONCE}`);
  const idsOfAll = prepare(`SELECT id FROM events LIMIT ${EVENTS_AT_ONCE}`);
  const ofSession = ['unreduced', 'trimmed', 'tellings'].map((table) =>
    prepare(`DELETE FROM ${table} WHERE session_id = ?`),
  );
  const deleteSession = prepare('DELETE FROM sessions WHERE id = ? RETURNING id');
  const countSessions = prepare('SELECT count(*) FROM sessions');
  const forgetTold = tellingRemoval(database);
  const insertMark = prepare('INSERT OR REPLACE INTO erasures (kind, key, number, bytes) VALUES (?, ?, ?, ?)');
  const selectKey = prepare("SELECT 1 FROM erasures WHERE kind = 'key' AND key = ?");
  const keepKeys = (which: string) =>
    prepare(`INSERT OR REPLACE INTO erasures (kind, key, number) SELECT 'key', key, ? FROM seen
       WHERE key GLOB '[do]:*' AND event_id IN (SELECT id FROM events ${which} ORDER BY rowid DESC LIMIT ${KEYS_OF_EVENTS})`);
  const keepKeysOfAll = keepKeys('');
  const keepKeysOfSession = keepKeys('WHERE session_id = ?');
  const everyId = prepare(
    `SELECT id FROM sessions UNION SELECT session_id FROM unreduced UNION SELECT key FROM erasures WHERE kind = 'session'`,
  );

  /** All marks but the keys, in memory because every event needs them. */
  let marks = readMarks();

  function readMarks() {
    const read = new Map<MarkKind, Map<string, Mark>>();
    const rows = database.exec("SELECT kind, key, number, bytes FROM erasures WHERE kind <> 'key'")[0]?.values ?? [];
    let count = 0;
    for (const [kind, key, number, bytes] of rows) {
      const ofKind = read.get(kind as MarkKind) ?? new Map<string, Mark>();
      read.set(kind as MarkKind, ofKind);
      ofKind.set(fromSqlText(String(key)), {
        number: Number(number),
        bytes: bytes === null ? undefined : Number(bytes),
      });
      count = Math.max(count, Number(number));
    }
    return { count, find: (kind: MarkKind, key: string) => read.get(kind)?.get(key), hasHad: read.has('had') };
  }

  function addMark(kind: MarkKind, key: string, number: number, bytes = 0): void {
    run(insertMark, [kind, toSqlText(key), number, bytes]);
  }

  /** Undefined: there are none left. */
  function eraseEvents(statement: Statement, values: string[]): Erased | undefined {
    const found = rowsOf(statement, values);
    if (found.length === 0) return undefined;
    return inTransaction(database, () => {
      let [bytes, events] = [0, 0];
      const sayings: EventKey[] = [];
      for (const [id] of found) {
        const gone = remove(String(id));
        bytes += gone.bytes;
        events++;
        sayings.push(...gone.sayings);
        if (bytes >= BYTES_AT_ONCE) break;
      }
      return { bytes, events, sayings, sessions: 0 };
    });
  }

  function* eraseSession(id: string): Generator<Erased, Erased> {
    const session = toSqlText(id);
    yield inTransaction(database, () => ({ ...nothing, bytes: forgetTold(id) }));
    for (let gone; (gone = eraseEvents(idsOfSession, [session]));) yield gone;
    // Last, because the session may have been saved again during the erasure.
    return inTransaction(database, () => {
      for (const statement of ofSession) run(statement, [session]);
      return { ...nothing, sessions: rowsOf(deleteSession, [session]).length };
    });
  }

  function* eraseAll(number: number): Generator<Erased, Erased> {
    for (let gone; (gone = eraseEvents(idsOfAll, []));) yield gone;
    const sessions = Number(rowsOf(countSessions, [])[0]?.[0]);
    const ids = rowsOf(everyId, []).map(([id]) => fromSqlText(String(id)));
    for (let from = 0; from < ids.length; from += EVENTS_AT_ONCE)
      yield inTransaction(database, () => {
        for (const id of ids.slice(from, from + EVENTS_AT_ONCE)) addMark('had', hashHex(id), number);
        return nothing;
      });
    // Last, because sessions may have been saved again during the erasure.
    return inTransaction(database, () => {
      for (const table of tables) database.run(`DELETE FROM ${table}`);
      database.run("DELETE FROM erasures WHERE kind = 'session'");
      return { ...nothing, sessions };
    });
  }

  /** Comes last: an erasure counts once it is complete; the next start repeats an interrupted one. */
  function note({ sessions, transcripts = {}, waiting = [] }: Erasing, number: number): void {
    inTransaction(database, () => {
      if (sessions === 'all') addMark('all', '', number);
      else for (const id of sessions) addMark('session', id, number);
      for (const [path, bytes] of Object.entries(transcripts)) addMark('transcript', path, number, bytes);
      for (const name of waiting) addMark('file', name, number);
      database.run("DELETE FROM erasures WHERE kind IN ('key', 'file') AND number <= ?", [number - NEWEST_ERASURES]);
    });
    marks = readMarks();
  }

  return {
    erase: function* (erasing) {
      const number = marks.count + 1;
      let last = nothing;
      if (erasing.sessions === 'all') {
        run(keepKeysOfAll, [number]);
        last = yield* eraseAll(number);
      } else {
        for (const [index, id] of erasing.sessions.entries()) {
          if (index > 0) yield last;
          run(keepKeysOfSession, [number, toSqlText(id)]);
          last = yield* eraseSession(id);
        }
      }
      note(erasing, number);
      return last;
    },
    hadKey: (key) => rowsOf(selectKey, [toSqlText(key)]).length > 0,
    marks: {
      count: () => marks.count,
      of: (id) => Math.max(marks.find('session', id)?.number ?? 0, marks.find('all', '')?.number ?? 0),
      had: (id) =>
        marks.find('session', id) !== undefined || (marks.hasHad && marks.find('had', hashHex(id)) !== undefined),
      bytesOf: (id, path) => {
        const session = marks.find('session', id);
        const unknown = session && session.bytes === undefined ? Number.MAX_SAFE_INTEGER : 0;
        return marks.find('transcript', hashHex(path))?.bytes ?? unknown;
      },
      isWaiting: (name) => marks.find('file', name) !== undefined,
    },
  };
}
