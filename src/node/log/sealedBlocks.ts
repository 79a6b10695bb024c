import {
  BLOCK_HEAD_BYTES,
  decodeBlock,
  decodeFooter,
  FOOTER_END_BYTES,
  footerLength,
  HEADER_BYTES,
  readBlockHead,
} from './segmentFormat.ts';

/** A part of a file; shorter than asked at its end. */
export type ReadPart = (position: number, length: number) => Uint8Array;

export interface BlockPositions {
  /** Where each block begins, and where the last one ends. */
  readonly positions: readonly number[];
  /** False if the footer is damaged: then blocks behind a damaged one may be missing. */
  readonly isWhole: boolean;
}

/** Where the blocks of a sealed segment lie: by its footer, else by following the blocks' own heads. */
export function readPositions(read: ReadPart, size: number): BlockPositions {
  const end = read(Math.max(0, size - FOOTER_END_BYTES), FOOTER_END_BYTES);
  const length = footerLength(end) ?? Infinity;
  const positions = length > size ? undefined : decodeFooter(read(size - length, length));
  return positions === undefined
    ? { positions: followedHeads(read, size), isWhole: false }
    : { positions, isWhole: true };
}

/** Only a block whose checksum is right shows where the next one begins. */
function followedHeads(read: ReadPart, size: number): readonly number[] {
  const positions = [HEADER_BYTES];
  for (let at = HEADER_BYTES; ;) {
    const head = readBlockHead(read(at, BLOCK_HEAD_BYTES));
    const end = at + BLOCK_HEAD_BYTES + (head?.size ?? Infinity);
    if (end > size || decodeBlock(read(at, end - at)) === undefined) return positions;
    at = end;
    positions.push(at);
  }
}

/** Reads from bytes in memory. */
export function partsOf(bytes: Uint8Array): ReadPart {
  return (position, length) => bytes.subarray(position, position + length);
}
