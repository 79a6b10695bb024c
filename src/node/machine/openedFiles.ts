import { chmod, lstat, readFile, rename, stat } from 'node:fs/promises';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import type { Home } from './home.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Who is root needs no file of ours; a `sudo` of the person's own leaves such ones. */
const ROOT = 0;

const UNTRUSTED_ENDING = '.untrusted';
/** A list of folders that somebody excluded by hand. */
const LIST_MAX_BYTES = 1024 * 1024;

interface Opened {
  readonly log?: Pick<Log, 'warn'> | undefined;
  readonly self: number;
}

/**
 * What others could only read is made private again. A mode does not bring trust back to what they could have written:
 * - where the store is, who starts an editor and what forwarders are told are set aside, for each is found or written anew;
 * - what the person chose stays: whom to exclude, where hooks are and what settings files were before can't be known again;
 * - the claim and its generation stay, without which two owners would write one store;
 * - the port file is written anew by the next owner, and the key is replaced by `proofKey`.
 */
export async function closeFiles(home: Home, self: number, log?: Pick<Log, 'warn'>): Promise<void> {
  const opened: Opened = { log, self };
  for (const file of [home.settings, home.storeLocation, home.editors]) {
    if (await isUntrusted(file, self)) await setAside(file, opened);
    else await close(file, PRIVATE_FILE, opened);
  }
  if (await isUntrusted(home.excluded, self)) await keepExclusions(home.excluded, opened);
  else await close(home.excluded, PRIVATE_FILE, opened);
  for (const file of [home.claim, home.generation, home.installed]) await close(file, PRIVATE_FILE, opened);
  if (!(await isUntrusted(home.portFile, self))) await close(home.portFile, PRIVATE_FILE, opened);
  await closeBackups(home.backups, opened);
}

/** Others could have written it, put it there, or have it lead where they want. */
async function isUntrusted(file: string, self: number): Promise<boolean> {
  const [own, led] = await Promise.all([lstat(file).catch(() => undefined), stat(file).catch(() => undefined)]);
  if (!own) return false;
  const isForeign = (uid: number) => uid !== self && uid !== ROOT;
  return isForeign(own.uid) || (led !== undefined && (isForeign(led.uid) || (led.mode & OTHERS_WRITE) !== 0));
}

async function setAside(file: string, { log }: Opened): Promise<void> {
  await rename(file, `${file}${UNTRUSTED_ENDING}`);
  log?.warn(
    `Others could have written ${file}: it is not believed, and was renamed to ${file}${UNTRUSTED_ENDING}. If all in it is yours, name it back with mode 600.`,
  );
}

async function close(path: string, mode: number, { log, self }: Opened): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  const isKind = mode === PRIVATE_FOLDER ? stats?.isDirectory() : stats?.isFile();
  if (!stats || isKind !== true || stats.uid !== self || (stats.mode & OTHERS) === 0) return;
  await chmod(path, mode);
  const check = (stats.mode & OTHERS_WRITE) === 0 ? '' : ' Others could have written there: look through what it says.';
  log?.warn(`${path} was open to others and is private again.${check}`);
}

/** Without the list sessions would be shown that the person wanted hidden: so what either copy excludes stays excluded. */
async function keepExclusions(file: string, { log }: Opened): Promise<void> {
  const lists = await Promise.all([listIn(file), listIn(`${file}.last`)]);
  const projects = [...new Set(lists.flatMap((list) => list ?? []))].sort();
  const written = `${file}.new`;
  await setAsideIfThere(written);
  const broken = lists.every((list) => list === undefined);
  // One that nobody can understand is told of by who reads it.
  const text = broken ? await textOf(file) : `${JSON.stringify({ version: 1, projects }, null, 2)}\n`;
  await atomicWrite(written, text ?? '', { mode: PRIVATE_FILE });
  // Never missing in between, and a link in its place goes.
  await rename(written, file);
  log?.warn(
    `Others could have written ${file}: what it and its earlier copy exclude stays excluded (${projects.length}), and it is private again. Look through it.`,
  );
}

/** A link there would be written through. */
async function setAsideIfThere(file: string): Promise<void> {
  if (await lstat(file).catch(() => undefined)) await rename(file, `${file}${UNTRUSTED_ENDING}`);
}

async function listIn(file: string): Promise<readonly string[] | undefined> {
  try {
    const { version, projects } = JSON.parse((await textOf(file)) ?? '') as { version?: unknown; projects?: unknown };
    if (version !== 1 || !Array.isArray(projects)) return undefined;
    return projects.filter((project) => typeof project === 'string' && project !== '');
  } catch {
    return undefined;
  }
}

async function textOf(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() && stats.size <= LIST_MAX_BYTES ? readFile(file, 'utf8') : undefined;
}

/** Backups are written into it, and hold what settings files hold: never into a folder of somebody else. */
async function closeBackups(folder: string, opened: Opened): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats && stats.uid !== opened.self && stats.uid !== ROOT) return setAside(folder, opened);
  await close(folder, PRIVATE_FOLDER, opened);
}
