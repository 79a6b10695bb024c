#!/usr/bin/env node
/** npm start: builds Agent Mascot and opens it in an editor of this machine or in the browser. `--help` lists the options. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { ensureTools } from './install-tools.mjs';
import { buildBundles, isVsixFresh, packVsix, vsixFile } from './lib/buildVsix.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { EDITORS, findEditor } from './lib/findProgram.mjs';
import { interruptSignal } from './lib/interrupt.mjs';
import { createProgress } from './lib/progress.mjs';
import { personEnv, toolNode } from './lib/toolNode.mjs';
import { UsageError } from './lib/usageError.mjs';
import { helpText, parseStart, USAGE } from './start/arguments.mjs';
import { openInBrowser, showInBrowser } from './start/browser.mjs';
import { openInEditor } from './start/editor.mjs';
import { chooseRecording, collectorReady, LINGER_MS, mascotHome } from './start/play.mjs';
import { playRecording, recordings } from './playRecording.mjs';

/**
 * @typedef {import('./start/arguments.mjs').StartOptions} StartOptions
 * @typedef {object} Start
 * @property {StartOptions} options
 * @property {string | undefined} recording  the file to play
 * @property {string} folder
 * @property {NodeJS.ProcessEnv} env
 * @property {AbortSignal} signal
 * @property {import('./lib/progress.mjs').Progress} progress
 * @property {number} since
 */

const root = path.join(import.meta.dirname, '..');
/** With a page open the collector starts within seconds; without one nobody knows when. */
const HEADLESS_LIMIT_MS = 60_000;

/** @param {Start} start */
async function prepare({ signal, progress }) {
  await progress.step('dependencies', () => ensureDependencies({ root, log: progress.line, signal }));
  if (await isVsixFresh(root)) {
    progress.line('- build: agent-mascot.vsix is newer than all sources');
    return vsixFile(root);
  }
  await progress.step('build', () => buildBundles({ root, signal }));
  return progress.step('package', () => packVsix({ root, signal }));
}

/**
 * @param {Start} start
 * @param {string} vsix
 * @param {{ name: string, file: string }} editor
 */
async function inEditor(start, vsix, editor) {
  const { options, folder, env, signal, progress } = start;
  await progress.step(`open in ${editor.name}`, () => openInEditor({ editor, vsix, folder, env, signal }));
  progress.line(`Agent Mascot is open in ${editor.name}: the mascot icon in the activity bar shows your agents.`);
  if (options.play) await play(start, Infinity);
}

/**
 * @param {Start} start
 * @param {string} vsix
 */
async function inBrowser(start, vsix) {
  const { options, folder, env, signal, progress } = start;
  const { codeServer, unavailable } = await progress.step('tools', () =>
    ensureTools({ need: options.headless ? ['code-server', 'chromium'] : ['code-server'], log: progress.line, signal }),
  );
  if (codeServer === undefined) {
    throw new Error(
      `${unavailable[0]?.reason}.\nInstall VS Code (or ${EDITORS.slice(2).join(', ')}), put its command on the PATH, and run npm start.`,
    );
  }
  const server = await progress.step('server', () =>
    openInBrowser({ program: codeServer, vsix, env, port: options.port, folder, throwAway: options.headless, signal }),
  );
  try {
    progress.line(`\nAgent Mascot is open at ${server.address}`);
    progress.line('The key in it lets in whoever has it: keep it to yourself. Ctrl-C stops it.\n');
    if (options.headless) await inHeadless({ ...start, env: server.env }, server);
    else {
      const shown = options.open && showInBrowser(server.addressOnce, env);
      if (options.play && !shown) progress.line('The mascots start with the first page: open the address above.');
      if (options.play) await play(start, Infinity);
      await untilStopped(signal, server);
    }
  } finally {
    await server.stop();
    progress.line('Stopped.');
  }
}

/**
 * @param {Start} start
 * @param {{ address: string, exited: Promise<unknown>, logFile: string }} server
 */
async function inHeadless(start, server) {
  const { options, signal, progress, since } = start;
  // Only now: it needs packages that may just have been installed.
  const { openHeadless } = await import('./start/headless.mjs');
  const view = await progress.step('page', () => openHeadless(server.address));
  const playing = new AbortController();
  try {
    const played = options.play
      ? play({ ...start, signal: AbortSignal.any([signal, playing.signal]) }, HEADLESS_LIMIT_MS)
      : Promise.resolve();
    // Whichever fails first says why; a play that ended well is no reason to stop waiting.
    await Promise.race([
      view.seen({ mascot: options.play }),
      played.then(() => new Promise(() => {})),
      aborted(signal),
    ]);
    const what = options.play ? 'The first mascot' : 'The panel';
    progress.line(
      `${what} is on screen ${((performance.now() - since) / 1000).toFixed(1)} s after the start of this command.`,
    );
    if (options.screenshot === undefined) {
      await played;
      await untilStopped(signal, server);
      return;
    }
    await view.screenshot(options.screenshot);
    progress.line(`Picture: ${options.screenshot}`);
    playing.abort();
    await played.catch(() => {});
  } finally {
    playing.abort();
    await view.close();
  }
}

/**
 * @param {Start} start
 * @param {number} limitMs
 */
async function play({ options, recording, folder, env, signal, progress }, limitMs) {
  if (recording === undefined) return;
  const home = mascotHome(env);
  await progress.step('collector', () => collectorReady({ home, limitMs, signal }));
  const { node } = toolNode(root);
  const forwarder = path.join(root, 'dist', 'forwarder', 'forward-to-mascot.mjs');
  const { speed } = options;
  await progress.step(
    'play',
    async (note) => {
      try {
        const where = { forwarder, node, env, cwd: folder };
        const { played, failed } = await playRecording({
          file: recording,
          speed,
          ...where,
          lingerMs: LINGER_MS,
          log: progress.line,
          signal,
        });
        if (failed.length === 0) return;
        throw new Error(`${failed.length} of ${played} events did not reach the collector; the lines above say why.`);
      } catch (error) {
        if (!signal.aborted) throw error;
        note('stopped');
      }
    },
    { streams: true },
  );
}

/**
 * @param {AbortSignal} signal
 * @param {{ exited: Promise<unknown>, logFile: string }} server
 */
async function untilStopped(signal, { exited, logFile }) {
  const ended = exited.then(() => {
    if (!signal.aborted) throw new Error(`code-server ended by itself. Run npm start again; its log is ${logFile}.`);
  });
  await Promise.race([ended, aborted(signal).catch(() => {})]);
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function main() {
  const since = performance.now();
  const options = parseStart(process.argv.slice(2));
  if (options.help) {
    console.log(helpText(await recordings()));
    return;
  }
  // npm changes to the project's folder; where it was called is in INIT_CWD.
  const calledIn = process.env.INIT_CWD ?? process.cwd();
  const folder = path.resolve(calledIn, options.folder ?? '.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${folder} is not a folder`);
  const screenshot = options.screenshot === undefined ? undefined : path.resolve(calledIn, options.screenshot);
  const recording = options.play ? chooseRecording(options.recording, await recordings(), calledIn) : undefined;
  const signal = interruptSignal();
  /** @type {Start} */
  const start = {
    options: { ...options, screenshot },
    recording,
    folder,
    env: personEnv(),
    signal,
    progress: createProgress(),
    since,
  };
  const vsix = await prepare(start);
  const editor = options.browser ? undefined : findEditor(start.env);
  try {
    if (editor === undefined) await inBrowser(start, vsix);
    else await inEditor(start, vsix, editor);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

process.exitCode = await main().then(
  () => 0,
  (error) => {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof UsageError) console.error(`\n${USAGE}`);
    return error instanceof UsageError ? 2 : 1;
  },
);
