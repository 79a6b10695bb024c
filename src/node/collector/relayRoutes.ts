import { z } from 'zod';
import { deliveriesOf } from '../../domain/relay/deliveries.ts';
import { RELAY_SHELF, sessionKey } from '../../domain/relay/records.ts';
import { deliverySchema } from '../../protocol/relay.ts';
import { type Asked, noSession, type Reply, type Route, type RouteWorld } from './route.ts';
import { knownId } from './shownSessions.ts';

/** The queue holds fewer than this, with what is kept of sessions. */
const SHELF_MAX = 1_500;

/** RLY-1: what became of what a chat was to be told. */
export const relayRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/deliveries',
    name: 'listDeliveries',
    summary: 'What a chat was told of a session, and what it is to be told yet: the last of it, the oldest first.',
    answers: {
      200: {
        words: 'The deliveries. Empty where nothing is sent.',
        shape: ['Deliveries', z.object({ items: z.array(deliverySchema) })],
      },
      404: noSession,
    },
    answer: deliveries,
  },
];

function deliveries(world: RouteWorld, { params }: Asked): Reply {
  const id = knownId(world, params);
  const shelf = world.store.shelf(RELAY_SHELF);
  const queued = shelf.after('m/', SHELF_MAX).filter(({ key, session }) => key.startsWith('m/') && session === id);
  const items = deliveriesOf(
    id,
    shelf.get(sessionKey(id))?.value,
    queued.map(({ value }) => value),
  );
  return { status: 200, body: { items } };
}
