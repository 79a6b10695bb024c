import { chmod, lstat, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { thisAccount } from '../../../forwarder/home.ts';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Home } from './home.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Who is root needs no file of ours; a `sudo` of the person's own leaves such ones. */
const ROOT = 0;

export const UNTRUSTED_ENDING = '.untrusted';
/** A list of folders that somebody excluded by hand. */
const LIST_MAX_BYTES = 1024 * 1024;

export interface Opened {
  readonly log?: Pick<Log, 'warn'> | undefined;
  readonly self: number;
}

/** What was found of the home and the folder of what hooks run. */
export interface Found {
  readonly wasOpen: boolean;
  /** Some disks have one mode for all, which nobody can change and which tells nothing. */
  readonly keepsModes: boolean;
}

/**
 * What others could only read is made private again. A mode does not bring trust back to what they could have written:
 * - the settings for forwarders, the store's location, the list of editors and `remote.json` are set aside;
 * - what the person chose stays: whom to exclude, where hooks are and what settings files were before can't be known again;
 * - the claim and its generation stay, without which two owners would write one store;
 * - token and keys are deleted, because others may know them, and the owner replaces only keys that are missing or open.
 *
 * What a living owner has to do, it does when it sees that its port file is gone: so that goes too when anything else was open.
 */
export async function closeFiles(home: Home, found: Found, opened: Opened): Promise<void> {
  const { self } = opened;
  let tellOwner = found.wasOpen;
  for (const file of [home.settings, home.storeLocation, home.editors, home.remote]) {
    if (await isUntrusted(file, self)) {
      await setAside(file, opened);
      tellOwner = true;
    } else await close(file, PRIVATE_FILE, opened);
  }
  if (await isUntrusted(home.excluded, self)) await keepExclusions(home.excluded, opened);
  else await close(home.excluded, PRIVATE_FILE, opened);
  for (const file of [home.claim, home.generation, home.installed, home.cast, home.tracking])
    await close(file, PRIVATE_FILE, opened);
  for (const file of [home.proofKey, home.personKey, home.portFile])
    if (await takeAway(file, found.keepsModes, opened)) tellOwner = true;
  await closeBackups(home.backups, opened);
  if (tellOwner) await rm(home.portFile, { force: true });
}

/** A secret that others could read, or what stands in its place. */
async function takeAway(file: string, keepsModes: boolean, opened: Opened): Promise<boolean> {
  const stats = await behind(file);
  const isFolder = stats?.isDirectory() === true;
  const couldBeRead = keepsModes && stats !== undefined && (stats.mode & OTHERS) !== 0;
  if (!isFolder && !couldBeRead && !(await isUntrusted(file, opened.self))) return false;
  if (isFolder) await setAside(file, opened);
  else {
    await rm(file, { force: true });
    opened.log?.warn(`${file} was open to others: whoever runs the collector makes another.`);
  }
  return true;
}

/** What hooks run that lies in a folder of somebody else, or in no folder. */
export async function setForeignBinAside(bin: string, opened: Opened): Promise<boolean> {
  const [own, led] = await Promise.all([at(bin), behind(bin)]);
  if (!own) return false;
  const isOurs = led?.isDirectory() === true && led.uid === opened.self && !isForeign(own.uid, opened.self);
  if (!isOurs) await setAside(bin, opened);
  return !isOurs;
}

/**
 * What hooks run, where others could have written it. All of it, for what its version.json says proves nothing, an unknown name
 * may stand before another program on a PATH, and a file that has the right content may still be open in another's hands.
 */
export async function setOpenBinAside(bin: string, wasOpen: boolean, opened: Opened): Promise<boolean> {
  const names = await readdir(bin);
  if (names.length === 0) return false;
  const isOpen = wasOpen || (await holdsUntrusted(bin, names, opened.self));
  if (isOpen) await setAside(bin, opened);
  return isOpen;
}

async function holdsUntrusted(bin: string, names: readonly string[], self: number): Promise<boolean> {
  for (const name of names) if (await isUntrusted(path.join(bin, name), self)) return true;
  return false;
}

/** Whether what lies in `<home>/bin` can be the person's alone. Changes nothing. */
export async function isBinBelieved(
  { folder, bin }: Pick<Home, 'folder' | 'bin'>,
  self = thisAccount(),
): Promise<boolean> {
  if (self === 'any') return true;
  for (const each of [folder, bin]) if (await isUntrusted(each, self)) return false;
  return !(await holdsUntrusted(bin, await readdir(bin).catch(() => []), self));
}

/**
 * What an owner asks every few seconds, so a few small questions: whether others can read its secrets, or write what hooks run.
 * Whether they can write the home or the port file itself is asked by who reads that.
 */
export async function isOpened(home: Home, self = thisAccount()): Promise<boolean> {
  if (self === 'any') return false;
  const isOpen = async (path: string) => (((await behind(path))?.mode ?? 0) & OTHERS) !== 0;
  if (await isUntrusted(home.bin, self)) return true;
  if (!(await isOpen(home.folder))) return false;
  for (const secret of [home.portFile, home.proofKey, home.personKey]) if (await isOpen(secret)) return true;
  return false;
}

/** What stands there: a link itself. Undefined where nothing does, or nobody can tell. */
function at(path: string) {
  return lstat(path).catch(() => undefined);
}

/** The same of what a link leads to. */
function behind(path: string) {
  return stat(path).catch(() => undefined);
}

/** Others could have written it, put it there, or have it lead where they want. */
async function isUntrusted(file: string, self: number): Promise<boolean> {
  const [own, led] = await Promise.all([at(file), behind(file)]);
  if (!own) return false;
  if (isForeign(own.uid, self)) return true;
  return led !== undefined && (isForeign(led.uid, self) || (led.mode & OTHERS_WRITE) !== 0);
}

function isForeign(uid: number, self: number): boolean {
  return uid !== self && uid !== ROOT;
}

async function setAside(path: string, { log }: Opened): Promise<void> {
  const isFolder = (await at(path))?.isDirectory() ?? false;
  const aside = await nameAside(path, isFolder);
  try {
    await rename(path, aside);
  } catch (error) {
    // Another window did it.
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const back = isFolder ? '' : ' If all in it is yours, name it back with mode 600.';
  log?.warn(`Others could have written ${path}: it is not believed, and was renamed to ${aside}.${back}`);
}

/** A file takes the place of the one before it; a folder can't, nor can anything take a folder's. */
async function nameAside(path: string, isFolder: boolean): Promise<string> {
  for (let number = 1; ; number++) {
    const name = `${path}${UNTRUSTED_ENDING}${number === 1 ? '' : `-${number}`}`;
    const there = await at(name);
    if (!there || (!isFolder && !there.isDirectory())) return name;
  }
}

async function close(path: string, mode: number, { log, self }: Opened): Promise<void> {
  const stats = await at(path);
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
  const there = await at(file);
  if (there) await rename(file, await nameAside(file, there.isDirectory()));
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
  const stats = await behind(file);
  return stats?.isFile() && stats.size <= LIST_MAX_BYTES ? readFile(file, 'utf8') : undefined;
}

/** Backups are written into it, and hold what settings files hold: never into a folder of somebody else. */
async function closeBackups(folder: string, opened: Opened): Promise<void> {
  const stats = await at(folder);
  if (stats && stats.uid !== opened.self && stats.uid !== ROOT) return setAside(folder, opened);
  await close(folder, PRIVATE_FOLDER, opened);
}
