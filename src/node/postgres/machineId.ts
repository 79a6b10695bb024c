import { randomBytes, randomUUID } from 'node:crypto';
import { link, unlink } from 'node:fs/promises';
import { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import { renameOver, writeDurably } from '../files/atomicWrite.ts';
import { errorCode, nodeFileSystem } from '../files/fileSystem.ts';
import { readOwnFile } from '../machine/ownFile.ts';

const PRIVATE = 0o600;

/** Made once for a home: by it the database tells the rows of this machine from all others. */
export async function machineId(file: string): Promise<string> {
  const known = await idIn(file);
  if (known !== undefined) return known;
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeDurably(nodeFileSystem, temporary, `${JSON.stringify({ version: 1, id: randomUUID() })}\n`, PRIVATE);
  try {
    await putFirst(temporary, file);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  const id = await idIn(file);
  if (id === undefined) throw new SinkTrouble('other', `${file} was removed while it was made`);
  return id;
}

/** Of windows that make it at the same instant the first one's stays: a link, unlike a rename, takes nobody's place. */
async function putFirst(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await idIn(file)) !== undefined) return;
    // What is there can't be used, or the file system knows no links.
    await renameOver(nodeFileSystem, temporary, file);
  }
}

async function idIn(file: string): Promise<string | undefined> {
  const found = await readOwnFile(file);
  if (found.kind === 'unsafe') throw new SinkTrouble('other', found.why);
  return found.kind === 'text' ? /"id":\s*"([0-9a-f-]{36})"/.exec(found.text)?.[1] : undefined;
}
