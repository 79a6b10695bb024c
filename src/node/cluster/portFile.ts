import { parsePortFile, PERSON_HEADER, type PortFile } from '../../protocol/discovery.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import type { Home } from '../machine/home.ts';
import { readOwnFile } from '../machine/ownFile.ts';
import { removeExactly } from './claimFile.ts';

const PRIVATE = 0o600;

/** Whoever wrote this port file may be somebody else: no token goes where it points. The message says what to do. */
export class UnsafePortFileError extends Error {
  override readonly name = 'UnsafePortFileError';
  /** Others can write it. Otherwise it can't be read, and nothing is known of it. */
  readonly isExposed: boolean;

  constructor(why: string, isExposed: boolean) {
    super(why);
    this.isExposed = isExposed;
  }
}

export async function publishPortFile(file: string, content: PortFile): Promise<void> {
  await atomicWrite(file, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
}

/** FWD-3. Throws where a forwarder would refuse; undefined when there is none, or none that is whole. */
export async function readPortFile(file: string): Promise<PortFile | undefined> {
  const found = await readOwnFile(file);
  if (found.kind === 'unsafe') throw new UnsafePortFileError(found.why, !found.isUnread);
  return found.kind === 'text' ? parsePortFile(found.text) : undefined;
}

/** The owner's port file, and the person's token, which windows send too. */
export interface AskedOwner extends PortFile {
  /** The person's token; undefined where an older version made the home. */
  readonly person?: string | undefined;
}

/** Like `readPortFile`, with the person's token. */
export async function readOwner(home: Pick<Home, 'portFile' | 'personKey'>): Promise<AskedOwner | undefined> {
  const portFile = await readPortFile(home.portFile);
  if (!portFile) return undefined;
  const found = await readOwnFile(home.personKey);
  const person = found.kind === 'text' ? found.text.trim() : '';
  return { ...portFile, person: /^[\w-]+$/.test(person) ? person : undefined };
}

/** The headers with which a window authenticates. */
export function ownerHeaders({ token, person }: Pick<AskedOwner, 'token' | 'person'>): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...(person === undefined ? {} : { [PERSON_HEADER]: person }) };
}

/** Only its own: an owner that was deposed in the meantime must not take the next one's file away. */
export async function removePortFile(file: string, instance: string): Promise<void> {
  await removeExactly(file, instance).catch(() => undefined);
}
