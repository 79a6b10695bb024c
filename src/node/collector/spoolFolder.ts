import { thisAccount } from '../../../forwarder/home.ts';
import type { Log } from '../../app/ports.ts';
import type { SpoolDisk } from './spoolDisk.ts';

const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Something that is not our folder stands in its place; nothing is read or removed there. */
export class ForeignSpoolError extends Error {
  override readonly name = 'ForeignSpoolError';
}

/**
 * The folder's inode, once it is ours alone. What it holds is unmasked, and is removed: so a link is never followed; one that
 * was put there is taken away, for hooks would go on writing to where it leads.
 */
export async function ownSpool(
  disk: SpoolDisk,
  folder: string,
  log: Pick<Log, 'warn'>,
  self = thisAccount(),
): Promise<number> {
  const stats = await disk.look(folder);
  if (stats.kind === 'link') {
    await disk.unlink(folder);
    await disk.mkdir(folder);
    log.warn(`${folder} was a link to another place. The link was removed, and hooks write here again.`);
    return (await disk.look(folder)).ino;
  }
  if (stats.kind !== 'folder') throw new ForeignSpoolError(`${folder} is not a folder (remove it)`);
  if (self === 'any') return stats.ino;
  if (stats.uid !== self) throw new ForeignSpoolError(`${folder} belongs to another user (remove it)`);
  if ((stats.mode & OTHERS) !== 0) {
    await disk.chmod(folder, PRIVATE_FOLDER);
    log.warn(`${folder} was open to others and is private again.`);
  }
  return stats.ino;
}
