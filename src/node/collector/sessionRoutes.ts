import type { Page, PageRequest, SessionRow } from '../../app/ports.ts';
import { explain } from '../../domain/explain.ts';
import { isFilter, type SessionFilter, sessionFilter, sessionHint } from '../../domain/sessionFilter.ts';
import { agentEventSchema } from '../../protocol/event.ts';
import { explanationSchema } from '../../protocol/explanation.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import {
  interactionSchema,
  pageQuerySchema,
  sessionsQuerySchema,
  sessionWithAgentsSchema,
} from '../../protocol/reading.ts';
import { type Session, sessionSchema } from '../../protocol/state.ts';
import { refusalOfProject } from './agentScope.ts';
import { sessionForAgent } from './otherAgents.ts';
import { bytesOf, gather } from './pages.ts';
import {
  type Asked,
  badQuery,
  noSession,
  noSessionReply,
  pageSchemaOf,
  queryOf,
  type Reply,
  type Route,
  type RouteWorld,
} from './route.ts';
import { eachOnce, saidIn } from './said.ts';
import { knownId, sessionReader, sessionWithAgents, stateOf } from './shownSessions.ts';

export const sessionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions',
    name: 'listSessions',
    summary: 'All sessions, also those of long ago; or those that are wanted.',
    query: sessionsQuerySchema,
    answers: {
      200: {
        words: 'A page, newest first. Go on with `next` until it is null, also after an empty page.',
        shape: ['SessionPage', pageSchemaOf(sessionSchema)],
      },
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
    answer: (world, { params }) => ({ status: 200, body: sessionWithAgents(world, params['id'] ?? '') }),
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/interactions',
    name: 'listInteractions',
    summary: 'What was said in a session: prompts and replies, also the final replies of its sub-agents.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, oldest first.', shape: ['InteractionPage', pageSchemaOf(interactionSchema)] },
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

/** After an upgrade all rows are to be made anew, and whoever waits for a page gives up after some seconds. */
const ANEW_MAX_MS = 1_000;
/** Between two looks at the time. */
const ANEW_AT_ONCE = 4;

async function listSessions(world: RouteWorld, { query, signal, scope }: Asked): Promise<Reply> {
  const { limit, cursor, ...asked } = queryOf(sessionsQuerySchema, query);
  if (refusalOfProject(scope, asked.project)) return { status: 200, body: { items: [], next: null } };
  const filter = { ...asked, ...(scope && { project: scope.project }) };
  const [isWanted, mayBe] = [sessionFilter(filter), sessionHint(filter)];
  const { read, anew, isLive } = sessionReader(world);
  // What is live is of today, and its row may be behind.
  const pick = (row: SessionRow): Session | string | undefined => {
    if (!isLive(row.id) && !mayBe(row.json)) return undefined;
    const session = read(row);
    return session === undefined || isWanted(session) ? (session ?? row.id) : undefined;
  };
  const sizeOf = (each: Session | string) => (typeof each === 'string' ? PAGE_MAX_BYTES / ANEW_AT_ONCE : 0);
  const rows = { read: rowsFrom(world, filter), pick, sizeOf, sparse: isFilter(filter), signal };
  const began = performance.now();
  const items: Session[] = [];
  for (let from = cursor; ;) {
    const { items: found, next } = await gather(rows, { limit: limit - items.length, cursor: from });
    signal.throwIfAborted();
    for (const each of found) {
      const session = typeof each === 'string' ? await anew(each) : each;
      signal.throwIfAborted();
      if (session && isWanted(session)) items.push(session);
    }
    const made = found.some((each) => typeof each === 'string');
    const isOver = next === null || !made || items.length >= limit || performance.now() - began >= ANEW_MAX_MS;
    if (isOver) return { status: 200, body: { items: items.map((each) => sessionForAgent(world, scope, each)), next } };
    from = next;
  }
}

/** The newest are first: where they are too old, none comes after them. */
function rowsFrom({ store }: RouteWorld, { from }: SessionFilter): (page: PageRequest) => Page<SessionRow> {
  const earliest = from === undefined ? -Infinity : Date.parse(from);
  return (page) => {
    const part = store.sessions(page);
    const last = part.items.at(-1);
    return last && Date.parse(last.lastEventAt) < earliest ? { ...part, next: null } : part;
  };
}

async function listInteractions(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = knownId(world, params);
  const { items, next } = await gather(
    {
      read: (part) => world.store.sayings(id, part),
      pick: saidIn,
      sizeOf: ({ interaction }) => bytesOf(interaction),
      signal,
    },
    page,
  );
  return { status: 200, body: { items: await eachOnce(world.store, items, signal), next } };
}

async function listEvents(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const page = queryOf(pageQuerySchema, query);
  const id = knownId(world, params);
  const body = await gather(
    {
      read: (part) => world.store.eventsPage(id, part),
      pick: (event) => event,
      sizeOf: bytesOf,
      signal,
    },
    page,
  );
  return { status: 200, body };
}

function explanation(world: RouteWorld, { params }: Asked): Reply {
  const id = params['id'] ?? '';
  const state = stateOf(world, id);
  return state ? { status: 200, body: explain(state, sessionWithAgents(world, id)) } : noSessionReply;
}
