import { randomUUID } from 'node:crypto';
import { link, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Claim, Claims } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { isProvenDead, ownProcess } from '../machine/processes.ts';

const claimSchema = z.object({
  version: z.literal(1),
  pid: z.int().check(z.positive()),
  startedAt: z.string(),
  kernelStart: z.optional(z.string()),
  instance: z.string().check(z.minLength(1)),
  generation: z.int().check(z.positive()),
});
type ClaimFile = z.infer<typeof claimSchema>;

/** Removing a dead owner's claim takes a few milliseconds; whoever holds the right to do it for longer has died. */
const SWEEP_DEADLINE_MS = 5_000;
const PRIVATE = 0o600;

/** Two files beside each other: who holds the place, and how often it has been held. */
export interface ClaimPlace {
  readonly claim: string;
  readonly generation: string;
}

/**
 * One owner for a folder, whatever editors run: a file that only one can create. A hard link fails when the name is
 * there and never shows half a file, which neither `open('wx')` nor a rename can promise together.
 */
export function createClaims(place: ClaimPlace, prepare: () => Promise<void>): Claims {
  return {
    async take() {
      await prepare();
      const first = await create(place);
      if (first) return first;
      return (await sweepDead(place)) ? await create(place) : undefined;
    },
  };
}

async function create(place: ClaimPlace): Promise<Claim | undefined> {
  const instance = randomUUID();
  const generation = (await lastGeneration(place)) + 1;
  const mine: ClaimFile = { version: 1, ...(await ownProcess()), instance, generation };
  const draft = `${place.claim}.${instance}`;
  try {
    await writeFile(draft, JSON.stringify(mine), { mode: PRIVATE, flag: 'wx' });
    await link(draft, place.claim);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await atomicWrite(place.generation, `${generation}\n`, { mode: PRIVATE });
  return {
    instance,
    generation,
    pid: mine.pid,
    startedAt: mine.startedAt,
    kernelStart: mine.kernelStart,
    holds: async () => (await readClaim(place))?.instance === instance,
    async release() {
      if ((await readClaim(place))?.instance === instance) await unlink(place.claim).catch(() => undefined);
    },
  };
}

/** True when there is no claim any more that a living process holds. */
async function sweepDead(place: ClaimPlace): Promise<boolean> {
  const found = await look(place);
  if (found === 'absent') return true;
  if (found === 'unreadable') return false;
  if (found !== 'broken' && !(await isProvenDead(found))) return false;
  const right = `${place.claim}.sweep`;
  if (!(await takeSweepRight(right))) return false;
  try {
    // Between our look and our right to act another window may have swept, and may be about to claim: only what was read
    // just now, and is still what it was, may go.
    const still = await look(place);
    if (still === 'absent') return true;
    if (still === 'unreadable' || instanceOf(still) !== instanceOf(found)) return false;
    if (still !== 'broken' && !(await isProvenDead(still))) return false;
    await unlink(place.claim).catch(() => undefined);
    return true;
  } finally {
    await unlink(right).catch(() => undefined);
  }
}

/** A file that is no claim can be held by nobody; of one that can't be read that can't be said. */
type Look = ClaimFile | 'absent' | 'broken' | 'unreadable';

function instanceOf(look: Look): string {
  return typeof look === 'string' ? look : look.instance;
}

async function look(place: ClaimPlace): Promise<Look> {
  try {
    return claimSchema.parse(JSON.parse(await readFile(place.claim, 'utf8')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return 'broken';
    return code === 'ENOENT' ? 'absent' : 'unreadable';
  }
}

async function takeSweepRight(file: string): Promise<boolean> {
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > SWEEP_DEADLINE_MS) await unlink(file).catch(() => undefined);
  try {
    await (await open(file, 'wx', PRIVATE)).close();
    return true;
  } catch {
    return false;
  }
}

async function readClaim(place: ClaimPlace): Promise<ClaimFile | undefined> {
  const found = await look(place);
  return typeof found === 'string' ? undefined : found;
}

async function lastGeneration(place: ClaimPlace): Promise<number> {
  const text = await readFile(place.generation, 'utf8').catch(() => '0');
  const last = Number.parseInt(text, 10);
  return Number.isSafeInteger(last) && last > 0 ? last : 0;
}
