import { type Row, rowAsJson, textThere } from '../../domain/postgres/rows.ts';
import { type TableName, tableNames, tables } from '../../domain/postgres/tables.ts';
import type { SinkBatch } from './sinkPorts.ts';

/** One transaction: large enough that its COMMIT costs little, small enough that a slow line has it through in seconds. */
const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 1_000_000;

export interface Packing {
  add(table: TableName, row: Row): void;
  /** What no row of this table is made of any more. */
  remove(table: TableName, keys: readonly string[]): void;
  isFull(): boolean;
  isEmpty(): boolean;
  batch(): SinkBatch;
}

export function createPacking(): Packing {
  // PostgreSQL takes no row twice in one statement, by the keys as it has them; the later one knows more.
  const rows = new Map(tableNames.map((name) => [name, new Map<string, string>()]));
  const gone = new Map<TableName, Set<string>>();
  let [count, characters] = [0, 0];
  return {
    add(table, row) {
      const text = rowAsJson(row);
      rows.get(table)?.set(textThere(String(row[tables[table].key])), text);
      count++;
      characters += text.length;
    },
    remove(table, keys) {
      if (keys.length === 0) return;
      const all = gone.get(table) ?? new Set();
      gone.set(table, all);
      for (const key of keys) all.add(textThere(key));
      count += keys.length;
    },
    isFull: () => count >= ROWS_MAX || characters >= CHARACTERS_MAX,
    isEmpty: () => count === 0,
    batch: () => ({
      rows: Object.fromEntries([...rows].filter(([, of]) => of.size > 0).map(([name, of]) => [name, [...of.values()]])),
      gone: Object.fromEntries([...gone].map(([name, keys]) => [name, [...keys]])),
    }),
  };
}

/** What the database refuses for one row of it is tried in two halves; undefined: it is that row. */
export function halves({ rows, gone }: SinkBatch): readonly [SinkBatch, SinkBatch] | undefined {
  const all = tableNames.flatMap((name) => (rows[name] ?? []).map((row) => [name, row] as const));
  if (all.length < 2) return undefined;
  const middle = all.length >> 1;
  const of = (part: typeof all) =>
    Object.fromEntries(
      tableNames
        .map((name) => [name, part.filter(([table]) => table === name).map(([, row]) => row)] as const)
        .filter(([, list]) => list.length > 0),
    );
  return [
    { rows: of(all.slice(0, middle)), gone },
    { rows: of(all.slice(middle)), gone: {} },
  ];
}
