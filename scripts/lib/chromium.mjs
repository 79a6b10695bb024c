/** Chromium for the tests of the user interface: the machine's own, or Debian's package. */
import path from 'node:path';
import { findProgram, isProgram } from './findProgram.mjs';
import { run } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'];
const USUAL_PLACES = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) =>
    [path.join('Google', 'Chrome'), path.join('Microsoft', 'Edge')].map((product) =>
      path.join(
        process.env[name] ?? '',
        product,
        'Application',
        product.endsWith('Edge') ? 'msedge.exe' : 'chrome.exe',
      ),
    ),
  ),
};

export const CHROMIUM_ADVICE =
  'Install Chromium or Chrome (Debian and Ubuntu: "sudo apt-get install chromium"), or name one in CHROMIUM_PATH.';

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function findChromium(env = process.env) {
  const named = env.CHROMIUM_PATH;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, which is not a program. Correct it or unset it.`);
  }
  for (const name of NAMES) {
    const file = findProgram(name, env);
    if (file !== undefined) return file;
  }
  return (USUAL_PLACES[/** @type {'darwin' | 'win32'} */ (process.platform)] ?? []).find(isProgram);
}

/**
 * @param {{ logFile: string, log: (line: string) => void, signal: AbortSignal | undefined }} options
 * @returns {Promise<string>}
 */
export async function installChromium({ logFile, log, signal }) {
  if (findProgram('apt-get') === undefined) throw new Error(`No Chromium was found. ${CHROMIUM_ADVICE}`);
  const prefix = await rootPrefix(signal);
  if (prefix === undefined) throw new Error(`No Chromium was found, and installing it needs root. ${CHROMIUM_ADVICE}`);
  log('chromium: apt-get install chromium');
  /** @param {readonly string[]} commandLine */
  const apt = ([command = '', ...rest]) =>
    run(command, rest, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      logFile,
      signal,
      advice: CHROMIUM_ADVICE,
    });
  const install = [...prefix, 'apt-get', 'install', '-y', '--no-install-recommends', 'chromium'];
  // The lists of a fresh machine are empty; those of another may be good enough, which saves the download.
  try {
    await apt(install);
  } catch {
    signal?.throwIfAborted();
    await apt([...prefix, 'apt-get', 'update']);
    await apt(install);
  }
  const file = findChromium();
  if (file === undefined) throw new Error(`apt-get installed chromium, but it is not on the PATH. ${CHROMIUM_ADVICE}`);
  return file;
}

/** @param {AbortSignal | undefined} signal */
async function rootPrefix(signal) {
  if (process.getuid?.() === 0) return [];
  if (findProgram('sudo') === undefined) return undefined;
  const { code } = await run('sudo', ['-n', 'true'], { check: false, signal });
  return code === 0 ? ['sudo', '-n'] : undefined;
}
