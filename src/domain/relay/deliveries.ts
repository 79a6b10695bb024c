import type { Delivery } from '../../protocol/relay.ts';
import type { Json } from '../../protocol/json.ts';
import { isOfEvent, readMessage, readSession } from './records.ts';

/** RLY-1: what became of what a chat was to be told of a session, the oldest first. Of what was never sent also why. */
export function deliveriesOf(session: string, kept: Json | undefined, queued: readonly Json[]): readonly Delivery[] {
  const settled = readSession(kept)?.receipts ?? [];
  const waiting = queued.flatMap((value) => readMessage(value) ?? []).filter((message) => message.session === session);
  return [
    ...settled.map(({ id, kind, at, state, when, why }) => ({
      ...{ kind, at, ...eventOf(kind, id), state, when },
      ...(why ? { why } : {}),
    })),
    ...waiting.map(({ id, kind, at }) => ({ kind, at, ...eventOf(kind, id), state: 'waiting' as const })),
  ];
}

function eventOf(kind: Delivery['kind'], id: string): { readonly event?: string } {
  return isOfEvent({ kind, id }) ? { event: id } : {};
}
