import type { Database } from 'sql.js';
import { forgetting } from '../../domain/told.ts';
import { readEvent } from './readEvent.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { rowsOf, run } from './statements.ts';

/** MEM-3, CNV-4: takes from later sessions what they were told of one, from a moment on. Gives how much shorter they are. */
export function tellingRemoval(database: Database): (sessionId: string, since?: string) => number {
  const tellings = database.prepare(
    `SELECT id, ts, json FROM events WHERE id IN (SELECT event_id FROM tellings WHERE session_id = ?)`,
  );
  const rewrite = database.prepare('UPDATE events SET json = ? WHERE id = ?');
  return (sessionId, since = '') =>
    rowsOf(tellings, [toSqlText(sessionId)])
      .filter(([, ts]) => fromSqlText(String(ts)) >= since)
      .reduce((saved, [eventId, , json]) => {
        const rest = JSON.stringify(forgetting(readEvent(json), (id) => id === sessionId));
        run(rewrite, [rest, eventId ?? null]);
        return saved + Buffer.byteLength(String(json)) - Buffer.byteLength(rest);
      }, 0);
}
