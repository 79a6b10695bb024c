import path from 'node:path';
import { atomicWrite, temporaryOf } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, removeIfThere } from '../files/fileSystem.ts';
import { NewerStoreError } from '../store/errors.ts';
import { setBytesAside, setFileAside } from '../store/storeFiles.ts';
import { partsOf, readPlaces } from './sealedBlocks.ts';
import {
  decodeBlock,
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  LOG_FORMAT,
  mostRecordsIn,
  scanFrames,
} from './segmentFormat.ts';
import { compareSegments, nameOfPlain, nameOfSealed, parseSegmentName, type SegmentId } from './segmentNames.ts';

/** A segment that is not appended to any more. */
export interface ClosedSegment extends SegmentId {
  readonly isSealed: boolean;
  readonly file: string;
  /** How many bytes of a plain one count: a deposed owner may have added some. The size of a sealed one. */
  readonly length: number;
  /** At least as high as every sequence number in it. */
  readonly lastSeq: number;
}

export interface FoundLog {
  readonly segments: readonly ClosedSegment[];
  /** Higher than every sequence number that was ever given out. */
  readonly nextSeq: number;
  readonly lastGeneration: number;
  /** What was damaged, and where it was set aside: sentences for people. */
  readonly damage: readonly string[];
}

/** Deflate makes nothing smaller than by this. */
const MOST_COMPRESSION = 1032;

interface Named extends SegmentId {
  readonly name: string;
  readonly isSealed: boolean;
}

/**
 * Reads the folder of a log, and repairs it: a torn end is cut, a damaged beginning is written anew, what can't be read at all is
 * set aside. A log of a newer version is refused before anything is changed.
 */
export async function findLog(fs: FileSystem, folder: string): Promise<FoundLog> {
  const names = await fs.readdir(folder);
  const found = names.flatMap((name): Named[] => {
    const id = parseSegmentName(name);
    return id ? [{ name, ...id }] : [];
  });
  found.sort(compareSegments);
  for (const { name } of found) refuseNewer(path.join(folder, name), fs);
  for (const name of names) if (temporaryOf(name) !== undefined) await removeIfThere(fs, path.join(folder, name));
  const damage: string[] = [];
  const segments: ClosedSegment[] = [];
  let nextSeq = 1;
  for (const named of await withoutTwins(fs, folder, found)) {
    const later = found.filter(({ generation }) => generation > named.generation);
    const voidFrom = Math.min(Infinity, ...later.map(({ firstSeq }) => firstSeq));
    const looked = named.isSealed
      ? await lookAtSealed(fs, folder, named)
      : await repairPlain(fs, folder, named, voidFrom);
    damage.push(...looked.damage);
    if (looked.segment) segments.push(looked.segment);
    nextSeq = Math.max(nextSeq, named.firstSeq, looked.nextSeq);
  }
  // Where it had to be guessed, the next segment tells better.
  const bounded = segments.map((segment, index) => {
    const nextFirst = segments[index + 1]?.firstSeq ?? Infinity;
    return { ...segment, lastSeq: Math.min(segment.lastSeq, nextFirst - 1) };
  });
  const lastGeneration = Math.max(0, ...found.map(({ generation }) => generation));
  return { segments: bounded, nextSeq, lastGeneration, damage };
}

function refuseNewer(file: string, fs: FileSystem): void {
  const header = decodeHeader(fs.readPart(file, 0, HEADER_BYTES));
  if (typeof header === 'object' && 'newerFormat' in header)
    throw new NewerStoreError(file, header.newerFormat, LOG_FORMAT);
}

/** A crash between the rename of a sealed segment and the removal of the plain one leaves both. */
async function withoutTwins(fs: FileSystem, folder: string, found: readonly Named[]): Promise<readonly Named[]> {
  const kept: Named[] = [];
  for (const named of found) {
    const twin = found.find((other) => compareSegments(named, other) === 0 && other.isSealed !== named.isSealed);
    if (twin === undefined) kept.push(named);
    else if (named.isSealed) {
      const isSound = isSoundSealed(await fs.readFile(path.join(folder, named.name)));
      const [stays, goes] = isSound ? [named, twin] : [twin, named];
      await fs.unlink(path.join(folder, goes.name));
      kept.push(stays);
    }
  }
  return kept;
}

function isSoundSealed(bytes: Uint8Array): boolean {
  const { places, isWhole } = readPlaces(partsOf(bytes), bytes.length);
  return isWhole && places.every(({ position, end }) => decodeBlock(bytes.subarray(position, end)));
}

interface Looked {
  readonly segment: ClosedSegment | undefined;
  readonly nextSeq: number;
  readonly damage: readonly string[];
}

async function lookAtSealed(fs: FileSystem, folder: string, named: Named): Promise<Looked> {
  const file = path.join(folder, named.name);
  const { size } = await fs.stat(file);
  const { places, isWhole } = readPlaces((position, length) => fs.readPart(file, position, length), size);
  const place = places.at(-1);
  const last =
    isWhole && place ? decodeBlock(fs.readPart(file, place.position, place.end - place.position)) : undefined;
  // Where the last block can't be read, assume as many records as the file can have held.
  const lastSeq = last?.head.lastSeq ?? named.firstSeq + mostRecordsIn(size * MOST_COMPRESSION);
  const damage = isWhole ? [] : [`${named.name} has a damaged end; it is read block by block.`];
  return { segment: { ...named, file, length: size, lastSeq }, nextSeq: lastSeq + 1, damage };
}

/** `voidFrom`: from this sequence number on a later owner wrote; what a deposed one added after that was acknowledged to nobody. */
async function repairPlain(fs: FileSystem, folder: string, named: Named, voidFrom: number): Promise<Looked> {
  const file = path.join(folder, named.name);
  const bytes = await fs.readFile(file);
  if (bytes.length === 0) {
    // The power went between the file's creation and its first bytes.
    await removeIfThere(fs, file);
    return { segment: undefined, nextSeq: named.firstSeq, damage: [] };
  }
  let [good, lastSeq] = [HEADER_BYTES, named.firstSeq - 1];
  let isVoid = false;
  let hasFrames = false;
  for (const { end, records } of scanFrames(bytes, HEADER_BYTES)) {
    isVoid = (records[0]?.seq ?? 0) >= voidFrom;
    if (isVoid) break;
    hasFrames = true;
    good = end;
    lastSeq = records.at(-1)?.seq ?? lastSeq;
  }
  const damage: string[] = [];
  if (decodeHeader(bytes) === 'damaged') {
    if (!hasFrames) {
      const kept = await setFileAside(fs, folder, named.name);
      const most = named.firstSeq + mostRecordsIn(bytes.length);
      return { segment: undefined, nextSeq: most, damage: [`${named.name} could not be read. It is kept as ${kept}.`] };
    }
    const kept = await setBytesAside(fs, folder, named.name, bytes);
    const header = encodeHeader({ state: 'plain', generation: named.generation, firstSeq: named.firstSeq });
    await atomicWrite(file, [header, bytes.subarray(HEADER_BYTES)], { mode: 0o600, fs });
    damage.push(
      `${named.name} had a damaged beginning; its records were saved. The file as it was is kept as ${kept}.`,
    );
  }
  if (good < bytes.length) {
    const tail = bytes.subarray(good);
    if (!isVoid) {
      const kept = await setBytesAside(fs, folder, `${named.name}.from-${good}`, tail);
      damage.push(
        `${named.name} was damaged or incomplete from byte ${good} on. Those ${tail.length} bytes are kept as ${kept}.`,
      );
    }
    await fs.truncate(file, good);
  }
  // A number that somebody may have been told is never given out again.
  const lost = isVoid ? 0 : mostRecordsIn(bytes.length - good);
  return { segment: { ...named, file, length: good, lastSeq }, nextSeq: lastSeq + 1 + lost, damage };
}

/** The path of a plain segment. */
export function plainFile(folder: string, id: SegmentId): string {
  return path.join(folder, nameOfPlain(id));
}

/** The path of a sealed segment. */
export function sealedFile(folder: string, id: SegmentId): string {
  return path.join(folder, nameOfSealed(id));
}

/** Removes a file that another process may have removed already. */
export async function removeFile(fs: FileSystem, file: string): Promise<void> {
  await fs.unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
