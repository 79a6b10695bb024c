import { explain } from '../../domain/explain.ts';
import { interactionOf } from '../../domain/interactions.ts';
import { agentEventSchema } from '../../protocol/event.ts';
import { explanationSchema } from '../../protocol/explanation.ts';
import { interactionSchema, pageQuerySchema, sessionWithAgentsSchema } from '../../protocol/reading.ts';
import { sessionSchema } from '../../protocol/state.ts';
import { gather } from './pages.ts';
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
import { isKnown, sessionReader, sessionWithAgents, stateOf } from './shownSessions.ts';

const notFound: Reply = { status: 404, body: { error: 'no session has this id' } };

export const interactionPage = pageSchemaOf(interactionSchema);

export const sessionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions',
    name: 'listSessions',
    summary: 'All sessions, also those of long ago.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, newest first.', shape: ['SessionPage', pageSchemaOf(sessionSchema)] },
      400: badQuery,
    },
    answer: listSessions,
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}',
    name: 'readSession',
    summary: 'One session with its agents.',
    answers: {
      200: { words: 'The session.', shape: ['SessionWithAgents', sessionWithAgentsSchema] },
      404: noSession,
    },
    answer: (world, { params }) => {
      const session = sessionWithAgents(world, params['id'] ?? '');
      return session ? { status: 200, body: session } : notFound;
    },
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/interactions',
    name: 'listInteractions',
    summary: 'What was said in a session: prompts and replies, also the final replies of its sub-agents.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, oldest first.', shape: ['InteractionPage', interactionPage] },
      400: badQuery,
      404: noSession,
    },
    answer: listInteractions,
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/events',
    name: 'listEvents',
    summary: 'The normalised events of a session, as they are stored.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, oldest first.', shape: ['EventPage', pageSchemaOf(agentEventSchema)] },
      400: badQuery,
      404: noSession,
    },
    answer: listEvents,
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/explanation',
    name: 'explainSession',
    summary: 'Why a session is in its phase: the steps that led there, and who told each.',
    answers: {
      200: { words: 'The phase and its steps.', shape: ['Explanation', explanationSchema] },
      404: noSession,
    },
    answer: explanation,
  },
];

async function listSessions(world: RouteWorld, { query }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const body = await gather({ read: world.store.sessions, pick: sessionReader(world), sizeOf: () => 0 }, page);
  return { status: 200, body };
}

async function listInteractions(world: RouteWorld, { params, query }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = params['id'] ?? '';
  if (!isKnown(world, id)) return notFound;
  const body = await gather(
    {
      read: (part) => world.store.sayings(id, part),
      pick: interactionOf,
      sizeOf: ({ content }) => content.length,
    },
    page,
  );
  return { status: 200, body };
}

async function listEvents(world: RouteWorld, { params, query }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = params['id'] ?? '';
  if (!isKnown(world, id)) return notFound;
  const body = await gather(
    {
      read: (part) => world.store.eventsPage(id, part),
      pick: (event) => event,
      sizeOf: (event) => JSON.stringify(event).length,
    },
    page,
  );
  return { status: 200, body };
}

function explanation(world: RouteWorld, { params }: Asked): Reply {
  const id = params['id'] ?? '';
  const state = stateOf(world, id);
  const shown = sessionWithAgents(world, id);
  return state && shown ? { status: 200, body: explain(state, shown) } : notFound;
}
