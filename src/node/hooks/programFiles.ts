import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { ourTrust, stepsTo, untrustedStep } from '../../../forwarder/trustedPath.ts';

const PATH_FOLDERS_MAX = 200;

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

/**
 * Undefined: another account could have written it, or turned a step of the way there. Not of the way by links, for what lies
 * behind them is what runs. Windows tells no modes.
 */
export async function safeProgram(file: string): Promise<SafeProgram | undefined> {
  try {
    const real = await realpath(file);
    if (process.platform === 'win32') return { real, file };
    const steps = stepsTo(real);
    return steps !== undefined && untrustedStep(steps, ourTrust()) === undefined ? { real, file } : undefined;
  } catch {
    return undefined;
  }
}
