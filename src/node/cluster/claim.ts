import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Claim, Claims, Holder } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { isProvenDead, ownProcess } from '../machine/processes.ts';
import {
  ClaimDiskError,
  type ClaimFile,
  type FoundClaim,
  heldBy,
  instanceOf,
  isBeingMade,
  type Linking,
  look,
  place,
  removeExactly,
  touch,
} from './claimFile.ts';
import { isSameTable, ownTable } from './processTable.ts';

/** Removing a dead owner's claim takes a few milliseconds; whoever holds the right to do it for longer has died. */
const SWEEP_DEADLINE_MS = 5_000;

/** A draft lives for milliseconds; an hour allows for every clock of a shared disk. */
const DRAFT_LIFE_MS = 3_600_000;
const PRIVATE = 0o600;

/** Two files beside each other: who holds the place, and how often it has been held. */
export interface ClaimPlace {
  readonly claim: string;
  readonly generation: string;
}

export interface ClaimRules {
  /** The home that a claim of another folder is made for, and its owner. */
  readonly home?: Pick<Claim, 'home' | 'generation'>;
  /** Holders that are to be passed over though they may live. Asked again under the right to remove, right before it is done. */
  readonly passesOver?: (found: ClaimFile) => Promise<boolean>;
  /** The file system of the folder. */
  readonly linking?: Linking;
}

/** One owner for a folder, whatever editors run: a file that only one can create. */
export function createClaims(files: ClaimPlace, prepare: () => Promise<void>, rules: ClaimRules = {}): Claims {
  let prepared = false;
  let self: Promise<Self> | undefined;
  const ownClaim = async () => ({ ...(await (self ??= ownSelf())), instance: randomUUID() });

  async function take(hung?: Holder): Promise<Claim | undefined> {
    if (!prepared) await prepare();
    prepared = true;
    const own = await ownClaim();
    const isGone = (found: FoundClaim) => isGoneFor(own, found, hung, rules);
    const found = await look(files.claim);
    if (found === 'unreadable') return await whyUnreadable(files.claim);
    if (typeof found === 'object' && !(await isGone(found))) return undefined;
    // The folder may have been removed since.
    if (found === 'absent') await prepare();
    else if (!(await sweep(files, own, isGone, rules.linking))) return undefined;
    return create(files, own, typeof found === 'object' ? found.claim.generation : 0, rules);
  }

  return {
    take,
    async look() {
      const found = await look(files.claim);
      if (typeof found === 'string') return undefined;
      const own = await ownClaim();
      const { instance } = found.claim;
      return { instance, touched: found.touched, elsewhere: !isSameTable(found.claim, own) };
    },
  };
}

/** Nobody can tell whose it is; unless it could be read after all. */
async function whyUnreadable(file: string): Promise<undefined> {
  await readFile(file).catch((error: unknown) => Promise.reject(new ClaimDiskError('read', file, error)));
}

type Self = Omit<ClaimFile, 'instance' | 'generation' | 'home' | 'homeGeneration'>;
type Own = Self & Pick<ClaimFile, 'instance'>;

async function ownSelf(): Promise<Self> {
  return { version: 1, ...(await ownProcess()), ...(await ownTable()) };
}

async function isGoneFor(
  own: Own,
  { claim, touched }: FoundClaim,
  hung: Holder | undefined,
  { passesOver }: ClaimRules,
): Promise<boolean> {
  if (hung?.instance === claim.instance && hung.touched === touched) return true;
  if (isSameTable(claim, own) && (await isProvenDead(claim))) return true;
  return (await passesOver?.(claim)) === true;
}

async function create(
  files: ClaimPlace,
  own: Own,
  after: number,
  { home: ofHome, linking }: ClaimRules,
): Promise<Claim | undefined> {
  const last = await lastGeneration(files);
  const generation = Math.max(last.generation, after) + 1;
  const home = ofHome?.home ?? last.home ?? randomUUID();
  const homeGeneration = ofHome && { homeGeneration: ofHome.generation };
  const { instance, pid, startedAt, kernelStart } = own;
  if (!(await place(files.claim, { ...own, generation, home, ...homeGeneration }, linking))) return undefined;
  const release = async () => void (await removeExactly(files.claim, instance));
  if (!(await raised(files, generation, home).catch((error: unknown) => release().then(() => Promise.reject(error))))) {
    await release();
    return undefined;
  }
  await removeDrafts(files);
  return {
    instance,
    generation,
    home,
    pid,
    startedAt,
    kernelStart,
    holds: async () => (await heldBy(files.claim)) === instance,
    touch: () => touch(files.claim, instance),
    release,
  };
}

/** True when there is no claim any more that a living process holds. */
async function sweep(
  files: ClaimPlace,
  own: Own,
  isGone: (found: FoundClaim) => Promise<boolean>,
  linking: Linking | undefined,
): Promise<boolean> {
  const giveBack = await takeSweepRight(`${files.claim}.sweep`, { ...own, generation: 1 }, linking);
  if (!giveBack) return false;
  try {
    // Between our look and our right to act another window may have swept, and may be about to claim: only what is there now
    // is judged, and only what was judged may go.
    const found = await look(files.claim);
    if (found === 'absent') return true;
    if (found === 'unreadable' || (found !== 'broken' && !(await isGone(found)))) return false;
    if (found === 'broken' && (await isBeingMade(files.claim))) return false;
    return await removeExactly(files.claim, instanceOf(found));
  } finally {
    await giveBack();
  }
}

/** Resolves to how it is given back; undefined while another has it. */
async function takeSweepRight(
  file: string,
  mine: ClaimFile,
  linking: Linking | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const found = await look(file);
  if (found !== 'absent' && (await isStale(file, found, mine))) {
    await removeExactly(file, instanceOf(found)).catch(() => undefined);
  }
  if (!(await place(file, mine, linking))) return undefined;
  return async () => void (await removeExactly(file, mine.instance).catch(() => undefined));
}

async function isStale(file: string, found: Awaited<ReturnType<typeof look>>, mine: ClaimFile): Promise<boolean> {
  if (typeof found === 'object' && isSameTable(found.claim, mine) && (await isProvenDead(found.claim))) return true;
  const madeAt = typeof found === 'object' ? found.touchedMs : await stat(file).then((file) => file.mtimeMs, Date.now);
  return Math.abs(Date.now() - madeAt) > SWEEP_DEADLINE_MS;
}

interface Last {
  readonly generation: number;
  readonly home?: string | undefined;
}

async function lastGeneration(files: ClaimPlace): Promise<Last> {
  const [number = '', home = ''] = (await readFile(files.generation, 'utf8').catch(() => '')).split('\n');
  const generation = Number.parseInt(number, 10);
  return {
    generation: Number.isSafeInteger(generation) && generation > 0 ? generation : 0,
    home: home === '' ? undefined : home,
  };
}

/** False when another owner has come and gone since the number was read. */
async function raised(files: ClaimPlace, generation: number, home: string): Promise<boolean> {
  const isNext = async () => (await lastGeneration(files)).generation < generation;
  if (!(await isNext())) return false;
  // Whoever was stopped here, and goes on after others have come, must not turn the number back.
  const beforeReplace = async () => {
    if (!(await isNext())) throw new Error(`another owner than generation ${generation} has come since`);
  };
  await atomicWrite(files.generation, `${generation}\n${home}\n`, { mode: PRIVATE, beforeReplace });
  return true;
}

/** What was being made or taken away when its process was killed. */
async function removeDrafts(files: ClaimPlace): Promise<void> {
  const folder = path.dirname(files.claim);
  const draft = new RegExp(`^${path.basename(files.claim).replaceAll('.', '\\.')}\\.[0-9a-f-]{36}$`);
  const names = (await readdir(folder).catch(() => [])).filter((name) => draft.test(name));
  for (const name of names) {
    const file = path.join(folder, name);
    const made = await stat(file).then(({ mtimeMs }) => mtimeMs, Date.now);
    if (Date.now() - made > DRAFT_LIFE_MS) await unlink(file).catch(() => undefined);
  }
}
