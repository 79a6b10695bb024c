import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import {
  HOME_FOLDER_NAME,
  HOME_SETTINGS_FILE_NAME,
  PORT_FILE_NAME,
  PROOF_KEY_FILE_NAME,
} from '../../protocol/discovery.ts';

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

/** Made private, and made private again when somebody opened it: the token lies in it. */
export async function prepareHome(home: Home): Promise<void> {
  for (const folder of [home.folder, home.bin, home.spool]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') continue;
    await mustBeOurs(folder);
    await chmod(folder, 0o700);
  }
}

/** Whoever owns the folder can read the token and change what hooks run, whatever its mode; the superuser would not notice. */
async function mustBeOurs(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to another user (${uid}). Set AGENT_MASCOT_HOME to a folder of your own`);
  }
}
