import { constants, type Stats } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

const PATH_FOLDERS_MAX = 200;
const ROOT = 0;
const OTHERS_WRITE = 0o002;
const GROUP_OR_OTHERS_WRITE = 0o022;

/** A program that nobody but the person and the system's owner can have put there. */
export interface SafeProgram {
  /** Behind all links: what was looked at is what runs. */
  readonly real: string;
  /** The name it was found by, which some programs go by. */
  readonly file: string;
}

/** A relative folder means another one in each program's working folder, so none is looked in. */
export function pathFolders(env: NodeJS.ProcessEnv): readonly string[] {
  return [...new Set(absoluteFolders(env['PATH'] ?? env['Path'] ?? ''))].slice(0, PATH_FOLDERS_MAX);
}

export function absoluteFolders(list: string): readonly string[] {
  return list.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** The person's own folder: never that of a project, whose files tell some programs what to do. */
export function restingFolder(env: NodeJS.ProcessEnv): string {
  const named = env['HOME'];
  return named && path.isAbsolute(named) ? named : homedir();
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

export async function firstOnPath(names: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of pathFolders(env)) {
    for (const name of names) {
      const file = path.join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

/** Undefined: another account could have written it. Windows tells no modes. */
export async function safeProgram(file: string): Promise<SafeProgram | undefined> {
  try {
    const real = await realpath(file);
    if (process.platform === 'win32') return { real, file };
    const [own, folder] = await Promise.all([stat(real), stat(path.dirname(real))]);
    const isSafe = isOurs(own, GROUP_OR_OTHERS_WRITE) && isOurs(folder, OTHERS_WRITE);
    return isSafe ? { real, file } : undefined;
  } catch {
    return undefined;
  }
}

function isOurs({ uid, mode }: Stats, forbidden: number): boolean {
  return (uid === ROOT || uid === process.getuid?.()) && (mode & forbidden) === 0;
}
