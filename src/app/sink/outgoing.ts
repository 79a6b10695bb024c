import { type Row, rowAsJson, textThere } from '../../domain/postgres/rows.ts';
import { type TableName, tableNames, tables } from '../../domain/postgres/tables.ts';
import type { Log } from '../ports.ts';
import { type SinkBatch, SinkTrouble, type TeamConnection } from './sinkPorts.ts';

/** One transaction: large enough that its COMMIT costs little, small enough that a slow line has it through in seconds. */
const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 1_000_000;

/** Gathers rows for the team's database and sends them in transactions of a bounded size. */
export class Outgoing {
  readonly #connection: TeamConnection;
  readonly #log: Log;
  #rows = new Map<TableName, Map<string, string>>();
  #gone = new Map<TableName, Set<string>>();
  #count = 0;
  #characters = 0;
  #pushes: number | undefined;

  constructor(connection: TeamConnection, log: Log) {
    this.#connection = connection;
    this.#log = log;
  }

  /** How many pushes of this machine the database has seen; undefined if nothing was sent yet. */
  get pushes(): number | undefined {
    return this.#pushes;
  }

  /** PostgreSQL takes no row twice in one statement, by the keys as it has them: the later one knows more. */
  add(table: TableName, row: Row): void {
    const text = rowAsJson(row);
    const rows = this.#rows.get(table) ?? new Map<string, string>();
    this.#rows.set(table, rows);
    rows.set(textThere(String(row[tables[table].key])), text);
    this.#count++;
    this.#characters += text.length;
  }

  /** The table has no rows with these keys any more, unless they are added after this. */
  remove(table: TableName, keys: readonly string[]): void {
    if (keys.length === 0) return;
    const gone = this.#gone.get(table) ?? new Set<string>();
    this.#gone.set(table, gone);
    for (const key of keys.map(textThere)) {
      gone.add(key);
      this.#rows.get(table)?.delete(key);
    }
    this.#count += keys.length;
  }

  /** Nothing waits to be sent. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count >= ROWS_MAX || this.#characters >= CHARACTERS_MAX;
  }

  async sendIfFull(): Promise<void> {
    if (this.isFull) await this.send();
  }

  /** Resolves after the COMMIT. */
  async send(): Promise<void> {
    if (this.#count === 0) return;
    const batch: SinkBatch = {
      rows: Object.fromEntries([...this.#rows].map(([name, of]) => [name, [...of.values()]])),
      gone: Object.fromEntries([...this.#gone].map(([name, keys]) => [name, [...keys]])),
    };
    [this.#rows, this.#gone, this.#count, this.#characters] = [new Map(), new Map(), 0, 0];
    this.#pushes = await this.#push(batch);
  }

  /** Sends what was gathered, and then deletes these sessions there. */
  async erase(sessions: readonly string[] | 'all'): Promise<void> {
    await this.send();
    this.#pushes = await this.#connection.erase(sessions);
  }

  async #push(batch: SinkBatch): Promise<number> {
    try {
      return await this.#connection.push(batch);
    } catch (error) {
      if (!(error instanceof SinkTrouble) || error.kind !== 'data') throw error;
      const parted = halves(batch);
      if (!parted) {
        this.#log.warn(`PostgreSQL refuses a row, which is left out: ${error.message}`);
        return this.#connection.push({ rows: {}, gone: batch.gone });
      }
      await this.#push(parted[0]);
      return this.#push(parted[1]);
    }
  }
}

/** What the database refuses for one row of it is tried in two halves; undefined: it is that row. */
function halves({ rows, gone }: SinkBatch): readonly [SinkBatch, SinkBatch] | undefined {
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
