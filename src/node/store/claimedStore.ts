import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { OpenedStore } from '../../app/ownerRole.ts';
import type { Claim, Log } from '../../app/ports.ts';
import { createClaims } from '../cluster/claim.ts';
import type { Compact } from './compact.ts';
import { StoreFencedError, StoreInUseError } from './errors.ts';
import { openEventStore } from './eventStore.ts';

export interface ClaimedStoreParts {
  readonly folder: string;
  readonly wasm: Uint8Array;
  readonly log: Log;
  /** The home's. */
  readonly claim: Claim;
  /** Makes large images beside the main thread. */
  readonly compact?: Compact | undefined;
}

/**
 * The home's claim does not cover the store: one editor started with another AGENT_MASCOT_HOME than its neighbour is an owner
 * too, of the same storage. So the folder has a claim of its own, and its generation names the journals.
 */
export async function openClaimedStore({ folder, wasm, log, claim, compact }: ClaimedStoreParts): Promise<OpenedStore> {
  const place = { claim: path.join(folder, 'owner.json'), generation: path.join(folder, 'generation') };
  const prepare = async () => void (await mkdir(folder, { recursive: true, mode: 0o700 }));
  // Whoever held the store for this home has lost the home to us, be it alive or not: it may write nothing any more.
  const passesOver = ({ home }: { readonly home?: string | undefined }) => home === claim.home;
  if (!(await claim.holds())) throw new StoreFencedError();
  const own = await createClaims(place, prepare, { home: claim.home, passesOver }).take();
  if (!own) throw new StoreInUseError(folder);
  try {
    const mayWrite = async () => (await claim.holds()) && (await own.holds());
    const opened = await openEventStore({ folder, wasm, log, generation: own.generation, mayWrite, compact });
    const close = async () => {
      try {
        await opened.store.close();
      } finally {
        await own.release();
      }
    };
    return { ...opened, store: { ...opened.store, close } };
  } catch (error) {
    await own.release();
    throw error;
  }
}
