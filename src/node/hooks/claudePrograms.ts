import { constants } from 'node:fs';
import { access, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathFolders, safeProgram } from './programFiles.ts';
import { outputOf } from './runProgram.ts';

export interface FoundProgram {
  readonly file: string;
  readonly version?: string;
}

const PACKAGE = '@anthropic-ai/claude-code';
const ENTRIES_MAX = 500;
const LEVELS_UP_MAX = 4;
const RUNS_MAX = 8;
const RUN_LIMIT_MS = 2_000;
const PACKAGE_MAX_BYTES = 64 * 1024;

/** Folders of these programs that tell the version in their name. */
const versionInPath = [
  /[\\/]claude[\\/]versions[\\/](\d+\.\d+\.\d+)/,
  /[\\/]anthropic\.claude-code-(\d+\.\d+\.\d+)/,
  /[\\/]Caskroom[\\/]claude-code[^\\/]*[\\/](\d+\.\d+\.\d+)/,
];

/**
 * HKI-7: every Claude Code of this machine that may read the person's settings, whichever they start: what one of them can't
 * take must not be in there. Nothing is run unless neither a path nor a package tells the version.
 */
export async function findClaudePrograms(
  env: NodeJS.ProcessEnv,
  person: string = env['HOME'] || homedir(),
): Promise<readonly FoundProgram[]> {
  const candidates = await Promise.all([
    onPath(env),
    ownPlaces(env, person),
    npmPlaces(env, person),
    editorExtensions(person),
  ]);
  const programs = new Map<string, string>();
  for (const { file, real } of (await Promise.all(candidates.flat().map(resolved))).flat()) {
    if (!programs.has(real)) programs.set(real, file);
  }
  let runs = 0;
  return Promise.all(
    [...programs].map(async ([real, file]): Promise<FoundProgram> => {
      const told = toldByPath(real) ?? toldByPath(file) ?? (await toldByPackage(real));
      const version = told ?? (runs++ < RUNS_MAX ? await toldByItself(file, env) : undefined);
      return version === undefined ? { file } : { file, version };
    }),
  );
}

async function resolved(file: string): Promise<readonly { readonly file: string; readonly real: string }[]> {
  try {
    const real = await realpath(file);
    // An editor hands these to a Node of its own.
    if (!/\.js(?:on)?$/.test(real)) await access(real, constants.X_OK);
    return (await stat(real)).isFile() ? [{ file, real }] : [];
  } catch {
    return [];
  }
}

const names = process.platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude'];

function inFolder(folder: string): readonly string[] {
  return names.map((name) => path.join(folder, name));
}

function onPath(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return Promise.resolve(pathFolders(env).flatMap(inFolder));
}

/** Of the native installer, of the older local one, and of Homebrew, whether or not the PATH of this process has them. */
async function ownPlaces(env: NodeJS.ProcessEnv, person: string): Promise<readonly string[]> {
  const versions = path.join(env['XDG_DATA_HOME'] || path.join(person, '.local', 'share'), 'claude', 'versions');
  const installed = (await entries(versions)).map((name) => path.join(versions, name));
  const folders = [
    path.join(person, '.local', 'bin'),
    path.join(person, '.claude', 'bin'),
    path.join(person, 'bin'),
    '/usr/local/bin',
    '/opt/homebrew/bin',
    '/home/linuxbrew/.linuxbrew/bin',
  ];
  // `~/.claude/local/claude` is a script that starts what is in the package beside it.
  const local = path.join(person, '.claude', 'local', 'node_modules', '.bin');
  const beside = (await entries(local)).length > 0 ? local : path.join(person, '.claude', 'local');
  return [...installed, ...[...folders, beside].flatMap(inFolder)];
}

/** Global packages of each Node that can be found; only one of them is on the PATH at a time. */
async function npmPlaces(env: NodeJS.ProcessEnv, person: string): Promise<readonly string[]> {
  const beside = [...pathFolders(env), path.dirname(process.execPath)].map((folder) => path.dirname(folder));
  const nvm = path.join(env['NVM_DIR'] || path.join(person, '.nvm'), 'versions', 'node');
  const versions = (await entries(nvm)).map((name) => path.join(nvm, name));
  const prefixes = [
    ...beside,
    ...versions,
    path.join(person, '.npm-global'),
    path.join(person, '.npm-packages'),
    '/usr/local',
  ];
  const folders = prefixes.map((prefix) => path.join(prefix, 'lib', 'node_modules'));
  const roaming = env['APPDATA'] ? [path.join(env['APPDATA'], 'npm', 'node_modules')] : [];
  const packages = [...new Set([...folders, ...roaming])].map((folder) => path.join(folder, PACKAGE));
  const found = await Promise.all(packages.map(binOf));
  return found.flat();
}

async function binOf(folder: string): Promise<readonly string[]> {
  const { bin } = (await packageAt(folder)) ?? {};
  const file = typeof bin === 'string' ? bin : (bin as Readonly<Record<string, unknown>> | undefined)?.['claude'];
  return typeof file === 'string' ? [path.join(folder, file)] : [];
}

/** The official extension brings a program of its own, in each editor; a removed one stays for a while, and is listed. */
async function editorExtensions(person: string): Promise<readonly string[]> {
  const homes = (await entries(person)).filter((name) =>
    /^\.(?:vscode|cursor|windsurf|vscodium|trae|kiro|positron)/.test(name),
  );
  const folders = homes.map((name) => path.join(person, name, 'extensions'));
  const found = await Promise.all(
    folders.map(async (folder): Promise<readonly string[]> => {
      const removed = await readJson(path.join(folder, '.obsolete'));
      const ours = (await entries(folder)).filter(
        (name) => /^anthropic\.claude-code-\d/.test(name) && removed?.[name] !== true,
      );
      return Promise.all(ours.map((name) => programOf(path.join(folder, name))));
    }),
  );
  return found.flat();
}

/** Wherever a release of the extension keeps its program: the folder's name tells the version. */
async function programOf(extension: string): Promise<string> {
  const inside = (...parts: string[]) => path.join(extension, 'resources', ...parts);
  for (const file of [...inFolder(inside('native-binary')), inside('claude-code', 'cli.js')]) {
    if ((await resolved(file)).length > 0) return file;
  }
  return path.join(extension, 'package.json');
}

function toldByPath(file: string): string | undefined {
  for (const form of versionInPath) {
    const version = form.exec(file)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}

async function toldByPackage(real: string): Promise<string | undefined> {
  let folder = path.dirname(real);
  for (let level = 0; level < LEVELS_UP_MAX; level++, folder = path.dirname(folder)) {
    const { name, version } = (await packageAt(folder)) ?? {};
    // The programs themselves come in a package for each system, whose name begins alike.
    if (typeof name === 'string' && name.startsWith(PACKAGE)) return numbersIn(version);
  }
  return undefined;
}

async function toldByItself(file: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Windows starts no .cmd without a shell, which would read the path once more.
  if (file.endsWith('.cmd')) return undefined;
  try {
    const program = await safeProgram(file);
    return program && numbersIn(await outputOf(program, ['--version'], env, RUN_LIMIT_MS));
  } catch {
    return undefined;
  }
}

function numbersIn(text: unknown): string | undefined {
  return typeof text === 'string' ? /^\s*v?(\d{1,9}\.\d{1,9}\.\d{1,9})/.exec(text)?.[1] : undefined;
}

async function packageAt(folder: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  return readJson(path.join(folder, 'package.json'));
}

async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > PACKAGE_MAX_BYTES) return undefined;
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

async function entries(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder).catch((): string[] => []);
  return found.slice(0, ENTRIES_MAX);
}
