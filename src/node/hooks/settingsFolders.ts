import { lstat, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SettingsFolders } from '../../app/hooks/hookPorts.ts';

export const settingsFolders: SettingsFolders = {
  isThere(folder) {
    return stat(folder).then(
      (stats) => stats.isDirectory(),
      // What can't be looked at now (a drive that sleeps) counts as there: only a certain loss is one.
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
    );
  },
  realFile,
  async missingAbove(file) {
    const missing: string[] = [];
    for (let folder = path.dirname(file); !(await isNamed(folder)); folder = path.dirname(folder)) {
      missing.push(folder);
      if (path.dirname(folder) === folder) break;
    }
    return missing;
  },
  async removeEmpty(file, folders) {
    const above = folders.filter((folder) => isAbove(folder, file));
    for (const folder of above.toSorted((one, other) => other.length - one.length)) {
      // One that holds anything is refused by the system, and so is a link.
      await rmdir(folder).catch(() => undefined);
    }
  },
};

async function realFile(file: string): Promise<string> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined) return real;
  const folder = path.dirname(file);
  return folder === file ? file : path.join(await realFile(folder), path.basename(file));
}

async function isNamed(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

function isAbove(folder: string, file: string): boolean {
  const below = path.relative(folder, file);
  return below !== '' && !below.startsWith('..') && !path.isAbsolute(below);
}
