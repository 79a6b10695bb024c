/** Chromium for the tests of the user interface: the machine's own, or Debian's package. */
import path from 'node:path';
import { aptInstall } from './debian.mjs';
import { findProgram, isProgram } from './findProgram.mjs';

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
 * @param {import('./debian.mjs').AptOptions} options
 * @returns {Promise<string>} the program
 */
export async function installChromium(options) {
  await aptInstall(['chromium'], { ...options, advice: CHROMIUM_ADVICE });
  const file = findChromium();
  if (file === undefined) throw new Error(`apt-get installed chromium, but it is not on the PATH. ${CHROMIUM_ADVICE}`);
  return file;
}
