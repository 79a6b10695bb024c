import path from 'node:path';
import type { EventRecord, EventStore, Log, Page, PageRequest } from '../../app/ports.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { checkLimit, decodeCursor, encodeCursor } from './cursor.ts';
import type { Coverage, EventKey, EventSlice, StoreDatabase } from './database.ts';
import { StoreClosedError, StoreFencedError } from './errors.ts';
import type { Journal, SealedSegment } from './journal.ts';
import { scanRecords } from './journalFormat.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { replaceImage } from './storeFiles.ts';

export interface LiveStoreParts {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly log: Log;
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly journal: Journal;
  readonly database: StoreDatabase;
  readonly imageCoverage: Coverage | undefined;
  readonly backupCoverage: Coverage;
  readonly imageBytes: number;
  /** What the journal holds beyond the image. */
  readonly bytesSinceImage: number;
  readonly checkpointAfterBytes: number;
}

/** An image is written whole: letting the journal grow with it keeps what is written in proportion to what is stored. */
const JOURNAL_SHARE_OF_IMAGE = 1 / 8;

function eventPage(
  list: string,
  { limit, cursor }: PageRequest,
  read: (key: EventKey | undefined, limit: number) => EventSlice,
): Page<AgentEvent> {
  checkLimit(limit);
  const key = cursor === undefined ? undefined : decodeCursor(cursor, list, ['string', 'number', 'string']);
  const { rows, more } = read(key, limit);
  const last = more ? rows.at(-1) : undefined;
  return { items: rows.map(({ event }) => event), next: last ? encodeCursor({ list, key: last.key }) : null };
}

export function createLiveStore(parts: LiveStoreParts): EventStore {
  const { folder, fs, log, journal, database } = parts;
  let { imageCoverage, backupCoverage, imageBytes, bytesSinceImage } = parts;
  /** Durable, but their rows could not be made; retried with every append, and by the replay of the next start. */
  let withoutRows: readonly EventRecord[] = [];
  /** Rows that no image has; or a backup was read because the image was lost, and takes its place again. */
  let unsaved = bytesSinceImage > 0 || (imageCoverage === undefined && imageBytes > 0);
  let nextCheckpointAt = 0;
  let running: Promise<void> | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  let closed = false;

  scheduleNextCheckpoint();

  /** One after the other, whatever becomes of the one before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work, work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function assertMayWrite(): Promise<void> {
    if (!(await parts.mayWrite())) throw new StoreFencedError();
  }

  function open(): StoreDatabase {
    if (closed) throw new StoreClosedError();
    return database;
  }

  function scheduleNextCheckpoint(): void {
    nextCheckpointAt = Math.max(parts.checkpointAfterBytes, imageBytes * JOURNAL_SHARE_OF_IMAGE);
  }

  function makeRows(records: readonly EventRecord[]): void {
    const waiting = [...withoutRows, ...records];
    try {
      database.insert(waiting);
      withoutRows = [];
    } catch (error) {
      withoutRows = waiting;
      log.error(`store: ${waiting.length} events are safe in the journal but not yet to be read: ${String(error)}`);
    }
  }

  async function takeIn(records: readonly EventRecord[], payloads: readonly Uint8Array[]): Promise<void> {
    await assertMayWrite();
    bytesSinceImage += await journal.append(payloads);
    unsaved = true;
    makeRows(records);
    if (bytesSinceImage < nextCheckpointAt || running || closing) return;
    // A disk that is full now is asked again after as many bytes more, not with every event.
    nextCheckpointAt = bytesSinceImage + parts.checkpointAfterBytes;
    checkpoint().catch((error: unknown) => log.warn(`store: no checkpoint: ${String(error)}`));
  }

  /** The one part of a checkpoint that appends wait for. */
  async function takeImage(): Promise<{ readonly image: Uint8Array; readonly coverage: Coverage } | undefined> {
    if (!unsaved) return undefined;
    await assertMayWrite();
    if (withoutRows.length > 0) makeRows([]);
    if (withoutRows.length > 0) throw new Error('events wait for their rows; an image without them would lose them');
    await journal.seal();
    const coverage = new Map(journal.sealed().map((segment) => [segment.name, segment.length]));
    const image = database.exportImage(coverage);
    unsaved = false;
    bytesSinceImage = 0;
    return { image, coverage };
  }

  async function writeCheckpoint(): Promise<void> {
    const before = bytesSinceImage;
    const taken = await inTurn(takeImage);
    if (!taken) return;
    try {
      const backedUp = await replaceImage(fs, folder, taken.image, assertMayWrite);
      if (backedUp) backupCoverage = imageCoverage ?? backupCoverage;
    } catch (error) {
      unsaved = true;
      bytesSinceImage += before;
      throw error;
    }
    imageCoverage = taken.coverage;
    imageBytes = taken.image.length;
    scheduleNextCheckpoint();
    await inTurn(cutJournal);
  }

  /** Only what the backup holds as well may go: with the image lost, backup and journal must still be everything. */
  async function cutJournal(): Promise<void> {
    for (const segment of journal.sealed()) {
      if ((backupCoverage.get(segment.name) ?? 0) < segment.length) continue;
      try {
        if (segment.foreign && (await grew(segment))) continue;
        await journal.remove(segment.name);
      } catch (error) {
        log.warn(`store: ${segment.name} stays for now: ${String(error)}`);
      }
    }
  }

  /** A deposed owner may have passed its fence just before it fell: what it acknowledged then is taken in here. */
  async function grew(segment: SealedSegment): Promise<boolean> {
    const file = path.join(folder, segment.name);
    if ((await fs.stat(file)).size <= segment.length) return false;
    const added = scanRecords(Buffer.from(await fs.readFile(file)), segment.length);
    const end = added.at(-1)?.end;
    if (end === undefined) return false;
    unsaved = true;
    makeRows(added.flatMap(({ payload }) => decodeRecord(payload) ?? []));
    journal.extend(segment.name, end);
    return true;
  }

  async function checkpoint(): Promise<void> {
    // Whoever asks during a checkpoint gets one that begins after the question, so that it contains what was there then.
    while (running) await running.catch(() => undefined);
    if (closed) throw new StoreClosedError();
    running = writeCheckpoint();
    try {
      await running;
    } finally {
      running = undefined;
    }
  }

  async function shutDown(): Promise<void> {
    await lastTurn;
    try {
      await checkpoint();
    } catch (error) {
      // The journal holds everything; the next start replays it.
      log.warn(`store: closed without a checkpoint: ${String(error)}`);
    }
    await inTurn(async () => {
      await journal.seal();
      database.close();
      closed = true;
    });
  }

  return {
    lookup: (key) => open().lookup(key) ?? withoutRows.find((record) => record.keys.includes(key))?.event.id,
    append: async (records) => {
      if (closing) throw new StoreClosedError();
      if (records.length === 0) return;
      const payloads = records.map(encodeRecord);
      await inTurn(() => takeIn(records, payloads));
    },
    saveSessions: (rows) => {
      if (rows.length === 0) return;
      open().saveSessions(rows);
      unsaved = true;
    },
    session: (id) => open().session(id),
    sessions: ({ limit, cursor }) => {
      checkLimit(limit);
      const key = cursor === undefined ? undefined : decodeCursor(cursor, 'sessions', ['string', 'string']);
      const rows = open().sessionsAfter(key, limit + 1);
      const items = rows.slice(0, limit);
      const last = rows.length > limit ? items.at(-1) : undefined;
      return { items, next: last ? encodeCursor({ list: 'sessions', key: [last.lastEventAt, last.id] }) : null };
    },
    events: (sessionId) => open().events(sessionId),
    eventsPage: (id, request) => eventPage(`events/${id}`, request, (key, limit) => open().eventsAfter(id, key, limit)),
    sayings: (id, request) => eventPage(`sayings/${id}`, request, (key, limit) => open().sayingsAfter(id, key, limit)),
    newestSayings: (request) => eventPage('sayings', request, (key, limit) => open().sayingsBefore(key, limit)),
    eventCount: () => open().eventCount(),
    checkpoint,
    close: () => (closing ??= shutDown()),
  };
}
