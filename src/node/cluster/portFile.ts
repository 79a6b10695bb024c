import { parsePortFile, type PortFile } from '../../protocol/discovery.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
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

/** Only its own: an owner that was deposed in the meantime must not take the next one's file away. */
export async function removePortFile(file: string, instance: string): Promise<void> {
  await removeExactly(file, instance).catch(() => undefined);
}
