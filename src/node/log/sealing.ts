import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import { writeDurably } from '../files/atomicWrite.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { type Removal, Removals } from './removal.ts';
import { partsOf, readPlaces } from './sealedBlocks.ts';
import {
  type BlockPlace,
  decodeBlock,
  decodeRecords,
  encodeBlock,
  encodeFooter,
  encodeHeader,
  encodeRecords,
  HEADER_BYTES,
  type LogRecord,
  scanFrames,
  type SegmentHeader,
} from './segmentFormat.ts';

/** A block is full from this size on, before compression: small enough to read in a millisecond, large enough to compress well. */
const BLOCK_BYTES = 128 * 1024;

/** Of the first releases of the log. */
const GZIP = 1;
const BROTLI = 2;

/** Takes no longer than gzip does by default, and makes a fifth less of it. */
const QUALITY = 5;
const WINDOW_BITS = 18;

/** Makes the digest of a segment's records, which come in the order of their sequence numbers. */
export type MakeDigest = (records: readonly LogRecord[]) => Uint8Array;

/** A plain segment, and how much of it counts. */
export interface PlainPart {
  readonly file: string;
  readonly length: number;
}

export interface SealJob {
  /** In the order of their sequence numbers; together they become one sealed segment. */
  readonly parts: readonly PlainPart[];
  readonly header: Omit<SegmentHeader, 'state'>;
  readonly removals: readonly Removal[];
  /** A file that is not there yet. It is durable when the job is done; the caller renames it. */
  readonly target: string;
}

/** Compresses plain segments into a sealed one. */
export async function sealSegments(fs: FileSystem, job: SealJob, makeDigest: MakeDigest): Promise<void> {
  const removals = new Removals(job.removals);
  const writer = new SealedWriter(job.header, makeDigest);
  for (const { file, length } of job.parts) {
    const bytes = (await fs.readFile(file)).subarray(0, length);
    for (const { records } of scanFrames(bytes, HEADER_BYTES)) writer.add(records, removals);
  }
  await writeDurably(fs, job.target, writer.finished(), 0o600);
}

export interface RewriteJob {
  readonly file: string;
  readonly header: Omit<SegmentHeader, 'state'>;
  readonly removals: readonly Removal[];
  readonly target: string;
  /** A file is made even if no record is left for it: the newest segment tells the next owner where numbers go on. */
  readonly mustStay: boolean;
}

/** What became of a segment that was to be rewritten: nothing had to go, a new file is there, or no record is left for one. */
export type Rewritten = 'unchanged' | 'written' | 'empty';

/**
 * Writes a sealed segment anew without what is removed. A damaged block becomes empty, because what it held can't be told.
 * Makes a file only for `written`.
 */
export async function rewriteSegment(fs: FileSystem, job: RewriteJob, makeDigest: MakeDigest): Promise<Rewritten> {
  const removals = new Removals(job.removals);
  const bytes = Buffer.from(await fs.readFile(job.file));
  const { places, isWhole } = readPlaces(partsOf(bytes), bytes.length);
  const writer = new SealedWriter(job.header, makeDigest);
  let isChanged = !isWhole;
  for (const { position, end, firstSeq } of places) {
    const old = bytes.subarray(position, end);
    const block = decodeBlock(old);
    const records = block ? decodeRecords(inflate(block.head.codec, block.data)) : [];
    const kept = records.filter((record) => !removals.takes(record));
    const isSame = block !== undefined && kept.length === records.length;
    if (!isSame) isChanged = true;
    writer.addBlock(isSame ? old : compressed(kept, firstSeq, block?.head.lastSeq ?? firstSeq), firstSeq, kept);
  }
  if (!isChanged) return 'unchanged';
  if (writer.isEmpty && !job.mustStay) return 'empty';
  await writeDurably(fs, job.target, writer.finished(), 0o600);
  return 'written';
}

function compressed(records: readonly LogRecord[], firstSeq: number, lastSeq: number): Buffer {
  const raw = encodeRecords(records);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    // A larger window than a block would only take memory.
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
  };
  const data = raw.length === 0 ? raw : brotliCompressSync(raw, { params });
  return encodeBlock({ codec: BROTLI, rawSize: raw.length, records: records.length, firstSeq, lastSeq }, data);
}

/** The records' bytes of a block. */
export function inflate(codec: number, data: Buffer): Buffer {
  if (codec !== GZIP && codec !== BROTLI)
    throw new RangeError(`a block of the log is compressed in a way that is not known here (${codec})`);
  if (data.length === 0) return data;
  return codec === BROTLI ? brotliDecompressSync(data) : gunzipSync(data);
}

/** Makes the bytes of a sealed segment. */
class SealedWriter {
  readonly #pieces: Buffer[];
  readonly #makeDigest: MakeDigest;
  readonly #places: BlockPlace[] = [];
  readonly #records: LogRecord[] = [];
  #at = HEADER_BYTES;
  #pending: LogRecord[] = [];
  #pendingBytes = 0;
  #firstSeq: number | undefined;
  #lastSeq = 0;

  constructor(header: Omit<SegmentHeader, 'state'>, makeDigest: MakeDigest) {
    this.#pieces = [encodeHeader({ ...header, state: 'sealed' })];
    this.#makeDigest = makeDigest;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** The block that they make covers the numbers of removed ones, too. */
  add(records: readonly LogRecord[], removals: Removals): void {
    for (const record of records) {
      this.#firstSeq ??= record.seq;
      this.#lastSeq = record.seq;
      if (!removals.takes(record)) {
        this.#pending.push(record);
        this.#pendingBytes += record.body.length;
      }
      if (this.#pendingBytes >= BLOCK_BYTES) this.#endBlock();
    }
  }

  /** `records`: what the block holds. */
  addBlock(block: Buffer, firstSeq: number, records: readonly LogRecord[]): void {
    this.#pieces.push(block);
    this.#places.push({ position: this.#at, end: this.#at + block.length, firstSeq });
    this.#at += block.length;
    for (const record of records) this.#records.push(record);
  }

  finished(): readonly Buffer[] {
    if (this.#firstSeq !== undefined) this.#endBlock();
    const digest = Buffer.from(this.#makeDigest(this.#records));
    const place = { position: this.#at, end: this.#at + digest.length };
    return [...this.#pieces, digest, encodeFooter({ places: this.#places, digest: place })];
  }

  #endBlock(): void {
    const firstSeq = this.#firstSeq ?? 0;
    this.addBlock(compressed(this.#pending, firstSeq, this.#lastSeq), firstSeq, this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#firstSeq = undefined;
  }
}
