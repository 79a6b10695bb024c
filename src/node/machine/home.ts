import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { thisAccount } from '../../../forwarder/home.ts';
import type { Log } from '../../app/ports.ts';
import { DROPPED_TOTAL_NAME } from '../../protocol/handOver.ts';
import {
  HOME_FOLDER_NAME,
  HOME_SETTINGS_FILE_NAME,
  PERSON_KEY_FILE_NAME,
  PORT_FILE_NAME,
  PROOF_KEY_FILE_NAME,
  REMOTE_FILE_NAME,
} from '../../protocol/discovery.ts';
import { errorCode } from '../files/fileSystem.ts';
import { closeFiles, type Opened, setForeignBinAside, setOpenBinAside } from './openedFiles.ts';

const PRIVATE_FOLDER = 0o700;
const PERMISSIONS = 0o777;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Where everything lives that must be found without an editor. */
export interface Home {
  readonly folder: string;
  readonly portFile: string;
  readonly proofKey: string;
  /** SEC-7: the person's token. */
  readonly personKey: string;
  readonly settings: string;
  readonly claim: string;
  readonly generation: string;
  readonly storeLocation: string;
  readonly bin: string;
  readonly spool: string;
  /** How many events were dropped from it. */
  readonly dropped: string;
  /** Where hooks were installed. */
  readonly installed: string;
  /** Projects whose sessions are neither shown nor logged. */
  readonly excluded: string;
  /** Projects in the setting `excludedProjects`; absent if it is empty. */
  readonly excludedBySetting: string;
  /** SEC-8: names a collector on another machine. */
  readonly remote: string;
  /** What folders hold edits to. */
  readonly tracking: string;
  /** Names and pins that the person gave to mascots. */
  readonly cast: string;
  /** What the editors' windows tell each other. */
  readonly windows: string;
  /** Copies of the extension that use this home. */
  readonly editors: string;
  /** Settings files as they were before we wrote them. */
  readonly backups: string;
}

export function homeAt(folder: string): Home {
  const at = (name: string) => path.join(folder, name);
  return {
    folder,
    portFile: at(PORT_FILE_NAME),
    proofKey: at(PROOF_KEY_FILE_NAME),
    personKey: at(PERSON_KEY_FILE_NAME),
    settings: at(HOME_SETTINGS_FILE_NAME),
    claim: at('owner.json'),
    generation: at('generation'),
    storeLocation: at('store.json'),
    bin: at('bin'),
    spool: at('spool'),
    dropped: at(DROPPED_TOTAL_NAME),
    remote: at(REMOTE_FILE_NAME),
    tracking: at('tracking.json'),
    installed: at('installed.json'),
    excluded: at('excluded.json'),
    excludedBySetting: at('excluded-setting.json'),
    cast: at('cast.json'),
    windows: at('windows'),
    editors: at('editors.json'),
    backups: at('backups'),
  };
}

/** `AGENT_MASCOT_HOME` moves the folder; hooks and windows must see the same value. */
export function defaultHome(env: NodeJS.ProcessEnv): string {
  const moved = env['AGENT_MASCOT_HOME'];
  return moved ? path.resolve(moved) : path.join(homedir(), HOME_FOLDER_NAME);
}

/**
 * Made private, and made private again when somebody opened it: the token lies in it. A link in its place is the person's own
 * affair, if what it leads to is theirs; in the spool's place it is nobody's (see `ownSpool`). What others could have written is
 * not believed: what hooks run is set aside, and written anew by the next window that owns the home.
 */
export async function prepareHome(home: Home, log?: Pick<Log, 'warn'>, self = thisAccount()): Promise<void> {
  // On Windows the rights of the person's own profile hold, and a mode means nothing.
  if (self === 'any') {
    for (const each of [home.folder, home.bin, home.spool]) await makeFolder(each);
    return;
  }
  try {
    await closeHome(home, { log, self });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // Another window closes it too, and has just set aside what was there.
    await closeHome(home, { log, self });
  }
}

async function closeHome(home: Home, opened: Opened): Promise<void> {
  const { folder, bin, spool } = home;
  const homeWas = await makePrivate(folder, opened);
  const keepsModes = ((await stat(folder)).mode & OTHERS) === 0;
  const wasForeign = await setForeignBinAside(bin, opened);
  const binWas = await makePrivate(bin, opened);
  let wasOpen = wasForeign || (keepsModes && ((homeWas | binWas) & OTHERS_WRITE) !== 0);
  if (keepsModes && (await setOpenBinAside(bin, wasOpen, opened))) {
    wasOpen = true;
    await makeFolder(bin);
  }
  await makeFolder(spool);
  if (!(await isLink(spool))) await makePrivate(spool, opened);
  await closeFiles(home, { wasOpen, keepsModes }, opened);
}

/** Resolves to the mode that it had. */
async function makePrivate(folder: string, { log, self }: Opened): Promise<number> {
  await makeFolder(folder);
  const { uid, mode } = await stat(folder);
  mustBeOurs(folder, uid, self);
  if ((mode & PERMISSIONS) === PRIVATE_FOLDER) return mode;
  await chmod(folder, PRIVATE_FOLDER);
  if ((mode & OTHERS) !== 0) log?.warn(`${folder} was open to others and is private again.`);
  return mode;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

/** What stands in the spool's place and is no folder is the spool's own trouble: the collector can do without one. */
async function isLink(spool: string): Promise<boolean> {
  return (await lstat(spool)).isSymbolicLink();
}

/** Whoever owns the folder can read the token and change what hooks run, whatever its mode; the superuser would not notice. */
function mustBeOurs(folder: string, uid: number, self: number): void {
  if (uid !== self) {
    throw new Error(`${folder} belongs to another user (${uid}). Set AGENT_MASCOT_HOME to a folder of your own`);
  }
}
