import path from 'node:path';
import { renameOver } from '../files/atomicWrite.ts';
import { syncFolder, writeAll, type FileSystem } from '../files/fileSystem.ts';

/** Damaged files of the log, and of a store of an earlier release, are kept here until the person deletes them. */
export const DAMAGED_FOLDER = 'damaged';

/** Moves a file out of the way, whole. Resolves to where it is now. */
export async function setFileAside(fs: FileSystem, folder: string, name: string): Promise<string> {
  const target = await freeDamagedName(fs, folder, name);
  await renameOver(fs, path.join(folder, name), target);
  return target;
}

/** Keeps a copy of bytes that are about to be cut. */
export async function setBytesAside(fs: FileSystem, folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const target = await freeDamagedName(fs, folder, name);
  const file = await fs.open(target, 'wx', 0o600);
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(fs, path.dirname(target));
  return target;
}

async function freeDamagedName(fs: FileSystem, folder: string, name: string): Promise<string> {
  const damaged = path.join(folder, DAMAGED_FOLDER);
  await fs.mkdir(damaged, 0o700);
  const taken = new Set(await fs.readdir(damaged));
  let candidate = name;
  for (let count = 2; taken.has(candidate); count++) candidate = `${name}.${count}`;
  return path.join(damaged, candidate);
}
