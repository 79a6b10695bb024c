import { crc32 } from 'node:zlib';

/**
 * A segment: magic, format version (u32), generation (u64), checksum of those (u32); then records of length (u32),
 * checksum of length and payload (u32), payload. All little-endian.
 */
const MAGIC = Buffer.from('AMJRNL\r\n', 'latin1');
/**
 * 2: images are named by generation, and a record may take events away. 3: a record may tell of work items, or of a small
 * document. 4: events have types of their own for what was told in notifications. 5: the store is a log beside the journals, which
 * hold nothing new; a release that does not know this leaves the folder alone. Who knows only less would leave it out, and cut it.
 */
export const JOURNAL_FORMAT = 5;
export const HEADER_BYTES = 24;
const HEADER_CHECKED_BYTES = 20;
const FORMAT_OFFSET = 8;
export const RECORD_HEAD_BYTES = 8;

const segmentName = /^journal-(\d+)-(\d+)\.bin$/;

export interface SegmentId {
  readonly generation: number;
  readonly seq: number;
}

export function nameOfSegment(id: SegmentId): string {
  return `journal-${id.generation}-${String(id.seq).padStart(6, '0')}.bin`;
}

export function parseSegmentName(name: string): SegmentId | undefined {
  const match = segmentName.exec(name);
  return match ? { generation: Number(match[1]), seq: Number(match[2]) } : undefined;
}

export function encodeHeader(generation: number, format = JOURNAL_FORMAT): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(format, FORMAT_OFFSET);
  header.writeBigUInt64LE(BigInt(generation), 12);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_CHECKED_BYTES)), HEADER_CHECKED_BYTES);
  return header;
}

export interface ScannedRecord {
  readonly payload: Uint8Array;
  /** Where the record ends in its segment. */
  readonly end: number;
}

export interface ScannedSegment {
  /** `bad` says nothing of the records: each carries its own checksum, so they are read all the same. */
  readonly header: 'good' | 'bad' | { readonly newerFormat: number };
  readonly format: number;
  readonly records: readonly ScannedRecord[];
  /** Where the sound part ends. */
  readonly goodLength: number;
}

export function scanSegment(bytes: Uint8Array): ScannedSegment {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(buffer);
  if (typeof header === 'object') return { header, format: header.newerFormat, records: [], goodLength: 0 };
  const records = scanRecords(buffer, HEADER_BYTES);
  const goodLength = records.at(-1)?.end ?? (header === 'good' ? HEADER_BYTES : 0);
  // A damaged beginning is written anew.
  const format = header === 'good' ? buffer.readUInt32LE(FORMAT_OFFSET) : JOURNAL_FORMAT;
  return { header, format, records, goodLength };
}

export function scanRecords(buffer: Buffer, from: number): ScannedRecord[] {
  const records: ScannedRecord[] = [];
  let at = from;
  while (at + RECORD_HEAD_BYTES <= buffer.length) {
    const head = buffer.subarray(at, at + RECORD_HEAD_BYTES);
    const end = at + RECORD_HEAD_BYTES + head.readUInt32LE(0);
    if (end > buffer.length) break;
    const payload = buffer.subarray(at + RECORD_HEAD_BYTES, end);
    if (checksum(head, payload) !== head.readUInt32LE(4)) break;
    records.push({ payload, end });
    at = end;
  }
  return records;
}

/** From the first bytes of a segment: a format that this version does not know, by a header that is whole. */
export function newerFormatIn(start: Buffer): number | undefined {
  const header = readHeader(start);
  return typeof header === 'object' ? header.newerFormat : undefined;
}

function readHeader(buffer: Buffer): ScannedSegment['header'] {
  if (buffer.length < HEADER_BYTES || !buffer.subarray(0, MAGIC.length).equals(MAGIC)) return 'bad';
  if (crc32(buffer.subarray(0, HEADER_CHECKED_BYTES)) !== buffer.readUInt32LE(HEADER_CHECKED_BYTES)) return 'bad';
  const format = buffer.readUInt32LE(FORMAT_OFFSET);
  return format > JOURNAL_FORMAT ? { newerFormat: format } : 'good';
}

/** The length is part of it, so that a flipped bit there can't make one record out of two. */
function checksum(head: Buffer, payload: Uint8Array): number {
  return crc32(payload, crc32(head.subarray(0, 4)));
}
