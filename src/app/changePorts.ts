import type { AgentEvent } from '../protocol/event.ts';
import type { OrderKey } from '../protocol/stored.ts';
import type { WorkChange } from './workPorts.ts';

/**
 * Something that became durable. `seq` rises by one with each record of the store, for ever and across owners, so a consumer needs to
 * remember one number. An event that is told a second time replaces the one that was told before under its id: the person took words
 * back, or retention took the raw payload.
 */
export type Change =
  | {
      readonly kind: 'event';
      readonly seq: number;
      readonly event: AgentEvent;
      /** It is no news: it was told before under this number; 0 in a store of an earlier release. */
      readonly was?: number | undefined;
    }
  /** CNV-4: what these events said is not to be kept anywhere. It comes before they are told anew, and stays when they are gone. */
  | { readonly kind: 'takenBack'; readonly seq: number; readonly ids: readonly string[] }
  | { readonly kind: 'work'; readonly seq: number; readonly change: WorkChange }
  /** CNV-4: whatever was told of these sessions before is gone for good. They may go on; that follows. */
  | { readonly kind: 'erased'; readonly seq: number; readonly sessions: readonly string[] | 'all' };

export interface ChangesPage {
  readonly changes: readonly Change[];
  /** Everything up to this number is in `changes`, was removed since, or is none of a consumer's business. */
  readonly upTo: number;
}

/** The store as its consumers follow it. */
export interface Changes {
  /** The number of the newest record; 0 in an empty store. */
  lastSeq(): number;
  /** Some of what came after this number, oldest first. `upTo` is `seq` itself where nothing came. */
  after(seq: number): ChangesPage;
  /** About how many events came after this number: exact for the newest, an estimate for those that are compressed. */
  countAfter(seq: number): number;
}

export interface EventsAfter {
  readonly events: readonly AgentEvent[];
  /** The last one's. */
  readonly key: OrderKey | undefined;
  /** Whether others follow. */
  readonly more: boolean;
}
