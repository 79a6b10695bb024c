import type { Database, SqlValue } from 'sql.js';
import type { Erasing } from '../../app/erasurePorts.ts';
import type { Kept } from '../../app/shelfPorts.ts';
import type { Json } from '../../protocol/json.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';

/** What becomes of one shelf by one record of the journal. */
export interface ShelfChange {
  readonly shelf: string;
  readonly save: readonly Kept[];
  /** Keys. */
  readonly remove: readonly string[];
}

export interface ShelfRows {
  get(shelf: string, key: string): Kept | undefined;
  after(shelf: string, key: string | undefined, limit: number): readonly Kept[];
  count(shelf: string): number;
  /** The documents of every shelf. */
  all(): readonly (Kept & { readonly shelf: string })[];
  /** All or nothing of it. */
  change(change: ShelfChange): void;
  forget(sessions: Erasing['sessions']): void;
}

/** Of no session: then nothing erases it but everything. */
const NOBODY = '';

export function shelfStatements(database: Database): ShelfRows {
  const columns = 'SELECT key, session_id, json FROM shelves WHERE shelf = ?';
  const selectOne = database.prepare(`${columns} AND key = ?`);
  const selectAfter = database.prepare(`${columns} AND key > ? ORDER BY key LIMIT ?`);
  const selectFirst = database.prepare(`${columns} ORDER BY key LIMIT ?`);
  const countAll = database.prepare('SELECT count(*) FROM shelves WHERE shelf = ?');
  const selectAll = database.prepare('SELECT key, session_id, json, shelf FROM shelves ORDER BY shelf, key');
  const upsert = database.prepare('INSERT OR REPLACE INTO shelves (shelf, key, session_id, json) VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM shelves WHERE shelf = ? AND key = ?');
  const removeOf = database.prepare('DELETE FROM shelves WHERE session_id = ?');
  const removeAll = database.prepare('DELETE FROM shelves');

  return {
    get: (shelf, key) => {
      const row = rowsOf(selectOne, [toSqlText(shelf), toSqlText(key)])[0];
      return row && keptOf(row);
    },
    after: (shelf, key, limit) => {
      const name = toSqlText(shelf);
      const rows =
        key === undefined ? rowsOf(selectFirst, [name, limit]) : rowsOf(selectAfter, [name, toSqlText(key), limit]);
      return rows.map(keptOf);
    },
    count: (shelf) => Number(rowsOf(countAll, [toSqlText(shelf)])[0]?.[0] ?? 0),
    all: () => rowsOf(selectAll, []).map((row) => ({ ...keptOf(row), shelf: fromSqlText(String(row[3])) })),
    change: ({ shelf, save, remove: gone }) => {
      const name = toSqlText(shelf);
      inTransaction(database, () => {
        for (const { key, session = NOBODY, value } of save)
          run(upsert, [name, toSqlText(key), toSqlText(session), JSON.stringify(value)]);
        for (const key of gone) run(remove, [name, toSqlText(key)]);
      });
    },
    forget: (sessions) =>
      inTransaction(database, () => {
        if (sessions === 'all') run(removeAll, []);
        else for (const id of sessions) run(removeOf, [toSqlText(id)]);
      }),
  };
}

function keptOf([key, session, json]: SqlValue[]): Kept {
  const id = fromSqlText(String(session));
  return {
    key: fromSqlText(String(key)),
    ...(id === NOBODY ? {} : { session: id }),
    value: JSON.parse(String(json)) as Json,
  };
}
