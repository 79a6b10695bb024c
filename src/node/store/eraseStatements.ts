import type { Database, Statement } from 'sql.js';
import type { Erasing } from '../../app/ports.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { EventKey } from './database.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import type { Trimmed } from './trimStatements.ts';

/** CNV-4: what the person had taken away, and what shows that it was. */
export interface EraseStatements {
  /** Gives what is gone. */
  erase(erasing: Erasing): Erased;
  erasedAt(sessionId: string): string | undefined;
}

export interface Erased extends Trimmed {
  readonly sessions: number;
}

/** Stands for all sessions: not even their ids are left. */
const ALL = '';

/** A session's events first, while they still tell what else there is of them. */
const ofSession = [
  'DELETE FROM seen WHERE event_id IN (SELECT id FROM events WHERE session_id = ?)',
  'DELETE FROM events WHERE session_id = ?',
  'DELETE FROM unreduced WHERE session_id = ?',
  'DELETE FROM trimmed WHERE session_id = ?',
];
const ofAll = ['seen', 'events', 'unreduced', 'trimmed', 'erased'].map((table) => `DELETE FROM ${table}`);

export function eraseStatements(database: Database): EraseStatements {
  const prepare = (sql: string): Statement => database.prepare(sql);
  const rowsOfSession = ofSession.map(prepare);
  const sums = 'SELECT coalesce(sum(octet_length(json)), 0), count(*) FROM events';
  const sumOfSession = prepare(`${sums} WHERE session_id = ?`);
  const sumOfAll = prepare(sums);
  const sayingsOfSession = prepare('DELETE FROM sayings WHERE session_id = ? RETURNING ts, rank, id');
  const sayingsOfAll = prepare('DELETE FROM sayings RETURNING ts, rank, id');
  const sessionOf = prepare('DELETE FROM sessions WHERE id = ? RETURNING id');
  const allSessions = prepare('DELETE FROM sessions RETURNING id');
  const tellings = prepare(
    `SELECT id, json FROM events WHERE instr(json, '"context_loaded"') > 0 AND instr(json, ?) > 0`,
  );
  const rewrite = prepare('UPDATE events SET json = ? WHERE id = ?');
  const remember = prepare('INSERT OR REPLACE INTO erased (session_id, at) VALUES (?, ?)');

  const rows = database.exec('SELECT session_id, at FROM erased')[0]?.values ?? [];
  /** Asked for with every event. */
  const erased = new Map(rows.map(([id, at]) => [fromSqlText(String(id)), fromSqlText(String(at))]));

  function keys(statement: Statement, values: string[]): EventKey[] {
    return rowsOf(statement, values).map(([ts, rank, id]) => [
      fromSqlText(String(ts)),
      Number(rank),
      fromSqlText(String(id)),
    ]);
  }

  /** MEM-3: what later sessions were told of it. Gives how much shorter they are. */
  function forgetTold(id: string): number {
    return rowsOf(tellings, [toSqlText(JSON.stringify(id))]).reduce((saved, [eventId, json]) => {
      const { payload, ...event } = JSON.parse(String(json)) as AgentEvent;
      const { told } = payload;
      if (!Array.isArray(told) || !told.includes(id)) return saved;
      const rest = JSON.stringify({
        ...event,
        payload: { ...payload, text: '', told: told.filter((each) => each !== id) },
      });
      run(rewrite, [rest, eventId ?? null]);
      return saved + Buffer.byteLength(String(json)) - Buffer.byteLength(rest);
    }, 0);
  }

  function eraseSession(id: string): Erased {
    const session = toSqlText(id);
    const shorter = forgetTold(id);
    const [bytes, events] = rowsOf(sumOfSession, [session])[0] ?? [];
    const sayings = keys(sayingsOfSession, [session]);
    for (const statement of rowsOfSession) run(statement, [session]);
    const sessions = rowsOf(sessionOf, [session]).length;
    return { bytes: Number(bytes) + shorter, events: Number(events), sayings, sessions };
  }

  function eraseAll(): Erased {
    const [bytes, events] = rowsOf(sumOfAll, [])[0] ?? [];
    const sayings = keys(sayingsOfAll, []);
    for (const sql of ofAll) database.run(sql);
    const sessions = rowsOf(allSessions, []).length;
    return { bytes: Number(bytes), events: Number(events), sayings, sessions };
  }

  return {
    erase: ({ sessions, at }) => {
      const gone = inTransaction(database, () => {
        const parts = sessions === 'all' ? [eraseAll()] : sessions.map(eraseSession);
        for (const id of sessions === 'all' ? [ALL] : sessions) run(remember, [toSqlText(id), toSqlText(at)]);
        return parts;
      });
      if (sessions === 'all') erased.clear();
      for (const id of sessions === 'all' ? [ALL] : sessions) erased.set(id, at);
      const sum = (of: (each: Erased) => number) => gone.reduce((total, each) => total + of(each), 0);
      return {
        bytes: sum(({ bytes }) => bytes),
        events: sum(({ events }) => events),
        sessions: sum(({ sessions: count }) => count),
        sayings: gone.flatMap(({ sayings }) => sayings),
      };
    },
    erasedAt: (id) => {
      const [own, all] = [erased.get(id), erased.get(ALL)];
      return own !== undefined && all !== undefined && own < all ? all : (own ?? all);
    },
  };
}
