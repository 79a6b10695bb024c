import { lstat, readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { OWN_FILE_MAX_BYTES, thisAccount } from '../../../forwarder/home.ts';
import { ourTrust, stepsTo, untrustedStep } from '../../../forwarder/trustedPath.ts';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Home } from '../machine/home.ts';
import { UNTRUSTED_ENDING } from '../machine/openedFiles.ts';
import { NewerStoreError, StoreAwayError, StoreLocationError } from '../log/errors.ts';
import { parseSegmentName } from '../oldStore/journalFormat.ts';
import { parseImageName } from '../oldStore/imageNames.ts';

const VERSION = 1;
const versionSchema = z.object({ version: z.int() });
const locationSchema = z.object({
  version: z.literal(VERSION),
  folder: z.string().check(z.minLength(1)),
  app: z.string(),
});
type Location = z.infer<typeof locationSchema>;

/** What others could have written names a store of this account that others could have written too. */
export class StoreAsideError extends Error {
  override readonly name = 'StoreAsideError';

  constructor(aside: string, folder: string, open: string) {
    super(
      `Others could have written ${aside}, which says that the store is in ${folder}, and ${open} may be changed by others still. ` +
        `Make that yours alone (chmod go-w) to go on with this store, or delete ${aside} to begin a new store.`,
    );
  }
}

export interface StorePlace {
  readonly folder: string;
  /**
   * Once the store is open there: so a folder that is recorded has never been empty since. Again when the record may be gone: who
   * has the store open knows best where it is. `mustHold` throws once another owner has come.
   */
  record(mustHold: () => Promise<void>): Promise<void>;
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
  const file = home.storeLocation;
  const known = await readLocation(file);
  if (!known) return placeAt(file, (await setAside(`${file}${UNTRUSTED_ENDING}`, own, log)) ?? own);
  if (!(await isGone(known.folder, file))) return placeAt(file, known);
  log.warn(`The store of ${known.app} is gone (${known.folder}); a new one begins in ${own.folder}.`);
  return placeAt(file, own, true);
}

function placeAt(file: string, { folder, app }: Omit<Location, 'version'>, replaces = false): StorePlace {
  const content = `${JSON.stringify({ version: VERSION, folder, app })}\n`;
  let isWrong = replaces;
  return {
    folder,
    async record(mustHold) {
      if (!isWrong && (await isThere(file))) return;
      await atomicWrite(file, content, { beforeReplace: mustHold });
      isWrong = false;
      const aside = `${file}${UNTRUSTED_ENDING}`;
      // It says nothing more, and would lead here again when the person begins anew.
      if ((await readSetAside(aside))?.folder === folder) await unlink(aside);
    },
  };
}

/**
 * A hint and no more, for others could have written it (see `closeFiles`). But a new store beside the one that it names would
 * split the history, and to refuse would let one `chmod` keep every window from owning: so it leads to a store of this account
 * that nobody else can have changed. Where others can, the person has to say which of the two it is to be.
 */
async function setAside(aside: string, own: Omit<Location, 'version'>, log: Log): Promise<Location | undefined> {
  if (thisAccount() === 'any' || !(await isThere(aside))) return undefined;
  const location = await readSetAside(aside);
  if (location?.folder === own.folder) return location;
  if (!location || !(await isOwnStore(location.folder))) {
    log.warn(`${aside} leads to no store of this account; a new one begins in ${own.folder}.`);
    return undefined;
  }
  const { folder } = location;
  const steps = stepsTo(folder);
  const open = steps ? untrustedStep(steps, ourTrust())?.path : folder;
  if (open !== undefined) throw new StoreAsideError(aside, folder, open);
  log.warn(`Others could have written ${aside}, but not the store that it leads to (${folder}): it goes on there.`);
  return location;
}

async function readSetAside(aside: string): Promise<Location | undefined> {
  const stats = await stat(aside).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size > OWN_FILE_MAX_BYTES) return undefined;
  return locationSchema.safeParse(parsed(await readFile(aside, 'utf8'))).data;
}

async function isOwnStore(folder: string): Promise<boolean> {
  if (!path.isAbsolute(folder)) return false;
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true || stats.uid !== thisAccount()) return false;
  return (await readdir(folder)).some(
    (name) => name === 'generation' || parseImageName(name) !== undefined || parseSegmentName(name) !== undefined,
  );
}

async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
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
