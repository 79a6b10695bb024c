import type { Delivery } from '../../protocol/relay.ts';
import type { Conversation } from './conversationReading.ts';

/** A hook and a transcript may both have told of a reply; only one of their events is shown. */
const SAME_REPLY_MS = 5_000;

export interface Receipts {
  /** By the interaction that was sent. */
  readonly of: ReadonlyMap<string, readonly Delivery[]>;
  /** What was sent besides: no interaction says it. */
  readonly others: readonly Delivery[];
}

/** RLY-1: where in a conversation it is said what a chat was told of it. */
export function receiptsIn({ interactions, deliveries, cut }: Conversation): Receipts {
  const of = new Map<string, readonly Delivery[]>();
  const others: Delivery[] = [];
  const replies = interactions.filter(({ role }) => role === 'assistant');
  const [first, last] = [interactions[0]?.ts ?? '', interactions.at(-1)?.ts ?? ''];
  for (const delivery of deliveries) {
    const { kind, event, at } = delivery;
    const isNear = ({ ts }: { readonly ts: string }) => Math.abs(Date.parse(ts) - Date.parse(at)) < SAME_REPLY_MS;
    const reply = replies.find(({ id }) => id === event) ?? (kind === 'reply' ? replies.find(isNear) : undefined);
    const isLeftOut = (cut.before && at < first) || (cut.after && at > last);
    if (reply) of.set(reply.id, [...(of.get(reply.id) ?? []), delivery]);
    else if (!isLeftOut) others.push(delivery);
  }
  return { of, others };
}
