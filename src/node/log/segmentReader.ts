import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import type { ClosedSegment } from './logFiles.ts';
import { type ReadPart, readPlaces } from './sealedBlocks.ts';
import { inflate } from './sealing.ts';
import {
  type BlockPlace,
  decodeBlock,
  decodeRecords,
  type DigestPlace,
  HEADER_BYTES,
  type LogRecord,
  scanFrames,
} from './segmentFormat.ts';

/** The digest of a sealed segment: what `MakeDigest` made of its records. */
export interface StoredDigest {
  readonly length: number;
  readonly read: ReadPart;
}

/** So much of a plain segment is read at a time. */
const PIECE_BYTES = 64 * 1024;

/** Reads one segment, piece by piece. A piece is a block, or some frames: enough to be worth a look at the disk. */
export class SegmentReader {
  readonly #fs: FileSystem;
  readonly #log: Log;
  readonly #segment: ClosedSegment;
  #places: BlockPlace[] | undefined;
  #digest: StoredDigest | undefined;

  /** `places`: those of a segment that has just begun; otherwise they are looked up when they are needed. */
  constructor(segment: ClosedSegment, fs: FileSystem, log: Log, places?: BlockPlace[]) {
    this.#segment = segment;
    this.#places = places;
    this.#fs = fs;
    this.#log = log;
  }

  /** Appended to a plain segment since: the place of one more frame. */
  added(frame: BlockPlace): void {
    if (this.#places !== undefined) addFrame(this.#places, frame);
  }

  get pieces(): number {
    return this.#all.length;
  }

  /** The piece that holds this sequence number, if any does. */
  pieceOf(seq: number): number {
    const places = this.#all;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] as BlockPlace).firstSeq <= seq) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** The records of a piece; none if it is damaged, which is reported to the program's log. */
  read(piece: number): readonly LogRecord[] {
    const place = this.#all[piece];
    if (place === undefined) return [];
    const { file, isSealed } = this.#segment;
    const bytes = this.#fs.readPart(file, place.position, place.end - place.position);
    if (!isSealed) return [...scanFrames(bytes, 0)].flatMap(({ records }) => records);
    const block = decodeBlock(bytes);
    if (block !== undefined) return decodeRecords(inflate(block.head.codec, block.data));
    this.#log.warn(`log: block ${piece} of ${path.basename(file)} is damaged; its records are left out.`);
    return [];
  }

  /** The same object each time; undefined if the segment is not sealed, or its footer is damaged. */
  get digest(): StoredDigest | undefined {
    if (this.#segment.isSealed) this.#places ??= this.#blocks();
    return this.#digest;
  }

  get #all(): BlockPlace[] {
    this.#places ??= this.#segment.isSealed ? this.#blocks() : this.#frames();
    return this.#places;
  }

  #blocks(): BlockPlace[] {
    const { file, length: size } = this.#segment;
    const { places, digest } = readPlaces((position, length) => this.#fs.readPart(file, position, length), size);
    if (digest) this.#digest = this.#storedDigest(digest);
    return [...places];
  }

  #storedDigest({ position, end }: DigestPlace): StoredDigest {
    const length = end - position;
    const read: ReadPart = (from, count) => {
      const most = Math.max(0, Math.min(count, length - from));
      return this.#fs.readPart(this.#segment.file, position + from, most);
    };
    return { length, read };
  }

  #frames(): BlockPlace[] {
    const { file, length } = this.#segment;
    const places: BlockPlace[] = [];
    const bytes = this.#fs.readPart(file, 0, length);
    for (const { start, end, records } of scanFrames(bytes, HEADER_BYTES))
      addFrame(places, { position: start, end, firstSeq: records[0]?.seq ?? 0 });
    return places;
  }
}

/** Small frames that follow each other are one piece. */
function addFrame(places: BlockPlace[], frame: BlockPlace): void {
  const last = places.at(-1);
  if (last !== undefined && frame.end - last.position <= PIECE_BYTES)
    places[places.length - 1] = { ...last, end: frame.end };
  else places.push(frame);
}
