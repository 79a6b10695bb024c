import type { Delivery } from '../../protocol/relay.ts';
import type { Json } from '../../protocol/json.ts';
import { isOfEvent, readHeld, readMessage, readSession } from './records.ts';

/** All as it is kept. */
interface Kept {
  readonly session: Json | undefined;
  readonly queued: readonly Json[];
  readonly held: Json | undefined;
}

/** RLY-1: what became of what a chat was to be told of a session, the oldest first. Of what was not sent also why. */
export function deliveriesOf(session: string, { session: kept, queued, held }: Kept): readonly Delivery[] {
  const why = readHeld(held);
  const settled = readSession(kept)?.receipts ?? [];
  const waiting = queued.flatMap((value) => readMessage(value) ?? []).filter((message) => message.session === session);
  return [
    ...settled.map(({ id, kind, at, state, when, why }) => ({
      ...{ kind, at, ...eventOf(kind, id), state, when },
      ...(why ? { why } : {}),
    })),
    ...waiting.map(({ id, kind, at }) => ({
      kind,
      at,
      ...eventOf(kind, id),
      state: 'waiting' as const,
      ...(why ? { why } : {}),
    })),
  ];
}

function eventOf(kind: Delivery['kind'], id: string): { readonly event?: string } {
  return isOfEvent({ kind, id }) ? { event: id } : {};
}
