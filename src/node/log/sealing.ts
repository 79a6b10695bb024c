import { gunzipSync, gzipSync } from 'node:zlib';
import { writeDurably } from '../files/atomicWrite.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import {
  decodeBlock,
  decodeRecords,
  encodeBlock,
  encodeFooter,
  encodeHeader,
  encodeRecords,
  HEADER_BYTES,
  type LogRecord,
  type RecordKind,
  scanFrames,
  type SegmentHeader,
} from './segmentFormat.ts';
import { partsOf, readPositions } from './sealedBlocks.ts';

/** A block is full from this size on, before compression: small enough to read in a millisecond, large enough to compress well. */
const BLOCK_BYTES = 64 * 1024;
const GZIP = 1;

/** What is taken out of segments that are written anew: records with a smaller number than `before` that fit one of the rest. */
export interface Removal {
  readonly before: number;
  /** Records of these sessions, or of every session. */
  readonly sessions?: readonly string[] | 'all';
  /** Records of these kinds, whatever session they belong to. */
  readonly kinds?: readonly RecordKind[];
}

export function isRemoved({ seq, kind, session }: LogRecord, removals: readonly Removal[]): boolean {
  return removals.some(
    ({ before, sessions = [], kinds = [] }) =>
      seq < before &&
      (kinds.includes(kind) || (session !== undefined && (sessions === 'all' || sessions.includes(session)))),
  );
}

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
 * Writes a sealed segment anew without what is removed; blocks keep their numbers. A damaged block becomes empty, because what
 * it held can't be told. Resolves to false, with no file made, if there is nothing to change.
 */
export async function rewriteSegment(fs: FileSystem, job: RewriteJob): Promise<boolean> {
  const bytes = Buffer.from(await fs.readFile(job.file));
  const { positions } = readPositions(partsOf(bytes), bytes.length);
  const pieces: Buffer[] = [encodeHeader({ ...job.header, state: 'sealed' })];
  let [changed, at] = [false, HEADER_BYTES];
  const newPositions: number[] = [];
  for (let index = 0; index + 1 < positions.length; index++) {
    const old = bytes.subarray(positions[index], positions[index + 1]);
    const block = rewrittenBlock(old, job.removals);
    changed ||= block !== old;
    pieces.push(block);
    newPositions.push(at);
    at += block.length;
  }
  if (!changed) return false;
  await writeDurably(fs, job.target, [...pieces, encodeFooter([...newPositions, at])], 0o600);
  return true;
}

function rewrittenBlock(old: Buffer, removals: readonly Removal[]): Buffer {
  const block = decodeBlock(old);
  if (!block) return compressed([], 0, 0);
  const records = decodeRecords(inflate(block.head.codec, block.data));
  const kept = records.filter((record) => !isRemoved(record, removals));
  if (kept.length === records.length) return old;
  return compressed(kept, block.head.firstSeq, block.head.lastSeq);
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
  readonly #positions: number[] = [];
  #at = HEADER_BYTES;
  #pending: LogRecord[] = [];
  #pendingBytes = 0;
  #firstSeq: number | undefined;
  #lastSeq = 0;

  constructor(header: Omit<SegmentHeader, 'state'>) {
    this.#pieces = [encodeHeader({ ...header, state: 'sealed' })];
  }

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

  finished(): readonly Buffer[] {
    if (this.#firstSeq !== undefined) this.#endBlock();
    return [...this.#pieces, encodeFooter([...this.#positions, this.#at])];
  }

  #endBlock(): void {
    const block = compressed(this.#pending, this.#firstSeq ?? 0, this.#lastSeq);
    this.#pieces.push(block);
    this.#positions.push(this.#at);
    this.#at += block.length;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#firstSeq = undefined;
  }
}
