import { crc32 } from 'node:zlib';

/**
 * An image on disk is SQLite's file followed by magic, length (u32) and checksum (u32) of it. SQLite itself ignores what
 * follows the pages that its header counts, and checks no page's content: the checksum finds any flipped bit.
 */
const MAGIC = Buffer.from('AMIMAGE1', 'latin1');
const TRAILER_BYTES = 16;
const SQLITE_MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const SQLITE_HEADER_BYTES = 100;
const USER_VERSION_OFFSET = 60;
/** Between two pieces the editor gets its turn. */
const PIECE_BYTES = 4 * 1024 * 1024;

export type ImageCheck =
  /** `verified`: the checksum holds. Otherwise there is none, and SQLite must look at the pages. */
  | { readonly kind: 'readable'; readonly image: Uint8Array; readonly verified: boolean; readonly version: number }
  | { readonly kind: 'damaged'; readonly because: string };

export function* frameImage(image: Uint8Array): Generator<Uint8Array> {
  let checksum = 0;
  for (let from = 0; from < image.length; from += PIECE_BYTES) {
    const piece = image.subarray(from, from + PIECE_BYTES);
    checksum = crc32(piece, checksum);
    yield piece;
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  MAGIC.copy(trailer);
  trailer.writeUInt32LE(image.length, 8);
  trailer.writeUInt32LE(checksum, 12);
  yield trailer;
}

/** What its header says; undefined: no database. */
export function versionOfImage(start: Buffer): number | undefined {
  const isDatabase = start.length >= SQLITE_HEADER_BYTES && start.subarray(0, SQLITE_MAGIC.length).equals(SQLITE_MAGIC);
  return isDatabase ? start.readUInt32BE(USER_VERSION_OFFSET) : undefined;
}

export function checkImage(bytes: Uint8Array): ImageCheck {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = versionOfImage(file);
  if (version === undefined) return { kind: 'damaged', because: 'it is not a database' };
  // SQLite writes 0 for whoever sets nothing: a database of another program's, or of none yet.
  if (version === 0) return { kind: 'damaged', because: 'it is not a database of Agent Mascot' };
  const end = file.length - TRAILER_BYTES;
  if (!file.subarray(end, end + MAGIC.length).equals(MAGIC)) {
    return { kind: 'readable', image: file, verified: false, version };
  }
  const image = file.subarray(0, end);
  if (file.readUInt32LE(end + 8) !== end || file.readUInt32LE(end + 12) !== crc32(image)) {
    return { kind: 'damaged', because: 'its checksum is wrong' };
  }
  return { kind: 'readable', image, verified: true, version };
}
