import { errorCode } from '../files/fileSystem.ts';
import type { SpoolDisk } from './spoolDisk.ts';
import type { SpoolFile } from './spoolFiles.ts';

/** Once may have been anything that ended the process; who comes third would only be stopped by it as well. */
const BEGUN_MAX = 2;

const mark = /\.begun-(\d)(?=\.(?:hook|json)$)/;

/** A name without what tells how often it was begun: the event is the same. */
export function unbegun(name: string): string {
  return name.replace(mark, '');
}

/** Whether those who began it did not get to its end, so that nobody should begin it whole. */
export function isGivenUp(name: string): boolean {
  return timesBegun(name) >= BEGUN_MAX;
}

function timesBegun(name: string): number {
  return Number(mark.exec(name)?.[1] ?? 0);
}

/**
 * Told on the disk before the work, for what holds up its owner can tell nothing afterwards, and the next one takes up the same
 * file. Undefined: it is gone.
 */
export async function begin(disk: SpoolDisk, file: SpoolFile): Promise<SpoolFile | undefined> {
  const times = timesBegun(file.name) + 1;
  return renamed(disk, file, unbegun(file.name).replace(/(?=\.(?:hook|json)$)/, `.begun-${times}`));
}

/** It was not the work that failed. */
export async function takeBack(disk: SpoolDisk, file: SpoolFile): Promise<void> {
  if (timesBegun(file.name) > 0) await renamed(disk, file, unbegun(file.name));
}

/** Where nothing can be renamed nothing can be removed either: it is gone on with as it is called. */
async function renamed(disk: SpoolDisk, file: SpoolFile, name: string): Promise<SpoolFile | undefined> {
  const path = `${file.path.slice(0, -file.name.length)}${name}`;
  try {
    await disk.rename(file.path, path);
    return { ...file, name, path };
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : file;
  }
}
