import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import type { EventRecord } from '../../app/ports.ts';
import { interactionOf, isSaying, searchable } from '../../domain/interactions.ts';
import { toldOf } from '../../domain/told.ts';
import type { Interaction } from '../../protocol/reading.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import type { RemovalRequest } from '../log/removal.ts';
import type { LogRecord } from '../log/segmentFormat.ts';
import type { StoredDigest } from '../log/segmentReader.ts';
import { encodeGramIndex, GramIndex } from './gramIndex.ts';
import { hashOfKey, readEventRecord } from './storedRecords.ts';

/**
 * What the store wants to find in a sealed segment without reading its records: which sessions it holds, where each of their
 * events lies and when it was, what was said, and an index over those texts.
 *
 * It begins with the length of its head (u32) and the head: JSON with the places of the parts, which follow it. Each part but
 * the rows of sayings and the index over them is compressed JSON, whose checksum gzip keeps; the index has its own.
 */

/** An event as the store finds it: its order in its session, and where it lies in the log. */
export interface EventEntry extends OrderKey {
  readonly seq: number;
  /** Bytes of its record. */
  readonly size: number;
  readonly isSaying: boolean;
  /** Has it a raw payload that retention may take? */
  readonly hasRaw: boolean;
  /** Hashes of the event's id and keys, under which the same event would come again. */
  readonly keys: readonly number[];
  /** Hashes of those keys that are deliveries. */
  readonly deliveries: readonly number[];
}

/** A prompt or a reply that a search may find. */
export interface SayingEntry {
  readonly seq: number;
  readonly session: string;
  /** Its `ts`, in milliseconds since the epoch. */
  readonly time: number;
  readonly rank: number;
  readonly role: Interaction['role'];
}

/** With its text in the spelling of `searchable`. */
export interface Saying extends SayingEntry {
  readonly text: string;
}

/** What a segment holds of one session. */
export interface SessionRun {
  readonly session: string;
  readonly events: number;
  readonly sayings: number;
  /** Of their records, before compression. */
  readonly bytes: number;
  /** The newest sequence number. */
  readonly lastSeq: number;
  /** The earliest `ts`. */
  readonly oldest: string;
}

/** An event that tells of another session, whose words go with that session. */
export interface Telling {
  readonly seq: number;
  /** The session that it belongs to. */
  readonly session: string;
  readonly told: string;
}

export interface DigestSummary {
  readonly runs: readonly SessionRun[];
  readonly tellings: readonly Telling[];
  /** Records that are not events: work items, notes, erasures, retention. */
  readonly others: readonly number[];
  /** The sessions that those belong to. */
  readonly otherSessions: readonly string[];
}

export function entryOf({ event, keys, rank }: EventRecord, seq: number, size: number): EventEntry {
  const { ts, id } = event;
  return {
    ...{ seq, size, ts, rank, id },
    isSaying: isSaying(event),
    hasRaw: Object.keys(event.raw).length > 0,
    keys: [id, ...keys].map(hashOfKey),
    deliveries: keys.filter((key) => /^[do]:/.test(key)).map(hashOfKey),
  };
}

/** Undefined if a search can't find the event. */
export function sayingOf({ event, rank }: EventRecord, seq: number): Saying | undefined {
  const interaction = isSaying(event) ? interactionOf(event) : undefined;
  if (interaction === undefined) return undefined;
  const { ts, session_id: session } = event;
  return { seq, session, time: Date.parse(ts), rank, role: interaction.role, text: searchable(interaction.content) };
}

interface PartPlace {
  readonly at: number;
  readonly length: number;
}

interface Head {
  readonly version: number;
  readonly summary: PartPlace;
  readonly sessions: Readonly<Record<string, PartPlace>>;
  readonly sayings: PartPlace;
  readonly grams: PartPlace;
  /** Times of the earliest and of the latest saying; undefined if there is none. */
  readonly said: SaidRange | undefined;
}

export type SaidRange = readonly [from: number, to: number];

/** To be raised with anything that changes what a digest says, the spelling of `searchable` among it: others are made anew. */
const VERSION = 1;
const HEAD_AT = 8;
/** Fewer than these are read one by one. */
const FEW_SAYINGS = 24;

/** Makes the digest of a segment. A record that can't be read is left out. */
export function makeSegmentDigest(records: readonly LogRecord[]): Uint8Array {
  const sessions = new Map<string, EventEntry[]>();
  const others: number[] = [];
  const otherSessions = new Set<string>();
  const tellings: Telling[] = [];
  const sayings: Saying[] = [];
  for (const record of records) {
    if (record.kind !== 'event') {
      others.push(record.seq);
      if (record.session !== undefined) otherSessions.add(record.session);
    }
    const stored = readEventRecord(record);
    if (stored === undefined) continue;
    const session = stored.event.session_id;
    const entries = sessions.get(session) ?? [];
    sessions.set(session, entries);
    entries.push(entryOf(stored, record.seq, record.body.length));
    for (const told of toldOf(stored.event)) tellings.push({ seq: record.seq, session, told });
    const saying = sayingOf(stored, record.seq);
    if (saying) sayings.push(saying);
  }
  const summary = { runs: [...sessions].map(runOf), tellings, others, otherSessions: [...otherSessions] };
  return encodeDigest(summary, sessions, sayings);
}

/** Sums up what a segment holds of a session. */
export function runOf([session, entries]: readonly [string, readonly EventEntry[]]): SessionRun {
  return {
    session,
    events: entries.length,
    sayings: entries.filter((entry) => entry.isSaying).length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
    lastSeq: entries.reduce((last, { seq }) => Math.max(last, seq), 0),
    oldest: entries.reduce((oldest, { ts }) => (ts < oldest ? ts : oldest), entries[0]?.ts ?? ''),
  };
}

function encodeDigest(
  summary: DigestSummary,
  sessions: ReadonlyMap<string, readonly EventEntry[]>,
  sayings: readonly Saying[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): PartPlace => {
    parts.push(part);
    length += part.length;
    return { at: length - part.length, length: part.length };
  };
  const addJson = (value: unknown) => add(gzipSync(JSON.stringify(value)));
  const times = sayings.map(({ time }) => time).sort((a, b) => a - b);
  const head: Head = {
    version: VERSION,
    summary: addJson(summary),
    sessions: Object.fromEntries([...sessions].map(([id, entries]) => [nameOf(id), addJson(columnsOf(entries))])),
    sayings: add(encodeSayings(sayings, [...sessions.keys()])),
    grams: add(encodeGramIndex(sayings.map(({ text }) => text))),
    said: times.length === 0 ? undefined : [times[0] ?? 0, times.at(-1) ?? 0],
  };
  const headBytes = Buffer.from(JSON.stringify(head), 'utf8');
  const start = Buffer.alloc(HEAD_AT);
  start.writeUInt32LE(headBytes.length, 0);
  start.writeUInt32LE(crc32(headBytes), 4);
  return Buffer.concat([start, headBytes, ...parts]);
}

/** A row of fixed length for each, so that one can be read without the others: seq (u48), session (u32), time (f64), rank (f32), role (u8). */
const SAYING_BYTES = 24;
const roles: readonly Interaction['role'][] = ['user', 'assistant'];

function encodeSayings(sayings: readonly Saying[], sessions: readonly string[]): Buffer {
  const numbers = new Map(sessions.map((session, number) => [session, number]));
  const rows = Buffer.alloc(sayings.length * SAYING_BYTES);
  sayings.forEach(({ seq, session, time, rank, role }, index) => {
    const at = index * SAYING_BYTES;
    rows.writeUIntLE(seq, at, 6);
    rows.writeUInt32LE(numbers.get(session) ?? 0, at + 6);
    rows.writeDoubleLE(time, at + 10);
    rows.writeFloatLE(rank, at + 18);
    rows.writeUInt8(roles.indexOf(role), at + 22);
  });
  return rows;
}

/** `__proto__` is no name for a session in an object. */
function nameOf(session: string): string {
  return `s${session}`;
}

/** Rows of the same shape as one list for each field: so it compresses to a fraction, and names stand there once. */
function columnsOf<T extends object>(rows: readonly T[]): Readonly<Record<string, readonly unknown[]>> {
  const names = Object.keys(rows[0] ?? {}) as (keyof T & string)[];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

function rowsIn<T>(columns: Readonly<Record<string, readonly unknown[]>>): T[] {
  const names = Object.keys(columns);
  const count = columns[names[0] ?? '']?.length ?? 0;
  return Array.from(
    { length: count },
    (_, index) => Object.fromEntries(names.map((name) => [name, columns[name]?.[index]])) as T,
  );
}

/** Reads the digest of a sealed segment. Its parts are read when they are asked for, and not kept. */
export class SegmentDigest {
  readonly #read: StoredDigest['read'];
  readonly #partsAt: number;
  readonly #head: Head;
  readonly #sessionNames: readonly string[];
  #grams: GramIndex | undefined;

  private constructor(read: StoredDigest['read'], partsAt: number, head: Head) {
    this.#sessionNames = Object.keys(head.sessions).map((name) => name.slice(1));
    this.#read = read;
    this.#partsAt = partsAt;
    this.#head = head;
  }

  /** Undefined if it is damaged, or of another release. */
  static open({ length, read }: StoredDigest): SegmentDigest | undefined {
    const start = Buffer.from(read(0, HEAD_AT));
    if (start.length < HEAD_AT || HEAD_AT + start.readUInt32LE(0) > length) return undefined;
    const headBytes = Buffer.from(read(HEAD_AT, start.readUInt32LE(0)));
    if (crc32(headBytes) !== start.readUInt32LE(4)) return undefined;
    const head = JSON.parse(headBytes.toString('utf8')) as Head;
    return head.version === VERSION ? new SegmentDigest(read, HEAD_AT + headBytes.length, head) : undefined;
  }

  /** Times of the earliest and of the latest saying; undefined if there is none. */
  get said(): SaidRange | undefined {
    return this.#head.said;
  }

  summary(): DigestSummary {
    return this.#json(this.#head.summary) as DigestSummary;
  }

  /** May the segment hold something that this removal takes, by its sessions or kinds? */
  mayHold({ sessions = [], kinds = [], seqs = [] }: RemovalRequest): boolean {
    if (sessions === 'all' || seqs.length > 0) return true;
    if (sessions.some((id) => Object.hasOwn(this.#head.sessions, nameOf(id)))) return true;
    const { others, otherSessions } = this.summary();
    return (kinds.length > 0 && others.length > 0) || sessions.some((id) => otherSessions.includes(id));
  }

  /** In the order of their sequence numbers. Throws if the part is damaged. */
  entries(session: string): readonly EventEntry[] {
    const place = this.#head.sessions[nameOf(session)];
    return place === undefined ? [] : rowsIn(this.#json(place) as Readonly<Record<string, readonly unknown[]>>);
  }

  /** The sayings that may contain this text, in the spelling of `searchable`. */
  sayingsWith(text: string): readonly SayingEntry[] {
    const count = this.#head.sayings.length / SAYING_BYTES;
    return this.#sayings(this.#candidates(text) ?? Array.from({ length: count }, (_, number) => number));
  }

  /** Undefined if the index is damaged. */
  #candidates(text: string): ArrayLike<number> | undefined {
    const { at, length } = this.#head.grams;
    this.#grams ??= new GramIndex((from, count) => this.#bytes(at + from, Math.min(count, length - from)), length);
    return this.#grams.candidates(text);
  }

  #sayings(numbers: ArrayLike<number>): readonly SayingEntry[] {
    const { at, length } = this.#head.sayings;
    // One read for all of them is quicker than some dozen of 24 bytes.
    const isFew = numbers.length < FEW_SAYINGS;
    const all = isFew ? undefined : this.#bytes(at, length);
    return Array.from(numbers, (number) => {
      const row = all?.subarray(number * SAYING_BYTES) ?? this.#bytes(at + number * SAYING_BYTES, SAYING_BYTES);
      return {
        seq: row.readUIntLE(0, 6),
        session: this.#sessionNames[row.readUInt32LE(6)] ?? '',
        time: row.readDoubleLE(10),
        rank: row.readFloatLE(18),
        role: roles[row.readUInt8(22)] ?? 'user',
      };
    });
  }

  #json({ at, length }: PartPlace): unknown {
    return JSON.parse(gunzipSync(this.#bytes(at, length)).toString('utf8'));
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = this.#read(this.#partsAt + at, length);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
