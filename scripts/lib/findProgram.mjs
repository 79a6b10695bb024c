/** Programs on the PATH. */
import { accessSync, constants, statSync } from 'node:fs';
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
