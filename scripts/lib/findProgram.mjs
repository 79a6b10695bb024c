/** Programs on the PATH. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Editors that can install the extension, in the order of preference. */
export const EDITORS = ['code', 'code-insiders', 'codium', 'cursor', 'windsurf'];

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} its path
 */
export function findProgram(name, env = process.env) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of (env.PATH ?? env.Path ?? '').split(path.delimiter).filter((part) => path.isAbsolute(part))) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

/**
 * Finds a server's program, also in folders of Debian that are not on every user's PATH.
 * @param {string} name
 */
export function findServer(name) {
  return findProgram(name) ?? [`/usr/sbin/${name}`].find(isProgram);
}

/**
 * The folder with PostgreSQL's server programs; Debian keeps one for each version, beside the PATH.
 * @returns {string | undefined}
 */
export function postgresFolder() {
  const onPath = findProgram('postgres');
  if (onPath !== undefined && isProgram(path.join(path.dirname(onPath), 'initdb'))) return path.dirname(onPath);
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return undefined;
  return readdirSync(versions)
    .map((version) => path.join(versions, version, 'bin'))
    .find((folder) => ['postgres', 'initdb'].every((name) => isProgram(path.join(folder, name))));
}

/** @param {NodeJS.ProcessEnv} [env] */
export function findEditor(env = process.env) {
  for (const name of EDITORS) {
    const file = findProgram(name, env);
    if (file !== undefined) return { name, file };
  }
  return undefined;
}

/** @param {string} file */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
