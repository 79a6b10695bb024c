/** Installs the project's dependencies when they are missing or not those of the lock file. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm } from './npm.mjs';

const STAMP = path.join('node_modules', '.agent-mascot-lock');

/**
 * @typedef {Record<string, { version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean, link?: boolean }>} LockedPackages
 */

/**
 * @param {{ root: string, log: (line: string) => void, signal?: AbortSignal | undefined }} options
 * @returns {Promise<boolean>} whether anything had to be installed
 */
export async function ensureDependencies({ root, log, signal }) {
  const lock = await readFile(path.join(root, 'package-lock.json'), 'utf8').catch(() => {
    throw new Error(`package-lock.json is missing in ${root}: check out the whole project, or run "npm install" once.`);
  });
  const wanted = createHash('sha256').update(`${process.platform}-${process.arch}\n${lock}`).digest('hex');
  const stamp = path.join(root, STAMP);
  if ((await readFile(stamp, 'utf8').catch(() => '')).trim() === wanted) return false;

  // npm writes this file last, so that it is missing after an install that was cut off.
  const installed = await readFile(path.join(root, 'node_modules', '.package-lock.json'), 'utf8').catch(
    () => undefined,
  );
  const fits =
    installed !== undefined && holdsAll(JSON.parse(installed).packages ?? {}, JSON.parse(lock).packages ?? {});
  if (!fits) {
    const why = installed === undefined ? '' : 'package-lock.json has changed: ';
    log(`${why}installing the packages (npm ci)…`);
    // Not on the project's own Node: npm is about to replace it.
    await npm(['ci', '--no-audit', '--no-fund'], {
      cwd: root,
      signal,
      advice:
        'npm could not install the dependencies. Check the network (or npm\'s registry and proxy settings), then run "npm ci".',
    });
  }
  await writeFile(stamp, `${wanted}\n`);
  return !fits;
}

/**
 * @param {LockedPackages} installed
 * @param {LockedPackages} locked
 */
export function holdsAll(installed, locked) {
  return Object.entries(locked).every(([where, { version, optional, devOptional, peer, link }]) => {
    if (where === '' || link) return true;
    const here = installed[where];
    return here ? here.version === version : Boolean(optional || devOptional || peer);
  });
}
