import path from 'node:path';
import { thisAccount } from '../../../forwarder/home.ts';
import { createBreather } from './breathe.ts';
import { isRemoved, nodeSpoolDisk, type SpoolDisk } from './spoolDisk.ts';
import { HAND_OVER_MAX_BYTES, isSpooled } from './spoolFiles.ts';

/** Of a larger one its session stands before what makes it large. */
const START_BYTES = 1024 * 1024;

/** What an id is cut at where it was too long, or made up where there was none; see `domain/normalize`. */
const idParts = /^unknown:|…[0-9a-f]*$/g;

/** CNV-4: removes what waits of a session, or all that waits. Gives the paths of what could not be removed or looked into. */
export async function eraseSpooled(
  folder: string,
  sessionId: string | undefined,
  disk: SpoolDisk = nodeSpoolDisk,
): Promise<readonly string[]> {
  const names = await disk.names(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const breathe = createBreather();
  const left: string[] = [];
  for (const name of names.filter(isOurs)) {
    const file = path.join(folder, name);
    const verdict = await isIn(disk, file, sessionId);
    if (verdict === 'unread' || (verdict && (await isRemoved(disk, file)) !== true)) left.push(file);
    await breathe();
  }
  return left;
}

/** A draft is taken in or removed within a minute; what is in it by then is of before. */
function isOurs(name: string): boolean {
  return isSpooled(name) || (name.startsWith('.') && /\.(?:tmp|hook)$/.test(name));
}

async function isIn(disk: SpoolDisk, file: string, sessionId: string | undefined): Promise<boolean | 'unread'> {
  const stats = await disk.look(file).catch(() => undefined);
  const self = thisAccount();
  if (stats?.kind !== 'file' || (self !== 'any' && stats.uid !== self)) return false;
  if (sessionId === undefined) return true;
  try {
    const isLarge = stats.size > HAND_OVER_MAX_BYTES;
    const text = isLarge ? await disk.readStart(file, START_BYTES) : await disk.read(file, HAND_OVER_MAX_BYTES);
    return text.includes(sessionId.replace(idParts, ''));
  } catch {
    // Taken in meanwhile: then the store has it, or has refused it.
    return (await disk.look(file).catch(() => undefined)) ? 'unread' : false;
  }
}
