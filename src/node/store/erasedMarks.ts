import type { Database, Statement } from 'sql.js';
import type { ErasedMarks } from '../../app/erasurePorts.ts';
import { hashHex } from '../../domain/hash.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, run } from './statements.ts';
import type { EraseBody } from './storedRecords.ts';

/**
 * `all`: the last erasure of everything. `session`: a session erased by itself. `had`: hash of the id of a session that was erased
 * with everything. `transcript`: hash of its path. `file`: name of a file in the spool. `delivery`: hash of a delivery's key.
 */
type MarkKind = 'all' | 'session' | 'had' | 'transcript' | 'file' | 'delivery';

interface Mark {
  readonly number: number;
  /** Length of a transcript. Undefined for a session that a release without such lengths erased. */
  readonly bytes: number | undefined;
}

/** So many erasures keep their deliveries and spool files: files of one erasure may still be there at the next. */
export const NEWEST_ERASURES = 20;

/** CNV-5: the rows of what was erased. An erasure's number is the sequence number of its record. */
export class ErasedMarkRows implements ErasedMarks {
  readonly #database: Database;
  readonly #insert: Statement;
  /** All of them: every event asks. */
  readonly #marks = new Map<MarkKind, Map<string, Mark>>();
  #numbers: number[] = [];

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare('INSERT OR REPLACE INTO erasures (kind, key, number, bytes) VALUES (?, ?, ?, ?)');
    for (const [kind, key, number, bytes] of database.exec('SELECT kind, key, number, bytes FROM erasures')[0]
      ?.values ?? [])
      this.#remember(kind as MarkKind, fromSqlText(String(key)), {
        number: Number(number),
        bytes: bytes === null ? undefined : Number(bytes),
      });
  }

  /** Notes a complete erasure. */
  add(number: number, { sessions, transcripts, waiting, had, deliveries }: EraseBody): void {
    const ids = sessions === 'all' ? [] : sessions;
    inTransaction(this.#database, () => {
      if (sessions === 'all') {
        this.#set('all', '', number);
        this.#database.run("DELETE FROM erasures WHERE kind = 'session'");
        this.#marks.delete('session');
      }
      for (const id of ids) this.#set('session', id, number);
      for (const hash of had) this.#set('had', hash, number);
      for (const [hash, bytes] of Object.entries(transcripts)) this.#set('transcript', hash, number, bytes);
      for (const name of waiting) this.#set('file', name, number);
      for (const hash of deliveries) this.#set('delivery', String(hash), number);
      this.#forgetOld();
    });
  }

  count(): number {
    return this.#numbers.at(-1) ?? 0;
  }

  of(sessionId: string): number {
    return Math.max(this.#find('session', sessionId)?.number ?? 0, this.#find('all', '')?.number ?? 0);
  }

  had(sessionId: string): boolean {
    if (this.#find('session', sessionId)) return true;
    return this.#marks.has('had') && this.#find('had', hashHex(sessionId)) !== undefined;
  }

  bytesOf(sessionId: string, path: string): number {
    const session = this.#find('session', sessionId);
    const unknown = session && session.bytes === undefined ? Number.MAX_SAFE_INTEGER : 0;
    return this.#find('transcript', hashHex(path))?.bytes ?? unknown;
  }

  isWaiting(name: string): boolean {
    return this.#find('file', name) !== undefined;
  }

  /** The sessions that were erased by themselves since everything was erased last. */
  sessions(): readonly string[] {
    return [...(this.#marks.get('session')?.keys() ?? [])];
  }

  /** Was an event with this key erased lately? `hash`: of `hashOfKey`. */
  hadDelivery(hash: number): boolean {
    return this.#marks.has('delivery') && this.#find('delivery', String(hash)) !== undefined;
  }

  /** Marks of an earlier release, as it kept them. */
  adopt(kind: MarkKind, key: string, number: number, bytes: number | undefined): void {
    this.#set(kind, key, number, bytes ?? null);
  }

  #set(kind: MarkKind, key: string, number: number, bytes: number | null = 0): void {
    run(this.#insert, [kind, toSqlText(key), number, bytes]);
    this.#remember(kind, key, { number, bytes: bytes ?? undefined });
  }

  #find(kind: MarkKind, key: string): Mark | undefined {
    return this.#marks.get(kind)?.get(key);
  }

  #remember(kind: MarkKind, key: string, mark: Mark): void {
    const ofKind = this.#marks.get(kind) ?? new Map<string, Mark>();
    this.#marks.set(kind, ofKind);
    ofKind.set(key, mark);
    if (!this.#numbers.includes(mark.number)) this.#numbers = [...this.#numbers, mark.number].sort((a, b) => a - b);
  }

  #forgetOld(): void {
    const oldest = this.#numbers.at(-NEWEST_ERASURES);
    if (oldest === undefined) return;
    this.#database.run("DELETE FROM erasures WHERE kind IN ('delivery', 'file') AND number < ?", [oldest]);
    for (const kind of ['delivery', 'file'] as const)
      for (const [key, { number }] of this.#marks.get(kind) ?? [])
        if (number < oldest) this.#marks.get(kind)?.delete(key);
  }
}
