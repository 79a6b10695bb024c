/** Programs from Debian's packages (Ubuntu has the same ones), installed with apt-get for the whole machine. */
import { findProgram } from './findProgram.mjs';
import { run } from './run.mjs';

/** @typedef {{ logFile: string, log: (line: string) => void, signal: AbortSignal | undefined }} AptOptions */

/**
 * Installs these packages; rejects when that fails, with `advice` in the error.
 * @param {readonly string[]} packages
 * @param {AptOptions & { advice: string }} options
 */
export async function aptInstall(packages, { logFile, log, signal, advice }) {
  const list = packages.join(', ');
  if (findProgram('apt-get') === undefined) throw new Error(`There is no apt-get to install ${list}. ${advice}`);
  const prefix = await rootPrefix(signal);
  if (prefix === undefined) throw new Error(`Installing ${list} needs root. ${advice}`);
  log(`apt-get install ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  /** @param {readonly string[]} args */
  const apt = async (args) => {
    const [command = '', ...rest] = [...prefix, 'apt-get', ...args];
    await run(command, rest, { env, logFile, signal, advice });
  };
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  // The lists of a fresh machine are empty; those of another may be good enough, which saves the download.
  try {
    await apt(install);
  } catch {
    signal?.throwIfAborted();
    await apt(['update']);
    await apt(install);
  }
}

/**
 * What has to stand before a command so that it runs as root; undefined when nothing does.
 * @param {AbortSignal | undefined} signal
 */
async function rootPrefix(signal) {
  if (process.getuid?.() === 0) return [];
  if (findProgram('sudo') === undefined) return undefined;
  const { code } = await run('sudo', ['-n', 'true'], { check: false, signal });
  return code === 0 ? ['sudo', '-n'] : undefined;
}
