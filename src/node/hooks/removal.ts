import { readdir, readlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Removed } from '../../app/hooks/hookKit.ts';
import type { Claim } from '../../app/ports.ts';
import { createClaims } from '../cluster/claim.ts';
import { errorCode } from '../files/fileSystem.ts';
import { HOME_FOLDER_NAME } from '../../protocol/discovery.ts';
import type { Home } from '../machine/home.ts';
import { isWindowFile } from '../machine/windowFiles.ts';
import { LOG_FOLDER } from '../log/segmentNames.ts';
import { DAMAGED_FOLDER } from '../log/setAside.ts';
import { isBackupName } from './backups.ts';
import {
  isDamagedStoreFile,
  isOfBin,
  isOfHome,
  setAsideBin,
  isOfSpool,
  isDamagedLogFile,
  isOfLog,
  isOfStore,
  isRealFolder,
  isStoreFolder,
  removeFolder,
  smallText,
  type Tally,
} from './ownFiles.ts';
import { removeHooks, type RemoveHooksParts } from './removeHooks.ts';

export interface RemovalParts extends RemoveHooksParts {
  readonly home: Home;
  /** This editor's own store, beside the one that the home names. */
  readonly storage?: string | undefined;
}

/**
 * HKI-6: no trace stays. Whoever runs the collector writes all the time, so while another process does, only the hooks go.
 * What failed can be tried again: what is needed for that goes last.
 */
export async function removeEverything(parts: RemovalParts): Promise<Removed> {
  const { home, storage } = parts;
  const tally: Tally = { done: [], failed: [] };
  await removeHooks(parts, tally);
  const hooksStay = tally.failed.length > 0;
  const named = await storeOf(home);
  const stores = new Set([named, storage].filter((folder) => folder !== undefined));
  const isThere = await isOurHome(home, tally);
  await holding(isThere ? home : undefined, home.folder, tally, async () => {
    let inUse = false;
    for (const store of stores) if (!(await removeStore(store, tally))) inUse = true;
    // Where the home stays, it must not go on naming a store that would be taken for one on a drive that is not mounted.
    if (isThere && named !== undefined && tally.done.includes(named)) await unlink(home.storeLocation);
    // Without the home nobody could find that store again.
    if (!isThere || inUse) return;
    for (const bin of await binsOf(home)) await removeFolder(bin, isOfBin, tally);
    await removeFolder(home.spool, isOfSpool, tally);
    await removeFolder(home.windows, isWindowFile, tally);
    if (hooksStay) {
      tally.failed.push({
        what: home.folder,
        why: 'it knows where hooks are left, and keeps the backups of those files',
      });
      return;
    }
    await removeFolder(home.backups, isBackupOrDraft, tally);
    await removeFolder(home.folder, isOfHome, tally);
  });
  return tally;
}

const isBackupOrDraft = (name: string) => isBackupName(name.replace(/\.[0-9a-f]{12}\.tmp$/, ''));

/** Nobody can begin to run a collector there meanwhile. False: somebody does. */
async function holding(
  place: { readonly claim: string; readonly generation: string } | undefined,
  folder: string,
  tally: Tally,
  work: () => Promise<void>,
): Promise<boolean> {
  let claim: Claim | undefined;
  try {
    if (place) {
      claim = await createClaims(place, () => Promise.resolve()).take();
      if (!claim) {
        const pid = /"pid":\s*(\d+)/.exec((await smallText(place.claim)) ?? '')?.[1];
        const who = pid === undefined ? 'another process' : `the process ${pid}`;
        tally.failed.push({
          what: folder,
          why: `${who} runs the collector there: close the other windows, and try again`,
        });
        return false;
      }
    }
    await work();
  } catch (error) {
    tally.failed.push({ what: folder, why: errorCode(error) ?? String(error) });
  } finally {
    await claim?.release();
  }
  return true;
}

/** With those that were set aside. */
async function binsOf(home: Home): Promise<readonly string[]> {
  const names = await readdir(home.folder).catch((): string[] => []);
  return [home.bin, ...names.filter((name) => setAsideBin.test(name)).map((name) => path.join(home.folder, name))];
}

/** False: somebody writes it. */
async function removeStore(folder: string, tally: Tally): Promise<boolean> {
  if (!path.isAbsolute(folder) || !(await isRealFolder(folder))) return true;
  if (!(await isStoreFolder(folder))) return true;
  const place = { claim: path.join(folder, 'owner.json'), generation: path.join(folder, 'generation') };
  return holding(place, folder, tally, async () => {
    const log = path.join(folder, LOG_FOLDER);
    await removeFolder(path.join(log, DAMAGED_FOLDER), isDamagedLogFile, tally);
    await removeFolder(log, isOfLog, tally);
    await removeFolder(path.join(folder, DAMAGED_FOLDER), isDamagedStoreFile, tally);
    await removeFolder(folder, isOfStore, tally);
  });
}

/** A variable names the home; one that was never ours is left alone, whatever its files are called. */
async function isOurHome(home: Home, tally: Tally): Promise<boolean> {
  if (!(await isRealFolder(home.folder))) {
    const leads = await readlink(home.folder).catch(() => undefined);
    if (leads !== undefined)
      tally.failed.push({ what: home.folder, why: `it is a link to ${leads}: remove both by hand` });
    return false;
  }
  if (path.basename(home.folder) === HOME_FOLDER_NAME) return true;
  const names = await readdir(home.folder);
  if (names.includes(path.basename(home.proofKey)) || names.includes(path.basename(home.installed))) return true;
  return (await readdir(home.bin).catch((): string[] => [])).includes('forward-to-mascot.mjs');
}

async function storeOf(home: Home): Promise<string | undefined> {
  try {
    const { folder } = JSON.parse((await smallText(home.storeLocation)) ?? '') as { readonly folder?: unknown };
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}
