import type { Dirent } from 'node:fs';
import type { Disk } from './disk.ts';
import { unlessSetAside } from './gate.ts';
import { closeQuietly } from './gatedDisk.ts';

/** Names that are wanted, at most so many; none for a folder that is not there or not ours to read. */
export async function entryNames(
  disk: Disk,
  folder: string,
  most: number,
  wants: (entry: Dirent) => boolean,
): Promise<readonly string[]> {
  const opened = await disk.opendir(folder).catch(unlessSetAside);
  if (!opened) return [];
  const names: string[] = [];
  try {
    while (names.length < most) {
      const entries = await opened.read();
      if (entries.length === 0) break;
      for (const entry of entries) if (wants(entry)) names.push(entry.name);
    }
  } catch (error) {
    // What was read so far is as much as there is.
    unlessSetAside(error);
  } finally {
    closeQuietly(opened);
  }
  return names.slice(0, most);
}
