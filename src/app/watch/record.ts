import { mainIdOf } from '../../domain/agentIds.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { EventContent, Observation, ObservedFields } from '../../domain/observed.ts';
import type { WatchingParts } from './watchParts.ts';

export type Found = EventContent & Pick<ObservedFields, 'key' | 'ts' | 'source'> & Partial<ObservedFields>;

/** Puts what was found about a session into its events. */
export function record({ outbox }: WatchingParts, { session, agents }: SessionState, found: readonly Found[]): void {
  if (found.length === 0) return;
  const observations = found.map((each): Observation => ({
    provider: session.provider,
    sessionId: session.id,
    agentId: mainIdOf(session.id, agents),
    ...each,
    key: `${session.id}:${each.key}`,
  }));
  outbox.send(observations);
}

/** Now, but never before the last event: what is concluded from a state comes after it. */
export function after({ last }: SessionState, now: number): string {
  return new Date(Math.max(now, Date.parse(last.ts) + 1)).toISOString();
}
