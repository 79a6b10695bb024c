import { statisticsOf } from '../../domain/statistics.ts';
import { observationSchema, pageQuerySchema, statisticsSchema } from '../../protocol/reading.ts';
import { observationPage } from './observationReading.ts';
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
import { knownId, sessionWithAgents } from './shownSessions.ts';

export const observationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/observations',
    name: 'listObservations',
    summary: 'The tool calls of a session: what was asked of each tool, what it answered, and how it ended.',
    query: pageQuerySchema,
    answers: {
      200: {
        words: 'A page, oldest first. Go on with `next` until it is null, also after an empty page.',
        shape: ['ObservationPage', pageSchemaOf(observationSchema)],
      },
      400: badQuery,
      404: noSession,
    },
    answer: listObservations,
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/statistics',
    name: 'readStatistics',
    summary: 'What a session adds up to.',
    answers: {
      200: { words: 'The figures; final once the session is over.', shape: ['Statistics', statisticsSchema] },
      404: noSession,
    },
    answer: statistics,
  },
];

function statistics(world: RouteWorld, { params }: Asked): Reply {
  return { status: 200, body: statisticsOf(sessionWithAgents(world, params['id'] ?? '')) };
}

async function listObservations(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = knownId(world, params);
  return { status: 200, body: await observationPage(world, { ...page, id, signal }) };
}
