import { crc32 } from 'node:zlib';

/**
 * How the log lies on disk. All numbers are little-endian.
 *
 * A segment file begins with a header: magic (8 bytes), format (u32), state (u32: 0 plain, 1 sealed), generation (u64), first
 * sequence number (u64), checksum of those (u32).
 *
 * A plain segment is what the owner appends to. After the header come frames: size (u32), checksum of size and records (u32),
 * records. A frame is one append: it is there whole or not at all.
 *
 * A sealed segment is never appended to. After the header come blocks, then a digest, then a footer. A block has a head (the
 * codec, its sizes, the number of its records, the range of sequence numbers that it was made of, a checksum of head and data)
 * and the compressed records. The digest is what the log's user wants to find without reading the blocks; it is made from the
 * records again where it is damaged. The footer has the place of each block, so that a damaged block does not cost the ones
 * after it, and the place of the digest, which checks itself; the heads in turn replace a damaged footer.
 *
 * A record is: size of the rest (u32), sequence number (u48), kind (u8), time (f64), length of the session's id (u16), the
 * session's id as JSON text (empty if the record belongs to none), body.
 */
const MAGIC = Buffer.from('AMLOG\r\n\x1a', 'latin1');
const FOOTER_MAGIC = Buffer.from('AMLOGEND', 'latin1');
export const LOG_FORMAT = 1;

export const HEADER_BYTES = 36;
const HEADER_CHECKED_BYTES = 32;
export const FRAME_HEAD_BYTES = 8;
export const BLOCK_HEAD_BYTES = 36;
const RECORD_HEAD_BYTES = 21;
/** Bytes of the footer beside the blocks' places: the digest's place, the number of blocks, the checksum, the magic. */
const FOOTER_FIXED_BYTES = 22;
const PLACE_BYTES = 12;

/** No record is smaller; so many bytes of damage can have held at most this many records. */
export function mostRecordsIn(bytes: number): number {
  return Math.ceil(bytes / RECORD_HEAD_BYTES);
}

/** What a record tells of. The place in this list is stored: append to it, never reorder. */
export const recordKinds = ['event', 'work', 'note', 'erase', 'trim'] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface RecordDraft {
  readonly kind: RecordKind;
  /** The session that the record belongs to, and is erased with. */
  readonly session?: string | undefined;
  /** Milliseconds since the epoch by the writer's clock: information for people, never an order. */
  readonly at: number;
  readonly body: Uint8Array;
}

export interface LogRecord extends RecordDraft {
  readonly seq: number;
}

export interface SegmentHeader {
  readonly state: 'plain' | 'sealed';
  readonly generation: number;
  readonly firstSeq: number;
}

export function encodeHeader({ state, generation, firstSeq }: SegmentHeader): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(LOG_FORMAT, 8);
  header.writeUInt32LE(state === 'sealed' ? 1 : 0, 12);
  header.writeBigUInt64LE(BigInt(generation), 16);
  header.writeBigUInt64LE(BigInt(firstSeq), 24);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_CHECKED_BYTES)), HEADER_CHECKED_BYTES);
  return header;
}

/** `damaged` if it is cut, or its checksum is wrong; `newerFormat` if a later version of this program wrote it. */
export function decodeHeader(bytes: Uint8Array): SegmentHeader | 'damaged' | { readonly newerFormat: number } {
  const header = bufferOver(bytes);
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return 'damaged';
  if (crc32(header.subarray(0, HEADER_CHECKED_BYTES)) !== header.readUInt32LE(HEADER_CHECKED_BYTES)) return 'damaged';
  const format = header.readUInt32LE(8);
  if (format > LOG_FORMAT) return { newerFormat: format };
  return {
    state: header.readUInt32LE(12) === 1 ? 'sealed' : 'plain',
    generation: Number(header.readBigUInt64LE(16)),
    firstSeq: Number(header.readBigUInt64LE(24)),
  };
}

function encodeRecord({ seq, kind, session, at, body }: LogRecord): Buffer {
  // As JSON, because an id may hold half a surrogate pair, which UTF-8 can't.
  const id = session === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(session), 'utf8');
  if (id.length > 0xffff) throw new RangeError('the id of a session is too long for the log');
  const record = Buffer.allocUnsafe(RECORD_HEAD_BYTES + id.length + body.length);
  record.writeUInt32LE(record.length - 4, 0);
  record.writeUIntLE(seq, 4, 6);
  record.writeUInt8(recordKinds.indexOf(kind), 10);
  record.writeDoubleLE(at, 11);
  record.writeUInt16LE(id.length, 19);
  id.copy(record, RECORD_HEAD_BYTES);
  record.set(body, RECORD_HEAD_BYTES + id.length);
  return record;
}

export function encodeRecords(records: readonly LogRecord[]): Buffer {
  return Buffer.concat(records.map(encodeRecord));
}

/** The records of a frame or a block; their bodies are views into `bytes`. Call it only on bytes whose checksum was right. */
export function decodeRecords(bytes: Uint8Array): LogRecord[] {
  const buffer = bufferOver(bytes);
  const records: LogRecord[] = [];
  for (let at = 0; at < buffer.length;) {
    const end = at + 4 + buffer.readUInt32LE(at);
    const bodyAt = at + RECORD_HEAD_BYTES + buffer.readUInt16LE(at + 19);
    const id = buffer.toString('utf8', at + RECORD_HEAD_BYTES, bodyAt);
    const kind = recordKinds[buffer.readUInt8(at + 10)];
    if (kind === undefined) throw new RangeError('the log holds a kind of record that this version does not know');
    records.push({
      seq: buffer.readUIntLE(at + 4, 6),
      kind,
      session: id === '' ? undefined : (JSON.parse(id) as string),
      at: buffer.readDoubleLE(at + 11),
      body: buffer.subarray(bodyAt, end),
    });
    at = end;
  }
  return records;
}

/** One append: its records are all there after a crash, or none of them. */
export function encodeFrame(records: readonly LogRecord[]): Buffer {
  const content = encodeRecords(records);
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + content.length);
  frame.writeUInt32LE(content.length, 0);
  content.copy(frame, FRAME_HEAD_BYTES);
  frame.writeUInt32LE(frameChecksum(frame), 4);
  return frame;
}

/** The size is part of it, so that a flipped bit there can't make one frame out of two. */
function frameChecksum(frame: Buffer): number {
  return crc32(frame.subarray(FRAME_HEAD_BYTES), crc32(frame.subarray(0, 4)));
}

export interface ScannedFrame {
  readonly start: number;
  readonly end: number;
  readonly records: readonly LogRecord[];
}

/** The sound frames of a plain segment from `at` on, up to the first that is cut or damaged. */
export function* scanFrames(bytes: Uint8Array, from: number): Generator<ScannedFrame> {
  const buffer = bufferOver(bytes);
  for (let at = from; at + FRAME_HEAD_BYTES <= buffer.length;) {
    const end = at + FRAME_HEAD_BYTES + buffer.readUInt32LE(at);
    if (end > buffer.length) return;
    const frame = buffer.subarray(at, end);
    if (frameChecksum(frame) !== frame.readUInt32LE(4)) return;
    yield { start: at, end, records: decodeRecords(frame.subarray(FRAME_HEAD_BYTES)) };
    at = end;
  }
}

export interface BlockHead {
  /** How the data is compressed: 1 is gzip, 2 is brotli. */
  readonly codec: number;
  /** Bytes of the compressed data after the head. */
  readonly size: number;
  readonly rawSize: number;
  readonly records: number;
  /** The sequence numbers that the block covers; some of them may be gone. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export function encodeBlock(head: Omit<BlockHead, 'size'>, data: Uint8Array): Buffer {
  const block = Buffer.allocUnsafe(BLOCK_HEAD_BYTES + data.length);
  block.writeUInt32LE(head.codec, 0);
  block.writeUInt32LE(data.length, 4);
  block.writeUInt32LE(head.rawSize, 8);
  block.writeUInt32LE(head.records, 12);
  block.writeBigUInt64LE(BigInt(head.firstSeq), 16);
  block.writeBigUInt64LE(BigInt(head.lastSeq), 24);
  block.set(data, BLOCK_HEAD_BYTES);
  block.writeUInt32LE(blockChecksum(block), 32);
  return block;
}

function blockChecksum(block: Buffer): number {
  return crc32(block.subarray(BLOCK_HEAD_BYTES), crc32(block.subarray(0, 32)));
}

/** Undefined if the block is cut or its checksum is wrong. */
export function decodeBlock(bytes: Uint8Array): { readonly head: BlockHead; readonly data: Buffer } | undefined {
  const buffer = bufferOver(bytes);
  const head = readBlockHead(buffer);
  if (head === undefined || BLOCK_HEAD_BYTES + head.size > buffer.length) return undefined;
  const block = buffer.subarray(0, BLOCK_HEAD_BYTES + head.size);
  if (blockChecksum(block) !== block.readUInt32LE(32)) return undefined;
  return { head, data: block.subarray(BLOCK_HEAD_BYTES) };
}

/** As it stands there; only the checksum of the whole block tells whether it is right. */
export function readBlockHead(bytes: Uint8Array): BlockHead | undefined {
  const buffer = bufferOver(bytes);
  if (buffer.length < BLOCK_HEAD_BYTES) return undefined;
  return {
    codec: buffer.readUInt32LE(0),
    size: buffer.readUInt32LE(4),
    rawSize: buffer.readUInt32LE(8),
    records: buffer.readUInt32LE(12),
    firstSeq: Number(buffer.readBigUInt64LE(16)),
    lastSeq: Number(buffer.readBigUInt64LE(24)),
  };
}

/** Where a block lies in its file, and the first sequence number that it covers. */
export interface BlockPlace {
  readonly position: number;
  readonly end: number;
  readonly firstSeq: number;
}

/** Where the digest lies in its file. */
export interface DigestPlace {
  readonly position: number;
  readonly end: number;
}

export interface Footer {
  readonly places: readonly BlockPlace[];
  readonly digest: DigestPlace;
}

/** The blocks lie one behind the other, the digest behind the last of them; the footer follows the digest. */
export function encodeFooter({ places, digest }: Footer): Buffer {
  const footer = Buffer.alloc(places.length * PLACE_BYTES + FOOTER_FIXED_BYTES);
  places.forEach(({ position, firstSeq }, index) => {
    footer.writeUIntLE(position, index * PLACE_BYTES, 6);
    footer.writeUIntLE(firstSeq, index * PLACE_BYTES + 6, 6);
  });
  const fixedAt = places.length * PLACE_BYTES;
  footer.writeUIntLE(digest.position, fixedAt, 6);
  footer.writeUInt32LE(places.length, fixedAt + 6);
  footer.writeUInt32LE(crc32(footer.subarray(0, fixedAt + 10)), fixedAt + 10);
  FOOTER_MAGIC.copy(footer, fixedAt + 14);
  return footer;
}

/** How many bytes at the end of a sealed segment the footer takes, by its last bytes; undefined if those are damaged. */
export function footerLength(end: Uint8Array): number | undefined {
  const buffer = bufferOver(end);
  if (buffer.length < FOOTER_FIXED_BYTES) return undefined;
  const fixed = buffer.subarray(buffer.length - FOOTER_FIXED_BYTES);
  if (!fixed.subarray(14).equals(FOOTER_MAGIC)) return undefined;
  return fixed.readUInt32LE(6) * PLACE_BYTES + FOOTER_FIXED_BYTES;
}
export const FOOTER_END_BYTES = FOOTER_FIXED_BYTES;

/** Undefined if the footer is damaged. `footerAt`: where it begins in its file, which is where the digest ends. */
export function decodeFooter(bytes: Uint8Array, footerAt: number): Footer | undefined {
  const footer = bufferOver(bytes);
  const fixedAt = footer.length - FOOTER_FIXED_BYTES;
  if (footerLength(footer) !== footer.length) return undefined;
  if (crc32(footer.subarray(0, fixedAt + 10)) !== footer.readUInt32LE(fixedAt + 10)) return undefined;
  const positionOf = (index: number) => footer.readUIntLE(index * PLACE_BYTES, 6);
  const count = fixedAt / PLACE_BYTES;
  const digest = { position: footer.readUIntLE(fixedAt, 6), end: footerAt };
  const places = Array.from({ length: count }, (_, index) => ({
    position: positionOf(index),
    end: index + 1 < count ? positionOf(index + 1) : digest.position,
    firstSeq: footer.readUIntLE(index * PLACE_BYTES + 6, 6),
  }));
  return { places, digest };
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
