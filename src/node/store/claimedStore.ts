import type { TakeOverProgress } from '../../protocol/state.ts';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { thisAccount } from '../../../forwarder/home.ts';
import { overriding } from '../../domain/overriding.ts';
import type { OpenedStore } from '../../app/ownerRole.ts';
import type { Claim, Claims, EventStore, Log } from '../../app/ports.ts';
import { createClaims } from '../cluster/claim.ts';
import type { ClaimFile } from '../cluster/claimFile.ts';
import type { Sealer } from '../log/recordLog.ts';
import { StoreFencedError, StoreInUseError } from '../log/errors.ts';
import { openEventStore } from './eventStore.ts';
import { refuseNewer } from './newer.ts';

/** An owner whose home was removed or moved away notices within two seconds, and gives its store back then. */
const IN_USE_AFTER_MS = 3_000;
const RETRY_MS = 50;

export interface ClaimedStoreParts {
  readonly folder: string;
  readonly wasm: Uint8Array;
  readonly log: Log;
  /** The home's. */
  readonly claim: Claim;
  /** Compresses the log beside the main thread. */
  readonly sealer?: Sealer | undefined;
  /** Told how far the store of an earlier release is taken over. */
  readonly onTakeOver?: ((progress: TakeOverProgress) => void) | undefined;
  readonly inUseAfterMs?: number;
}

/**
 * The home's claim does not cover the store: one editor started with another AGENT_MASCOT_HOME than its neighbour is an owner
 * too, of the same storage. So the folder has a claim of its own, and its generation is in the names of the files that its owner writes.
 */
export async function openClaimedStore(parts: ClaimedStoreParts): Promise<OpenedStore> {
  const { folder, wasm, log, claim, sealer, onTakeOver } = parts;
  const place = { claim: path.join(folder, 'owner.json'), generation: path.join(folder, 'generation') };
  const prepare = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await mustBeOurs(folder);
  };
  // Whoever held the store for this home before us has lost the home, be it alive or not: it may write nothing any more. We may
  // have lost it too since we last looked; then the store is our successor's, whose claim stays.
  const passesOver = async ({ home, homeGeneration = 0 }: ClaimFile) =>
    home === claim.home && homeGeneration < claim.generation && (await claim.holds());
  if (!(await claim.holds())) throw new StoreFencedError();
  await refuseNewer(folder);
  const own = await takeInTime(createClaims(place, prepare, { home: claim, passesOver }), parts);
  try {
    const mayWrite = async () => (await Promise.all([claim.holds(), own.holds()])).every(Boolean);
    const opened = await openEventStore({
      ...{ folder, wasm, log, mayWrite, sealer, onTakeOver },
      generation: own.generation,
    });
    const close = async () => {
      try {
        await opened.store.close();
      } finally {
        await own.release();
      }
    };
    return { ...opened, store: overriding<EventStore>(opened.store, { close }), holds: own.holds };
  } catch (error) {
    await own.release();
    throw error;
  }
}

/** Once not had is not yet somebody else's: its former owner may be giving it back right now. */
async function takeInTime(claims: Claims, parts: ClaimedStoreParts): Promise<Claim> {
  const { folder, claim, inUseAfterMs = IN_USE_AFTER_MS } = parts;
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const own = await claims.take();
    if (own) return own;
    if (!(await claim.holds())) throw new StoreFencedError();
    if (waitedMs >= inUseAfterMs) throw new StoreInUseError(folder);
    await wait(RETRY_MS);
  }
}

/** Whoever owns the folder reads all that is stored, and may put other sessions in its place. */
async function mustBeOurs(folder: string, self = thisAccount()): Promise<void> {
  const { uid } = await stat(folder);
  if (self !== 'any' && uid !== self) {
    throw new Error(
      `The store's folder ${folder} belongs to another user (${uid}). Make it yours (chown), or delete store.json in the home to begin a new store.`,
    );
  }
}
