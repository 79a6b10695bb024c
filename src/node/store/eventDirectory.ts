import type { Log } from '../../app/ports.ts';
import { compareKeys } from '../../domain/order.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import type { RemovalRequest } from '../log/removal.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { StoredDigest } from '../log/segmentReader.ts';
import { type DigestSummary, type EventEntry, makeSegmentDigest, SegmentDigest } from './segmentDigest.ts';
import type { StoreIndex } from './storeIndex.ts';

/** So many sessions' entries are kept for the next question, as long as they are not more in all than the other number. */
const SESSIONS_KEPT = 8;
const ENTRIES_KEPT = 50_000;
/** So many hashes of keys are kept in all: some 20 MB. */
const KEYS_KEPT = 250_000;

/**
 * Where the events of a session lie in the log, in the order of (ts, rank, id). What is in sealed segments is read from their
 * digests; what is not yet sealed is kept here.
 */
export class EventDirectory {
  readonly #log: RecordLog;
  readonly #index: StoreIndex;
  readonly #programLog: Pick<Log, 'warn'>;
  /** Events behind the last sealed segment, by session, in the order of their sequence numbers. */
  #unsealed = new Map<string, EventEntry[]>();
  readonly #digests = new Map<number, { readonly stored: StoredDigest | undefined; readonly digest: SegmentDigest }>();
  /** The least lately used comes first in both. */
  readonly #ordered = new Map<string, EventEntry[]>();
  readonly #keys = new Map<string, Map<number, number>>();
  #keysKept = 0;

  constructor(log: RecordLog, index: StoreIndex, programLog: Pick<Log, 'warn'>) {
    this.#log = log;
    this.#index = index;
    this.#programLog = programLog;
  }

  /** All of a session, in its order. */
  entriesOf(session: string): readonly EventEntry[] {
    const known = this.#ordered.get(session);
    if (known) return known;
    const isThere = ({ seq }: EventEntry) => !this.#log.isRemoved({ seq, kind: 'event', session });
    const sorted = this.#entriesInLog(session).filter(isThere).sort(compareKeys);
    // An append that was written but not acknowledged comes again.
    const entries = sorted.filter(({ id }, at) => id !== sorted[at - 1]?.id);
    this.#ordered.set(session, entries);
    let kept = [...this.#ordered.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of this.#ordered) {
      if ((this.#ordered.size <= SESSIONS_KEPT && kept <= ENTRIES_KEPT) || oldest === session) break;
      this.#ordered.delete(oldest);
      kept -= length;
    }
    return entries;
  }

  /** Those after this key, or all. */
  entriesAfter(session: string, key: OrderKey | undefined): readonly EventEntry[] {
    const entries = this.entriesOf(session);
    return key === undefined ? entries : entries.slice(this.countUpTo(session, key));
  }

  /** How many come up to this key. */
  countUpTo(session: string, key: OrderKey): number {
    return placeIn(this.entriesOf(session), key);
  }

  /** The sequence number of the event that has a key with this hash. */
  seqOfKey(session: string, hash: number): number | undefined {
    return this.#keysOf(session).get(hash);
  }

  /** A further key of an event that is there. It is known for as long as this process lives. */
  addKey(session: string, hash: number, seq: number): void {
    const keys = this.#keysOf(session);
    if (!keys.has(hash)) keys.set(hash, seq);
  }

  /** An event was appended. */
  add(session: string, entry: EventEntry): void {
    const unsealed = this.#unsealed.get(session) ?? [];
    this.#unsealed.set(session, unsealed);
    unsealed.push(entry);
    const ordered = this.#ordered.get(session);
    if (ordered) {
      const at = placeIn(ordered, entry);
      // An event that is written anew stands in the place of the one before.
      const isAnew = ordered[at - 1]?.id === entry.id;
      ordered.splice(isAnew ? at - 1 : at, isAnew ? 1 : 0, entry);
    }
    const keys = this.#keys.get(session);
    if (!keys) return;
    for (const hash of entry.keys) if (!keys.has(hash)) keys.set(hash, entry.seq);
    this.#keysKept += entry.keys.length;
  }

  /** Events of this session were removed from the log. */
  changed(session: string): void {
    const isThere = ({ seq }: EventEntry) => !this.#log.isRemoved({ seq, kind: 'event', session });
    const ordered = this.#ordered.get(session);
    if (ordered) this.#ordered.set(session, ordered.filter(isThere));
    this.#keysKept -= this.#keys.get(session)?.size ?? 0;
    this.#keys.delete(session);
    const left = this.#unsealed.get(session)?.filter(isThere);
    if (left?.length === 0) this.#unsealed.delete(session);
    else if (left) this.#unsealed.set(session, left);
  }

  /** Forgets all that was found with the help of the index, because the index knows more now. */
  forgetFound(): void {
    this.#ordered.clear();
    this.#keys.clear();
    this.#keysKept = 0;
  }

  /** A segment was rewritten or removed. */
  forgetDigest(segment: number): void {
    this.#digests.delete(segment);
  }

  /** Events were moved to sealed segments that the index knows now. */
  sealed(): void {
    const left = [...this.#unsealed].map(
      ([session, entries]) =>
        [session, entries.filter(({ seq }) => this.#log.sealedSegmentOf(seq) === undefined)] as const,
    );
    this.#unsealed = new Map(left.filter(([, entries]) => entries.length > 0));
  }

  /** Sessions with events behind the last sealed segment. */
  unsealedSessions(): readonly string[] {
    return [...this.#unsealed.keys()];
  }

  /** In the order of their sequence numbers. */
  unsealedOf(session: string): readonly EventEntry[] {
    return this.#unsealed.get(session) ?? [];
  }

  /** Entries that are in no sealed segment that the index knows. */
  unindexed(): readonly EventEntry[] {
    const known = this.#index.segments();
    const isIndexed = ({ seq }: EventEntry) => known.has(this.#log.sealedSegmentOf(seq) ?? -1);
    return [...this.#unsealed.values()].flatMap((entries) => entries.filter((entry) => !isIndexed(entry)));
  }

  /** The newest entries of all sessions, in no order: so many, unless the last sealed segment and what follows it have less. */
  newestEntries(count: number): readonly EventEntry[] {
    const unsealed = [...this.#unsealed.values()].flat();
    const last = this.#log.sealed.at(-1)?.firstSeq;
    if (unsealed.length >= count || last === undefined) return unsealed;
    return [...unsealed, ...this.summaryOf(last).runs.flatMap(({ session }) => this.sealedEntries(last, session))];
  }

  /** Of a sealed segment; made from its records where it is damaged or of another release. */
  digestOf(segment: number): SegmentDigest {
    const stored = this.#log.digestOf(segment);
    const known = this.#digests.get(segment);
    // A segment that was written anew is another file, with another digest.
    if (known && known.stored === stored) return known.digest;
    const digest = (stored && SegmentDigest.open(stored)) ?? this.#remade(segment);
    this.#digests.set(segment, { stored, digest });
    return digest;
  }

  /** What a sealed segment holds; looked up in its records where its digest is damaged. */
  summaryOf(segment: number): DigestSummary {
    try {
      return this.digestOf(segment).summary();
    } catch {
      const digest = this.#remade(segment);
      this.#digests.set(segment, { stored: this.#log.digestOf(segment), digest });
      return digest.summary();
    }
  }

  /** May a sealed segment hold something of this? True where it can't be told: a damaged block may. */
  mayHold(segment: number, removal: RemovalRequest): boolean {
    const stored = this.#log.digestOf(segment);
    try {
      const digest = stored && SegmentDigest.open(stored);
      return digest === undefined || digest.mayHold(removal);
    } catch {
      return true;
    }
  }

  #remade(segment: number): SegmentDigest {
    this.#programLog.warn(`store: what segment ${segment} of the log holds is looked up record by record`);
    const bytes = makeSegmentDigest(this.#log.recordsOf(segment));
    const read = (from: number, count: number) => bytes.subarray(from, from + count);
    const digest = SegmentDigest.open({ length: bytes.length, read });
    if (digest === undefined) throw new Error('a digest that was just made can be read');
    return digest;
  }

  #entriesInLog(session: string): EventEntry[] {
    const sealed = this.#index.runsOf(session).flatMap(({ segment }) => this.sealedEntries(segment, session));
    return [...sealed, ...this.unsealedOf(session)];
  }

  /** What a sealed segment holds of a session, removed events among it, in the order of their sequence numbers. */
  sealedEntries(segment: number, session: string): readonly EventEntry[] {
    try {
      return this.digestOf(segment).entries(session);
    } catch {
      const digest = this.#remade(segment);
      this.#digests.set(segment, { stored: this.#log.digestOf(segment), digest });
      return digest.entries(session);
    }
  }

  #keysOf(session: string): Map<number, number> {
    const known = this.#keys.get(session);
    if (known) {
      this.#keys.delete(session);
      this.#keys.set(session, known);
      return known;
    }
    const keys = new Map<number, number>();
    for (const { seq, keys: hashes } of this.#entriesInLog(session)) {
      if (this.#log.isRemoved({ seq, kind: 'event', session })) continue;
      for (const hash of hashes) if (!keys.has(hash)) keys.set(hash, seq);
    }
    this.#keys.set(session, keys);
    this.#keysKept += keys.size;
    for (const [oldest, { size }] of this.#keys) {
      if (this.#keysKept <= KEYS_KEPT || oldest === session) break;
      this.#keys.delete(oldest);
      this.#keysKept -= size;
    }
    return keys;
  }
}

/** How many of these come up to this key. */
function placeIn(entries: readonly EventEntry[], key: OrderKey): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(entries[middle] as EventEntry, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
