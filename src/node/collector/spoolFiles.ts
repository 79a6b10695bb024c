import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { HAND_OVER_ENDING, handOverMade } from '../../protocol/handOver.ts';

export const SPOOLED_MAX_BYTES = 64 * 1024 * 1024;

/** How many are looked at side by side. */
const AT_ONCE = 100;

const DRAFT_ENDING = '.tmp';

export interface SpoolFile {
  readonly name: string;
  readonly path: string;
  readonly kind: 'event' | 'hand-over';
  /** When its event happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly size: number;
  /** Of its last change. */
  readonly changed: number;
}

export interface Listed {
  /** Oldest first. */
  readonly files: readonly SpoolFile[];
  /** Names of what forwarders are writing, or were when they were killed. */
  readonly drafts: readonly string[];
}

/** A forwarder renames its file into place when it is whole, so what else begins with a dot is no business of ours. */
export function isSpooled(name: string): boolean {
  return name.endsWith(HAND_OVER_ENDING) || (name.endsWith('.json') && !name.startsWith('.'));
}

export async function listSpool(folder: string): Promise<Listed> {
  const names = await readdir(folder);
  const spooled = names.filter(isSpooled);
  const files: SpoolFile[] = [];
  for (let i = 0; i < spooled.length; i += AT_ONCE) {
    const looked = spooled.slice(i, i + AT_ONCE).map((name) => lookAt(path.join(folder, name), name));
    for (const file of await Promise.all(looked)) if (file) files.push(file);
  }
  return {
    files: files.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1)),
    drafts: names.filter((name) => name.startsWith('.') && name.endsWith(DRAFT_ENDING)),
  };
}

/** Undefined when it is gone: the shell that wrote it took it back, or its forwarder has delivered it. */
async function lookAt(file: string, name: string): Promise<SpoolFile | undefined> {
  const stats = await lstat(file).catch(() => undefined);
  if (!stats) return undefined;
  const kind = name.endsWith(HAND_OVER_ENDING) ? 'hand-over' : 'event';
  return { name, path: file, kind, at: momentOf(name, kind, stats), size: stats.size, changed: stats.mtimeMs };
}

/** A forwarder's name begins with the moment; a shell has no clock at hand. */
function momentOf(name: string, kind: SpoolFile['kind'], stats: Stats): number {
  const named = kind === 'event' ? /^(\d{1,15})-/.exec(name)?.[1] : undefined;
  return named === undefined ? handOverMade(stats) : Number(named);
}

/**
 * Undefined when it can't be read, or is no file: opening a pipe would wait for a writer, following a link would leave the
 * folder. Empty when it is too large.
 */
export async function readSpooled(file: string): Promise<string | undefined> {
  const handle = await openFile(file);
  if (!handle) return undefined;
  try {
    return (await handle.stat()).size > SPOOLED_MAX_BYTES ? '' : await handle.readFile('utf8');
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** The last bytes of a file, to see whether the rest is worth reading yet. Undefined as above. */
export async function readEnd(file: string, bytes: number): Promise<string | undefined> {
  const handle = await openFile(file);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, Math.max(0, size - bytes));
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

async function openFile(file: string) {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (handle && !(await handle.stat()).isFile()) {
    await handle.close();
    return undefined;
  }
  return handle;
}
