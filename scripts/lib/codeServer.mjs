/** VS Code's server (code-server) as a child process on 127.0.0.1. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './freePort.mjs';
import { killTree } from './killTree.mjs';
import { run } from './run.mjs';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5000;

/**
 * @typedef {{ node: string, entry: string }} CodeServerProgram
 * @typedef {object} Layout  one profile: settings, extensions and the server's own configuration below one folder
 * @property {string} userData
 * @property {string} extensions
 * @property {string} config
 * @property {string} logFile
 * @property {string} settingsFile
 */

/**
 * @param {string} folder
 * @returns {Layout}
 */
export function layoutOf(folder) {
  // Short names on purpose: the server puts unix sockets below them, whose paths end at 107 bytes.
  const userData = path.join(folder, 'ud');
  return {
    userData,
    extensions: path.join(folder, 'ext'),
    config: path.join(folder, 'config.yaml'),
    logFile: path.join(folder, 'server.log'),
    settingsFile: path.join(userData, 'User', 'settings.json'),
  };
}

/**
 * @param {Layout} layout
 * @param {{ settings: Record<string, unknown>, keep?: boolean }} options  keep: settings that are there stay as they are
 */
export async function prepareProfile({ config, settingsFile }, { settings, keep = false }) {
  await mkdir(path.dirname(settingsFile), { recursive: true });
  // A configuration of its own: the one in the person's home may turn on a password, TLS or another port.
  await writeFile(config, 'cert: false\n');
  await writeFile(settingsFile, `${JSON.stringify(settings, null, 2)}\n`, { flag: keep ? 'wx' : 'w' }).catch(
    (error) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

/**
 * @param {CodeServerProgram} program
 * @param {Layout} layout
 * @param {{ vsix: string, env: NodeJS.ProcessEnv, signal?: AbortSignal | undefined }} options
 */
export async function installExtension({ node, entry }, layout, { vsix, env, signal }) {
  await run(node, [entry, ...profileArguments(layout), '--install-extension', path.resolve(vsix), '--force'], {
    label: `installing ${path.basename(vsix)} into code-server`,
    env,
    signal,
    advice: 'Build the package anew ("npm run package") and try again.',
  });
}

/**
 * @param {CodeServerProgram} program
 * @param {Layout} layout
 * @param {{ env: NodeJS.ProcessEnv, args?: readonly string[], password?: boolean, port?: number | undefined, signal?: AbortSignal | undefined }} options
 *   password: the sign-in page guards it, with the one in the environment's PASSWORD
 */
export async function startCodeServer({ node, entry }, layout, { env, args = [], password = false, port, signal }) {
  signal?.throwIfAborted();
  const chosen = port ?? (await freePort());
  const child = spawn(
    node,
    [
      entry,
      ...profileArguments(layout),
      ...['--auth', password ? 'password' : 'none', '--bind-addr', `127.0.0.1:${chosen}`],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      ...args,
    ],
    { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = createWriteStream(layout.logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exited = new Promise((resolve) => child.once('close', resolve));
  const killAtExit = () => killTree(child.pid, 'SIGKILL');
  process.once('exit', killAtExit);

  const origin = `http://127.0.0.1:${chosen}`;
  const stop = async () => {
    killTree(child.pid, 'SIGTERM');
    await Promise.race([exited, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    // The server's own end leaves extension hosts behind for a while; the group goes with it.
    killTree(child.pid, 'SIGKILL');
    process.off('exit', killAtExit);
    log.end();
  };
  try {
    await answers(`${origin}/healthz`, child, layout.logFile, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, port: chosen, pid: child.pid, exited, stop };
}

/**
 * @param {string} address
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} logFile
 * @param {AbortSignal | undefined} signal
 */
async function answers(address, child, logFile, signal) {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(
        `code-server ended at its start. Read ${logFile}; when its files are damaged, run "node scripts/install-tools.mjs" after removing its folder from the cache.`,
      );
    }
    if (performance.now() > deadline)
      throw new Error(`code-server did not answer within ${START_LIMIT_MS / 1000} s. Read ${logFile}.`);
    if (
      await fetch(address).then(
        (reply) => reply.ok,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
}

/** @param {Layout} layout */
function profileArguments({ config, userData, extensions }) {
  return ['--config', config, '--user-data-dir', userData, '--extensions-dir', extensions];
}
