import path from 'node:path';
import { atomicWrite, temporaryOf } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, removeIfThere } from '../files/fileSystem.ts';
import { NewerStoreError } from './errors.ts';
import { setBytesAside, setFileAside } from './setAside.ts';
import { partsOf, readPlaces } from './sealedBlocks.ts';
import { inflate } from './sealing.ts';
import {
  decodeBlock,
  decodeHeader,
  decodeRecords,
  encodeHeader,
  HEADER_BYTES,
  LOG_FORMAT,
  type LogRecord,
  mostRecordsIn,
  scanFrames,
} from './segmentFormat.ts';
import {
  compareSegments,
  nameOfPlain,
  nameOfSealed,
  parseSegmentName,
  type SegmentFile,
  type SegmentId,
} from './segmentNames.ts';

/** A segment that is not appended to any more. */
export interface ClosedSegment extends SegmentFile {
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

/** A former owner needs far fewer listings to finish; only a name without a file (a dangling link) lasts longer. */
const LISTINGS_MAX = 100;

/** No sealed segment is made of more bytes. */
const MOST_BYTES = 2 ** 32;

interface Named extends SegmentFile {
  readonly name: string;
}

/** Reads and repairs the log in a folder, also while a former owner, which has just been deposed, still removes files there. */
export async function findLogWhole(fs: FileSystem, folder: string): Promise<FoundLog> {
  for (let listings = 1; ; listings++) {
    try {
      return await findLog(fs, folder);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || listings === LISTINGS_MAX) throw error;
    }
  }
}

/**
 * Reads the folder of a log, and repairs it: a torn end is cut, a damaged beginning is written anew, what can't be read at all is
 * set aside. A log of a newer version is refused before anything is changed.
 */
async function findLog(fs: FileSystem, folder: string): Promise<FoundLog> {
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
    // Of one owner, too: a frame that could not be cut away was never acknowledged, and its numbers were given out again.
    const later = found.filter(
      ({ generation, firstSeq }) =>
        generation > named.generation || (generation === named.generation && firstSeq > named.firstSeq),
    );
    const voidFrom = Math.min(Infinity, ...later.map(({ firstSeq }) => firstSeq));
    const looked = named.isSealed
      ? await lookAtSealed(fs, folder, named)
      : await repairPlain(fs, folder, named, voidFrom);
    damage.push(...looked.damage);
    if (looked.segment) segments.push(looked.segment);
    nextSeq = Math.max(nextSeq, named.firstSeq, looked.nextSeq);
  }
  // Where it had to be guessed, the next segment tells better.
  const left = await withoutSealedParts(fs, segments);
  const bounded = left.map((segment, index) => {
    const nextFirst = left[index + 1]?.firstSeq ?? Infinity;
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

/**
 * One file for each segment. A crash between the rename of a sealed segment and the removal of what it was made from leaves both:
 * then the newest that is sound stays.
 */
async function withoutTwins(fs: FileSystem, folder: string, found: readonly Named[]): Promise<readonly Named[]> {
  const kept: Named[] = [];
  for (let from = 0; from < found.length;) {
    const twins = found.slice(from).filter((each, _, rest) => isSameSegment(each, rest[0] ?? each));
    from += twins.length;
    const stays = twins.length === 1 ? twins[0] : await newestSound(fs, folder, twins);
    if (stays) kept.push(stays);
    for (const { name } of twins) if (name !== stays?.name) await removeIfThere(fs, path.join(folder, name));
  }
  return kept;
}

function isSameSegment(a: SegmentId, b: SegmentId): boolean {
  return a.firstSeq === b.firstSeq && a.generation === b.generation;
}

async function newestSound(fs: FileSystem, folder: string, twins: readonly Named[]): Promise<Named | undefined> {
  for (const twin of twins.slice(0, -1)) {
    if (twin.isSealed && isSoundSealed(await fs.readFile(path.join(folder, twin.name)))) return twin;
  }
  return twins.at(-1);
}

/** Several plain segments become one sealed one, under the name of the first: a crash may leave the others beside it. */
async function withoutSealedParts(fs: FileSystem, segments: readonly ClosedSegment[]): Promise<ClosedSegment[]> {
  const left: ClosedSegment[] = [];
  for (const segment of segments) {
    const before = left.at(-1);
    const isPart = before?.isSealed && !segment.isSealed && segment.lastSeq <= before.lastSeq;
    if (isPart && (await holdsAll(fs, before, segment))) await removeIfThere(fs, segment.file);
    else left.push(segment);
  }
  return left;
}

/** Was the sealed segment made of the plain one, among others? Removed records may be missing in it; none may be another. */
async function holdsAll(fs: FileSystem, sealed: ClosedSegment, plain: ClosedSegment): Promise<boolean> {
  const bytes = Buffer.from(await fs.readFile(sealed.file));
  if (!isSoundSealed(bytes)) return false;
  const bodies = new Map(sealedRecords(bytes).map(({ seq, body }) => [seq, Buffer.from(body)]));
  const own = [...scanFrames((await fs.readFile(plain.file)).subarray(0, plain.length), HEADER_BYTES)];
  return own.every(({ records }) => records.every(({ seq, body }) => bodies.get(seq)?.equals(body) ?? true));
}

function sealedRecords(bytes: Buffer): LogRecord[] {
  return readPlaces(partsOf(bytes), bytes.length).places.flatMap(({ position, end }) => {
    const block = decodeBlock(bytes.subarray(position, end));
    return block ? decodeRecords(inflate(block.head.codec, block.data)) : [];
  });
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
  // Where the last block can't be read, assume as many records as a segment can hold.
  const lastSeq = last?.head.lastSeq ?? named.firstSeq + mostRecordsIn(MOST_BYTES);
  const damage = isWhole ? [] : [`${named.name} has a damaged end; it is read block by block.`];
  return { segment: { ...named, file, length: size, lastSeq }, nextSeq: lastSeq + 1, damage };
}

/** `voidFrom`: from this sequence number on a later owner wrote; what a deposed one added after that was acknowledged to nobody. */
async function repairPlain(fs: FileSystem, folder: string, named: Named, voidFrom: number): Promise<Looked> {
  const file = path.join(folder, named.name);
  const bytes = await fs.readFile(file);
  if (bytes.length < HEADER_BYTES) {
    // The power went, or the disk refused, while the file began: there is nothing in it yet.
    await removeIfThere(fs, file);
    return { segment: undefined, nextSeq: named.firstSeq + mostRecordsIn(bytes.length), damage: [] };
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
export function sealedFile(folder: string, id: SegmentId & { readonly revision: number }): string {
  return path.join(folder, nameOfSealed(id));
}

/** Removes a file that another process may have removed already. */
export async function removeFile(fs: FileSystem, file: string): Promise<void> {
  await fs.unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
