import path from 'node:path';
import { renameOver } from '../files/atomicWrite.ts';
import { syncFolder, writeAll, type FileSystem } from '../files/fileSystem.ts';

export const DAMAGED_FOLDER = 'damaged';

/** Images of releases before the log sort by who wrote them, then by their count: the newest is the one to read. */
export interface ImageId {
  readonly generation: number;
  readonly seq: number;
}

const imageName = /^agent-mascot-(\d{1,15})-(\d{1,15})\.sqlite$/;
/** As the first releases called them; older than every other. */
const firstNames: Readonly<Record<string, ImageId>> = {
  'agent-mascot.sqlite': { generation: 0, seq: 2 },
  'agent-mascot.backup.sqlite': { generation: 0, seq: 1 },
};

export function parseImageName(name: string): ImageId | undefined {
  const match = imageName.exec(name);
  return match ? { generation: Number(match[1]), seq: Number(match[2]) } : firstNames[name];
}

export interface NamedImage extends ImageId {
  readonly name: string;
}

export function newestFirst(names: readonly string[]): readonly NamedImage[] {
  const images = names.flatMap((name) => {
    const id = parseImageName(name);
    return id ? [{ name, ...id }] : [];
  });
  return images.sort((a, b) => compareImages(b, a));
}

export function compareImages(a: ImageId, b: ImageId): number {
  return a.generation - b.generation || a.seq - b.seq;
}

/** Moves a file out of the way, whole. Resolves to where it is now. */
export async function setFileAside(fs: FileSystem, folder: string, name: string): Promise<string> {
  const target = await freeDamagedName(fs, folder, name);
  await renameOver(fs, path.join(folder, name), target);
  return target;
}

/** Keeps a copy of bytes that are about to be cut. */
export async function setBytesAside(fs: FileSystem, folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const target = await freeDamagedName(fs, folder, name);
  const file = await fs.open(target, 'wx', 0o600);
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(fs, path.dirname(target));
  return target;
}

async function freeDamagedName(fs: FileSystem, folder: string, name: string): Promise<string> {
  const damaged = path.join(folder, DAMAGED_FOLDER);
  await fs.mkdir(damaged, 0o700);
  const taken = new Set(await fs.readdir(damaged));
  let candidate = name;
  for (let count = 2; taken.has(candidate); count++) candidate = `${name}.${count}`;
  return path.join(damaged, candidate);
}
