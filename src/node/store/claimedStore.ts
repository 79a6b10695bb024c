import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { OpenedStore } from '../../app/ownerRole.ts';
import type { Claim, Log } from '../../app/ports.ts';
import { createClaims } from '../cluster/claim.ts';
import { StoreInUseError } from './errors.ts';
import { openEventStore } from './eventStore.ts';

export interface ClaimedStoreParts {
  readonly folder: string;
  readonly wasm: Uint8Array;
  readonly log: Log;
  /** The home's. */
  readonly claim: Claim;
}

/**
 * The home's claim does not cover the store: one editor started with another AGENT_MASCOT_HOME than its neighbour is an owner
 * too, of the same storage. So the folder has a claim of its own, and its generation names the journals.
 */
export async function openClaimedStore({ folder, wasm, log, claim }: ClaimedStoreParts): Promise<OpenedStore> {
  const place = { claim: path.join(folder, 'owner.json'), generation: path.join(folder, 'generation') };
  const prepare = async () => void (await mkdir(folder, { recursive: true, mode: 0o700 }));
  const own = await createClaims(place, prepare).take();
  if (!own) throw new StoreInUseError(folder);
  try {
    const mayWrite = async () => (await claim.holds()) && (await own.holds());
    const opened = await openEventStore({ folder, wasm, log, generation: own.generation, mayWrite });
    const close = async () => {
      await opened.store.close();
      await own.release();
    };
    return { ...opened, store: { ...opened.store, close } };
  } catch (error) {
    await own.release();
    throw error;
  }
}
