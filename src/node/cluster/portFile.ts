import { readFile, unlink } from 'node:fs/promises';
import { parsePortFile, type PortFile } from '../../protocol/discovery.ts';
import { atomicWrite } from '../files/atomicWrite.ts';

const PRIVATE = 0o600;

export async function publishPortFile(file: string, content: PortFile): Promise<void> {
  await atomicWrite(file, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
}

export async function readPortFile(file: string): Promise<PortFile | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsePortFile(text);
}

/** Only its own: an owner that was deposed in the meantime must not take the next one's file away. */
export async function removePortFile(file: string, instance: string): Promise<void> {
  if ((await readPortFile(file))?.instance === instance) await unlink(file).catch(() => undefined);
}
