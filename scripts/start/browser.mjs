/** Opens the extension in code-server, with a profile that lasts from one start to the next. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder } from '../lib/cacheFolder.mjs';
import { installExtension, layoutOf, prepareProfile, startCodeServer } from '../lib/codeServer.mjs';
import { findProgram } from '../lib/findProgram.mjs';
import { processStart } from '../lib/processes.mjs';

/** Only for a profile that has no settings yet; the person's own changes stay. */
const FIRST_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'security.workspace.trust.enabled': false,
  // There is no account for these in code-server.
  'chat.disableAIFeatures': true,
  // Else every start offers to open the collector's own port in the browser.
  'remote.autoForwardPorts': false,
  'telemetry.telemetryLevel': 'off',
};
/** Seconds that an extension host outlives its closed page: enough to reload it, too short to leave owners about. */
const GRACE_SECONDS = 15;

/**
 * @typedef {object} BrowserStart
 * @property {import('../lib/codeServer.mjs').CodeServerProgram} program
 * @property {string} vsix
 * @property {NodeJS.ProcessEnv} env  the person's own
 * @property {number | undefined} port
 * @property {boolean} password
 * @property {AbortSignal} signal
 */

/** @param {BrowserStart} options */
export async function openInBrowser({ program, vsix, env, port, password, signal }) {
  const profile = path.join(cacheFolder(), 'profile');
  await mkdir(profile, { recursive: true, mode: 0o700 });
  await chmod(profile, 0o700);
  await refuseSecond(profile);
  const layout = layoutOf(profile);
  await prepareProfile(layout, { settings: FIRST_SETTINGS, keep: true });
  const serverEnv = { ...withoutEditor(env), CODE_SERVER_RECONNECTION_GRACE_TIME: String(GRACE_SECONDS) };

  // Installing costs more than a second, so it is done once for each package.
  const stamp = path.join(profile, 'installed');
  const hash = createHash('sha256')
    .update(await readFile(vsix))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== hash) {
    await installExtension(program, layout, { vsix, env: serverEnv, signal });
    await writeFile(stamp, hash);
  }
  const secret = password ? await lastingPassword(profile) : undefined;
  const server = await startCodeServer(program, layout, {
    env: { ...serverEnv, ...(secret === undefined ? {} : { PASSWORD: secret }) },
    password,
    port,
    signal,
  });
  const claim = path.join(profile, 'running.json');
  await writeFile(
    claim,
    JSON.stringify({ pid: server.pid, start: processStart(server.pid ?? 0) ?? null, origin: server.origin }),
  );
  return {
    ...server,
    secret,
    async stop() {
      await server.stop();
      await rm(claim, { force: true });
    },
  };
}

/**
 * Two servers on one profile would write each other's settings and storage over.
 * @param {string} profile
 */
async function refuseSecond(profile) {
  const text = await readFile(path.join(profile, 'running.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { pid, start, origin } = JSON.parse(text);
  const running = processStart(pid);
  if (running === undefined || running !== start) return;
  throw new Error(
    `Agent Mascot is already open at ${origin}/ : use that page, or press Ctrl-C where it was started and run this again.`,
  );
}

/** @param {string} profile */
async function lastingPassword(profile) {
  const file = path.join(profile, 'password');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known;
  const made = randomBytes(12).toString('base64url');
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/**
 * Started from an editor's terminal, its variables would make code-server hand the folder to that editor instead.
 * @param {NodeJS.ProcessEnv} env
 */
function withoutEditor(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(VSCODE_|ELECTRON_|PASSWORD$|HASHED_PASSWORD$|PORT$|NODE_OPTIONS$)/.test(name),
    ),
  );
}

/**
 * Opens the default browser; false where there is none to see.
 * @param {string} url
 * @param {NodeJS.ProcessEnv} [env]
 */
export function showInBrowser(url, env = process.env) {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['explorer.exe', url]
        : ['xdg-open', url];
  if (process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  if (command === undefined || findProgram(command.replace(/\.exe$/, ''), env) === undefined) return false;
  spawn(command, args, { stdio: 'ignore', detached: true, env })
    .on('error', () => {})
    .unref();
  return true;
}
