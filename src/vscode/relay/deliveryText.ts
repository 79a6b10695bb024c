import type { Delivery } from '../../protocol/relay.ts';
import { momentOf, type PersonsTime } from '../moment.ts';
import { relayPhrase, whyPhrase } from './relayPhrases.ts';

/** A tooltip has room for these. */
const LINES_MAX = 5;

/** RLY-1: what a chat was told of a session, the newest last; each a line. */
export function deliveryLines(deliveries: readonly Delivery[], when: PersonsTime): readonly string[] {
  return deliveries.slice(-LINES_MAX).map(({ kind, at, state, when: settledAt, why = '' }) =>
    relayPhrase(`delivery.${state}`, {
      kind: relayPhrase(`kind.${kind}`),
      time: momentOf(settledAt ?? at, when),
      why: whyPhrase(why),
    }),
  );
}
