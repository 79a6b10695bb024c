import { lstat, readdir, readFile, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Removed } from '../../app/hooks/hookKit.ts';
import {
  HOME_SETTINGS_FILE_NAME,
  parseHomeSettings,
  parsePortFile,
  PORT_FILE_NAME,
  PERSON_KEY_FILE_NAME,
  PROOF_KEY_FILE_NAME,
  REMOTE_FILE_NAME,
} from '../../protocol/discovery.ts';
import { DAYS_FILE_NAME, DROPPED_TOTAL_NAME, GUARD_FILE_NAME, HOOK_LOG_NAME } from '../../protocol/handOver.ts';
import { temporaryOf } from '../files/atomicWrite.ts';
import { errorCode } from '../files/fileSystem.ts';
import { isIndexName } from '../store/indexFile.ts';
import { CARRIED_OUT_FILE, LOG_FOLDER, parseSegmentName as parseLogSegment } from '../log/segmentNames.ts';
import { parseSegmentName } from '../oldStore/journalFormat.ts';
import { DAMAGED_FOLDER } from '../log/setAside.ts';
import { parseImageName } from '../oldStore/imageNames.ts';

/** Files of ours are small where a name alone does not prove that they are ours. */
const LOOKED_AT_MAX_BYTES = 64 * 1024;
const NAMED_IN_TROUBLE = 5;

/** What was done and what could not be, as it goes. */
export interface Tally {
  readonly done: Removed['done'][number][];
  readonly failed: Removed['failed'][number][];
}

type IsOurs = (name: string, folder: string) => boolean | Promise<boolean>;

/** A name that others use too counts only with what we write into it. */
const byContent: Readonly<Record<string, (text: string) => boolean>> = {
  [PORT_FILE_NAME]: (text) => parsePortFile(text) !== undefined,
  [HOME_SETTINGS_FILE_NAME]: (text) => parseHomeSettings(text) !== undefined,
  'owner.json': (text) => ['instance', 'generation', 'pid'].every((key) => key in fields(text)),
  'store.json': (text) => ['version', 'folder', 'app'].every((key) => key in fields(text)),
  [REMOTE_FILE_NAME]: (text) => ['url', 'token'].every((key) => key in fields(text)),
  generation: (text) => /^\d+\s*(?:[0-9a-f-]{36}\s*)?$/.test(text),
};
const inHome = new Set([
  DAYS_FILE_NAME,
  PROOF_KEY_FILE_NAME,
  PERSON_KEY_FILE_NAME,
  HOOK_LOG_NAME,
  GUARD_FILE_NAME,
  DROPPED_TOTAL_NAME,
]);
const lists =
  /^(?:(?:installed|excluded|excluded-setting|editors|cast|tracking|machine)\.json(?:\.broken)?|excluded\.json\.(?:last|new))$/;
/** Others could have written it (see `closeFiles`), so what is in it tells nothing. */
const setAside =
  /^(?:store\.json|remote\.json|settings\.json|editors\.json|excluded\.json\.new|collector\.json|(?:proof|person)\.key)\.untrusted(?:-\d+)?$/;
export const setAsideBin = /^bin\.untrusted(?:-\d+)?$/;
/** One for each minute in which an editor was started (FWD-7). */
const launchRight = /^launch-\d{1,15}$/;
/** What a claim, or the removal of a port file, leaves when its process was killed in the middle. */
const claimDraft = /^(?:owner\.json\.sweep|(?:owner|collector)\.json\.[0-9a-f-]{36})$/;
const inBin = /^(?:hook|mascot|runtime|version\.json|[\w-]+\.mjs)$/;
const inSpool = /^(?:dropped\.count|dropped\.[0-9a-f-]{36}\.taken|\.?[\w.-]+\.(?:json|hook)(?:\.tmp)?)$/;

export const isOfHome: IsOurs = async (name, folder) => {
  if (inHome.has(name) || lists.test(name) || setAside.test(name) || claimDraft.test(name) || launchRight.test(name))
    return true;
  if (/^hooks\.log\.\d+\.tmp$/.test(name)) return true;
  const known = byContent[name];
  if (known) return known((await smallText(path.join(folder, name))) ?? '');
  const meant = temporaryOf(name);
  return meant !== undefined && (meant in byContent || inHome.has(meant) || lists.test(meant));
};
export const isOfBin: IsOurs = (name) => inBin.test(temporaryOf(name) ?? name);
export const isOfSpool: IsOurs = (name) => inSpool.test(name);

/** With the endings of the part that was cut from a file, and of a second one of the same name. */
export function isDamagedStoreFile(name: string): boolean {
  return isStoreName(name.replace(/(?:\.from-\d+)?(?:\.\d+)?$/, '')) || isStoreName(name);
}

export const isOfStore: IsOurs = async (name, folder) => {
  if (isStoreName(name) || claimDraft.test(name)) return true;
  if (name !== 'owner.json' && name !== 'generation') return temporaryOf(name) === 'generation';
  return byContent[name]?.((await smallText(path.join(folder, name))) ?? '') ?? false;
};

function isStoreName(name: string): boolean {
  const meant = temporaryOf(name) ?? name;
  return parseImageName(meant) !== undefined || parseSegmentName(meant) !== undefined || isIndexName(meant);
}

/** What lies in the folder of the store's log. */
export const isOfLog: IsOurs = (name) => {
  const meant = temporaryOf(name) ?? name;
  return parseLogSegment(meant) !== undefined || meant === CARRIED_OUT_FILE;
};

/** A damaged segment of the log, or the part that was cut from one. */
export function isDamagedLogFile(name: string): boolean {
  return parseLogSegment(name.replace(/(?:\.from-\d+)?(?:\.\d+)?$/, '')) !== undefined;
}

/**
 * A folder may be named by mistake, so something in it must be what only we make; or, where no event came to be stored, all of it
 * what a claim makes.
 */
export async function isStoreFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  if (names.some(isStoreName)) return true;
  const log = path.join(folder, LOG_FOLDER);
  if ((await isRealFolder(log)) && (await readdir(log)).some((name) => parseLogSegment(name) !== undefined))
    return true;
  const damaged = path.join(folder, DAMAGED_FOLDER);
  const setAside = (await isRealFolder(damaged)) ? await readdir(damaged) : [];
  if (setAside.some(isDamagedStoreFile)) return true;
  const ours = await Promise.all(names.map((name) => isOfStore(name, folder)));
  return ours.length > 0 && !ours.includes(false);
}

/** HKI-6: by known names only, and never through a link: a folder that somebody names may hold anything. */
export async function removeFolder(folder: string, isOurs: IsOurs, tally: Tally): Promise<void> {
  if (!(await isRealFolder(folder))) return;
  const left: string[] = [];
  for (const name of await readdir(folder)) {
    if (!(await removeFile(path.join(folder, name), () => isOurs(name, folder), tally))) left.push(name);
  }
  if (left.length > 0) {
    const named = left.slice(0, NAMED_IN_TROUBLE).join(', ');
    const more = left.length > NAMED_IN_TROUBLE ? ` and ${left.length - NAMED_IN_TROUBLE} more` : '';
    tally.failed.push({ what: folder, why: `it holds what is not ours: ${named}${more}` });
    return;
  }
  await rmdir(folder).then(
    () => tally.done.push(folder),
    (error: unknown) => tally.failed.push({ what: folder, why: errorCode(error) ?? String(error) }),
  );
}

/** True: it is gone, or its staying is told. */
async function removeFile(file: string, isOurs: () => boolean | Promise<boolean>, tally: Tally): Promise<boolean> {
  try {
    if ((await lstat(file)).isDirectory() || !(await isOurs())) return false;
    await unlink(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') tally.failed.push({ what: file, why: errorCode(error) ?? String(error) });
  }
  return true;
}

export async function isRealFolder(folder: string): Promise<boolean> {
  return lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

export async function smallText(file: string): Promise<string | undefined> {
  try {
    const stats = await lstat(file);
    return stats.isFile() && stats.size <= LOOKED_AT_MAX_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function fields(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
