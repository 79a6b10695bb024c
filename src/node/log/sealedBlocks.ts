import {
  BLOCK_HEAD_BYTES,
  type BlockPlace,
  decodeBlock,
  decodeFooter,
  type DigestPlace,
  FOOTER_END_BYTES,
  footerLength,
  HEADER_BYTES,
  readBlockHead,
} from './segmentFormat.ts';

/** A part of a file; shorter than asked at its end. */
export type ReadPart = (position: number, length: number) => Uint8Array;

export interface BlockPlaces {
  /** In the order of their sequence numbers. */
  readonly places: readonly BlockPlace[];
  /** False if the footer is damaged: then blocks behind a damaged one may be missing. */
  readonly isWhole: boolean;
  /** Undefined if the footer is damaged. */
  readonly digest: DigestPlace | undefined;
}

/** Where the blocks of a sealed segment lie: by its footer, else by following the blocks' own heads. */
export function readPlaces(read: ReadPart, size: number): BlockPlaces {
  const end = read(Math.max(0, size - FOOTER_END_BYTES), FOOTER_END_BYTES);
  const length = footerLength(end) ?? Infinity;
  const footer = length > size ? undefined : decodeFooter(read(size - length, length), size - length);
  if (footer === undefined) return { places: followedHeads(read, size), isWhole: false, digest: undefined };
  return { ...footer, isWhole: true };
}

/** Only a block whose checksum is right shows where the next one begins. */
function followedHeads(read: ReadPart, size: number): readonly BlockPlace[] {
  const places: BlockPlace[] = [];
  for (let position = HEADER_BYTES; ;) {
    const head = readBlockHead(read(position, BLOCK_HEAD_BYTES));
    const end = position + BLOCK_HEAD_BYTES + (head?.size ?? Infinity);
    if (head === undefined || end > size || decodeBlock(read(position, end - position)) === undefined) return places;
    places.push({ position, end, firstSeq: head.firstSeq });
    position = end;
  }
}

/** Reads from bytes in memory. */
export function partsOf(bytes: Uint8Array): ReadPart {
  return (position, length) => bytes.subarray(position, position + length);
}
