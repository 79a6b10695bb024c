import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type Account, thisAccount } from '../../../forwarder/home.ts';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { readOwnFile } from './ownFile.ts';

/** 256 bits, as of the token. */
const KEY_BYTES = 32;
const PRIVATE = 0o600;
const OTHERS = 0o077;

/**
 * A secret that is made once for a home; only programs of this person can read it. If others could read or write it, it proves nothing
 * any more, and a new one replaces it.
 */
export async function homeKey(file: string, log: Pick<Log, 'warn'>, self = thisAccount()): Promise<string> {
  const found = await readOwnFile(file, self);
  const wasOpen = found.kind === 'unsafe' || (found.kind === 'text' && (await isOpen(file, self)));
  const known = found.kind === 'text' ? found.text.trim() : '';
  if (!wasOpen && known.length >= KEY_BYTES) return known;
  const made = randomBytes(KEY_BYTES).toString('base64url');
  await atomicWrite(file, `${made}\n`, { mode: PRIVATE });
  if (wasOpen) log.warn(`${file} was open to others. A new key has taken its place.`);
  return made;
}

async function isOpen(file: string, self: Account): Promise<boolean> {
  return self !== 'any' && ((await stat(file)).mode & OTHERS) !== 0;
}
