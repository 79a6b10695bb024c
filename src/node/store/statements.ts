import type { Database, SqlValue, Statement } from 'sql.js';

export function inTransaction<T>(database: Database, work: () => T): T {
  database.run('BEGIN');
  try {
    const result = work();
    database.run('COMMIT');
    return result;
  } catch (error) {
    try {
      database.run('ROLLBACK');
    } catch {
      // Out of memory, SQLite has rolled back by itself; the first error is the one to tell.
    }
    throw error;
  }
}

export function run(statement: Statement, values: SqlValue[]): void {
  try {
    statement.bind(values);
    statement.step();
  } finally {
    statement.reset();
  }
}

export function rowsOf(statement: Statement, values: SqlValue[]): SqlValue[][] {
  const rows: SqlValue[][] = [];
  try {
    statement.bind(values);
    while (statement.step()) rows.push(statement.get());
  } finally {
    statement.reset();
  }
  return rows;
}
