import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { thisAccount } from '../../../forwarder/home.ts';
import type { Log } from '../../app/ports.ts';
import { DROPPED_TOTAL_NAME } from '../../protocol/handOver.ts';
import {
  HOME_FOLDER_NAME,
  HOME_SETTINGS_FILE_NAME,
  PORT_FILE_NAME,
  PROOF_KEY_FILE_NAME,
} from '../../protocol/discovery.ts';
import { closeFiles } from './openedFiles.ts';

const PRIVATE_FOLDER = 0o700;
const PERMISSIONS = 0o777;
const OTHERS = 0o077;

/** Where everything lives that must be found without an editor. */
export interface Home {
  readonly folder: string;
  readonly portFile: string;
  readonly proofKey: string;
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
    settings: at(HOME_SETTINGS_FILE_NAME),
    claim: at('owner.json'),
    generation: at('generation'),
    storeLocation: at('store.json'),
    bin: at('bin'),
    spool: at('spool'),
    dropped: at(DROPPED_TOTAL_NAME),
    installed: at('installed.json'),
    excluded: at('excluded.json'),
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
 * affair, if what it leads to is theirs; in the spool's place it is nobody's (see `ownSpool`).
 */
export async function prepareHome(home: Home, log?: Pick<Log, 'warn'>, self = thisAccount()): Promise<void> {
  for (const folder of [home.folder, home.bin, home.spool]) {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    // On Windows the rights of the person's own profile hold, and a mode means nothing.
    if (self === 'any' || (await isLink(home.spool, folder))) continue;
    const { uid, mode } = await stat(folder);
    mustBeOurs(folder, uid, self);
    if ((mode & PERMISSIONS) === PRIVATE_FOLDER) continue;
    await chmod(folder, PRIVATE_FOLDER);
    if ((mode & OTHERS) !== 0) log?.warn(`${folder} was open to others and is private again.`);
  }
  if (self !== 'any') await closeFiles(home, self, log);
}

/** What stands in the spool's place and is no folder is the spool's own trouble: the collector can do without one. */
async function isLink(spool: string, folder: string): Promise<boolean> {
  return folder === spool && (await lstat(folder)).isSymbolicLink();
}

/** Whoever owns the folder can read the token and change what hooks run, whatever its mode; the superuser would not notice. */
function mustBeOurs(folder: string, uid: number, self: number): void {
  if (uid !== self) {
    throw new Error(`${folder} belongs to another user (${uid}). Set AGENT_MASCOT_HOME to a folder of your own`);
  }
}
