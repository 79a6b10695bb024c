import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { temporaryOf } from '../files/atomicWrite.ts';
import { errorCode, removeIfThere, syncFolder, type FileSystem } from '../files/fileSystem.ts';
import { StoreFencedError } from './errors.ts';
import { parseSegmentName } from './journalFormat.ts';
import { DAMAGED_FOLDER, parseImageName } from './storeFiles.ts';

/** Lies in the store's folder from before an erasure until no file holds any of it: a process that ends meanwhile tells the next. */
const SIGN = 'erasing';

export interface Wiping {
  /** Before the erasure is journaled, in the turn in which it is. */
  begin(): Promise<void>;
  /** Gives the paths of what could not be made anew or removed. */
  wipe(): Promise<readonly string[]>;
}

export interface WipingParts {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly log: Log;
  assertMayWrite(): Promise<void>;
  /** One after the other with every erasure. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** New images, and a new journal. */
  renew(): Promise<void>;
}

export async function isWipeDue(fs: FileSystem, folder: string): Promise<boolean> {
  return (await fs.readdir(folder)).includes(SIGN);
}

/** CNV-4: what was erased is gone from the rows with its record in the journal; here it goes from the files. */
export function createWiping({ folder, fs, log, assertMayWrite, inTurn, renew }: WipingParts): Wiping {
  const at = (name: string) => path.join(folder, name);
  let begun = 0;

  async function begin(): Promise<void> {
    begun++;
    try {
      const file = await fs.open(at(SIGN), 'wx', 0o600);
      await file.close();
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      throw error;
    }
    await syncFolder(fs, folder);
  }

  async function wipe(): Promise<readonly string[]> {
    const ended = await inTurn(() => Promise.resolve(begun));
    const before = (await fs.readdir(folder)).filter(holdsEvents);
    await renew().catch((error: unknown) => {
      if (error instanceof StoreFencedError) throw error;
      log.warn(`store: what was erased is still in files that can’t be made anew: ${String(error)}`);
    });
    for (const name of before.filter(temporaryOf)) await removeIfThere(fs, at(name)).catch(() => undefined);
    const names = new Set(await fs.readdir(folder));
    const left = before.filter((name) => names.has(name)).map(at);
    left.push(...(await removeAside()));
    for (const file of left) log.warn(`store: ${file} may still hold what was erased; the next start tries again.`);
    await inTurn(async () => {
      // What was erased meanwhile may be in the files that were made meanwhile; its own wipe is to come.
      if (left.length > 0 || begun > ended) return;
      await assertMayWrite();
      await removeIfThere(fs, at(SIGN));
    });
    return left;
  }

  /** Pieces of damaged files: whose they are can no longer be told. */
  async function removeAside(): Promise<readonly string[]> {
    const aside = await fs.readdir(at(DAMAGED_FOLDER)).catch((error: unknown): string[] => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    const left: string[] = [];
    for (const name of aside) {
      const file = path.join(at(DAMAGED_FOLDER), name);
      await assertMayWrite();
      await removeIfThere(fs, file).catch(() => left.push(file));
    }
    return left;
  }

  return { begin, wipe };
}

function holdsEvents(name: string): boolean {
  return parseImageName(name) !== undefined || parseSegmentName(name) !== undefined || temporaryOf(name) !== undefined;
}
