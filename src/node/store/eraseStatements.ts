import type { Database, Statement } from 'sql.js';
import type { Erasing } from '../../app/ports.ts';
import type { EventKey } from './database.ts';
import { eventRemoval } from './removeEvent.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import { tellingRemoval } from './tellings.ts';
import type { Trimmed } from './trimStatements.ts';

/** CNV-4: what the person had taken away, and what shows that it was. */
export interface EraseStatements {
  /** Gives what is gone, slice by slice, each some milliseconds of work and all or nothing. */
  erase(erasing: Erasing): Generator<Erased>;
  erasedAt(sessionId: string): string | undefined;
}

export interface Erased extends Trimmed {
  readonly sessions: number;
}

/** Stands for all sessions: not even their ids are left. */
const ALL = '';

/** What is deleted is overwritten, so its size counts as much as how many there are. */
const EVENTS_AT_ONCE = 250;
const BYTES_AT_ONCE = 1_000_000;

const nothing: Erased = { bytes: 0, events: 0, sayings: [], sessions: 0 };

const tables = ['sayings', 'seen', 'tellings', 'unreduced', 'trimmed'];

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
  const remember = prepare('INSERT OR REPLACE INTO erased (session_id, at) VALUES (?, ?)');

  const rows = database.exec('SELECT session_id, at FROM erased')[0]?.values ?? [];
  /** Asked for with every event. */
  const erased = new Map(rows.map(([id, at]) => [fromSqlText(String(id)), fromSqlText(String(at))]));

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

  function* eraseSession(id: string): Generator<Erased> {
    const session = toSqlText(id);
    yield inTransaction(database, () => ({ ...nothing, bytes: forgetTold(id) }));
    for (let gone; (gone = eraseEvents(idsOfSession, [session]));) yield gone;
    // Last: who is told of it meanwhile may have saved it anew.
    yield inTransaction(database, () => {
      for (const statement of ofSession) run(statement, [session]);
      return { ...nothing, sessions: rowsOf(deleteSession, [session]).length };
    });
  }

  function* eraseAll(): Generator<Erased> {
    for (let gone; (gone = eraseEvents(idsOfAll, []));) yield gone;
    yield inTransaction(database, () => {
      const sessions = Number(rowsOf(countSessions, [])[0]?.[0]);
      for (const table of [...tables, 'sessions']) database.run(`DELETE FROM ${table}`);
      return { ...nothing, sessions };
    });
  }

  /** First of all: an erasure that is interrupted is gone on with by the next start, and nothing of it is taken in until then. */
  function note({ sessions, at }: Erasing): void {
    const ids = sessions === 'all' ? [ALL] : sessions;
    inTransaction(database, () => {
      if (sessions === 'all') database.run('DELETE FROM erased');
      for (const id of ids) run(remember, [toSqlText(id), toSqlText(at)]);
    });
    if (sessions === 'all') erased.clear();
    for (const id of ids) erased.set(id, at);
  }

  return {
    erase: function* (erasing) {
      note(erasing);
      if (erasing.sessions === 'all') yield* eraseAll();
      else for (const id of erasing.sessions) yield* eraseSession(id);
    },
    erasedAt: (id) => {
      const [own, all] = [erased.get(id), erased.get(ALL)];
      return own !== undefined && all !== undefined && own < all ? all : (own ?? all);
    },
  };
}
