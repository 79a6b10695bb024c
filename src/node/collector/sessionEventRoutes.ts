import { sessionEventOf } from '../../domain/sessionEvents.ts';
import { pageQuerySchema } from '../../protocol/reading.ts';
import { sessionEventSchema } from '../../protocol/sessionEvent.ts';
import { bytesOf, gather } from './pages.ts';
import {
  type Asked,
  badQuery,
  noSession,
  pageSchemaOf,
  queryOf,
  type Reply,
  type Route,
  type RouteWorld,
} from './route.ts';
import { knownId, stateOf } from './shownSessions.ts';

export const sessionEventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/session-events',
    name: 'listSessionEvents',
    summary: 'The story of a session, as the event stream tells it while it goes on.',
    description:
      'A compaction begins with `checkpoint_created`, which tells what the conversation was at, and ends with `compact`. ' +
      '`context_loaded` has the text that the agent was told of earlier sessions.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, oldest first.', shape: ['SessionEventPage', pageSchemaOf(sessionEventSchema)] },
      400: badQuery,
      404: noSession,
    },
    answer: listSessionEvents,
  },
];

async function listSessionEvents(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = knownId(world, params);
  const agents = new Set(stateOf(world, id)?.agents.map(({ agent }) => agent.id));
  const body = await gather(
    {
      read: (part) => world.store.eventsPage(id, part),
      pick: (event) => sessionEventOf(event, (agentId) => agents.has(agentId)),
      sizeOf: bytesOf,
      sparse: true,
      signal,
    },
    page,
  );
  return { status: 200, body };
}
