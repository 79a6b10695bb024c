import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HOME_FOLDER_NAME } from '../src/protocol/discovery.ts';
import type { Variables } from './environment.ts';

/** Write permission for group and others. */
const OTHERS_WRITE = 0o022;

/** What lies in a home is a few hundred bytes. */
const OWN_FILE_MAX_BYTES = 64 * 1024;

/** A pipe in a file's place would make opening it wait for a writer; Windows has no such flag and no such pipe. */
const openWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

export function homeFolder(variables: Variables): string {
  return variables.AGENT_MASCOT_HOME ?? join(homedir(), HOME_FOLDER_NAME);
}

export type OwnFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly why: string };

/** `why` names the file. A file that decides where prompts go counts only if nobody but this user can have written it. */
export function readOwnFile(path: string): OwnFile {
  const unsafe = (why: string) => ({ kind: 'unsafe', why: `the file ${path} ${why}` }) as const;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, openWithoutWaiting);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return unsafe('is not a file (remove it)');
    if (process.getuid && stats.uid !== process.getuid()) return unsafe('belongs to another user');
    if (process.getuid && stats.mode & OTHERS_WRITE) return unsafe('can be written by others (chmod 600 it)');
    if (stats.size > OWN_FILE_MAX_BYTES) return unsafe('is too large to be ours (remove it)');
    return { kind: 'text', text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : unsafe(`can't be read (${code})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
