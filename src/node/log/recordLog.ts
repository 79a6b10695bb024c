import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { atomicWrite, renameOver } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, type OpenFile, syncFolder, writeAll } from '../files/fileSystem.ts';
import { StoreClosedError, StoreFencedError } from './errors.ts';
import { DAMAGED_FOLDER } from './setAside.ts';
import { type ClosedSegment, findLogWhole, type FoundLog, plainFile, removeFile, sealedFile } from './logFiles.ts';
import { concerns, type RecordPlace, type Removal, removalIn, Removals } from './removal.ts';
import type { RewriteJob, Rewritten, SealJob } from './sealing.ts';
import { encodeFrame, encodeHeader, HEADER_BYTES, type LogRecord, type RecordDraft } from './segmentFormat.ts';
import { CARRIED_OUT_FILE, type SegmentId } from './segmentNames.ts';
import { BlockCache, SegmentReader, type StoredDigest } from './segmentReader.ts';
import { Turns } from './turns.ts';

/** Does the work that takes long away from the main thread, or in it where there is no other. */
export interface Sealer {
  seal(job: SealJob): Promise<void>;
  rewrite(job: RewriteJob): Promise<Rewritten>;
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
  readonly sealAfterBytes?: number | undefined;
  /** May a sealed segment hold something of these? Without it every segment that is as old is looked through. */
  readonly mayHold?: ((segment: SegmentRange, removals: readonly Removal[]) => boolean) | undefined;
  /** So long a yes of `mayWrite` holds for the next write to begin; never for its acknowledgement. */
  readonly fenceFreshMs?: number | undefined;
}

/** The sequence numbers that a segment covers, and its size in bytes. `firstSeq` names it. */
export interface SegmentRange {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly length: number;
}

export interface OpenedLog {
  readonly log: RecordLog;
  /** What was found damaged, and where it was set aside: sentences for people. */
  readonly damage: readonly string[];
}

const SEAL_AFTER_BYTES = 4 * 1024 * 1024;
/** The newest records are kept for those who follow the log: so many, and not more bytes. */
const RECENT_MAX = 200;
const RECENT_BYTES = 1_000_000;
/** A process that was stopped in between sees that more time than this has gone. */
const FENCE_FRESH_MS = 50;

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
  readonly #cache = new BlockCache();
  #closed: readonly Readable[];
  #open: OpenSegment | undefined;
  #openReader: SegmentReader | undefined;
  #nextSeq: number;
  /** The last ones that were appended, but for those that were removed. */
  #recent: readonly LogRecord[] = [];
  /** Those that files may still hold something of. */
  #removals = new Removals([]);
  #heldAt = -Infinity;
  readonly #turns = new Turns();
  readonly #upkeep = new Turns();
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
    const found = await findLogWhole(fs, folder);
    const log = new RecordLog(options, found);
    const { upTo, pending } = await readCarriedOut(fs, folder);
    log.#removals = new Removals([...pending, ...log.#removalsAfter(upTo)]);
    return { log, damage: found.damage };
  }

  /** The sequence number of the newest record; 0 if there was none yet. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** How many bytes the log takes on disk. */
  get bytes(): number {
    return sum(this.#closed.map(({ segment }) => segment.length)) + (this.#open?.length ?? 0);
  }

  /** The sealed segments, oldest first, whose digests can be read. */
  get sealed(): readonly SegmentRange[] {
    return this.#closed.flatMap(({ segment }) => (segment.isSealed ? [segment] : []));
  }

  /** Higher than that of every owner before. */
  get generation(): number {
    return this.#options.generation;
  }

  /** Did a person erase something that `carryOut` still has to take out of the files, or take it back? */
  get hasErasures(): boolean {
    return this.#removals.list.some(({ isErasure }) => isErasure);
  }

  /** The first sequence number of the sealed segment that holds this record, or would if it were still there. */
  sealedSegmentOf(seq: number): number | undefined {
    const segment = this.#segmentFrom(seq)?.segment;
    return segment?.isSealed ? segment.firstSeq : undefined;
  }

  /** Is there anything that `carryOut` has to take out of the files? */
  get hasRemovals(): boolean {
    return this.#removals.list.length > 0;
  }

  /** Does a removal take this record that is still on disk? */
  isRemoved(record: RecordPlace): boolean {
    return this.#removals.takes(record);
  }

  /** Every record of the session with a smaller sequence number is removed, though it may still be on disk. */
  removedBefore(session: string): number {
    return this.#removals.sessionBefore(session);
  }

  /** Undefined if there is no such segment, or its footer is damaged. */
  digestOf(firstSeq: number): StoredDigest | undefined {
    return this.#closed.find(({ segment }) => segment.isSealed && segment.firstSeq === firstSeq)?.reader.digest;
  }

  /** Resolves to the records with their sequence numbers when all of them are on disk. */
  append(drafts: readonly RecordDraft[]): Promise<readonly LogRecord[]> {
    return this.#turns.run(async () => {
      if (this.#isClosing) throw new StoreClosedError();
      const records = drafts.map((draft, index) => ({ ...draft, seq: this.#nextSeq + index }));
      if (records.length === 0) return records;
      const frame = encodeFrame(records);
      if (performance.now() - this.#heldAt >= (this.#options.fenceFreshMs ?? FENCE_FRESH_MS))
        await this.#assertMayWrite();
      if (this.#open?.isBroken) await this.#closeOpen();
      this.#open ??= await this.#beginSegment();
      await this.#write(this.#open, frame, this.#nextSeq);
      this.#nextSeq += records.length;
      for (const record of records) {
        const removal = removalIn(record);
        if (removal) this.#removals.add(removal);
      }
      this.#recent = newestOf([...this.#recent, ...records]).filter((each) => !this.#removals.takes(each));
      // What is on disk before another takes over is read by that one; what comes later it may miss.
      await this.#assertMayWrite();
      if (this.#open.length >= this.#sealAfter) await this.#closeOpen();
      return records;
    });
  }

  /** All records that can be read of the sealed segment with this first sequence number; none if there is no such segment. */
  recordsOf(firstSeq: number): readonly LogRecord[] {
    const reader = this.#closed.find(({ segment }) => segment.isSealed && segment.firstSeq === firstSeq)?.reader;
    return Array.from({ length: reader?.pieces ?? 0 }, (_, piece) => reader?.read(piece) ?? []).flat();
  }

  /** The record with this sequence number; undefined if it was removed, lost, or never there. */
  at(seq: number): LogRecord | undefined {
    return this.recordsAt([seq]).get(seq);
  }

  /** Those of the records with these sequence numbers that are there, by their numbers. Each piece of the disk is read once. */
  recordsAt(seqs: readonly number[]): Map<number, LogRecord> {
    const found = new Map<number, LogRecord>();
    const wanted = new Set(seqs);
    for (const seq of [...wanted].sort((a, b) => a - b)) {
      if (!wanted.has(seq)) continue;
      const reader = this.#segmentFrom(seq)?.reader;
      for (const record of reader?.read(reader.pieceOf(seq)) ?? []) {
        if (wanted.delete(record.seq) && !this.#removals.takes(record)) found.set(record.seq, record);
      }
    }
    return found;
  }

  /**
   * All records after this sequence number, oldest first, some 64 KB at a time; the caller lets others have their turn between
   * two of them. What is appended meanwhile is given too. Damaged blocks are left out, and reported to the program's log.
   */
  *recordsAfter(seq: number): Generator<readonly LogRecord[]> {
    for (let last = seq; ;) {
      const { records, upTo } = this.pieceAfter(last);
      if (records.length > 0) yield records;
      if (upTo <= last) return;
      last = upTo;
    }
  }

  /**
   * The first records after this number, as many as one look at the disk gives. Everything up to `upTo` is among them or was removed;
   * `upTo` is `seq` itself where nothing follows.
   */
  pieceAfter(seq: number): { readonly records: readonly LogRecord[]; readonly upTo: number } {
    if ((this.#recent[0]?.seq ?? Infinity) <= seq + 1)
      return { records: this.#recent.filter((each) => each.seq > seq), upTo: Math.max(seq, this.lastSeq) };
    const found = this.#segmentFrom(seq + 1);
    if (found === undefined) return { records: [], upTo: seq };
    const { segment, reader } = found;
    const piece = reader.pieceOf(seq + 1);
    const upTo = Math.min(reader.lastSeqOf(piece), segment.lastSeq);
    const isWanted = (each: LogRecord) => each.seq > seq && each.seq <= upTo && !this.#removals.takes(each);
    return { records: reader.read(piece).filter(isWanted), upTo };
  }

  /** All records that are in no sealed segment, oldest first, as `recordsAfter` gives them. */
  *unsealedRecords(): Generator<readonly LogRecord[]> {
    for (const plain of this.#plainRuns()) {
      const last = plain.at(-1)?.lastSeq ?? 0;
      for (const records of this.recordsAfter((plain[0]?.firstSeq ?? 1) - 1)) {
        const own = records.filter(({ seq }) => seq <= last);
        if (own.length > 0) yield own;
        if (own.length < records.length) break;
      }
    }
    if (this.#open) yield* this.recordsAfter(this.#open.firstSeq - 1);
  }

  /**
   * Takes out of the files what was removed. When it resolves, no file of the log holds any of it. It goes on after a crash.
   * Resolves to the first sequence numbers of the sealed segments that it wrote anew or removed.
   */
  carryOut(): Promise<readonly number[]> {
    return this.#upkeep.run(async () => {
      const removals = this.#removals.list.slice();
      if (removals.length === 0) return [];
      await this.#turns.run(() => this.#closeOpen());
      const upTo = this.lastSeq;
      const changed: number[] = [];
      const concerning = ({ firstSeq, lastSeq }: SegmentRange) =>
        removals.filter((each) => concerns(each, firstSeq, lastSeq));
      for (const { segment } of this.#closed) {
        const concerned = segment.isSealed ? concerning(segment) : [];
        if (concerned.length === 0 || this.#options.mayHold?.(segment, concerned) === false) continue;
        if (await this.#rewrite(segment, concerned)) changed.push(segment.firstSeq);
      }
      for (const plain of this.#plainRuns()) {
        if (!plain.some((segment) => concerning(segment).length > 0)) continue;
        await this.#seal(plain);
        changed.push(...plain.slice(0, 1).map(({ firstSeq }) => firstSeq));
      }
      if (removals.some(({ isErasure }) => isErasure)) await this.#removeAside();
      const left = this.#removals.list.slice(removals.length);
      await this.#noteCarriedOut(upTo, left);
      this.#removals = new Removals(this.#removals.list.slice(removals.length));
      return changed;
    });
  }

  /** Is there enough for `compress` to do? */
  get isFull(): boolean {
    const plain = this.#closed.filter(({ segment }) => !segment.isSealed);
    return sum(plain.map(({ segment }) => segment.length)) >= this.#sealAfter;
  }

  /** Compresses plain segments once there are enough of them. Safe at any time; rejects if the disk refuses. */
  compress(): Promise<void> {
    return this.#upkeep.run(async () => {
      if (!this.isFull) return;
      const lastSeq = this.#closed.at(-1)?.segment.lastSeq ?? 0;
      for (const plain of this.#plainRuns()) await this.#seal(plain);
      // The next start then looks for removals only in what came later.
      await this.#noteCarriedOut(lastSeq, this.#removals.list);
    });
  }

  /** Waits for appends that are under way; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#turns.run(() => this.#closeOpen());
    await this.#upkeep.idle();
  }

  get #sealAfter(): number {
    return this.#options.sealAfterBytes ?? SEAL_AFTER_BYTES;
  }

  #readable(segment: ClosedSegment): Readable {
    const { fs, log } = this.#options;
    return { segment, reader: new SegmentReader(segment, { fs, log, cache: this.#cache }) };
  }

  /** The first segment that holds this sequence number or a later one. */
  #segmentFrom(seq: number): Readable | undefined {
    const closed = this.#closed;
    let [low, high] = [0, closed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((closed[middle] as Readable).segment.lastSeq >= seq) high = middle;
      else low = middle + 1;
    }
    if (low < closed.length) return closed[low];
    const [open, reader] = [this.#open, this.#openReader];
    if (open === undefined || reader === undefined || this.lastSeq < seq) return undefined;
    return { segment: { ...open, isSealed: false, revision: 0, lastSeq: this.lastSeq }, reader };
  }

  #removalsAfter(seq: number): readonly Removal[] {
    return [...this.recordsAfter(seq)].flat().flatMap((record) => removalIn(record) ?? []);
  }

  async #assertMayWrite(): Promise<void> {
    if (!(await this.#options.mayWrite())) throw new StoreFencedError();
    this.#heldAt = performance.now();
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
    const segment = { ...id, file, length: HEADER_BYTES, isSealed: false, revision: 0, lastSeq: this.lastSeq };
    this.#openReader = new SegmentReader(segment, { fs, log, cache: this.#cache }, []);
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
    const segment = { firstSeq, generation, file, length, isSealed: false, revision: 0, lastSeq: this.lastSeq };
    this.#closed = [...this.#closed, { segment, reader }];
    // Its records are on disk already: a close that fails loses nothing.
    await open.handle.close().catch((error: unknown) => this.#options.log.warn(`log: ${file}: ${String(error)}`));
  }

  /** Plain segments that follow each other, together. Usually all of them do, behind the sealed ones; damage may have parted them. */
  #plainRuns(): readonly (readonly ClosedSegment[])[] {
    const runs: ClosedSegment[][] = [];
    let isGoingOn = false;
    for (const { segment } of this.#closed) {
      if (segment.isSealed) isGoingOn = false;
      else if (isGoingOn) runs.at(-1)?.push(segment);
      else {
        runs.push([segment]);
        isGoingOn = true;
      }
    }
    return runs;
  }

  /** Makes one sealed segment of these, which follow each other. */
  async #seal(plain: readonly ClosedSegment[]): Promise<void> {
    const [first] = plain;
    const last = plain.at(-1);
    if (first === undefined || last === undefined) return;
    const { fs, folder, sealer } = this.#options;
    const header = { firstSeq: first.firstSeq, generation: first.generation };
    const file = sealedFile(folder, { ...header, revision: 0 });
    const target = this.#temporary(file);
    const parts = plain.map((segment) => ({ file: segment.file, length: segment.length }));
    const removals = this.#removals.list.slice();
    await this.#replacing(file, target, async () => {
      await sealer.seal({ parts, header, removals, target });
      return 'written';
    });
    const { size } = await fs.stat(file);
    const sealed = this.#readable({
      ...header,
      file,
      length: size,
      isSealed: true,
      revision: 0,
      lastSeq: last.lastSeq,
    });
    this.#closed = this.#closed.flatMap((each) =>
      each.segment === first ? [sealed] : plain.includes(each.segment) ? [] : [each],
    );
    for (const part of plain) await removeFile(fs, part.file);
  }

  /** False if nothing of it had to go. */
  async #rewrite(segment: ClosedSegment, removals: readonly Removal[]): Promise<boolean> {
    const { fs, folder, sealer } = this.#options;
    const { firstSeq, generation } = segment;
    const revision = segment.revision + 1;
    const file = sealedFile(folder, { ...segment, revision });
    const target = this.#temporary(file);
    const isLast = this.#closed.at(-1)?.segment === segment;
    const job = { file: segment.file, header: { firstSeq, generation }, removals, target, mustStay: isLast };
    const outcome = await this.#replacing(file, target, () => sealer.rewrite(job));
    if (outcome === 'unchanged') return false;
    if (outcome === 'empty') {
      await this.#assertMayWrite();
      this.#closed = this.#closed.filter((each) => each.segment !== segment);
      await removeFile(fs, segment.file);
      return true;
    }
    const { size } = await fs.stat(file);
    const rewritten = this.#readable({ ...segment, file, revision, length: size });
    this.#closed = this.#closed.map((each) => (each.segment === segment ? rewritten : each));
    await removeFile(fs, segment.file);
    return true;
  }

  /** Puts what `make` has written at `target` in place of a file, if it has written something. */
  async #replacing(file: string, target: string, make: () => Promise<Rewritten>): Promise<Rewritten> {
    const { fs, folder } = this.#options;
    try {
      const outcome = await make();
      if (outcome !== 'written') return outcome;
      await this.#assertMayWrite();
      await renameOver(fs, target, file);
      await syncFolder(fs, folder);
      return outcome;
    } catch (error) {
      await fs.unlink(target).catch(() => undefined);
      throw error;
    }
  }

  /** In the form of `atomicWrite`'s own, so that the next start sweeps what a crash leaves. */
  #temporary(file: string): string {
    return `${file}.${this.#options.generation.toString(16).padStart(12, '0')}.tmp`;
  }

  /** Removes pieces of damaged files that were set aside: whose they are can no longer be told. */
  async #removeAside(): Promise<void> {
    const { fs, folder } = this.#options;
    const aside = path.join(folder, DAMAGED_FOLDER);
    const names = await fs.readdir(aside).catch((error: unknown): string[] => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      await this.#assertMayWrite();
      await removeFile(fs, path.join(aside, name));
    }
  }

  /** Of the removals up to this record only those that are `pending` are still to be carried out. */
  async #noteCarriedOut(upTo: number, pending: readonly Removal[]): Promise<void> {
    const { fs, folder } = this.#options;
    const beforeReplace = () => this.#assertMayWrite();
    const noted: CarriedOut = { upTo, pending: pending.filter(({ before }) => before <= upTo) };
    await atomicWrite(path.join(folder, CARRIED_OUT_FILE), JSON.stringify(noted), {
      mode: 0o600,
      fs,
      beforeReplace,
    });
  }
}

/** What `carried-out.json` says. */
interface CarriedOut {
  readonly upTo: number;
  readonly pending: readonly Removal[];
}

/** Where nothing says it, or what says it can't be understood, all removals are carried out once more. */
async function readCarriedOut(fs: FileSystem, folder: string): Promise<CarriedOut> {
  const bytes = await fs.readFile(path.join(folder, CARRIED_OUT_FILE)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  try {
    const { upTo, pending } = JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as Partial<CarriedOut>;
    if (Number.isSafeInteger(upTo) && Array.isArray(pending) && pending.every(isRemoval))
      return { upTo: Number(upTo), pending };
  } catch {
    // Empty, cut, or of an unknown form.
  }
  return { upTo: 0, pending: [] };
}

function isRemoval(value: unknown): value is Removal {
  const { before, sessions = [], kinds = [], seqs = [] } = (value ?? {}) as Partial<Removal>;
  return (
    Number.isSafeInteger(before) &&
    [kinds, seqs].every(Array.isArray) &&
    (sessions === 'all' || Array.isArray(sessions))
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function newestOf(records: readonly LogRecord[]): readonly LogRecord[] {
  let bytes = 0;
  const from = records.findLastIndex(({ body }) => (bytes += body.length) > RECENT_BYTES);
  return records.slice(Math.max(from + 1, records.length - RECENT_MAX));
}
