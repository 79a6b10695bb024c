import type { EventsAfter } from '../../app/changePorts.ts';
import type { Page, PageRequest } from '../../app/ports.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import type { RecordLog } from '../log/recordLog.ts';
import { checkLimit, decodeCursor, encodeCursor } from './cursor.ts';
import type { EventDirectory } from './eventDirectory.ts';
import type { EventEntry } from './segmentDigest.ts';
import { readEventRecord } from './storedRecords.ts';

/** Reading and parsing this much takes about 10 ms; nobody else is served meanwhile. */
const SLICE_BYTES = 1_000_000;
/** A card's story wants the newest events, however large one of them is. */
const NEWEST_BYTES = 4_000_000;

/** Reads the events of a session from the log, in the order of (ts, rank, id). What can't be read is left out. */
export class EventReader {
  readonly #log: RecordLog;
  readonly #directory: EventDirectory;

  constructor(log: RecordLog, directory: EventDirectory) {
    this.#log = log;
    this.#directory = directory;
  }

  /** The event with this sequence number; undefined if it is gone. */
  at(seq: number): AgentEvent | undefined {
    const record = this.#log.at(seq);
    return record && readEventRecord(record)?.event;
  }

  all(session: string): readonly AgentEvent[] {
    const entries = this.#directory.entriesOf(session);
    const events: AgentEvent[] = [];
    for (let from = 0; from < entries.length;) {
      const slice = sliceOf(entries.slice(from), Infinity);
      for (const event of this.#read(slice)) events.push(event);
      from += slice.length;
    }
    return events;
  }

  /** One page of those that are wanted. `list` names the list in the cursor. */
  page(
    list: string,
    session: string,
    { limit, cursor }: PageRequest,
    isWanted: (entry: EventEntry) => boolean,
  ): Page<AgentEvent> {
    checkLimit(limit);
    const [ts, rank, id] = cursor === undefined ? [] : decodeCursor(cursor, list, ['string', 'number', 'string']);
    const after = ts === undefined || rank === undefined || id === undefined ? undefined : { ts, rank, id };
    const entries = this.#directory.entriesAfter(session, after).filter(isWanted);
    const slice = sliceOf(entries, limit);
    const last = slice.length < entries.length ? slice.at(-1) : undefined;
    const next = last ? encodeCursor({ list, key: [last.ts, last.rank, last.id] }) : null;
    return { items: this.#read(slice), next };
  }

  /** Of those that have no greater sequence number than `upTo`. */
  after(session: string, key: OrderKey | undefined, limit: number, upTo = Infinity): EventsAfter {
    checkLimit(limit);
    const after = this.#directory.entriesAfter(session, key);
    const entries = upTo === Infinity ? after : after.filter(({ seq }) => seq <= upTo);
    const slice = sliceOf(entries, limit);
    const last = slice.at(-1);
    const at = last && { ts: last.ts, rank: last.rank, id: last.id };
    return { events: this.#read(slice), key: at, more: slice.length < entries.length };
  }

  /** The newest, oldest of them first, without their raw payloads. */
  newest(session: string, limit: number): readonly AgentEvent[] {
    checkLimit(limit);
    const entries = this.#directory.entriesOf(session).toReversed();
    const slice = sliceOf(entries, limit, NEWEST_BYTES).toReversed();
    return this.#read(slice).map((event) => ({ ...event, raw: {} }));
  }

  #read(entries: readonly EventEntry[]): AgentEvent[] {
    const records = this.#log.recordsAt(entries.map(({ seq }) => seq));
    return entries.flatMap(({ seq }) => {
      const record = records.get(seq);
      return (record && readEventRecord(record)?.event) ?? [];
    });
  }
}

/** The first of these: at most `limit`, and no more than a slice holds but for the first one. */
function sliceOf(entries: readonly EventEntry[], limit: number, most = SLICE_BYTES): readonly EventEntry[] {
  let bytes = 0;
  for (let count = 0; count < entries.length; count++) {
    if (count >= limit || bytes >= most) return entries.slice(0, count);
    bytes += entries[count]?.size ?? 0;
  }
  return entries;
}
