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

/** So much of inflated blocks is kept in all. */
const CACHE_BYTES = 6_000_000;

/** So much of a plain segment is read at a time. */
const PIECE_BYTES = 64 * 1024;

/** The pieces that were read last, so that the next events of a session, or of its neighbours, need not be inflated again. */
export class BlockCache {
  readonly #blocks = new Map<string, { readonly records: readonly LogRecord[]; readonly bytes: number }>();
  #bytes = 0;

  /** What lies at this place of a segment's file; read by `read` if it is not kept. */
  get(
    file: string,
    { position, end }: Pick<BlockPlace, 'position' | 'end'>,
    read: () => { records: readonly LogRecord[]; bytes: number },
  ): readonly LogRecord[] {
    const key = `${position}-${end} ${file}`;
    const kept = this.#blocks.get(key);
    const block = kept ?? read();
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    if (kept === undefined) this.#bytes += block.bytes;
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#bytes <= CACHE_BYTES || oldest === key) break;
      this.#blocks.delete(oldest);
      this.#bytes -= bytes;
    }
    return block.records;
  }
}

/** What every reader of a log shares. */
export interface ReaderParts {
  readonly fs: FileSystem;
  readonly log: Log;
  readonly cache: BlockCache;
}

/** Reads one segment, piece by piece. A piece is a block, or some frames: enough to be worth a look at the disk. */
export class SegmentReader {
  readonly #fs: FileSystem;
  readonly #log: Log;
  readonly #cache: BlockCache;
  readonly #segment: ClosedSegment;
  #places: BlockPlace[] | undefined;
  #digest: StoredDigest | undefined;

  /** `places`: those of a segment that has just begun; otherwise they are looked up when they are needed. */
  constructor(segment: ClosedSegment, { fs, log, cache }: ReaderParts, places?: BlockPlace[]) {
    this.#segment = segment;
    this.#cache = cache;
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

  /** The greatest sequence number that a piece covers; of the last one that is not known, for it may grow. */
  lastSeqOf(piece: number): number {
    return (this.#all[piece + 1]?.firstSeq ?? Infinity) - 1;
  }

  /** The records of a piece; none if it is damaged, which is reported to the program's log. */
  read(piece: number): readonly LogRecord[] {
    const place = this.#all[piece];
    if (place === undefined) return [];
    const { file, isSealed } = this.#segment;
    return this.#cache.get(file, place, () => {
      const bytes = this.#fs.readPart(file, place.position, place.end - place.position);
      if (!isSealed)
        return { records: [...scanFrames(bytes, 0)].flatMap(({ records }) => records), bytes: bytes.length };
      const block = decodeBlock(bytes);
      if (block === undefined)
        this.#log.warn(`log: block ${piece} of ${path.basename(file)} is damaged; its records are left out.`);
      const inflated = block ? inflate(block.head.codec, block.data) : Buffer.alloc(0);
      return { records: decodeRecords(inflated), bytes: inflated.length };
    });
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
