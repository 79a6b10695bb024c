import * as z from 'zod/mini';
import { deliveriesOf } from '../../domain/relay/deliveries.ts';
import { HELD_KEY, RELAY_SHELF, sessionKey } from '../../domain/relay/records.ts';
import { deliverySchema, noteSchema } from '../../protocol/relay.ts';
import type { Kept, Shelf } from '../../app/shelfPorts.ts';
import { type Asked, failing, noSession, type Reply, type Route, type RouteWorld } from './route.ts';
import { sentAs } from './sentAs.ts';
import { knownId } from './shownSessions.ts';

const AT_ONCE = 200;

/** RLY-1: what became of what a chat was to be told; RLY-2: and what scripts of the person want said there. */
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
  {
    method: 'POST',
    path: '/api/sessions/{id}/notes',
    name: 'sayNote',
    summary: 'Says something in the thread that a session has in a chat, masked and cut like all that is sent there.',
    description:
      'Answered once it is known whether it was said, after 15 seconds at most. What is answered with false is not said later, unless it was on its way already.',
    sent: ['Note', noteSchema],
    answers: {
      200: {
        words:
          'Whether it was said. False at once where nothing is sent (now), where the session has no thread, or where notes are not chosen.',
        shape: ['NoteSaid', z.object({ said: z.boolean() })],
      },
      400: failing('The body is no such note; the error says why.'),
      404: noSession,
      408: failing('The body did not come in time.'),
      413: failing('The body is too large.'),
      503: failing('Too much waits already.'),
    },
    answer: note,
  },
];

async function note(world: RouteWorld, { params, body }: Asked): Promise<Reply> {
  const id = knownId(world, params);
  const sent = await sentAs(noteSchema, body);
  if ('status' in sent) return sent;
  return { status: 200, body: { said: await world.notes.say(id, sent.value.text) } };
}

/** All that waits: what is kept of sessions lies behind it, and is much. */
function messagesOn(shelf: Shelf): readonly Kept[] {
  const found: Kept[] = [];
  for (let after: string | undefined = 'm/'; after !== undefined;) {
    const page: readonly Kept[] = shelf.after(after, AT_ONCE);
    const messages = page.filter(({ key }) => key.startsWith('m/'));
    found.push(...messages);
    after = messages.length === AT_ONCE ? messages.at(-1)?.key : undefined;
  }
  return found;
}

function deliveries(world: RouteWorld, { params }: Asked): Reply {
  const id = knownId(world, params);
  const shelf = world.store.shelf(RELAY_SHELF);
  const queued = messagesOn(shelf).filter(({ session }) => session === id);
  const items = deliveriesOf(id, {
    session: shelf.get(sessionKey(id))?.value,
    queued: queued.map(({ value }) => value),
    // A collector without an editor sends nothing, and writes nothing of why.
    held: world.notes.isTaken() ? shelf.get(HELD_KEY)?.value : 'off',
  });
  return { status: 200, body: { items } };
}
