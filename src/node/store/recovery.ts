import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../app/ports.ts';
import { atomicWrite, temporaryOf } from '../files/atomicWrite.ts';
import { errorCode, removeIfThere, type FileSystem } from '../files/fileSystem.ts';
import { openDatabase, UnreadableImageError, type Coverage, type Sqlite, type StoreDatabase } from './database.ts';
import { NewerStoreError } from './errors.ts';
import { checkImage } from './imageFile.ts';
import type { SealedSegment } from './journal.ts';
import {
  encodeHeader,
  encodeRecords,
  JOURNAL_FORMAT,
  parseSegmentName,
  scanSegment,
  type ScannedSegment,
  type SegmentId,
} from './journalFormat.ts';
import { latestVersion, migrations } from './migrations.ts';
import { replay } from './replay.ts';
import { newestFirst, setBytesAside, setFileAside, type NamedImage } from './storeFiles.ts';

/** An image in place. */
export interface StoredImage extends NamedImage {
  readonly coverage: Coverage;
  readonly bytes: number;
}

export interface Recovered {
  readonly database: StoreDatabase;
  /** The newest one that can be read. */
  readonly image: StoredImage | undefined;
  readonly segments: readonly SealedSegment[];
  readonly nextSeq: number;
  /** The highest that any file of the store bears. */
  readonly lastGeneration: number;
  /** How much of the journal the image lacked. */
  readonly replayedBytes: number;
  readonly damage: readonly string[];
}

interface FoundImage {
  readonly named: NamedImage;
  readonly database: StoreDatabase;
  readonly bytes: number;
}

interface FoundSegment extends SegmentId {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly scan: ScannedSegment;
}

/** A listed file is gone: a former owner has just removed it, because a newer image holds its content. */
class FileGoneError extends Error {}

/** A former owner needs far fewer listings to finish; only a name without a file (a dangling link) lasts longer. */
const LISTINGS_MAX = 100;

/**
 * The newest image that can be read, else nothing; then the journal on top. All is read and judged before anything is changed, so that a
 * newer version's store is left byte for byte.
 */
export async function recover(fs: FileSystem, folder: string, sqlite: Sqlite, log: Log): Promise<Recovered> {
  for (let listings = 1; ; listings++) {
    try {
      return await recoverListed(fs, folder, sqlite, log);
    } catch (error) {
      if (!(error instanceof FileGoneError)) throw error;
      if (listings === LISTINGS_MAX) throw error.cause;
    }
  }
}

async function recoverListed(fs: FileSystem, folder: string, sqlite: Sqlite, log: Log): Promise<Recovered> {
  const names = await fs.readdir(folder);
  const unreadable: { readonly name: string; readonly because: string }[] = [];
  const images = newestFirst(names);
  const found = await firstReadable(fs, folder, sqlite, images, unreadable);
  const database = found?.database ?? openDatabase(sqlite, undefined);
  try {
    const segments = await readSegments(fs, folder, names);
    const damage: string[] = [];
    for (const image of unreadable) damage.push(await setImageAside(fs, folder, image, found !== undefined));
    for (const segment of segments) damage.push(...(await repairSegment(fs, folder, segment)));
    for (const name of names) if (temporaryOf(name)) await removeIfThere(fs, path.join(folder, name));

    const coverage = database.coverage();
    const replay = await replayInto(database, segments, coverage, found?.named.generation);
    damage.push(...replay.damage);
    for (const sentence of damage) log.warn(`store: ${sentence}`);
    return {
      database,
      image: found && { ...found.named, coverage, bytes: found.bytes },
      segments: segments
        .filter((segment) => segment.scan.goodLength > 0)
        .map((segment) => ({
          name: segment.name,
          length: segment.scan.goodLength,
          foreign: true,
          format: segment.scan.format,
        })),
      nextSeq: Math.max(0, ...segments.map((segment) => segment.seq)) + 1,
      lastGeneration: Math.max(0, ...[...images, ...segments].map(({ generation }) => generation)),
      replayedBytes: replay.bytes,
      damage,
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function firstReadable(
  fs: FileSystem,
  folder: string,
  sqlite: Sqlite,
  images: readonly NamedImage[],
  unreadable: { name: string; because: string }[],
): Promise<FoundImage | undefined> {
  let badSector: unknown;
  for (const named of images) {
    try {
      const found = await readImage(fs, path.join(folder, named.name), sqlite);
      if (typeof found === 'object') return { named, ...found };
      if (found !== undefined) unreadable.push({ name: named.name, because: found });
    } catch (error) {
      // With an older image to read instead, a disk that fails is damage like any other. Without, nothing may be set aside.
      if (errorCode(error) !== 'EIO' || named === images.at(-1)) throw error;
      badSector = error;
      unreadable.push({ name: named.name, because: 'the disk could not read it' });
    }
  }
  if (badSector !== undefined) throw badSector;
  return undefined;
}

/** Why it can't be read, in words; undefined when there is none. */
async function readImage(
  fs: FileSystem,
  file: string,
  sqlite: Sqlite,
): Promise<Omit<FoundImage, 'named'> | string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const check = checkImage(bytes);
  if (check.kind === 'damaged') return check.because;
  const known = latestVersion(migrations);
  if (check.version > known) throw new NewerStoreError(file, check.version, known);
  try {
    const database = openDatabase(sqlite, { bytes: check.image, verified: check.verified });
    return { database, bytes: check.image.length };
  } catch (error) {
    if (error instanceof UnreadableImageError) return error.message;
    throw error;
  }
}

async function readSegments(fs: FileSystem, folder: string, names: readonly string[]): Promise<FoundSegment[]> {
  const segments: FoundSegment[] = [];
  for (const name of names) {
    const id = parseSegmentName(name);
    if (!id) continue;
    const bytes = await fs.readFile(path.join(folder, name)).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? new FileGoneError(name, { cause: error }) : error;
    });
    const scan = scanSegment(bytes);
    if (typeof scan.header === 'object') {
      throw new NewerStoreError(path.join(folder, name), scan.header.newerFormat, JOURNAL_FORMAT);
    }
    segments.push({ ...id, name, bytes, scan });
  }
  return segments.sort((a, b) => a.generation - b.generation || a.seq - b.seq);
}

async function setImageAside(
  fs: FileSystem,
  folder: string,
  image: { readonly name: string; readonly because: string },
  hasOlder: boolean,
): Promise<string> {
  const kept = await setFileAside(fs, folder, image.name);
  const instead = hasOlder ? 'the backup and the journal, which hold the same' : 'what the journal still holds';
  return `${image.name} was damaged (${image.because}). Used instead: ${instead}. The damaged file is kept as ${kept}.`;
}

/** A bad record ends its own segment only: later segments were begun after it and stand by themselves. */
async function repairSegment(fs: FileSystem, folder: string, segment: FoundSegment): Promise<string[]> {
  const { name, bytes, scan } = segment;
  const file = path.join(folder, name);
  if (bytes.length === 0) {
    // Power went between the file's creation and its first bytes: nothing was ever in it.
    await removeIfThere(fs, file);
    return [];
  }
  if (scan.goodLength === 0) {
    const kept = await setFileAside(fs, folder, name);
    return [`${name} could not be read at all. It is kept as ${kept}.`];
  }
  if (scan.header === 'bad') {
    const kept = await setBytesAside(fs, folder, name, bytes);
    const payloads = scan.records.map((record) => record.payload);
    await atomicWrite(file, Buffer.concat([encodeHeader(segment.generation), encodeRecords(payloads)]), {
      mode: 0o600,
      fs,
    });
    return [
      `${name} had a damaged beginning; its ${payloads.length} records were saved. The file as it was is kept as ${kept}.`,
    ];
  }
  if (scan.goodLength === bytes.length) return [];
  const tail = bytes.subarray(scan.goodLength);
  const kept = await setBytesAside(fs, folder, `${name}.from-${scan.goodLength}`, tail);
  await fs.truncate(file, scan.goodLength);
  return [
    `${name} was damaged or incomplete from byte ${scan.goodLength} on. Those ${tail.length} bytes are kept as ${kept}.`,
  ];
}

async function replayInto(
  database: StoreDatabase,
  segments: readonly FoundSegment[],
  coverage: Coverage,
  imageOf = 0,
): Promise<{ readonly bytes: number; readonly damage: readonly string[] }> {
  const damage: string[] = [];
  let bytes = 0;
  for (const { name, scan, generation } of segments) {
    const covered = coverage.get(name) ?? 0;
    const steps = replay(
      database,
      scan.records.filter((record) => record.end > covered),
      generation < imageOf,
    );
    let step = steps.next();
    while (!step.done) {
      await nextTurn();
      step = steps.next();
    }
    bytes += step.value.bytes;
    damage.push(
      ...step.value.unknown.map(
        (end) => `${name} holds a record before byte ${end} that this version does not understand; it was left out.`,
      ),
    );
  }
  return { bytes, damage };
}
