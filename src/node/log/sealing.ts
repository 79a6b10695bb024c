import { gunzipSync, gzipSync } from 'node:zlib';
import { writeDurably } from '../files/atomicWrite.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { isRemoved, type Removal } from './removal.ts';
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
const BLOCK_BYTES = 64 * 1024;
const GZIP = 1;

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
export async function sealSegments(fs: FileSystem, { parts, header, removals, target }: SealJob): Promise<void> {
  const writer = new SealedWriter(header);
  for (const { file, length } of parts) {
    const bytes = (await fs.readFile(file)).subarray(0, length);
    for (const { records } of scanFrames(bytes, HEADER_BYTES)) writer.add(records, removals);
  }
  await writeDurably(fs, target, writer.finished(), 0o600);
}

export interface RewriteJob {
  readonly file: string;
  readonly header: Omit<SegmentHeader, 'state'>;
  readonly removals: readonly Removal[];
  readonly target: string;
}

/**
 * Writes a sealed segment anew without what is removed. A damaged block becomes empty, because what it held can't be told.
 * Resolves to false, with no file made, if there is nothing to change.
 */
export async function rewriteSegment(fs: FileSystem, job: RewriteJob): Promise<boolean> {
  const bytes = Buffer.from(await fs.readFile(job.file));
  const { places, isWhole } = readPlaces(partsOf(bytes), bytes.length);
  const writer = new SealedWriter(job.header);
  let isChanged = !isWhole;
  for (const { position, end, firstSeq } of places) {
    const old = bytes.subarray(position, end);
    const block = decodeBlock(old);
    const records = block ? decodeRecords(inflate(block.head.codec, block.data)) : [];
    const kept = records.filter((record) => !isRemoved(record, job.removals));
    if (block && kept.length === records.length) writer.addBlock(old, firstSeq);
    else {
      isChanged = true;
      writer.addBlock(compressed(kept, firstSeq, block?.head.lastSeq ?? firstSeq), firstSeq);
    }
  }
  if (isChanged) await writeDurably(fs, job.target, writer.finished(), 0o600);
  return isChanged;
}

function compressed(records: readonly LogRecord[], firstSeq: number, lastSeq: number): Buffer {
  const raw = encodeRecords(records);
  const data = raw.length === 0 ? raw : gzipSync(raw);
  return encodeBlock({ codec: GZIP, rawSize: raw.length, records: records.length, firstSeq, lastSeq }, data);
}

/** The records' bytes of a block. */
export function inflate(codec: number, data: Buffer): Buffer {
  if (codec !== GZIP)
    throw new RangeError(`a block of the log is compressed in a way that is not known here (${codec})`);
  return data.length === 0 ? data : gunzipSync(data);
}

/** Makes the bytes of a sealed segment. */
class SealedWriter {
  readonly #pieces: Buffer[];
  readonly #places: BlockPlace[] = [];
  #at = HEADER_BYTES;
  #pending: LogRecord[] = [];
  #pendingBytes = 0;
  #firstSeq: number | undefined;
  #lastSeq = 0;

  constructor(header: Omit<SegmentHeader, 'state'>) {
    this.#pieces = [encodeHeader({ ...header, state: 'sealed' })];
  }

  /** The block that they make covers the numbers of removed ones, too. */
  add(records: readonly LogRecord[], removals: readonly Removal[]): void {
    for (const record of records) {
      this.#firstSeq ??= record.seq;
      this.#lastSeq = record.seq;
      if (!isRemoved(record, removals)) {
        this.#pending.push(record);
        this.#pendingBytes += record.body.length;
      }
      if (this.#pendingBytes >= BLOCK_BYTES) this.#endBlock();
    }
  }

  addBlock(block: Buffer, firstSeq: number): void {
    this.#pieces.push(block);
    this.#places.push({ position: this.#at, end: this.#at + block.length, firstSeq });
    this.#at += block.length;
  }

  finished(): readonly Buffer[] {
    if (this.#firstSeq !== undefined) this.#endBlock();
    return [...this.#pieces, encodeFooter(this.#places)];
  }

  #endBlock(): void {
    const firstSeq = this.#firstSeq ?? 0;
    this.addBlock(compressed(this.#pending, firstSeq, this.#lastSeq), firstSeq);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#firstSeq = undefined;
  }
}
