import { constants } from 'node:fs';
import { access, readdir, readFile, realpath, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { EntryState, RuntimeState, SpoolState } from '../../app/hooks/doctorPorts.ts';
import { ENTRY_NAME } from '../../domain/hooks/command.ts';
import { HAND_OVER_ENDING, HOOK_LOG_NAME, RUNTIME_FILE_NAME } from '../../protocol/handOver.ts';
import { SPOOL_MAX_BYTES } from '../../protocol/limits.ts';
import { droppedSoFar } from '../collector/spoolDropped.ts';
import { errorCode } from '../files/fileSystem.ts';
import { binFiles, compareVersions, VERSION_FILE } from '../machine/binFolder.ts';
import type { Home } from '../machine/home.ts';
import { isBinBelieved } from '../machine/openedFiles.ts';
import { firstOnPath, isProgram, safeProgram } from './programFiles.ts';
import { outputOf } from './runProgram.ts';

const NODE_NAME = process.platform === 'win32' ? 'node.exe' : 'node';
const NODE_MIN = 18;
const NODE_LIMIT_MS = 2_000;
const LINE_MAX = 200;
const OWNER_READS = 0o400;

/** Whether what hooks call is what this release brings. */
export async function lookAtEntry(home: Home, built: string, version: string): Promise<EntryState> {
  const { bin } = home;
  const there = await versionIn(bin);
  const entry = await bytesOf(path.join(bin, ENTRY_NAME));
  const isNewer = there !== undefined && compareVersions(there, version) > 0 && (await isBinBelieved(home));
  const state =
    entry === undefined ? 'missing' : isNewer ? 'newer' : (await isAsBuilt(bin, built)) ? 'good' : 'missing';
  return { state, folder: bin, bytes: entry?.length ?? 0, version: there ?? version };
}

async function isAsBuilt(bin: string, built: string): Promise<boolean> {
  const files = await binFiles(built).catch(() => []);
  const same = await Promise.all(
    files.map(async ({ from, to }) => {
      const [own, installed] = await Promise.all([bytesOf(path.join(built, from)), bytesOf(path.join(bin, to))]);
      return own === undefined || (installed?.equals(own) ?? false);
    }),
  );
  return !same.includes(false);
}

async function versionIn(bin: string): Promise<string | undefined> {
  try {
    const { version } = JSON.parse(await readFile(path.join(bin, VERSION_FILE), 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The superuser can read what a hook can't. */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  try {
    const { mode } = await stat(file);
    return process.platform !== 'win32' && (mode & OWNER_READS) === 0 ? undefined : await readFile(file);
  } catch {
    return undefined;
  }
}

/** As the entry looks for it: Node on the PATH, else the editor's own. */
export async function lookForRuntime({ bin }: Home, env: NodeJS.ProcessEnv): Promise<RuntimeState> {
  const node = await firstOnPath([NODE_NAME], env);
  const version = node === undefined ? undefined : await nodeVersion(node, env);
  if (node !== undefined && version !== undefined && Number.parseInt(version, 10) >= NODE_MIN) {
    return { kind: 'node', version, file: node };
  }
  const noted =
    (await readFile(path.join(bin, RUNTIME_FILE_NAME), 'utf8').catch(() => '')).split('\n')[0]?.trim() ?? '';
  return noted !== '' && (await isProgram(noted)) ? { kind: 'editor', file: noted } : { kind: 'none' };
}

async function nodeVersion(node: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if ((await realpath(node)) === (await realpath(process.execPath))) return process.versions.node;
  const program = await safeProgram(node);
  if (program === undefined) return undefined;
  const output = await outputOf(program, ['--version'], env, NODE_LIMIT_MS);
  return /^v(\d+\.\d+\.\d+)/.exec(output ?? '')?.[1];
}

/** What was lost longer ago than this is nobody's trouble any more. */
const DROPPED_TOLD_MS = 7 * 24 * 60 * 60_000;

export async function lookAtSpool({ folder: home, spool }: Home, now = Date.now()): Promise<SpoolState> {
  const names = await readdir(spool).catch((): string[] => []);
  const events = names.filter(
    (name) => !name.startsWith('.') && (name.endsWith('.json') || name.endsWith(HAND_OVER_ENDING)),
  );
  const sizes = await Promise.all(
    events.map(async (name) => (await stat(path.join(spool, name)).catch(() => undefined))?.size),
  );
  const waiting = sizes.filter((size) => size !== undefined);
  return {
    folder: spool,
    count: waiting.length,
    kilobytes: Math.ceil(waiting.reduce((sum, size) => sum + size, 0) / 1024),
    ...(await lookAtDropped(home, spool, now)),
    megabytesMax: SPOOL_MAX_BYTES / 1024 / 1024,
    blocked: await whyBlocked(spool, home),
  };
}

async function lookAtDropped(
  home: string,
  spool: string,
  now: number,
): Promise<Pick<SpoolState, 'dropped' | 'droppedOn'>> {
  const { count, lastAt = now } = await droppedSoFar({ folder: home, spool });
  const isRecent = count > 0 && now - lastAt < DROPPED_TOLD_MS;
  return isRecent ? { dropped: count, droppedOn: new Date(lastAt).toISOString().slice(0, 10) } : { dropped: 0 };
}

/** A spool that is missing is made by the entry, in the home. */
async function whyBlocked(spool: string, home: string): Promise<string | undefined> {
  for (const folder of [spool, home]) {
    try {
      if (!(await stat(folder)).isDirectory()) return 'not a folder';
      await access(folder, constants.W_OK | constants.X_OK);
      return (await hasRoom(folder)) ? undefined : 'ENOSPC';
    } catch (error) {
      const code = errorCode(error) ?? 'unknown';
      if (code !== 'ENOENT') return code;
    }
  }
  return undefined;
}

/** What can't tell its size says that it has none at all. */
async function hasRoom(folder: string): Promise<boolean> {
  const { blocks, bavail } = await statfs(folder);
  return blocks === 0 || bavail > 0;
}

export async function lookAtLog({
  folder,
}: Home): Promise<{ file: string; count: number; newest: string } | undefined> {
  const file = path.join(folder, HOOK_LOG_NAME);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim() !== '');
  const newest = lines.at(-1);
  return newest === undefined ? undefined : { file, count: lines.length, newest: newest.slice(0, LINE_MAX) };
}
