import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { atomicWrite, renameOver } from '../files/atomicWrite.ts';
import { errorCode, removeIfThere, syncFolder, writeAll, type FileSystem } from '../files/fileSystem.ts';
import { frameImage } from './imageFile.ts';

export const IMAGE_NAME = 'agent-mascot.sqlite';
export const BACKUP_NAME = 'agent-mascot.backup.sqlite';
export const DAMAGED_FOLDER = 'damaged';

/**
 * Puts `image` in the place of the one that is there, which becomes the backup. At every instant one of the two is whole.
 * Resolves to whether a backup was made; there is none to make the first time.
 */
export async function replaceImage(
  fs: FileSystem,
  folder: string,
  image: Uint8Array,
  mayReplace: () => Promise<void>,
): Promise<boolean> {
  const current = path.join(folder, IMAGE_NAME);
  let backedUp = false;
  await atomicWrite(current, frameImage(image), {
    mode: 0o600,
    fs,
    beforeReplace: async () => {
      await mayReplace();
      backedUp = await keepAsBackup(fs, current, path.join(folder, BACKUP_NAME));
    },
  });
  return backedUp;
}

async function keepAsBackup(fs: FileSystem, current: string, backup: string): Promise<boolean> {
  const temporary = `${backup}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    if (!(await sameContent(fs, current, temporary))) return false;
    await renameOver(fs, temporary, backup);
    return true;
  } finally {
    // POSIX: renaming one name of a file over another name of it does nothing, and leaves both.
    await removeIfThere(fs, temporary).catch(() => undefined);
  }
}

async function sameContent(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    // FAT and some network file systems have no hard links; whatever else is wrong, the copy meets it again.
    await fs.link(from, to).catch(() => copyDurably(fs, from, to));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function copyDurably(fs: FileSystem, from: string, to: string): Promise<void> {
  await fs.copyFile(from, to);
  const copy = await fs.open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}

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
