import path from 'node:path';
import type { SessionRow } from '../../app/ports.ts';
import { writeDurably } from '../files/atomicWrite.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { openDatabase, type Sqlite, type StoreDatabase } from './database.ts';
import { checkImage, frameImage } from './imageFile.ts';
import { HEADER_BYTES, parseSegmentName, scanRecords } from './journalFormat.ts';
import { replay } from './replay.ts';
import { parseImageName } from './storeFiles.ts';

/** All that a new image is made of, so that it can be made where nobody waits for it. */
export interface CompactJob {
  readonly folder: string;
  /** Name of the image in place. */
  readonly base: string | undefined;
  readonly segments: readonly {
    readonly name: string;
    /** Up to here the image in place has it. */
    readonly from: number;
    /** Up to here the new one has to have it. */
    readonly to: number;
  }[];
  /** Saved since the image in place. */
  readonly sessions: readonly SessionRow[];
  /** Whose rows are older than their events. */
  readonly unreduced: readonly string[];
  readonly coverage: readonly (readonly [segment: string, length: number])[];
  /** How many events there must be in the end. */
  readonly events: number;
  /** Whatever was taken away is to be in no byte of it. */
  readonly anew?: boolean | undefined;
  /** A new file that gets the image. */
  readonly target: string;
}

/** Gives the bytes of the new image once it is on the disk. Rejects when the parts don't add up to the whole. */
export type Compact = (job: CompactJob) => Promise<number>;

/** The image was made, and the disk did not take it. */
export class NotWrittenError extends Error {
  override readonly name = 'NotWrittenError';
}

/** Pages that hold nothing any more are given back once they are this part of the image. */
const EMPTY_SHARE = 1 / 4;

/** After an upgrade the next images take in what the rows of the version before lack: about a second's work each. */
const STAMPED_AT_ONCE = 10_000;

/** The same as what the live database holds, made from what is on the disk: the image, and the journal behind it. */
export async function compactImage(fs: FileSystem, sqlite: Sqlite, job: CompactJob): Promise<number> {
  const base = job.base === undefined ? undefined : await fs.readFile(path.join(job.folder, job.base));
  const database = openDatabase(sqlite, imageOf(base));
  try {
    const generation = (job.base === undefined ? undefined : parseImageName(job.base))?.generation ?? 0;
    for (const segment of job.segments) await takeSegment(fs, database, job.folder, segment, generation);
    database.stampMissing(STAMPED_AT_ONCE);
    database.saveSessions(job.sessions);
    database.setUnreduced(job.unreduced);
    const events = database.eventCount();
    if (events !== job.events) throw new Error(`the image would have ${events} events instead of ${job.events}`);
    const { used, size } = database.space();
    if (job.anew || size - used > size * EMPTY_SHARE) database.vacuum();
    const image = database.exportImage(new Map(job.coverage));
    await writeDurably(fs, job.target, frameImage(image), 0o600).catch((error: unknown) => {
      throw new NotWrittenError(String(error));
    });
    return image.length;
  } finally {
    database.close();
  }
}

async function takeSegment(
  fs: FileSystem,
  database: StoreDatabase,
  folder: string,
  { name, from, to }: CompactJob['segments'][number],
  imageOf: number,
): Promise<void> {
  const bytes = Buffer.from(await fs.readFile(path.join(folder, name))).subarray(0, to);
  const start = Math.max(from, HEADER_BYTES);
  const found = scanRecords(bytes, start);
  if ((found.at(-1)?.end ?? start) !== Math.max(to, start)) throw new Error(`${name} is not what was written`);
  const isLate = (parseSegmentName(name)?.generation ?? 0) < imageOf;
  for (const _turn of replay(database, found, isLate)) continue;
}

function imageOf(bytes: Uint8Array | undefined): Parameters<typeof openDatabase>[1] {
  if (!bytes) return undefined;
  const check = checkImage(bytes);
  if (check.kind === 'damaged') throw new Error(`the image in place is damaged: ${check.because}`);
  return { bytes: check.image, verified: check.verified };
}
