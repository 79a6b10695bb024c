/** Opens the extension in code-server behind the guard, with a profile that lasts from one start to the next, or a throw-away one. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheFolder } from '../lib/cacheFolder.mjs';
import { installExtension, layoutOf, prepareProfile, startCodeServer } from '../lib/codeServer.mjs';
import { findProgram } from '../lib/findProgram.mjs';
import { freePort } from '../lib/freePort.mjs';
import { processStart } from '../lib/processes.mjs';
import { LOOPBACK } from './admission.mjs';
import { startGuard } from './guard.mjs';

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
/** Linux ends a socket's path at 107 bytes, macOS at 103. */
const SOCKET_PATH_MAX = 103;

/**
 * @typedef {object} BrowserStart
 * @property {import('../lib/codeServer.mjs').CodeServerProgram} program
 * @property {string} vsix
 * @property {NodeJS.ProcessEnv} env  the person's own
 * @property {number | undefined} port
 * @property {string} folder  what the address opens
 * @property {boolean} throwAway  a profile of its own, which has seen no sessions and is gone at the end
 * @property {AbortSignal} signal
 */

/** @param {BrowserStart} options */
export async function openInBrowser(options) {
  const profile = await profileFor(options);
  try {
    return await serve(profile, { ...options, env: { ...options.env, ...profile.homes } });
  } catch (error) {
    // What went wrong names the log in it.
    if (options.signal.aborted) await profile.remove();
    throw error;
  }
}

/**
 * @typedef {object} Profile
 * @property {string} folder
 * @property {Record<string, string>} homes  variables that keep a throw-away profile apart from the person's own agents
 * @property {() => Promise<void>} remove
 */

/**
 * @param {{ throwAway: boolean }} how
 * @param {string} [cache]
 * @returns {Promise<Profile>}
 */
export async function profileFor({ throwAway }, cache = cacheFolder()) {
  if (throwAway) {
    const folder = await mkdtemp(path.join(tmpdir(), 'am-'));
    const homes = {
      AGENT_MASCOT_HOME: path.join(folder, 'home'),
      CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
      CODEX_HOME: path.join(folder, 'codex'),
    };
    // An extension host that was just ended may still be writing.
    const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    return { folder, homes, remove };
  }
  const folder = path.join(cache, 'profile');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await refuseSecond(folder);
  return { folder, homes: {}, remove: async () => {} };
}

/**
 * @param {Profile} given
 * @param {BrowserStart} options
 */
async function serve({ folder: profile, remove: removeProfile }, { program, vsix, env, port, folder, signal }) {
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
  const socket = await privateSocket(profile);
  const upstream = socket === undefined ? { host: LOOPBACK, port: await freePort() } : { socketPath: socket.file };
  const guard = await startGuard({ upstream, port });
  const claim = path.join(profile, 'running.json');
  try {
    const server = await startCodeServer(program, layout, {
      env: serverEnv,
      // Its start is over when it answers on this port: behind a socket that is asked through the guard.
      port: 'port' in upstream ? upstream.port : guard.port,
      args: socket === undefined ? [] : ['--socket', socket.file, '--socket-mode', '600'],
      signal,
    });
    guard.open();
    const address = guard.address({ folder });
    const owner = { pid: server.pid, start: processStart(server.pid ?? 0) ?? null, address };
    await writeFile(claim, JSON.stringify(owner), { mode: 0o600 });
    let stopping = false;
    let endedByItself = false;
    void server.exited.then(() => (endedByItself = !stopping));
    return {
      address,
      /** For a command line, which every account of the machine can read. */
      addressOnce: () => guard.address({ folder }, { once: true }),
      exited: server.exited,
      /** For what is to reach the collector of this server. */
      env,
      logFile: layout.logFile,
      async stop() {
        stopping = true;
        await guard.stop();
        await server.stop();
        await socket?.remove();
        await rm(claim, { force: true });
        // Its log says why.
        if (!endedByItself) await removeProfile();
      },
    };
  } catch (error) {
    await guard.stop();
    await socket?.remove();
    throw error;
  }
}

/**
 * A path for a socket where no other account can reach it; undefined where there are none.
 * @param {string} profile
 */
export async function privateSocket(profile, platform = process.platform) {
  if (platform === 'win32') return undefined;
  const near = path.join(profile, 'cs.sock');
  if (Buffer.byteLength(near) <= SOCKET_PATH_MAX) return { file: near, remove: () => rm(near, { force: true }) };
  const short = Buffer.byteLength(tmpdir()) < SOCKET_PATH_MAX / 2 ? tmpdir() : '/tmp';
  const made = await mkdtemp(path.join(short, 'am-'));
  return { file: path.join(made, 'cs.sock'), remove: () => rm(made, { recursive: true, force: true }) };
}

/**
 * Two servers on one profile would write each other's settings and storage over.
 * @param {string} profile
 */
async function refuseSecond(profile) {
  const text = await readFile(path.join(profile, 'running.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { pid, start, address } = JSON.parse(text);
  const running = processStart(pid);
  if (running === undefined || running !== start) return;
  throw new Error(
    `Agent Mascot is already open at ${address}\nUse that page, or press Ctrl-C where it was started and run this again.`,
  );
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
 * @param {() => string} address
 * @param {NodeJS.ProcessEnv} [env]
 */
export function showInBrowser(address, env = process.env) {
  const command = { darwin: 'open', win32: 'explorer' }[String(process.platform)] ?? 'xdg-open';
  if (process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const program = findProgram(command, env);
  if (program === undefined) return false;
  spawn(program, [address()], { stdio: 'ignore', detached: true, env })
    .on('error', () => {})
    .unref();
  return true;
}
