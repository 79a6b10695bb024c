import path from 'node:path';
import type { Log, SessionRow } from '../../app/ports.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { NotWrittenError, type Compact, type CompactJob } from './compact.ts';
import type { Coverage, StoreDatabase } from './database.ts';
import { frameImage } from './imageFile.ts';
import { StoreClosedError } from './errors.ts';
import type { Journal, SealedSegment } from './journal.ts';
import { JOURNAL_FORMAT, scanRecords, type ScannedRecord } from './journalFormat.ts';
import type { StoredImage } from './recovery.ts';
import { compareImages, nameOfImage, newestFirst, writeImage } from './storeFiles.ts';

export interface CheckpointParts {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly log: Log;
  readonly journal: Journal;
  readonly database: StoreDatabase;
  /** Above every file's that was found. */
  readonly generation: number;
  /** The image in place. */
  readonly image: StoredImage | undefined;
  /** What the journal holds beyond the image. */
  readonly bytesSinceImage: number;
  readonly checkpointAfterBytes: number;
  /** Makes large images away from this thread; without it all are made here. */
  readonly compact?: Compact | undefined;
  readonly imageHereUpToBytes?: number | undefined;
  assertMayWrite(): Promise<void>;
  /** One after the other with everything else that writes. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Throws where an event has no rows yet: an image without them would lose it. */
  settleRows(): void;
  /** Records that came to a segment after it was read. */
  takeLate(records: readonly ScannedRecord[]): void;
}

export interface Checkpoints {
  grew(journalBytes: number): void;
  saved(rows: readonly SessionRow[]): void;
  forgot(sessionIds: readonly string[] | 'all'): void;
  /** Whether the journal has grown enough for an image. */
  isDue(): boolean;
  /** Whether an image now would take no time that somebody waits for. */
  isQuick(): boolean;
  /** Safe at any time; whoever asks during a checkpoint gets one that contains what was there when asked. */
  run(): Promise<void>;
  /** CNV-4: two images that hold nothing but what is stored now, and a journal that begins behind the first of them. */
  renew(): Promise<void>;
}

/** An image is written whole: letting the journal grow with it keeps what is written in proportion to what is stored. */
const JOURNAL_SHARE_OF_IMAGE = 1 / 8;

/** Copying this much here takes about 5 ms, less than sending it to another thread and back is worth. */
const HERE_UP_TO_BYTES = 8 * 1024 * 1024;

interface Taken {
  readonly coverage: Coverage;
  /** Made here; else it is made beside. */
  readonly image?: Uint8Array;
  readonly job?: Omit<CompactJob, 'target'>;
}

class NotMadeBesideError extends Error {}

function isOfTheseDays({ format }: SealedSegment): boolean {
  return format === JOURNAL_FORMAT;
}

export function createCheckpoints(parts: CheckpointParts): Checkpoints {
  const { folder, fs, log, journal, database, generation, assertMayWrite, inTurn } = parts;
  let { image, bytesSinceImage } = parts;
  /** What the image before the one in place contains, where that is known. */
  let backup: StoredImage | undefined;
  /** Each name is used once: a write that failed may have left something under it. */
  let seq = 1;
  /** Rows that no image has. */
  let unsaved = bytesSinceImage > 0;
  let rows = new Map<string, SessionRow>();
  /** In the image that is being made; not in any yet. */
  let rowsUnderWay = new Map<string, SessionRow>();
  let nextAt = threshold();
  let running: Promise<void> | undefined;
  /** SQLite leaves copies of moved rows in a page's unused part: after an erasure the next images are made page by page. */
  let anew = false;
  /** The same for the database in memory, which large images are not made of. */
  let memoryIsOld = false;

  function threshold(): number {
    return Math.max(parts.checkpointAfterBytes, (image?.bytes ?? 0) * JOURNAL_SHARE_OF_IMAGE);
  }

  /** The one part that appends wait for. */
  async function take(here: boolean): Promise<Taken> {
    await assertMayWrite();
    parts.settleRows();
    await journal.seal();
    if (here && memoryIsOld) {
      database.vacuum();
      memoryIsOld = false;
    }
    const coverage = new Map(journal.sealed().map((segment) => [segment.name, segment.length]));
    const taken = here ? { coverage, image: database.exportImage(coverage) } : { coverage, job: jobOf(coverage) };
    unsaved = false;
    bytesSinceImage = 0;
    rowsUnderWay = new Map([...rowsUnderWay, ...rows]);
    rows = new Map();
    return taken;
  }

  function isSmall(): boolean {
    return (image?.bytes ?? 0) + bytesSinceImage <= (parts.imageHereUpToBytes ?? HERE_UP_TO_BYTES);
  }

  function jobOf(coverage: Coverage): Omit<CompactJob, 'target'> {
    const segments = [...coverage].map(([name, to]) => ({ name, from: image?.coverage.get(name) ?? 0, to }));
    return {
      folder,
      base: image?.name,
      segments: segments.filter(({ from, to }) => from < to),
      sessions: [...rows.values()],
      unreduced: database.unreduced(),
      coverage: [...coverage],
      events: database.eventCount(),
      anew,
    };
  }

  /** Gives its bytes. */
  async function put(name: string, { image: made, job }: Taken): Promise<number> {
    const file = path.join(folder, name);
    if (made) {
      await writeImage(fs, file, frameImage(made), assertMayWrite);
      return made.length;
    }
    if (!job || !parts.compact) throw new Error('an image is made here or beside');
    const { compact } = parts;
    let bytes = 0;
    const writer = async (target: string) => {
      bytes = await compact({ ...job, target }).catch((error: unknown) => {
        // A disk that did not take it would not take it from this thread either.
        throw error instanceof NotWrittenError ? error : new NotMadeBesideError(String(error));
      });
    };
    await writeImage(fs, file, writer, assertMayWrite);
    return bytes;
  }

  async function write(): Promise<void> {
    const before = bytesSinceImage;
    let taken = await inTurn(async () => (unsaved ? take(!parts.compact || isSmall()) : undefined));
    if (!taken) return;
    const id = { generation, seq: seq++ };
    const name = nameOfImage(id);
    let bytes: number;
    try {
      await inTurn(keepOldReleasesAway);
      bytes = await put(name, taken).catch(async (error: unknown) => {
        if (!(error instanceof NotMadeBesideError)) throw error;
        // What the disk gave did not add up, or there is no other thread to be had: better a pause than no image.
        log.warn(`store: an image is made on the main thread, for it could not be made beside it: ${error.message}`);
        taken = await inTurn(() => take(true));
        return put(name, taken);
      });
    } catch (error) {
      unsaved = true;
      bytesSinceImage += before;
      rows = new Map([...rowsUnderWay, ...rows]);
      rowsUnderWay = new Map();
      throw error;
    }
    rowsUnderWay = new Map();
    backup = image;
    image = { name, ...id, coverage: taken.coverage, bytes };
    nextAt = threshold();
    await inTurn(removeOlder);
    await inTurn(cutJournal);
  }

  async function writeTwice(): Promise<void> {
    anew = true;
    memoryIsOld = true;
    unsaved = true;
    await write();
    // The newest segment is never cut, so it may not be one from before.
    await inTurn(async () => {
      await assertMayWrite();
      await journal.seal();
      await journal.mark();
    });
    unsaved = true;
    await write();
    anew = false;
  }

  async function alone(work: () => Promise<void>): Promise<void> {
    while (running) await running.catch(() => undefined);
    running = work();
    try {
      await running;
    } finally {
      running = undefined;
    }
  }

  /** All before the last two. A deposed owner's late one is among them. */
  async function removeOlder(): Promise<void> {
    const kept = backup;
    if (!kept) return;
    try {
      for (const old of newestFirst(await fs.readdir(folder))) {
        if (compareImages(old, kept) >= 0) continue;
        await assertMayWrite();
        await fs.unlink(path.join(folder, old.name));
      }
    } catch (error) {
      if (!(error instanceof StoreClosedError)) log.warn(`store: older images stay for now: ${String(error)}`);
    }
  }

  /** STO-1: a release that does not know these images knows a journal's format, and leaves what is newer alone. */
  async function keepOldReleasesAway(): Promise<void> {
    if (journal.sealed().some(isOfTheseDays)) return;
    await assertMayWrite();
    await journal.mark();
  }

  /** Only what the backup holds as well may go: with the image lost, backup and journal must still be everything. */
  async function cutJournal(): Promise<void> {
    const last = journal.sealed().findLast(isOfTheseDays);
    for (const segment of journal.sealed()) {
      if (segment === last) continue;
      if ((backup?.coverage.get(segment.name) ?? 0) < segment.length) continue;
      try {
        if (segment.foreign && (await hasGrown(segment))) continue;
        await assertMayWrite();
        await journal.remove(segment.name);
      } catch (error) {
        if (error instanceof StoreClosedError) return;
        log.warn(`store: ${segment.name} stays for now: ${String(error)}`);
      }
    }
  }

  /** A deposed owner may have passed its fence just before it fell: nobody was told that it is stored, and still it is. */
  async function hasGrown(segment: SealedSegment): Promise<boolean> {
    const file = path.join(folder, segment.name);
    if ((await fs.stat(file)).size <= segment.length) return false;
    const added = scanRecords(Buffer.from(await fs.readFile(file)), segment.length);
    const end = added.at(-1)?.end;
    if (end === undefined) return false;
    unsaved = true;
    parts.takeLate(added);
    journal.extend(segment.name, end);
    return true;
  }

  return {
    grew(journalBytes) {
      bytesSinceImage += journalBytes;
      unsaved = true;
    },
    saved(saved) {
      unsaved = true;
      for (const row of saved) rows.set(row.id, row);
    },
    forgot(sessionIds) {
      for (const id of sessionIds === 'all' ? [...rows.keys(), ...rowsUnderWay.keys()] : sessionIds) {
        rows.delete(id);
        rowsUnderWay.delete(id);
      }
    },
    isDue() {
      if (bytesSinceImage < nextAt || running) return false;
      // A disk that is full now is asked again after as many bytes more, not with every event.
      nextAt = bytesSinceImage + parts.checkpointAfterBytes;
      return true;
    },
    isQuick: () => isSmall(),
    run: () => alone(write),
    renew: () => alone(writeTwice),
  };
}
