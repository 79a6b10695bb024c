import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { atomicWrite, renameOver } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, type OpenFile, removeIfThere, syncFolder, writeAll } from '../files/fileSystem.ts';
import { StoreClosedError, StoreFencedError } from '../store/errors.ts';
import { type ClosedSegment, findLog, plainFile, removeFile, sealedFile } from './logFiles.ts';
import { readPositions } from './sealedBlocks.ts';
import { inflate, isRemoved, type Removal, type RewriteJob, type SealJob } from './sealing.ts';
import {
  decodeBlock,
  decodeRecords,
  encodeFrame,
  encodeHeader,
  HEADER_BYTES,
  type LogRecord,
  type RecordDraft,
  scanFrames,
} from './segmentFormat.ts';
import type { SegmentId } from './segmentNames.ts';

/** Does the work that takes long away from the main thread, or in it where there is no other. */
export interface Sealer {
  seal(job: SealJob): Promise<void>;
  /** Resolves to false, with no file made, if the segment holds nothing of it. */
  rewrite(job: RewriteJob): Promise<boolean>;
}

export interface RecordLogOptions {
  /** The log's own; made when it is not there. */
  readonly folder: string;
  readonly fs: FileSystem;
  readonly log: Log;
  /** The owner's: higher than every one before. */
  readonly generation: number;
  /** False once another process owns the log. */
  readonly mayWrite: () => boolean | Promise<boolean>;
  readonly sealer: Sealer;
  /** So many bytes of plain segments become one sealed segment. */
  readonly sealAfterBytes?: number;
}

export interface OpenedLog {
  readonly log: RecordLog;
  /** What was found damaged, and where it was set aside: sentences for people. */
  readonly damage: readonly string[];
}

const SEAL_AFTER_BYTES = 4 * 1024 * 1024;
/** Lies in the folder from before a removal is recorded until no file holds what it removes. */
const REMOVALS_FILE = 'removals.json';

/** The segment that this owner appends to. */
interface OpenSegment extends SegmentId {
  readonly file: string;
  readonly handle: OpenFile;
  length: number;
  /** A failed write left something behind the last frame that could not be cut away. */
  isBroken: boolean;
}

/**
 * The log: records with rising sequence numbers, in the order in which they were appended. It is the one truth of the store;
 * whatever follows it remembers the last sequence number that it has dealt with, and asks for those after it.
 *
 * One owner writes. Appends are made one after the other; an append is on disk, whole, when it resolves, and leaves nothing
 * behind when it rejects. Old segments are compressed, and rewritten without what was removed, beside all that.
 */
export class RecordLog {
  readonly #options: RecordLogOptions;
  #closed: readonly ClosedSegment[];
  #open: OpenSegment | undefined;
  #nextSeq: number;
  #removals: readonly Removal[];
  #turn: Promise<unknown> = Promise.resolve();
  #upkeep: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  private constructor(
    options: RecordLogOptions,
    found: Awaited<ReturnType<typeof findLog>>,
    removals: readonly Removal[],
  ) {
    this.#options = { ...options, generation: Math.max(options.generation, found.lastGeneration + 1) };
    this.#closed = found.segments;
    this.#nextSeq = found.nextSeq;
    this.#removals = removals;
  }

  /** Repairs what a crash left, and goes on with removals that were not carried out to their end. */
  static async open(options: RecordLogOptions): Promise<OpenedLog> {
    const { fs, folder, mayWrite } = options;
    await fs.mkdir(folder, 0o700);
    if (!(await mayWrite())) throw new StoreFencedError();
    const found = await findLog(fs, folder);
    const removals = await readRemovals(fs, folder, found.nextSeq);
    const log = new RecordLog(options, found, removals);
    return { log, damage: found.damage };
  }

  /** The sequence number of the newest record; 0 if there was none yet. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** Resolves to the records with their sequence numbers when all of them are on disk. */
  append(drafts: readonly RecordDraft[]): Promise<readonly LogRecord[]> {
    return this.#inTurn(async () => {
      if (this.#isClosing) throw new StoreClosedError();
      const records = drafts.map((draft, index) => ({ ...draft, seq: this.#nextSeq + index }));
      if (records.length === 0) return records;
      const frame = encodeFrame(records);
      await this.#assertMayWrite();
      if (this.#open?.isBroken) await this.#closeOpen();
      this.#open ??= await this.#beginSegment();
      await this.#write(this.#open, frame);
      this.#nextSeq += records.length;
      // What is on disk before another takes over is read by that one; what comes later it may miss.
      await this.#assertMayWrite();
      if (this.#open.length >= this.#sealAfter) await this.#closeOpen();
      return records;
    });
  }

  /**
   * All records after this sequence number, oldest first, some 64 KB at a time; the caller lets others have their turn between
   * two of them. What is appended meanwhile is given too. Damaged blocks are left out, and reported to the program's log.
   */
  *recordsAfter(seq: number): Generator<readonly LogRecord[]> {
    let last = seq;
    for (;;) {
      const segment = this.#segments().find(({ lastSeq }) => lastSeq > last);
      if (segment === undefined) return;
      for (const records of segment.isSealed ? this.#sealedRecords(segment) : this.#plainRecords(segment)) {
        const wanted = records.filter((record) => record.seq > last && !isRemoved(record, this.#removals));
        if (wanted.length > 0) yield wanted;
      }
      last = segment.lastSeq;
    }
  }

  /**
   * Takes records away for good: from the moment at which this is called nothing gives them, and when it resolves no file of the
   * log holds them. What is appended later is not touched. It goes on after a crash.
   */
  async remove(removal: Omit<Removal, 'before'>): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isClosing) throw new StoreClosedError();
      await this.#assertMayWrite();
      const removals = [...this.#removals, { ...removal, before: this.#nextSeq }];
      await this.#keepRemovals(removals);
      this.#removals = removals;
      await this.#closeOpen();
    });
    await this.carryOut();
  }

  /** Carries out what `remove` was called for before a crash, or could not do because the disk failed. */
  carryOut(): Promise<void> {
    return this.#afterUpkeep(async () => {
      const removals = this.#removals;
      if (removals.length === 0) return;
      for (const segment of this.#closed.filter(({ isSealed }) => !isSealed)) await this.#seal([segment]);
      for (const segment of this.#closed) await this.#rewrite(segment, removals);
      await this.#inTurn(async () => {
        await this.#assertMayWrite();
        const left = this.#removals.filter((each) => !removals.includes(each));
        await this.#keepRemovals(left);
        this.#removals = left;
      });
    });
  }

  /** Compresses plain segments once there are enough of them. Safe at any time; rejects if the disk refuses. */
  compress(): Promise<void> {
    return this.#afterUpkeep(async () => {
      const plain = this.#closed.filter(({ isSealed }) => !isSealed);
      if (sum(plain.map(({ length }) => length)) >= this.#sealAfter) await this.#seal(plain);
    });
  }

  /** How many bytes the log takes on disk. */
  get bytes(): number {
    return sum(this.#segments().map(({ length }) => length));
  }

  /** Waits for appends that are under way; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#inTurn(() => this.#closeOpen());
    await this.#upkeep.catch(() => undefined);
  }

  get #sealAfter(): number {
    return this.#options.sealAfterBytes ?? SEAL_AFTER_BYTES;
  }

  #segments(): readonly ClosedSegment[] {
    const open = this.#open;
    return open === undefined ? this.#closed : [...this.#closed, { ...open, isSealed: false, lastSeq: this.lastSeq }];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #afterUpkeep(work: () => Promise<void>): Promise<void> {
    const next = this.#upkeep.then(work, work);
    this.#upkeep = next.catch(() => undefined);
    return next;
  }

  async #assertMayWrite(): Promise<void> {
    if (!(await this.#options.mayWrite())) throw new StoreFencedError();
  }

  async #beginSegment(): Promise<OpenSegment> {
    const { fs, folder, generation } = this.#options;
    const id = { firstSeq: this.#nextSeq, generation };
    const file = plainFile(folder, id);
    // A file of this name can only be the rest of a beginning that failed.
    await removeFile(fs, file);
    const handle = await fs.open(file, 'wx', 0o600);
    try {
      await writeAll(handle, encodeHeader({ ...id, state: 'plain' }), 0);
      await syncFolder(fs, folder);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await fs.unlink(file).catch(() => undefined);
      throw error;
    }
    return { ...id, file, handle, length: HEADER_BYTES, isBroken: false };
  }

  async #write(segment: OpenSegment, frame: Buffer): Promise<void> {
    try {
      await writeAll(segment.handle, frame, segment.length);
      await segment.handle.datasync();
    } catch (error) {
      await segment.handle.truncate(segment.length).catch((reason: unknown) => {
        segment.isBroken = true;
        this.#options.log.error(`log: ${segment.file} could not be cut back after a failed write: ${String(reason)}`);
      });
      throw error;
    }
    segment.length += frame.length;
  }

  async #closeOpen(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { firstSeq, generation, file, length } = open;
    this.#closed = [...this.#closed, { firstSeq, generation, file, length, isSealed: false, lastSeq: this.lastSeq }];
    // Its records are on disk already: a close that fails loses nothing.
    await open.handle.close().catch((error: unknown) => this.#options.log.warn(`log: ${file}: ${String(error)}`));
  }

  *#plainRecords({ file, length }: ClosedSegment): Generator<readonly LogRecord[]> {
    const bytes = this.#options.fs.readPart(file, 0, length);
    for (const { records } of scanFrames(bytes, HEADER_BYTES)) yield records;
  }

  *#sealedRecords({ file, length: size }: ClosedSegment): Generator<readonly LogRecord[]> {
    const { fs, log } = this.#options;
    const { positions } = readPositions((position, length) => fs.readPart(file, position, length), size);
    for (const [index, from] of positions.slice(0, -1).entries()) {
      const block = decodeBlock(fs.readPart(file, from, (positions[index + 1] ?? size) - from));
      if (block !== undefined) yield decodeRecords(inflate(block.head.codec, block.data));
      else log.warn(`log: block ${index} of ${path.basename(file)} is damaged; its records are left out.`);
    }
  }

  /** Makes one sealed segment of these, which follow each other. */
  async #seal(plain: readonly ClosedSegment[]): Promise<void> {
    const [first] = plain;
    const last = plain.at(-1);
    if (first === undefined || last === undefined) return;
    const { fs, folder, sealer } = this.#options;
    const header = { firstSeq: first.firstSeq, generation: first.generation };
    const file = sealedFile(folder, header);
    const target = this.#temporary(file);
    const parts = plain.map((segment) => ({ file: segment.file, length: segment.length }));
    await this.#replacing(file, target, () => sealer.seal({ parts, header, removals: this.#removals, target }));
    const { size } = await fs.stat(file);
    const sealed: ClosedSegment = { ...header, file, length: size, isSealed: true, lastSeq: last.lastSeq };
    this.#closed = this.#closed.flatMap((each) => (each === first ? [sealed] : plain.includes(each) ? [] : [each]));
    for (const part of plain) await removeFile(fs, part.file);
  }

  async #rewrite(segment: ClosedSegment, removals: readonly Removal[]): Promise<void> {
    const { fs, sealer } = this.#options;
    if (!removals.some(({ before }) => before > segment.firstSeq)) return;
    const { file, firstSeq, generation } = segment;
    const target = this.#temporary(file);
    const job = { file, header: { firstSeq, generation }, removals, target };
    const isChanged = await this.#replacing(file, target, () => sealer.rewrite(job));
    if (!isChanged) return;
    const { size } = await fs.stat(file);
    this.#closed = this.#closed.map((each) => (each === segment ? { ...segment, length: size } : each));
  }

  /** Puts what `make` has written at `target` in place of a file, unless it made nothing. */
  async #replacing(file: string, target: string, make: () => Promise<boolean | void>): Promise<boolean> {
    const { fs, folder } = this.#options;
    try {
      if ((await make()) === false) return false;
      await this.#assertMayWrite();
      await renameOver(fs, target, file);
      await syncFolder(fs, folder);
      return true;
    } catch (error) {
      await fs.unlink(target).catch(() => undefined);
      throw error;
    }
  }

  #temporary(file: string): string {
    return `${file}.${this.#options.generation.toString(16).padStart(12, '0').slice(-12)}.tmp`;
  }

  async #keepRemovals(removals: readonly Removal[]): Promise<void> {
    const { fs, folder } = this.#options;
    const file = path.join(folder, REMOVALS_FILE);
    if (removals.length === 0) await removeIfThere(fs, file);
    else await atomicWrite(file, JSON.stringify(removals), { mode: 0o600, fs });
  }
}

/** Those of a crash before their time (`before` would name records that are still to come) are as if they had never been asked for. */
async function readRemovals(fs: FileSystem, folder: string, nextSeq: number): Promise<readonly Removal[]> {
  try {
    const text = Buffer.from(await fs.readFile(path.join(folder, REMOVALS_FILE))).toString('utf8');
    return (JSON.parse(text) as readonly Removal[]).filter(({ before }) => before <= nextSeq);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
