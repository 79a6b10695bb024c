import type { AgentEvent } from '../protocol/event.ts';
import type { OrderKey } from '../protocol/stored.ts';

/** What whoever copies the store elsewhere asks of it, and no page of the API does. */
export interface Copied {
  /** Those of a session that come after this key, oldest first; fewer than `limit` where they are large. */
  eventsAfter(sessionId: string, key: OrderKey | undefined, limit: number): EventsAfter;
  /** How many a session has up to this key, or in all. */
  countEvents(sessionId: string, upTo?: OrderKey): number;
}

export interface EventsAfter {
  readonly events: readonly AgentEvent[];
  /** The last one's. */
  readonly key: OrderKey | undefined;
  /** Whether others follow. */
  readonly more: boolean;
}
