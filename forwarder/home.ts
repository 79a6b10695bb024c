import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HOME_FOLDER_NAME } from '../src/protocol/discovery.ts';
import type { Variables } from './environment.ts';

/** Write permission for group and others. */
const OTHERS_WRITE = 0o022;

export function homeFolder(variables: Variables): string {
  return variables.AGENT_MASCOT_HOME ?? join(homedir(), HOME_FOLDER_NAME);
}

export type OwnFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly why: string };

/** A file that decides where prompts go counts only if nobody but this user can have written it. */
export function readOwnFile(path: string): OwnFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'missing' }
      : { kind: 'unsafe', why: `can't be read (${code})` };
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (process.getuid && uid !== process.getuid()) return { kind: 'unsafe', why: 'belongs to another user' };
    if (process.getuid && mode & OTHERS_WRITE)
      return { kind: 'unsafe', why: 'can be written by others (chmod 600 it)' };
    return { kind: 'text', text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    return { kind: 'unsafe', why: `can't be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    closeSync(descriptor);
  }
}
