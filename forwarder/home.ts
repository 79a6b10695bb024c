import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { HOME_FOLDER_NAME } from '../src/protocol/discovery.ts';
import type { Variables } from './environment.ts';

/** Write permission for group and others. */
const OTHERS_WRITE = 0o022;

/** What lies in a home is a few hundred bytes. */
export const OWN_FILE_MAX_BYTES = 64 * 1024;

/** A pipe in a file's place would make opening it wait for a writer; Windows has no such flag and no such pipe. */
const openWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

export function homeFolder(variables: Variables): string {
  return variables.AGENT_MASCOT_HOME ?? join(homedir(), HOME_FOLDER_NAME);
}

/**
 * SEC-8: the home that this script was copied into (`<home>/bin`); undefined if it runs from a build. The script uses only that
 * home, because a project's environment could name a folder of the repository that holds a prepared key and address.
 */
export function installedHome(script: string): string | undefined {
  const bin = dirname(script);
  return basename(bin) === 'bin' && existsSync(join(bin, 'hook')) ? dirname(bin) : undefined;
}

/** Our user's id; `any` on Windows, where a mode means nothing and the rights of the person's own profile hold. */
export type Account = number | 'any';

export function thisAccount(): Account {
  return process.getuid?.() ?? 'any';
}

export type OwnFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly why: string };

/** What a `stat` tells and this asks for. */
export interface Seen {
  readonly uid: number;
  readonly mode: number;
}

/**
 * Why others may have put something into this folder, or taken it away. The folders above it are not asked: who can rename the
 * home can do worse.
 */
export function unsafeFolder(path: string, { uid, mode }: Seen, self: Account): string | undefined {
  if (self === 'any') return undefined;
  if (uid !== self) return `the folder ${path} belongs to another user (set AGENT_MASCOT_HOME to a folder of your own)`;
  return (mode & OTHERS_WRITE) === 0 ? undefined : `the folder ${path} can be written by others (chmod 700 it)`;
}

/** The same of a file that decides where prompts go. */
export function unsafeFile(
  path: string,
  { uid, mode, size, isFile }: Seen & { readonly size: number; readonly isFile: boolean },
  self: Account,
): string | undefined {
  const told = (why: string) => `the file ${path} ${why}`;
  if (!isFile) return told('is not a file (remove it)');
  if (self !== 'any' && uid !== self) return told('belongs to another user');
  if (self !== 'any' && (mode & OTHERS_WRITE) !== 0) return told('can be written by others (chmod 600 it)');
  return size > OWN_FILE_MAX_BYTES ? told('is too large to be ours (remove it)') : undefined;
}

/** `why` names the file, or its folder. Either counts only if nobody but this user can have written it; links are followed. */
export function readOwnFile(path: string): OwnFile {
  const self = thisAccount();
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, openWithoutWaiting);
    const stats = fstatSync(descriptor);
    const seen = { uid: stats.uid, mode: stats.mode, size: stats.size, isFile: stats.isFile() };
    const folder = dirname(path);
    const why = unsafeFolder(folder, statSync(folder), self) ?? unsafeFile(path, seen, self);
    return why === undefined ? { kind: 'text', text: readFileSync(descriptor, 'utf8') } : { kind: 'unsafe', why };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unsafe', why: `the file ${path} can't be read (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
