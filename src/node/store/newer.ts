import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { NewerStoreError } from '../log/errors.ts';
import { checkImage, versionOfImage } from './imageFile.ts';
import { HEADER_BYTES, JOURNAL_FORMAT, newerFormatIn, parseSegmentName } from '../oldStore/journalFormat.ts';
import { newestFirst } from '../oldStore/imageNames.ts';
import { NEWEST_IMAGE } from '../oldStore/oldStore.ts';
import { decodeHeader, HEADER_BYTES as SEGMENT_HEADER_BYTES, LOG_FORMAT } from '../log/segmentFormat.ts';
import { LOG_FOLDER, parseSegmentName as parseLogSegment } from '../log/segmentNames.ts';

const IMAGE_HEAD_BYTES = 100;

/** STO-1: throws for a newer version's store, by reading alone, so that not even a claim is left in it. */
export async function refuseNewer(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  await refuseNewerLog(path.join(folder, LOG_FOLDER));
  for (const name of names.filter((each) => parseSegmentName(each) !== undefined)) {
    const file = path.join(folder, name);
    const format = newerFormatIn(await startOf(file, HEADER_BYTES));
    if (format !== undefined) throw new NewerStoreError(file, format, JOURNAL_FORMAT);
  }
  const known = NEWEST_IMAGE;
  for (const { name } of newestFirst(names)) {
    const file = path.join(folder, name);
    if ((versionOfImage(await startOf(file, IMAGE_HEAD_BYTES)) ?? 0) <= known) continue;
    // Rare enough to read it whole: a flipped bit is no version.
    const check = checkImage(await readFile(file));
    if (check.kind === 'readable' && check.version > known) throw new NewerStoreError(file, check.version, known);
  }
}

async function refuseNewerLog(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (parseLogSegment(name) === undefined) continue;
    const file = path.join(folder, name);
    const header = decodeHeader(await startOf(file, SEGMENT_HEADER_BYTES));
    if (typeof header === 'object' && 'newerFormat' in header)
      throw new NewerStoreError(file, header.newerFormat, LOG_FORMAT);
  }
}

/** Empty where it can't be read; opening tells why. */
async function startOf(file: string, bytes: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await handle.close();
  }
}
