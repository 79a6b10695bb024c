import { crc32 } from 'node:zlib';
import type { ReadPart } from '../log/sealedBlocks.ts';
import { type GramRange, gramLists, rangesOf } from './gramLists.ts';

/**
 * CNV-3: an index that tells which texts of a list may contain a given text, by a few small reads of its bytes.
 *
 * For each gram (see `gramLists`) it has the list of the texts with that gram, ordered by the grams. A text that contains another
 * one has all its grams. The reverse is not certain, because the places of the grams in the text are not stored.
 *
 * The index holds no text, but it holds all grams of each text. The words of a text can be guessed from them, and those of a short
 * one can be read. So the bytes are as private as the texts: after an erasure, encode the texts that are left.
 *
 * All numbers are little-endian. The head is: format (u32), number of texts (u32), number of pieces (u32), checksum of these and
 * of the fences (u32). Then comes a fence for each piece: its first gram (f64), and where it ends, counted from the end of the
 * fences (u32). Then come the pieces. A piece is a checksum of the rest (u32) and entries. An entry is the difference to the gram
 * before, the bytes of the list, and the list. A list is the first number and the differences of the others to the one before;
 * or, if that takes no more bytes, one bit for each text of the index. All parts of an entry but these bits are varints: seven
 * bits in each byte, the lowest first.
 */
const FORMAT = 1;
const HEAD_BYTES = 16;
const HEAD_CHECKED_BYTES = 12;
const FENCE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** A piece ends when it has so many. A look-up reads a whole piece; the fences of all pieces are held in memory. */
const PIECE_BYTES = 4_096;
/** At least what an entry takes without its list. */
const ENTRY_MAX_BYTES = 16;

/** A long text is looked up by so many of its grams, from all parts of it: that many tell as much as all of them. */
const RANGES_MAX = 32;

/**
 * The index of these texts, which have to be in the spelling of `searchable`. A text's place in the list is its number. The index
 * takes up to a byte for each character of prompts and replies; four to five for random Han or Hangul.
 */
export function encodeGramIndex(texts: readonly string[]): Buffer {
  const fences: (readonly [firstGram: number, end: number])[] = [];
  const pieces = new PieceWriter(texts.length);
  let firstGram: number | undefined;
  for (const { gram, numbers } of gramLists(texts)) {
    firstGram ??= gram;
    if (pieces.add(gram, numbers) < PIECE_BYTES) continue;
    fences.push([firstGram, pieces.close()]);
    firstGram = undefined;
  }
  if (firstGram !== undefined) fences.push([firstGram, pieces.close()]);
  const head = Buffer.alloc(HEAD_BYTES + fences.length * FENCE_BYTES);
  head.writeUInt32LE(FORMAT, 0);
  head.writeUInt32LE(texts.length, 4);
  head.writeUInt32LE(fences.length, 8);
  fences.forEach(([gram, end], index) => {
    head.writeDoubleLE(gram, HEAD_BYTES + index * FENCE_BYTES);
    head.writeUInt32LE(end, HEAD_BYTES + index * FENCE_BYTES + 8);
  });
  head.writeUInt32LE(headChecksum(head), HEAD_CHECKED_BYTES);
  return Buffer.concat([head, pieces.written()]);
}

/** Writes pieces one behind the other. */
class PieceWriter {
  readonly #bitmapBytes: number;
  #bytes: Buffer = Buffer.alloc(2 ** 20);
  #size = CHECKSUM_BYTES;
  #pieceAt = 0;
  #gram = 0;

  constructor(texts: number) {
    this.#bitmapBytes = Math.ceil(texts / 8);
  }

  /** How large the piece is with it. */
  add(gram: number, numbers: Uint32Array): number {
    const listBytes = Math.min(this.#bitmapBytes, listSize(numbers));
    while (this.#size + listBytes + ENTRY_MAX_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
    }
    this.#varint(gram - this.#gram);
    this.#gram = gram;
    this.#varint(listBytes);
    if (listBytes === this.#bitmapBytes) this.#bitmap(numbers);
    else numbers.forEach((number, index) => this.#varint(number - (numbers[index - 1] ?? 0)));
    return this.#size - this.#pieceAt;
  }

  /** Where the piece ends. */
  close(): number {
    const end = this.#size;
    this.#bytes.writeUInt32LE(crc32(this.#bytes.subarray(this.#pieceAt + CHECKSUM_BYTES, end)), this.#pieceAt);
    this.#pieceAt = end;
    this.#size = end + CHECKSUM_BYTES;
    this.#gram = 0;
    return end;
  }

  /** All pieces that were closed. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#pieceAt);
  }

  #bitmap(numbers: Uint32Array): void {
    for (const number of numbers) setBit(this.#bytes, this.#size, number);
    this.#size += this.#bitmapBytes;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      const upper = Math.floor(rest / 0x80);
      this.#bytes[this.#size++] = rest - upper * 0x80 + 0x80;
      rest = upper;
    }
    this.#bytes[this.#size++] = rest;
  }
}

function listSize(numbers: Uint32Array): number {
  let size = 0;
  let before = 0;
  for (const number of numbers) {
    for (let rest = number - before; rest >= 0x80; rest >>>= 7) size++;
    size++;
    before = number;
  }
  return size;
}

/**
 * Looks texts up in the bytes that `encodeGramIndex` made. It keeps the head and the fences in memory once they were read: about
 * 12 bytes for 4 KB of the index. It throws only what `read` throws.
 */
export class GramIndex {
  readonly #read: ReadPart;
  readonly #length: number;
  #head: Head | undefined;

  /** `read` gives a part of the index, whose size is `length`. */
  constructor(read: ReadPart, length: number) {
    this.#read = read;
    this.#length = length;
  }

  /**
   * The numbers of the texts that may contain `text`, ascending; each text that does contain it is among them. No others are if
   * `text` is no longer than one gram: two units, or four below U+1100. `text` has to be in the spelling of `searchable`. The
   * empty text is in all texts.
   *
   * Undefined if bytes that the answer needs are damaged: then any text may contain it. The answer can't be all numbers instead,
   * because the number of texts may be what is damaged.
   */
  candidates(text: string): Uint32Array | undefined {
    this.#head ??= readHead(this.#read, this.#length);
    if (this.#head === undefined) return undefined;
    const { texts } = this.#head;
    const found = new Uint8Array(Math.ceil(texts / 8)).fill(0xff);
    for (const { from, to } of sampleOf(rangesOf(text))) {
      const bits = this.#textsWith(this.#head, from, to);
      if (bits === undefined) return undefined;
      if (!intersect(found, bits)) return new Uint32Array();
    }
    return numbersIn(found, texts);
  }

  /** A bit for each text that has a gram of this range; undefined if a piece is damaged. */
  #textsWith(head: Head, from: number, to: number): Uint8Array | undefined {
    const bits = new Uint8Array(Math.ceil(head.texts / 8));
    for (let piece = head.pieceOf(from); piece < head.pieces && head.firstGram(piece) < to; piece++) {
      const at = head.positionOf(piece);
      const size = head.positionOf(piece + 1) - at;
      const bytes = this.#read(at, size);
      if (bytes.length !== size || crc32(bytes.subarray(CHECKSUM_BYTES)) !== u32At(bytes, 0)) return undefined;
      setTextBits(bits, bytes, from, to);
    }
    return bits;
  }
}

/** The number of texts, and where the pieces are. */
class Head {
  readonly texts: number;
  readonly pieces: number;
  readonly #fences: DataView;

  constructor(bytes: Uint8Array) {
    this.texts = u32At(bytes, 4);
    this.pieces = u32At(bytes, 8);
    this.#fences = new DataView(bytes.buffer, bytes.byteOffset + HEAD_BYTES, bytes.byteLength - HEAD_BYTES);
  }

  firstGram(piece: number): number {
    return this.#fences.getFloat64(piece * FENCE_BYTES, true);
  }

  /** Also of the piece after the last one: where the index ends. */
  positionOf(piece: number): number {
    const first = HEAD_BYTES + this.pieces * FENCE_BYTES;
    return piece === 0 ? first : first + this.#fences.getUint32(piece * FENCE_BYTES - 4, true);
  }

  /** The piece that has this gram, if any has it. */
  pieceOf(gram: number): number {
    let [low, high] = [0, this.pieces];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.firstGram(middle) <= gram) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Undefined if it is cut, damaged or of another format. */
function readHead(read: ReadPart, length: number): Head | undefined {
  const start = read(0, HEAD_BYTES);
  if (start.length < HEAD_BYTES || u32At(start, 0) !== FORMAT) return undefined;
  const size = HEAD_BYTES + u32At(start, 8) * FENCE_BYTES;
  if (size > length) return undefined;
  const bytes = read(0, size);
  if (bytes.length < size || headChecksum(bytes) !== u32At(bytes, HEAD_CHECKED_BYTES)) return undefined;
  const head = new Head(bytes);
  return head.positionOf(head.pieces) <= length ? head : undefined;
}

function headChecksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(HEAD_BYTES), crc32(bytes.subarray(0, HEAD_CHECKED_BYTES)));
}

/** The last one, and from there back at even distances. */
function sampleOf(ranges: readonly GramRange[]): readonly GramRange[] {
  const step = Math.ceil(ranges.length / RANGES_MAX);
  return ranges.filter((_, index) => (ranges.length - 1 - index) % step === 0);
}

/** Drops from `found` what `bits` doesn't have; false if nothing is left. */
function intersect(found: Uint8Array, bits: Uint8Array): boolean {
  let left = 0;
  for (let index = 0; index < found.length; index++) {
    const both = (found[index] as number) & (bits[index] as number);
    found[index] = both;
    left |= both;
  }
  return left !== 0;
}

function numbersIn(bits: Uint8Array, texts: number): Uint32Array {
  const numbers: number[] = [];
  bits.forEach((byte, index) => {
    for (let bit = 0; byte >>> bit !== 0; bit++) {
      const number = index * 8 + bit;
      if (((byte >>> bit) & 1) !== 0 && number < texts) numbers.push(number);
    }
  });
  return Uint32Array.from(numbers);
}

/** Sets the bits of the texts that have a gram of this range. */
function setTextBits(bits: Uint8Array, piece: Uint8Array, from: number, to: number): void {
  const reader = new VarintReader(piece, CHECKSUM_BYTES);
  for (let gram = 0; reader.at < piece.length;) {
    gram += reader.next();
    if (gram >= to) return;
    const size = reader.next();
    const end = Math.min(piece.length, reader.at + size);
    if (gram < from) {
      reader.at = end;
    } else if (size === bits.length) {
      for (let index = 0; index < size; index++)
        bits[index] = (bits[index] as number) | (piece[reader.at + index] as number);
      reader.at = end;
    } else {
      for (let number = 0; reader.at < end;) {
        number += reader.next();
        setBit(bits, 0, number);
      }
    }
  }
}

class VarintReader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let value = 0;
    for (let scale = 1; this.at < this.#bytes.length; scale *= 0x80) {
      const byte = this.#bytes[this.at++] as number;
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
    return value;
  }
}

function setBit(bits: Uint8Array, at: number, bit: number): void {
  const place = at + (bit >>> 3);
  bits[place] = (bits[place] as number) | (1 << (bit & 7));
}

function u32At(bytes: Uint8Array, at: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32LE(at);
}
