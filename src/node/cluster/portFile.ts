import { unlink } from 'node:fs/promises';
import { parsePortFile, type PortFile } from '../../protocol/discovery.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { readOwnFile } from '../machine/ownFile.ts';

const PRIVATE = 0o600;

/** Whoever wrote this port file may be somebody else: no token goes where it points. The message says what to do. */
export class UnsafePortFileError extends Error {
  override readonly name = 'UnsafePortFileError';
}

export async function publishPortFile(file: string, content: PortFile): Promise<void> {
  await atomicWrite(file, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
}

/** FWD-3. Throws where a forwarder would refuse; undefined when there is none, or none that is whole. */
export async function readPortFile(file: string): Promise<PortFile | undefined> {
  const found = await readOwnFile(file);
  if (found.kind === 'unsafe') throw new UnsafePortFileError(found.why);
  return found.kind === 'text' ? parsePortFile(found.text) : undefined;
}

/** Only its own: an owner that was deposed in the meantime must not take the next one's file away. */
export async function removePortFile(file: string, instance: string): Promise<void> {
  const found = await readPortFile(file).catch(() => undefined);
  if (found?.instance === instance) await unlink(file).catch(() => undefined);
}
