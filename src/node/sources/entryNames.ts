import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Names that are wanted, at most so many; none for a folder that is not there or not ours to read. */
export async function entryNames(
  folder: string,
  most: number,
  wants: (entry: Dirent) => boolean,
): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (wants(entry)) names.push(entry.name);
      if (names.length >= most) break;
    }
  } catch {
    // What was read so far is as much as there is.
  }
  return names;
}
