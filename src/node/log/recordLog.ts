import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { atomicWrite, renameOver } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, type OpenFile, syncFolder, writeAll } from '../files/fileSystem.ts';
import { StoreClosedError, StoreFencedError } from '../store/errors.ts';
import { type ClosedSegment, findLog, type FoundLog, plainFile, removeFile, sealedFile } from './logFiles.ts';
import { concerns, isRemoved, type Removal, removalIn } from './removal.ts';
import type { RewriteJob, SealJob } from './sealing.ts';
import { encodeFrame, encodeHeader, HEADER_BYTES, type LogRecord, type RecordDraft } from './segmentFormat.ts';
import type { SegmentId } from './segmentNames.ts';
import { SegmentReader } from './segmentReader.ts';

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
/** Says up to which record all removals are carried out. Without it they are carried out once more, which changes nothing. */
const CARRIED_OUT_FILE = 'carried-out.json';

/** A segment and its reader. */
interface Readable {
  readonly segment: ClosedSegment;
  readonly reader: SegmentReader;
}

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
 *
 * What is to be removed is a record like any other (`removalDraft`). From the moment at which it is on disk nothing gives what it
 * names; `carryOut` takes it out of the files.
 */
export class RecordLog {
  readonly #options: RecordLogOptions;
  #closed: readonly Readable[];
  #open: OpenSegment | undefined;
  #openReader: SegmentReader | undefined;
  #nextSeq: number;
  /** Those that files may still hold something of. */
  #removals: readonly Removal[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #upkeep: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  private constructor(options: RecordLogOptions, found: FoundLog) {
    this.#options = { ...options, generation: Math.max(options.generation, found.lastGeneration + 1) };
    this.#closed = found.segments.map((segment) => this.#readable(segment));
    this.#nextSeq = found.nextSeq;
  }

  /** Repairs what a crash left. Removals that were not carried out to their end hold again; `carryOut` goes on with them. */
  static async open(options: RecordLogOptions): Promise<OpenedLog> {
    const { fs, folder, mayWrite } = options;
    await fs.mkdir(folder, 0o700);
    if (!(await mayWrite())) throw new StoreFencedError();
    const found = await findLog(fs, folder);
    const log = new RecordLog(options, found);
    log.#removals = log.#removalsAfter(await readCarriedOut(fs, folder));
    return { log, damage: found.damage };
  }

  /** The sequence number of the newest record; 0 if there was none yet. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** How many bytes the log takes on disk. */
  get bytes(): number {
    return sum(this.#segments().map(({ segment }) => segment.length));
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
      await this.#write(this.#open, frame, this.#nextSeq);
      this.#nextSeq += records.length;
      this.#removals = [...this.#removals, ...records.flatMap((record) => removalIn(record) ?? [])];
      // What is on disk before another takes over is read by that one; what comes later it may miss.
      await this.#assertMayWrite();
      if (this.#open.length >= this.#sealAfter) await this.#closeOpen();
      return records;
    });
  }

  /** The record with this sequence number; undefined if it was removed, lost, or never there. */
  at(seq: number): LogRecord | undefined {
    const found = this.#segments().find(({ segment }) => segment.lastSeq >= seq);
    const record = found?.reader.read(found.reader.pieceOf(seq)).find((each) => each.seq === seq);
    return record === undefined || isRemoved(record, this.#removals) ? undefined : record;
  }

  /**
   * All records after this sequence number, oldest first, some 64 KB at a time; the caller lets others have their turn between
   * two of them. What is appended meanwhile is given too. Damaged blocks are left out, and reported to the program's log.
   */
  *recordsAfter(seq: number): Generator<readonly LogRecord[]> {
    for (let last = seq; ;) {
      const found = this.#segments().find(({ segment }) => segment.lastSeq > last);
      if (found === undefined) return;
      const { reader } = found;
      // The open segment may grow between two pieces: what is behind this comes in the next round.
      const upTo = found.segment.lastSeq;
      const isWanted = (each: LogRecord) => each.seq > last && each.seq <= upTo && !isRemoved(each, this.#removals);
      for (let piece = reader.pieceOf(last + 1); piece < reader.pieces; piece++) {
        const wanted = reader.read(piece).filter(isWanted);
        if (wanted.length > 0) yield wanted;
      }
      last = upTo;
    }
  }

  /** Takes out of the files what was removed. When it resolves, no file of the log holds any of it. It goes on after a crash. */
  carryOut(): Promise<void> {
    return this.#afterUpkeep(async () => {
      const removals = this.#removals;
      if (removals.length === 0) return;
      await this.#inTurn(() => this.#closeOpen());
      const upTo = this.lastSeq;
      for (const { segment } of this.#closed) {
        if (!removals.some((each) => concerns(each, segment.firstSeq, segment.lastSeq))) continue;
        if (segment.isSealed) await this.#rewrite(segment, removals);
        else await this.#seal([segment]);
      }
      await this.#noteCarriedOut(Math.min(upTo, Math.max(...removals.map(({ before }) => before))));
      this.#removals = this.#removals.filter((each) => !removals.includes(each));
    });
  }

  /** Compresses plain segments once there are enough of them. Safe at any time; rejects if the disk refuses. */
  compress(): Promise<void> {
    return this.#afterUpkeep(async () => {
      const plain = this.#closed.map(({ segment }) => segment).filter(({ isSealed }) => !isSealed);
      if (sum(plain.map(({ length }) => length)) < this.#sealAfter) return;
      const lastSeq = plain.at(-1)?.lastSeq ?? 0;
      await this.#seal(plain);
      // The next start then looks for removals only in what came later.
      if (this.#removals.length === 0) await this.#noteCarriedOut(lastSeq);
    });
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

  #readable(segment: ClosedSegment): Readable {
    return { segment, reader: new SegmentReader(segment, this.#options.fs, this.#options.log) };
  }

  #segments(): readonly Readable[] {
    const [open, reader] = [this.#open, this.#openReader];
    if (open === undefined || reader === undefined) return this.#closed;
    return [...this.#closed, { segment: { ...open, isSealed: false, lastSeq: this.lastSeq }, reader }];
  }

  #removalsAfter(seq: number): readonly Removal[] {
    return [...this.recordsAfter(seq)].flat().flatMap((record) => removalIn(record) ?? []);
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
    const { fs, log, folder, generation } = this.#options;
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
    const segment = { ...id, file, length: HEADER_BYTES, isSealed: false, lastSeq: this.lastSeq };
    this.#openReader = new SegmentReader(segment, fs, log, []);
    return { ...id, file, handle, length: HEADER_BYTES, isBroken: false };
  }

  async #write(segment: OpenSegment, frame: Buffer, firstSeq: number): Promise<void> {
    const position = segment.length;
    try {
      await writeAll(segment.handle, frame, position);
      await segment.handle.datasync();
    } catch (error) {
      await segment.handle.truncate(position).catch((reason: unknown) => {
        segment.isBroken = true;
        this.#options.log.error(`log: ${segment.file} could not be cut back after a failed write: ${String(reason)}`);
      });
      throw error;
    }
    segment.length += frame.length;
    this.#openReader?.added({ position, end: segment.length, firstSeq });
  }

  async #closeOpen(): Promise<void> {
    const [open, reader] = [this.#open, this.#openReader];
    if (open === undefined || reader === undefined) return;
    this.#open = undefined;
    const { firstSeq, generation, file, length } = open;
    const segment = { firstSeq, generation, file, length, isSealed: false, lastSeq: this.lastSeq };
    this.#closed = [...this.#closed, { segment, reader }];
    // Its records are on disk already: a close that fails loses nothing.
    await open.handle.close().catch((error: unknown) => this.#options.log.warn(`log: ${file}: ${String(error)}`));
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
    const removals = this.#removals;
    await this.#replacing(file, target, async () => {
      await sealer.seal({ parts, header, removals, target });
      return true;
    });
    const { size } = await fs.stat(file);
    const sealed = this.#readable({ ...header, file, length: size, isSealed: true, lastSeq: last.lastSeq });
    this.#closed = this.#closed.flatMap((each) =>
      each.segment === first ? [sealed] : plain.includes(each.segment) ? [] : [each],
    );
    for (const part of plain) await removeFile(fs, part.file);
  }

  async #rewrite(segment: ClosedSegment, removals: readonly Removal[]): Promise<void> {
    const { fs, sealer } = this.#options;
    const { file, firstSeq, generation } = segment;
    const target = this.#temporary(file);
    const job = { file, header: { firstSeq, generation }, removals, target };
    if (!(await this.#replacing(file, target, () => sealer.rewrite(job)))) return;
    const { size } = await fs.stat(file);
    const rewritten = this.#readable({ ...segment, length: size });
    this.#closed = this.#closed.map((each) => (each.segment === segment ? rewritten : each));
  }

  /** Puts what `make` has written at `target` in place of a file, unless it says that it made nothing. */
  async #replacing(file: string, target: string, make: () => Promise<boolean>): Promise<boolean> {
    const { fs, folder } = this.#options;
    try {
      if (!(await make())) return false;
      await this.#assertMayWrite();
      await renameOver(fs, target, file);
      await syncFolder(fs, folder);
      return true;
    } catch (error) {
      await fs.unlink(target).catch(() => undefined);
      throw error;
    }
  }

  /** In the form of `atomicWrite`'s own, so that the next start sweeps what a crash leaves. */
  #temporary(file: string): string {
    return `${file}.${this.#options.generation.toString(16).padStart(12, '0')}.tmp`;
  }

  async #noteCarriedOut(upTo: number): Promise<void> {
    const { fs, folder } = this.#options;
    const beforeReplace = () => this.#assertMayWrite();
    await atomicWrite(path.join(folder, CARRIED_OUT_FILE), JSON.stringify({ upTo }), {
      mode: 0o600,
      fs,
      beforeReplace,
    });
  }
}

/** 0 if nothing says it, or what says it can't be understood. */
async function readCarriedOut(fs: FileSystem, folder: string): Promise<number> {
  const bytes = await fs.readFile(path.join(folder, CARRIED_OUT_FILE)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const [, upTo] = /^\{"upTo":(\d{1,15})\}$/.exec(Buffer.from(bytes ?? []).toString('utf8')) ?? [];
  return Number(upTo ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
