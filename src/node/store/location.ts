import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Home } from '../machine/home.ts';
import { NewerStoreError, StoreAwayError, StoreLocationError } from './errors.ts';

const VERSION = 1;
const versionSchema = z.object({ version: z.int() });
const locationSchema = z.object({ version: z.literal(VERSION), folder: z.string().min(1), app: z.string() });
type Location = z.infer<typeof locationSchema>;

export interface StorePlace {
  readonly folder: string;
  /** Once the store is open there: so a folder that is recorded has never been empty since. */
  record(): Promise<void>;
}

/**
 * STO-1: the first editor's storage becomes everybody's, so that history never splits. A folder that is gone is replaced by this
 * one's.
 */
export async function locateStore(
  home: Home,
  own: { readonly folder: string; readonly app: string },
  log: Log,
): Promise<StorePlace> {
  const known = await readLocation(home.storeLocation);
  if (known && !(await isGone(known.folder, home.storeLocation))) {
    return { folder: known.folder, record: () => Promise.resolve() };
  }
  if (known) log.warn(`The store of ${known.app} is gone (${known.folder}); a new one begins in ${own.folder}.`);
  const content = `${JSON.stringify({ version: VERSION, ...own })}\n`;
  return { folder: own.folder, record: () => atomicWrite(home.storeLocation, content) };
}

/**
 * Only a file that is not there says that there is no store yet. It is written whole or not at all, so what can't be understood
 * is somebody's edit, or a newer version's: written over, it could not be mended any more, and history would split.
 */
async function readLocation(file: string): Promise<Location | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const value = parsed(text);
  const location = locationSchema.safeParse(value);
  if (location.success) return location.data;
  const { data } = versionSchema.safeParse(value);
  if (data && data.version > VERSION) throw new NewerStoreError(file, data.version, VERSION);
  throw new StoreLocationError(file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A drive that is not mounted looks like a folder that was removed: what leads to it is missing, or is the empty folder that the
 * drive would be mounted on. Going on elsewhere would split the history without a word, and a store that comes back could not be
 * put together with the new one; so in doubt the start fails and says what to do. Only where the folder's neighbours are there
 * and it is not, it was removed.
 */
async function isGone(folder: string, storeLocation: string): Promise<boolean> {
  const names = await namesIn(folder);
  if (names !== undefined && names.length > 0) return false;
  const besides = names === undefined ? await namesIn(path.dirname(folder)) : undefined;
  if (besides !== undefined && besides.length > 0) return true;
  throw new StoreAwayError(folder, storeLocation);
}

/** Undefined: no such folder. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
