import type { Changes, EventsAfter } from '../../app/changePorts.ts';
import type { Erasing, Erasure } from '../../app/erasurePorts.ts';
import type {
  EventRecord,
  EventSelection,
  EventStore,
  Log,
  Page,
  PageRequest,
  Rewriting,
  SayingSearch,
  SessionAge,
  SessionRow,
  StoreSize,
  Trimming,
} from '../../app/ports.ts';
import type { Kept, Shelf } from '../../app/shelfPorts.ts';
import type { MakeWorkChange, Touching, WorkChange } from '../../app/workPorts.ts';
import { grouped } from '../../domain/grouped.ts';
import { hashHex } from '../../domain/hash.ts';
import { forgetting } from '../../domain/told.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import { removalDraft } from '../log/removal.ts';
import type { RecordDraft } from '../log/segmentFormat.ts';
import { Turns } from '../log/turns.ts';
import { checkLimit, decodeCursor, encodeCursor } from './cursor.ts';
import { StoreClosedError, StoreFencedError } from '../log/errors.ts';
import { documentsWithout, putDrafts } from './documents.ts';
import { EventReader } from './eventReader.ts';
import type { IndexFile } from './indexFile.ts';
import { follow, followEvent, type Followers } from './indexUpdate.ts';
import { StoredChanges } from './storedChanges.ts';
import { refreshSegments } from './segmentRefresh.ts';
import type { EventEntry } from './segmentDigest.ts';
import {
  eraseDraft,
  eventDraft,
  hashOfKey,
  readEventRecord,
  takenBackDraft,
  trimDraft,
  workDraft,
} from './storedRecords.ts';

export interface LogStoreParts extends Followers {
  readonly folder: string;
  readonly indexFile: IndexFile;
  /** Milliseconds since the epoch: information for people. */
  readonly now: () => number;
  readonly programLog: Log;
  /** Clears what else may hold erased words; resolves to the paths of what has to stay for now. */
  readonly wipeBesides?: ((store: LogStore) => Promise<readonly string[]>) | undefined;
}

/** Writing segments anew for less would cost more than it gives. The rest goes at the next start. */
const CARRY_OUT_AFTER_BYTES = 16_000_000;
/** The index is written when the log has grown by so many times its size: what a start after a kill has to catch up is worth that. */
const LOG_PER_INDEX = 4;
const DOCUMENTS_COMPACTED_FROM = 5_000;
/** A repeated delivery arrives within seconds: an erasure remembers so many of the newest. */
const DELIVERIES_REMEMBERED = 100;

/**
 * The store over the log: the log is the truth, the index and what else follows it are made again from it at any time. Whatever
 * changes the store is one append, whole or not at all; when a method's promise resolves, its change is on disk.
 */
export class LogStore implements EventStore {
  readonly folder: string;
  readonly work = { items: () => this.#open().work.items(), change: (make: MakeWorkChange) => this.#changeWork(make) };
  readonly #parts: LogStoreParts;
  readonly changes: Changes;
  readonly #events: EventReader;
  readonly #turns = new Turns();
  readonly #upkeep = new Turns();
  #closing: Promise<void> | undefined;
  #isClosed = false;
  /** Up to this record the index has taken everything in, and this process is known to have been the owner. */
  #followed: number;
  /** About so much less the log will take once what was removed is out of its files. */
  #bytesRemoved = 0;
  /** Records of work items and notes since those that are replaced were let go. */
  #documentRecords = 0;
  /** The size of the index's image on disk, and how much was appended to the log since it was written. */
  #imageBytes = 0;
  #bytesSinceImage = 0;
  /** The index has something that its image on disk has not. */
  #isIndexNew = false;
  /** The index misses something that is in the log: no image is written any more, the next start follows the log again. */
  #isIndexBehind = false;

  constructor(parts: LogStoreParts) {
    this.#parts = parts;
    this.#events = new EventReader(parts.log, parts.directory);
    this.#followed = parts.log.lastSeq;
    this.changes = new StoredChanges({ ...parts, lastSeq: () => this.#followed });
    this.folder = parts.folder;
  }

  get erased() {
    return this.#parts.index.erased;
  }

  lookup(key: string, sessionId: string): string | undefined {
    this.#open();
    const { directory, index } = this.#parts;
    const hash = hashOfKey(key);
    const seq = directory.seqOfKey(sessionId, hash);
    if (seq !== undefined) return this.#reader().at(seq)?.id ?? '';
    return index.erased.hadDelivery(hash) ? '' : undefined;
  }

  async append(records: readonly EventRecord[], touching?: Touching): Promise<void> {
    this.#mustTakeWrites();
    if (records.length === 0) return;
    const drafts = records.map((record) => eventDraft(record, this.#parts.now()));
    await this.#turns.run(async () => {
      const { index } = this.#parts;
      const change = touching?.(records.map(({ event }) => event))?.(index.work.items());
      await this.#appendNew(records, drafts, change && changes(change) ? [workDraft(change, this.#parts.now())] : []);
      await this.#compactDocumentsIfDue();
    });
  }

  /**
   * Appends events of an earlier store, without what was erased after the erasure with this number: neither events of such a
   * session nor what others were told of it.
   */
  async appendEarlier(records: readonly EventRecord[], erasures: number): Promise<void> {
    this.#mustTakeWrites();
    await this.#turns.run(async () => {
      const { index, now } = this.#parts;
      const isErased = (id: string) => index.erased.of(id) > erasures;
      const left = records
        .filter(({ event }) => !isErased(event.session_id))
        .map((record) => ({ ...record, event: forgetting(record.event, isErased) }));
      await this.#appendNew(
        left,
        left.map((record) => eventDraft({ ...record, was: 0 }, now())),
        [],
      );
    });
  }

  saveSessions(rows: readonly SessionRow[]): void {
    const index = this.#open();
    const { log } = this.#parts;
    this.#isIndexNew = true;
    for (const row of rows) index.saveSession(row, log.lastSeq);
  }

  session(id: string): SessionRow | undefined {
    return this.#open().session(id);
  }

  sessions({ limit, cursor }: PageRequest): Page<SessionRow> {
    checkLimit(limit);
    const key = cursor === undefined ? undefined : decodeCursor(cursor, 'sessions', ['string', 'string']);
    const rows = this.#open().sessionsBefore(key, limit + 1);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, next: last ? encodeCursor({ list: 'sessions', key: [last.lastEventAt, last.id] }) : null };
  }

  events(sessionId: string): readonly AgentEvent[] {
    return this.#reader().all(sessionId);
  }

  eventsPage(sessionId: string, request: PageRequest): Page<AgentEvent> {
    return this.#reader().page(`events/${sessionId}`, sessionId, request, () => true);
  }

  sayings(sessionId: string, request: PageRequest): Page<AgentEvent> {
    return this.#reader().page(`sayings/${sessionId}`, sessionId, request, ({ isSaying }) => isSaying);
  }

  eventsAfter(sessionId: string, key: OrderKey | undefined, limit: number, upTo?: number): EventsAfter {
    return this.#reader().after(sessionId, key, limit, upTo);
  }

  newestEvents(sessionId: string, limit: number): readonly AgentEvent[] {
    return this.#reader().newest(sessionId, limit);
  }

  searchSayings(search: SayingSearch, { limit, cursor }: PageRequest): Page<AgentEvent> {
    checkLimit(limit);
    this.#open();
    const after = cursor === undefined ? undefined : decodeCursor(cursor, 'search', ['number', 'number', 'number']);
    const { events, lookedTo } = this.#parts.searcher.search(search, after, limit);
    return { items: events, next: lookedTo ? encodeCursor({ list: 'search', key: lookedTo }) : null };
  }

  eventCount(): number {
    return this.#open().totals().events + this.#parts.directory.unindexed().length;
  }

  usedBytes(): number {
    this.#open();
    return Math.max(0, this.#parts.log.bytes - this.#bytesRemoved);
  }

  oldestSessions(after: SessionAge | undefined, limit: number): readonly SessionAge[] {
    return this.#open().agesAfter(after, limit);
  }

  eventIds(sessionId: string, selection: EventSelection, limit: number): readonly string[] {
    this.#open();
    const isWanted = ({ ts, hasRaw, isSaying }: EventEntry): boolean => {
      if (selection.kind === 'raw') return hasRaw && ts < selection.before;
      return ts <= selection.upTo && (selection.kind === 'all' || !isSaying);
    };
    const entries = this.#parts.directory.entriesOf(sessionId);
    return entries
      .filter(isWanted)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async trim({ sessionId, remove = [], strip = [], forget = false, keepRow = false }: Trimming): Promise<void> {
    this.#mustTakeWrites();
    await this.#turns.run(async () => {
      const { directory, index, now } = this.#parts;
      const entries = directory.entriesOf(sessionId);
      const [removes, strips] = [new Set(remove), new Set(strip)];
      const removed = entries.filter(({ id }) => removes.has(id));
      const stripped = entries.filter(({ id }) => strips.has(id));
      const withoutRaw = this.#changed(stripped, (event) => ({ ...event, raw: {}, raw_removed: true }));
      const isForgotten = forget && entries.length === removed.length;
      const seqs = [...removed, ...stripped].map(({ seq }) => seq);
      const row = keepRow && !isForgotten ? index.session(sessionId) : undefined;
      if (seqs.length === 0 && !isForgotten && row === undefined) return;
      const removal = isForgotten ? { sessions: [sessionId] } : { seqs };
      const trim = { row, isTrimmed: removed.length > 0, isForgotten };
      const isReduced = this.#isReduced(sessionId);
      await this.#write([...withoutRaw, trimDraft(sessionId, removal, trim, now())]);
      if (isReduced) this.markReduced([sessionId]);
      this.#bytesRemoved += this.#bytesOnDisk([...removed, ...stripped]);
      if (this.#bytesRemoved >= CARRY_OUT_AFTER_BYTES)
        this.wipe().catch((error: unknown) => this.#parts.programLog.warn(`store: files stay large: ${String(error)}`));
    });
  }

  async rewrite({ events, rows }: Rewriting): Promise<void> {
    this.#mustTakeWrites();
    await this.#turns.run(async () => {
      const takenBack = events.flatMap(({ id, payload }) => (payload.unlogged === true ? id : []));
      const all: RecordDraft[] = takenBack.length > 0 ? [takenBackDraft(takenBack, this.#parts.now())] : [];
      for (const [session, own] of grouped(events, (event) => event.session_id)) {
        const changed = new Map(own.map((event) => [event.id, event]));
        const row = rows.find(({ id }) => id === session);
        all.push(
          ...this.#replaced(
            session,
            ({ id }) => changed.has(id),
            (event) => changed.get(event.id) ?? event,
            row,
          ),
        );
        const since = own.reduce((least, { ts }) => (ts < least ? ts : least), '~');
        all.push(...this.#retold([session], since));
      }
      await this.#write(all);
    });
  }

  async erase(erasing: Erasing): Promise<Erasure> {
    this.#mustTakeWrites();
    return this.#turns.run(async () => {
      const { index, directory, now } = this.#parts;
      const { sessions, transcripts = {}, waiting = [] } = erasing;
      const known = new Set([...index.everySession(), ...directory.unsealedSessions()]);
      const gone = sessions === 'all' ? [...known] : sessions;
      const rows = gone.filter((id) => index.session(id) !== undefined).length;
      const entries =
        sessions === 'all'
          ? directory.newestEntries(DELIVERIES_REMEMBERED)
          : gone.flatMap((id) => directory.entriesOf(id));
      const events = sessions === 'all' ? this.eventCount() : entries.length;
      const newest = entries.toSorted((a, b) => b.seq - a.seq).slice(0, DELIVERIES_REMEMBERED);
      const body = {
        ...{ sessions, transcripts, waiting },
        had: sessions === 'all' ? [...gone, ...index.erased.sessions()].map(hashHex) : [],
        deliveries: newest.flatMap(({ deliveries }) => deliveries),
      };
      const retold = sessions === 'all' ? [] : this.#retold(sessions, '');
      // Documents name sessions in their words: those that stay are written anew, behind the record that removes all before it.
      const erase = eraseDraft({ sessions, kinds: ['work', 'note'] }, body, now());
      await this.#write([erase, ...documentsWithout(index, sessions, now()), ...retold]);
      this.#bytesRemoved += this.#bytesOnDisk(entries);
      return { sessions: rows, events };
    });
  }

  /** Appends what an earlier store held, as it is. */
  async adopt(drafts: readonly RecordDraft[]): Promise<void> {
    this.#mustTakeWrites();
    if (drafts.length > 0) await this.#turns.run(() => this.#write(drafts));
  }

  /** Notes that the rows of these sessions tell of all their events. */
  markReduced(sessions: readonly string[]): void {
    const index = this.#open();
    this.#isIndexNew = true;
    index.inTransaction(() => {
      for (const id of sessions) index.reducedTo(id, this.#parts.log.lastSeq);
    });
  }

  /** Takes what was removed out of every file. Resolves to the paths of those in which something is left. */
  async wipe(): Promise<readonly string[]> {
    this.#mustTakeWrites();
    return this.#upkeep.run(async () => {
      const { log, index, programLog, folder } = this.#parts;
      try {
        const removed = this.#bytesRemoved;
        // First: as long as the log has not carried it out, the next start clears what lies beside it, too.
        const left = log.hasErasures ? ((await this.#parts.wipeBesides?.(this)) ?? []) : [];
        const changed = await log.carryOut();
        this.#bytesRemoved -= removed;
        this.#isIndexNew = true;
        await this.#turns.run(() => refreshSegments(this.#parts, changed));
        index.vacuum();
        await this.#saveIndex();
        return this.#isIndexBehind ? [...left, folder] : left;
      } catch (error) {
        if (error instanceof StoreFencedError) throw error;
        programLog.warn(`store: what was removed is still in files, and the next start tries again: ${String(error)}`);
        const { path } = error as { readonly path?: unknown };
        return [typeof path === 'string' ? path : folder];
      }
    });
  }

  shelf(name: string): Shelf {
    return {
      get: (key) => this.#open().shelves.get(name, key),
      after: (key, limit) => this.#open().shelves.after(name, key, limit),
      count: () => this.#open().shelves.count(name),
      put: (save, remove = []) => this.#put(name, save, remove),
    };
  }

  async size(): Promise<StoreSize> {
    const index = this.#open();
    const { log, indexFile, directory } = this.#parts;
    const { events, sayings } = index.totals();
    const unsealed = directory.unindexed();
    const oldest = [index.oldest() ?? [], unsealed.map(({ ts }) => ts)]
      .flat()
      .reduce<string | null>((least, ts) => (least === null || ts < least ? ts : least), null);
    return {
      sessions: index.countSessions(),
      events: events + unsealed.length,
      interactions: sayings + unsealed.filter(({ isSaying }) => isSaying).length,
      oldest,
      databaseBytes: await indexFile.bytes(),
      journalBytes: log.bytes,
    };
  }

  /** Compresses what there is enough of, and writes the index. Safe at any time. */
  async checkpoint(): Promise<void> {
    if (this.#isClosed) throw new StoreClosedError();
    await this.#upkeep.run(async () => {
      await this.#compress();
      await this.#saveIndex();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #reader(): EventReader {
    this.#open();
    return this.#events;
  }

  #open() {
    if (this.#isClosed) throw new StoreClosedError();
    return this.#parts.index;
  }

  #mustTakeWrites(): void {
    if (this.#closing) throw new StoreClosedError();
  }

  /** One append; whatever follows the log is brought up to it. `events`: what the first of the drafts were made of. */
  async #write(drafts: readonly RecordDraft[], events: readonly EventRecord[] = []): Promise<void> {
    const { log, programLog } = this.#parts;
    const before = log.lastSeq;
    const records = await log.append(drafts).catch((error: unknown) => {
      // Written, but it can't be told whether this is still the owner: the next start follows the log again.
      if (log.lastSeq > before) this.#isIndexBehind = true;
      throw error;
    });
    this.#isIndexNew = true;
    this.#bytesSinceImage += records.reduce((sum, { body }) => sum + body.length, 0);
    this.#documentRecords += records.filter(({ kind }) => kind === 'work' || kind === 'note').length;
    try {
      for (const [at, record] of records.entries()) {
        const event = events[at];
        if (event) followEvent(this.#parts, event, record);
        else follow(this.#parts, record);
      }
    } catch (error) {
      this.#isIndexBehind = true;
      programLog.error(
        `store: ${records.length} records are safe in the log but not all to be read yet: ${String(error)}`,
      );
    }
    this.#followed = records.at(-1)?.seq ?? this.#followed;
    if (log.isFull && !this.#closing) this.#compressSoon();
  }

  #compressSoon(): void {
    this.#upkeep
      .run(async () => {
        if (!this.#parts.log.isFull || this.#closing) return;
        await this.#compress();
        if (this.#bytesSinceImage >= this.#imageBytes * LOG_PER_INDEX) await this.#saveIndex();
      })
      .catch((error: unknown) =>
        this.#parts.programLog.warn(`store: the log stays uncompressed for now: ${String(error)}`),
      );
  }

  async #compress(): Promise<void> {
    await this.#parts.log.compress();
    this.#isIndexNew = true;
    await this.#turns.run(() => refreshSegments(this.#parts, []));
  }

  async #saveIndex(): Promise<void> {
    if (this.#isIndexBehind || !this.#isIndexNew) return;
    const { index, log, indexFile, now } = this.#parts;
    const image = await this.#turns.run(() => {
      this.#isIndexNew = false;
      index.compressStates(new Date(now() - COLD_AFTER_MS).toISOString());
      index.reaches = log.lastSeq;
      return index.image();
    });
    [this.#imageBytes, this.#bytesSinceImage] = [image.length, 0];
    await indexFile.write(image).catch((error: unknown) => {
      this.#isIndexNew = true;
      throw error;
    });
  }

  /** In a turn. `drafts`: of these records. `others` are appended with those that are new. */
  async #appendNew(
    records: readonly EventRecord[],
    drafts: readonly RecordDraft[],
    others: readonly RecordDraft[],
  ): Promise<void> {
    const isNew = this.#newOnes(records);
    const fresh = records.filter((_, at) => isNew[at]);
    await this.#write([...drafts.filter((_, at) => isNew[at]), ...others], fresh);
    for (const [at, record] of records.entries()) if (!isNew[at]) this.#addKeys(record);
  }

  /** Does the session's row tell of all its events? */
  #isReduced(session: string): boolean {
    const { index, directory } = this.#parts;
    const lastSeq = directory.entriesOf(session).reduce((last, { seq }) => Math.max(last, seq), 0);
    return index.rowReaches(session) >= lastSeq;
  }

  /** Work items and notes are written whole with each change: from time to time all that are replaced are let go. */
  async #compactDocumentsIfDue(): Promise<void> {
    const { index, now } = this.#parts;
    if (this.#documentRecords < DOCUMENTS_COMPACTED_FROM) return;
    const documents = documentsWithout(index, [], now());
    // Writing all of them again is worth it once three of four records are replaced.
    if (this.#documentRecords < documents.length * 4) return;
    await this.#write([removalDraft('trim', { kinds: ['work', 'note'] }, now()), ...documents]);
    this.#documentRecords = 0;
  }

  /** For each record: is its event not yet there, nor earlier in this list? */
  #newOnes(records: readonly EventRecord[]): readonly boolean[] {
    const { directory } = this.#parts;
    const inBatch = new Set<string>();
    return records.map(({ event }) => {
      const name = JSON.stringify([event.id, event.session_id]);
      const isNew = !inBatch.has(name) && directory.seqOfKey(event.session_id, hashOfKey(event.id)) === undefined;
      inBatch.add(name);
      return isNew;
    });
  }

  /** An event that is there came again under other keys: it is known by them too. */
  #addKeys({ event, keys }: EventRecord): void {
    const { directory } = this.#parts;
    const seq = directory.seqOfKey(event.session_id, hashOfKey(event.id));
    if (seq !== undefined) for (const key of keys) directory.addKey(event.session_id, hashOfKey(key), seq);
  }

  /** What these take in the files of the log, where most of them are compressed. */
  #bytesOnDisk(entries: readonly EventEntry[]): number {
    const { index, log } = this.#parts;
    const sealedBytes = log.sealed.reduce((sum, { length }) => sum + length, 0);
    const share = Math.min(1, sealedBytes / Math.max(1, index.totals().bytes));
    return entries.reduce(
      (sum, { seq, size }) => sum + (log.sealedSegmentOf(seq) === undefined ? size : size * share),
      0,
    );
  }

  /** The events of these entries as `change` makes them, under the same keys. */
  #changed(entries: readonly EventEntry[], change: (event: AgentEvent) => AgentEvent): RecordDraft[] {
    const records = this.#parts.log.recordsAt(entries.map(({ seq }) => seq));
    return entries.flatMap(({ seq }) => {
      const record = records.get(seq);
      const stored = record && readEventRecord(record);
      return stored ? [eventDraft({ ...stored, event: change(stored.event), was: seq }, this.#parts.now())] : [];
    });
  }

  /** Puts changed events in place of those that are there: a person took back what they said. */
  #replaced(
    session: string,
    isMeant: (entry: EventEntry) => boolean,
    change: (event: AgentEvent) => AgentEvent,
    row?: SessionRow,
  ): RecordDraft[] {
    const entries = this.#parts.directory.entriesOf(session).filter(isMeant);
    if (entries.length === 0 && row === undefined) return [];
    const seqs = entries.map(({ seq }) => seq);
    return [
      ...this.#changed(entries, change),
      trimDraft(session, { seqs, isErasure: true }, { row }, this.#parts.now()),
    ];
  }

  /** MEM-3, CNV-4: takes from other sessions what they were told of these, from a moment on. */
  #retold(told: readonly string[], since: string): RecordDraft[] {
    const gone = new Set(told);
    const tellings = told.flatMap((id) => this.#parts.index.tellingsOf(id)).filter(({ session }) => !gone.has(session));
    return grouped(tellings, ({ session }) => session).flatMap(([session, own]) => {
      const seqs = new Set(own.map(({ seq }) => seq));
      return this.#replaced(
        session,
        ({ seq, ts }) => seqs.has(seq) && ts >= since,
        (event) => forgetting(event, (id) => gone.has(id)),
      );
    });
  }

  async #changeWork(make: MakeWorkChange): Promise<void> {
    this.#mustTakeWrites();
    await this.#turns.run(async () => {
      const change = make(this.#parts.index.work.items());
      if (changes(change)) await this.#write([workDraft(change, this.#parts.now())]);
      await this.#compactDocumentsIfDue();
    });
  }

  async #put(shelf: string, save: readonly Kept[], remove: readonly string[]): Promise<void> {
    this.#mustTakeWrites();
    const { index, now } = this.#parts;
    const erasedOf = ({ session }: Kept) => (session === undefined ? 0 : index.erased.of(session));
    const before = save.map(erasedOf);
    await this.#turns.run(async () => {
      // What was decided before an erasure does not come back after it.
      const left = save.filter((kept, at) => erasedOf(kept) === before[at]);
      const drafts = putDrafts(index, { shelf, save: left, remove }, now());
      if (drafts.length > 0) await this.#write(drafts);
      await this.#compactDocumentsIfDue();
    });
  }

  async #shutDown(): Promise<void> {
    await this.#turns.idle();
    await this.#upkeep.idle();
    const { log, index, programLog } = this.#parts;
    try {
      await this.#saveIndex();
    } catch (error) {
      // The log holds everything; the next start follows it from where the last image ends.
      if (!(error instanceof StoreFencedError)) programLog.warn(`store: closed without its index: ${String(error)}`);
    }
    await this.#turns.run(async () => {
      await log.close();
      index.close();
      this.#isClosed = true;
    });
  }
}

/** States of sessions that were quiet for this long are compressed. */
const COLD_AFTER_MS = 3_600_000;

function changes({ save, remove = [] }: WorkChange): boolean {
  return save.length + remove.length > 0;
}
