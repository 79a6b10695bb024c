import type { Database, SqlValue, Statement } from 'sql.js';
import type { AgentEvent } from '../../protocol/event.ts';
import type { EventKey } from './database.ts';
import { readEvent } from './readEvent.ts';
import { createSearchIndex, type SearchIndex, type StampedRow } from './searchIndex.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { createStamper, isStampOfNow } from './stamp.ts';
import { inTransaction, rowsOf, run } from './statements.ts';

const ROWS_AT_ONCE = 500;

export interface SearchStatements {
  readonly index: SearchIndex;
  stampOf(event: AgentEvent): Uint8Array;
  /** Gives their stamps to so many of the newest that have none of this version. */
  stampMissing(limit: number): void;
}

export function searchStatements(database: Database): SearchStatements {
  const prepare = (sql: string): Statement => database.prepare(sql);
  const columns = 'SELECT session_id, ts, rank, id, signature FROM sayings';
  const newestFirst = 'ORDER BY ts DESC, rank DESC, id DESC LIMIT ?';
  const newest = prepare(`${columns} ${newestFirst}`);
  const older = prepare(`${columns} WHERE (ts, rank, id) < (?, ?, ?) ${newestFirst}`);
  const selectJson = prepare('SELECT json FROM events WHERE id = ?');
  const updateStamp = prepare(
    'UPDATE sayings SET signature = ? WHERE session_id = ? AND ts = ? AND rank = ? AND id = ?',
  );
  const stamper = createStamper();

  function json(id: string): string | undefined {
    const text = rowsOf(selectJson, [toSqlText(id)])[0]?.[0];
    return text === undefined ? undefined : String(text);
  }

  function before(key: EventKey | undefined, limit: number): StampedRow[] {
    const rows = key ? rowsOf(older, [toSqlText(key[0]), key[1], toSqlText(key[2]), limit]) : rowsOf(newest, [limit]);
    return rows.map(stampedRow);
  }

  function keep({ sessionId, key }: StampedRow, stamp: Uint8Array): void {
    run(updateStamp, [stamp, toSqlText(sessionId), toSqlText(key[0]), key[1], toSqlText(key[2])]);
  }

  function stampAnew(row: StampedRow): void {
    const text = json(row.key[2]);
    keep(row, stamper.stampOf(text === undefined ? undefined : readEvent(text)));
  }

  const index = createSearchIndex({ before, json, keep }, stamper);
  return {
    index: {
      ...index,
      // SQLite takes longer to begin and end a transaction for each row than to read it.
      search: (...asked) => inTransaction(database, () => index.search(...asked)),
      warm: () => inTransaction(database, () => index.warm()),
    },
    stampOf: (event) => stamper.stampOf(event),
    stampMissing(limit) {
      inTransaction(database, () => {
        let left = limit;
        for (let key: EventKey | undefined; ;) {
          const rows = before(key, ROWS_AT_ONCE);
          for (const row of rows) {
            if (isStampOfNow(row.stamp)) continue;
            if (left-- <= 0) return;
            stampAnew(row);
          }
          key = rows.at(-1)?.key;
          if (!key) return;
        }
      });
    },
  };
}

function stampedRow([sessionId, ts, rank, id, stamp]: SqlValue[]): StampedRow {
  return {
    sessionId: textOf(sessionId),
    key: [textOf(ts), Number(rank), textOf(id)],
    stamp: stamp instanceof Uint8Array ? stamp : undefined,
  };
}

function textOf(value: SqlValue | undefined): string {
  return fromSqlText(String(value));
}
