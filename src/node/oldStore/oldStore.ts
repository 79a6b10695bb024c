import path from 'node:path';
import type { Database, SqlJsStatic, SqlValue } from 'sql.js';
import type { Erasing } from '../../app/erasurePorts.ts';
import type { EventRecord, SessionRow } from '../../app/ports.ts';
import type { Kept } from '../../app/shelfPorts.ts';
import { hashHex } from '../../domain/hash.ts';
import { upgradeStoredEvent } from '../../domain/storedEvent.ts';
import { forgetting } from '../../domain/told.ts';
import { withoutSessions } from '../../domain/workItems.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Json } from '../../protocol/json.ts';
import type { WorkItem } from '../../protocol/work.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { NewerStoreError } from '../log/errors.ts';
import { checkImage } from '../store/imageFile.ts';
import { JOURNAL_FORMAT, parseSegmentName, scanSegment } from './journalFormat.ts';
import { decodeEntry, type Entry, type Trim } from './record.ts';
import type { ShelfChange } from '../store/shelfStatements.ts';
import { fromSqlText, toSqlText } from '../store/sqlText.ts';
import { newestFirst } from './imageNames.ts';

/** A document with the name of its shelf. */
export interface OldDocument extends Kept {
  readonly shelf: string;
}

/** What earlier erasures left behind, without their times. */
export interface OldMarks {
  readonly wasAllErased: boolean;
  readonly sessions: readonly string[];
  readonly had: readonly string[];
  readonly transcripts: Readonly<Record<string, number>>;
  readonly waiting: readonly string[];
  /** Keys of deliveries. */
  readonly deliveries: readonly string[];
}

/** SQLite wants a limit where a reader wants none. */
const EVERY_ROW = 1_000_000_000;

/**
 * The store as releases before the log kept it: an image of a whole SQLite database, and journals of what came after it. It is
 * only read. What the journals say is laid over the image here: which of its events are gone or changed, and which came later.
 */
export class OldStore {
  readonly #database: Database | undefined;
  readonly #tables: ReadonlySet<string>;
  /** Everything in the image was erased. */
  #isImageGone = false;
  readonly #goneSessions = new Set<string>();
  readonly #goneEvents = new Set<string>();
  readonly #strippedEvents = new Set<string>();
  readonly #rewritten = new Map<string, AgentEvent>();
  /** What events of the image say of these sessions is forgotten, from a moment on. */
  readonly #untold = new Map<string, string>();
  /** Of the journals, by session. */
  readonly #added = new Map<string, EventRecord[]>();
  readonly #rows = new Map<string, SessionRow>();
  readonly #trimmed = new Set<string>();
  readonly #unreduced: Set<string>;
  #work: Map<string, WorkItem>;
  #documents: Map<string, OldDocument>;
  readonly #marks: { -readonly [Name in keyof OldMarks]: OldMarks[Name] };

  /** Images that could not be read: sentences for the person. */
  readonly damage: readonly string[];

  private constructor({ database, damage }: FoundImage, entries: readonly Entry[]) {
    this.#database = database;
    this.damage = damage;
    this.#tables = new Set(
      this.#all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(([name]) => String(name)),
    );
    for (const row of this.#imageRows()) this.#rows.set(row.id, row);
    for (const [id] of this.#from('trimmed', 'session_id')) this.#trimmed.add(textIn(id));
    this.#unreduced = new Set(this.#from('unreduced', 'session_id').map(([id]) => textIn(id)));
    this.#work = new Map(
      this.#from('work_items', 'json').map(([json]) => itemEntry(JSON.parse(String(json)) as WorkItem)),
    );
    this.#documents = new Map(this.#from('shelves', 'shelf, key, session_id, json').map(documentEntry));
    this.#marks = this.#imageMarks();
    for (const entry of entries) this.#follow(entry);
  }

  /** Undefined if the folder holds no such store. Rejects with NewerStoreError if a later release wrote it. */
  static async open(fs: FileSystem, folder: string, sqlite: SqlJsStatic): Promise<OldStore | undefined> {
    const found = await fs.readdir(folder);
    const images = newestFirst(found);
    const journals: string[] = [];
    for (const name of found.filter((each) => parseSegmentName(each) !== undefined))
      if (!(await isMereSign(fs, path.join(folder, name)))) journals.push(name);
    if (journals.length + images.length === 0) return undefined;
    const names = images.map(({ name }) => name);
    const image = await newestImage(fs, folder, sqlite, names);
    const covered = image.database ? coverageIn(image.database) : {};
    return new OldStore(image, await entriesBehind(fs, folder, journals, covered));
  }

  get workItems(): readonly WorkItem[] {
    return [...this.#work.values()];
  }

  get documents(): readonly OldDocument[] {
    return [...this.#documents.values()];
  }

  get marks(): OldMarks {
    return this.#marks;
  }

  /** The rows of sessions, whether or not they tell of all their events. */
  get rows(): readonly SessionRow[] {
    return [...this.#rows.values()].map((row) => (this.#trimmed.has(row.id) ? { ...row, trimmed: true } : row));
  }

  /** Does the session's row tell of all its events? */
  isReduced(session: string): boolean {
    return this.#rows.has(session) && !this.#unreduced.has(session);
  }

  /** Every session that has events, those with the newest events first. */
  sessions(): readonly string[] {
    const inImage = this.#isImageGone ? [] : this.#from('events', 'DISTINCT session_id').map(([id]) => textIn(id));
    const ids = new Set([...inImage.filter((id) => !this.#goneSessions.has(id)), ...this.#added.keys()]);
    const newest = (id: string) => this.#added.get(id)?.at(-1)?.event.ts ?? this.#rows.get(id)?.lastEventAt ?? '';
    return [...ids].sort((a, b) => (newest(a) < newest(b) ? 1 : -1));
  }

  countEvents(): number {
    const inImage = this.#isImageGone ? 0 : Number(this.#from('events', 'count(*)')[0]?.[0] ?? 0);
    return [...this.#added.values()].reduce((sum, { length }) => sum + length, inImage);
  }

  /** Some events of a session at a time, those of the image first. */
  *eventsOf(session: string, atOnce: number): Generator<readonly EventRecord[]> {
    if (!this.#isImageGone && !this.#goneSessions.has(session)) {
      for (let after = 0; ;) {
        const rows = this.#all(
          'SELECT rowid, json, rank, id FROM events WHERE session_id = ? AND rowid > ? ORDER BY rowid LIMIT ?',
          [toSqlText(session), after, atOnce],
        );
        if (rows.length === 0) break;
        after = Number(rows.at(-1)?.[0]);
        yield rows.flatMap(([, json, rank, id]) => this.#imageEvent(String(json), Number(rank), id ?? null));
      }
    }
    const added = this.#added.get(session) ?? [];
    for (let from = 0; from < added.length; from += atOnce)
      yield added.slice(from, from + atOnce).flatMap((each) => this.#asItIs(each));
  }

  close(): void {
    this.#database?.close();
  }

  #imageEvent(json: string, rank: number, id: SqlValue): readonly EventRecord[] {
    const keys = this.#all('SELECT key FROM seen WHERE event_id = ?', [id]).map(([key]) => textIn(key));
    const event = upgradeStoredEvent(JSON.parse(json));
    return this.#asItIs({
      event: forgetting(event, (told) => event.ts >= (this.#untold.get(told) ?? '~')),
      keys,
      rank,
    });
  }

  /** As the journals left it; empty if they took it away. */
  #asItIs(record: EventRecord): readonly EventRecord[] {
    const { id } = record.event;
    if (this.#goneEvents.has(id)) return [];
    const event = this.#rewritten.get(id) ?? record.event;
    return [{ ...record, event: this.#strippedEvents.has(id) ? { ...event, raw: {}, raw_removed: true } : event }];
  }

  #follow(entry: Entry): void {
    switch (entry?.kind) {
      case 'event': {
        const { session_id: session } = entry.record.event;
        const added = this.#added.get(session) ?? [];
        this.#added.set(session, [...added, entry.record]);
        this.#unreduced.add(session);
        return;
      }
      case 'trim':
        return this.#followTrim(entry.trim);
      case 'erase':
        return this.#followErasure(entry.erasing);
      case 'work':
        for (const item of entry.change.save) this.#work.set(item.key, item);
        for (const key of entry.change.remove ?? []) this.#work.delete(key);
        return;
      case 'shelf':
        return this.#followDocuments(entry.change);
      case undefined:
        return;
    }
  }

  #followTrim({ remove, strip, forget, rows, rewrite = [] }: Trim): void {
    for (const id of remove) {
      this.#goneEvents.add(id);
      const session = this.#sessionOf(id);
      if (session !== undefined) this.#trimmed.add(session);
    }
    for (const id of strip) this.#strippedEvents.add(id);
    for (const event of rewrite) {
      this.#rewritten.set(event.id, event);
      this.#forgetTold(event.session_id, event.ts);
    }
    for (const row of rows) {
      this.#rows.set(row.id, row);
      this.#unreduced.delete(row.id);
    }
    for (const id of forget) this.#rows.delete(id);
  }

  #followErasure({ sessions, transcripts = {}, waiting = [] }: Erasing): void {
    const marks = this.#marks;
    if (sessions === 'all') {
      marks.had = [...marks.had, ...[...this.#rows.keys(), ...this.#added.keys(), ...marks.sessions].map(hashHex)];
      [this.#isImageGone, marks.wasAllErased, marks.sessions] = [true, true, []];
      for (const map of [this.#rows, this.#added, this.#work, this.#documents]) map.clear();
    } else {
      const gone = new Set(sessions);
      marks.sessions = [...new Set([...marks.sessions, ...sessions])];
      for (const id of sessions) {
        this.#forgetTold(id, '');
        this.#goneSessions.add(id);
        this.#rows.delete(id);
        this.#trimmed.delete(id);
        this.#added.delete(id);
      }
      this.#work = new Map([...this.#work.values()].map((item) => itemEntry(withoutSessions(item, gone))));
      const isLeft = ({ session }: OldDocument) => session === undefined || !gone.has(session);
      this.#documents = new Map([...this.#documents].filter(([, document]) => isLeft(document)));
    }
    marks.transcripts = { ...marks.transcripts, ...transcripts };
    marks.waiting = [...marks.waiting, ...waiting];
  }

  /** What other sessions were told of this one until now. */
  #forgetTold(session: string, since: string): void {
    const before = this.#untold.get(session);
    this.#untold.set(session, before !== undefined && before < since ? before : since);
    const isGone = (id: string) => id === session;
    for (const [id, records] of this.#added) {
      const left = records.map((each) =>
        each.event.ts >= since ? { ...each, event: forgetting(each.event, isGone) } : each,
      );
      this.#added.set(id, left);
    }
  }

  #followDocuments({ shelf, save, remove }: ShelfChange): void {
    for (const kept of save) this.#documents.set(JSON.stringify([shelf, kept.key]), { ...kept, shelf });
    for (const key of remove) this.#documents.delete(JSON.stringify([shelf, key]));
  }

  #sessionOf(id: string): string | undefined {
    for (const [session, records] of this.#added) if (records.some(({ event }) => event.id === id)) return session;
    const row = this.#all('SELECT session_id FROM events WHERE id = ?', [toSqlText(id)])[0];
    return row && textIn(row[0]);
  }

  #imageRows(): SessionRow[] {
    return this.#from('sessions', 'id, last_event_at, reducer, json').map(([id, lastEventAt, reducer, json]) => ({
      id: textIn(id),
      lastEventAt: textIn(lastEventAt),
      reducer: Number(reducer),
      json: textIn(json),
    }));
  }

  #imageMarks(): OldMarks {
    const rows = this.#from('erasures', 'kind, key, bytes').map(
      ([kind, key, bytes]) => [String(kind), textIn(key), bytes] as const,
    );
    const keysOf = (wanted: string) => rows.filter(([kind]) => kind === wanted).map(([, key]) => key);
    const transcripts = rows.filter(([kind]) => kind === 'transcript');
    return {
      wasAllErased: keysOf('all').length > 0,
      sessions: keysOf('session'),
      had: keysOf('had'),
      transcripts: Object.fromEntries(transcripts.map(([, key, bytes]) => [key, Number(bytes)])),
      waiting: keysOf('file'),
      deliveries: keysOf('key'),
    };
  }

  /** Empty if an earlier release's image has no such table. */
  #from(table: string, columns: string): SqlValue[][] {
    return this.#tables.has(table) ? this.#all(`SELECT ${columns} FROM ${table} LIMIT ${EVERY_ROW}`) : [];
  }

  #all(sql: string, values: SqlValue[] = []): SqlValue[][] {
    const statement = this.#database?.prepare(sql, values);
    const rows: SqlValue[][] = [];
    while (statement?.step()) rows.push(statement.get());
    statement?.free();
    return rows;
  }
}

/** The newest image that can be read, if any can. */
interface FoundImage {
  readonly database: Database | undefined;
  readonly damage: readonly string[];
}

/** STO-1: releases from before the log leave a folder alone that has such an empty journal of a later format. */
export async function isMereSign(fs: FileSystem, file: string): Promise<boolean> {
  const { format, records } = scanSegment(await fs.readFile(file));
  return format >= JOURNAL_FORMAT && records.length === 0;
}

async function newestImage(
  fs: FileSystem,
  folder: string,
  sqlite: SqlJsStatic,
  names: readonly string[],
): Promise<FoundImage> {
  const damage: string[] = [];
  for (const name of names) {
    const check = checkImage(await fs.readFile(path.join(folder, name)));
    if (check.kind === 'readable' && check.version > NEWEST_IMAGE)
      throw new NewerStoreError(path.join(folder, name), check.version, NEWEST_IMAGE);
    const database = check.kind === 'readable' ? soundDatabase(sqlite, check.image) : undefined;
    if (database) return { database, damage };
    damage.push(
      `${name}, of an earlier release, was damaged. What its backup and its journals hold was taken over; the file stays where it is.`,
    );
  }
  return { database: undefined, damage };
}

function soundDatabase(sqlite: SqlJsStatic, image: Uint8Array): Database | undefined {
  const database = new sqlite.Database(image);
  try {
    if (database.exec('PRAGMA quick_check(1)')[0]?.values[0]?.[0] === 'ok') return database;
  } catch {
    // Not a database that SQLite can read.
  }
  database.close();
  return undefined;
}

/** What `PRAGMA user_version` says in an image of the last release that wrote such. */
export const NEWEST_IMAGE = 9;

function coverageIn(database: Database): Readonly<Record<string, number>> {
  const text = database.exec("SELECT value FROM meta WHERE key = 'coverage'")[0]?.values[0]?.[0];
  return typeof text === 'string' ? (JSON.parse(text) as Readonly<Record<string, number>>) : {};
}

/** What the journals say beyond the image, in order; up to the first damaged record of each. */
async function entriesBehind(
  fs: FileSystem,
  folder: string,
  names: readonly string[],
  covered: Readonly<Record<string, number>>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const inOrder = names
    .flatMap((name) => {
      const id = parseSegmentName(name);
      return id ? [{ name, ...id }] : [];
    })
    .sort((a, b) => a.generation - b.generation || a.seq - b.seq);
  for (const { name } of inOrder) {
    const { header, records } = scanSegment(await fs.readFile(path.join(folder, name)));
    if (typeof header === 'object')
      throw new NewerStoreError(path.join(folder, name), header.newerFormat, JOURNAL_FORMAT);
    for (const { payload, end } of records) if (end > (covered[name] ?? 0)) entries.push(decodeEntry(payload));
  }
  return entries;
}

function itemEntry(item: WorkItem): readonly [string, WorkItem] {
  return [item.key, item];
}

function documentEntry([shelf, key, session, json]: SqlValue[]): readonly [string, OldDocument] {
  const [name, id] = [textIn(shelf), textIn(session)];
  const own = { shelf: name, key: textIn(key), value: JSON.parse(String(json)) as Json };
  return [JSON.stringify([name, own.key]), id === '' ? own : { ...own, session: id }];
}

function textIn(value: SqlValue | undefined): string {
  return fromSqlText(String(value));
}
