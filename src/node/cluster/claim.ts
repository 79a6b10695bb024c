import { randomUUID } from 'node:crypto';
import { link, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Claim, Claims } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { type Home, prepareHome } from '../machine/home.ts';
import { isProvenDead, ownProcess } from '../machine/processes.ts';

const claimSchema = z.object({
  version: z.literal(1),
  pid: z.int().positive(),
  startedAt: z.string(),
  kernelStart: z.string().optional(),
  instance: z.string().min(1),
  generation: z.int().positive(),
});
type ClaimFile = z.infer<typeof claimSchema>;

/** Removing a dead owner's claim takes a few milliseconds; whoever holds the right to do it for longer has died. */
const SWEEP_DEADLINE_MS = 5_000;
const PRIVATE = 0o600;

/**
 * One owner for a home folder, whatever editors run: a file that only one can create. A hard link fails when the name is
 * there and never shows half a file, which neither `open('wx')` nor a rename can promise together.
 */
export function createClaims(home: Home): Claims {
  return {
    async take() {
      await prepareHome(home);
      const first = await create(home);
      if (first) return first;
      return (await sweepDead(home)) ? await create(home) : undefined;
    },
  };
}

async function create(home: Home): Promise<Claim | undefined> {
  const instance = randomUUID();
  const generation = (await lastGeneration(home)) + 1;
  const mine: ClaimFile = { version: 1, ...(await ownProcess()), instance, generation };
  const draft = `${home.claim}.${instance}`;
  try {
    await writeFile(draft, JSON.stringify(mine), { mode: PRIVATE, flag: 'wx' });
    await link(draft, home.claim);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await atomicWrite(home.generation, `${generation}\n`, { mode: PRIVATE });
  return {
    instance,
    generation,
    pid: mine.pid,
    startedAt: mine.startedAt,
    kernelStart: mine.kernelStart,
    holds: async () => (await readClaim(home))?.instance === instance,
    async release() {
      if ((await readClaim(home))?.instance === instance) await unlink(home.claim).catch(() => undefined);
    },
  };
}

/** True when there is no claim any more that a living process holds. */
async function sweepDead(home: Home): Promise<boolean> {
  const found = await readClaim(home);
  if (found && !(await isProvenDead(found))) return false;
  const right = `${home.claim}.sweep`;
  if (!(await takeSweepRight(right))) return false;
  try {
    // Between our look and our right to act another window may have swept and claimed.
    const still = await readClaim(home);
    if (still && (still.instance !== found?.instance || !(await isProvenDead(still)))) return false;
    await unlink(home.claim).catch(() => undefined);
    return true;
  } finally {
    await unlink(right).catch(() => undefined);
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

/** Undefined also for a file that is no claim: nobody can hold that. */
async function readClaim(home: Home): Promise<ClaimFile | undefined> {
  try {
    return claimSchema.parse(JSON.parse(await readFile(home.claim, 'utf8')));
  } catch {
    return undefined;
  }
}

async function lastGeneration(home: Home): Promise<number> {
  const text = await readFile(home.generation, 'utf8').catch(() => '0');
  const last = Number.parseInt(text, 10);
  return Number.isSafeInteger(last) && last > 0 ? last : 0;
}
