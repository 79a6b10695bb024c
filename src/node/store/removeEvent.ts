import type { Database } from 'sql.js';
import type { EventKey } from './database.ts';
import { fromSqlText } from './sqlText.ts';
import { rowsOf, run } from './statements.ts';

export interface Removed {
  /** None: it was gone already. */
  readonly bytes: number;
  readonly sayings: readonly EventKey[];
}

/** An event is no saying any more; within a transaction. */
export function sayingRemoval(database: Database): (id: string) => readonly EventKey[] {
  const deleteSaying = database.prepare(
    `DELETE FROM sayings WHERE (session_id, ts, rank, id) IN (SELECT session_id, ts, rank, id FROM events WHERE id = ?)
       RETURNING ts, rank, id`,
  );
  return (id) =>
    rowsOf(deleteSaying, [id]).map(([ts, rank, said]): EventKey => [
      fromSqlText(String(ts)),
      Number(rank),
      fromSqlText(String(said)),
    ]);
}

/** An event with all that only tells where it is; within a transaction. */
export function eventRemoval(database: Database): (id: string) => Removed {
  const selectBytes = database.prepare('SELECT octet_length(json) FROM events WHERE id = ?');
  const removeSaying = sayingRemoval(database);
  const others = ['seen WHERE event_id', 'tellings WHERE event_id', 'events WHERE id'].map((where) =>
    database.prepare(`DELETE FROM ${where} = ?`),
  );
  return (id) => {
    const bytes = Number(rowsOf(selectBytes, [id])[0]?.[0] ?? 0);
    const sayings = removeSaying(id);
    for (const statement of others) run(statement, [id]);
    return { bytes, sayings };
  };
}
