import { contextText } from '../../domain/contextText.ts';
import { searchable } from '../../domain/interactions.ts';
import { maskText } from '../../domain/mask/mask.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import {
  contextQuerySchema,
  contextSchema,
  type SearchHit,
  searchHitSchema,
  searchQuerySchema,
} from '../../protocol/reading.ts';
import type { Session } from '../../protocol/state.ts';
import { createBreather } from './breathe.ts';
import { gather } from './pages.ts';
import { type Asked, badQuery, pageSchemaOf, queryOf, type Reply, type Route, type RouteWorld } from './route.ts';
import { eachOnce, type Said, saidIn } from './said.ts';
import { pastSessions } from './pastSessions.ts';
import { sessionReader } from './shownSessions.ts';

export const searchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/search',
    name: 'searchInteractions',
    summary: 'Prompts and replies of all sessions that contain a text.',
    query: searchQuerySchema,
    answers: {
      200: {
        words: 'A page, newest first. Search on with `next` until it is null, also after an empty page.',
        shape: ['SearchPage', pageSchemaOf(searchHitSchema)],
      },
      400: badQuery,
    },
    answer: search,
  },
  {
    method: 'GET',
    path: '/api/context',
    name: 'readContext',
    summary: 'What a new session may be told of the last ones of its project.',
    query: contextQuerySchema,
    answers: {
      200: { words: 'The text, ready to be handed to an agent.', shape: ['Context', contextSchema] },
      400: badQuery,
    },
    answer: context,
  },
];

async function search(world: RouteWorld, { query, signal }: Asked): Promise<Reply> {
  const { q, ...page } = queryOf(searchQuerySchema, query);
  const wanted = searchable(q);
  const pick = (event: AgentEvent): Said | undefined => {
    const said = saidIn(event);
    return said && searchable(said.interaction.content).includes(wanted) ? said : undefined;
  };
  const sizeOf = ({ interaction }: Said): number => interaction.content.length;
  const found = await gather({ read: world.store.newestSayings, pick, sizeOf, sparse: true, signal }, page);
  const sessionOf = sessionWords(world);
  const items: SearchHit[] = [];
  for (const interaction of await eachOnce(world.store, found.items, signal)) {
    items.push({ ...interaction, ...(await sessionOf(interaction.sessionId)) });
    signal.throwIfAborted();
  }
  return { status: 200, body: { items, next: found.next } };
}

type SessionWords = Pick<SearchHit, 'sessionTitle' | 'project'>;

function sessionWords(world: RouteWorld): (id: string) => Promise<SessionWords> {
  const { read, anew } = sessionReader(world);
  const breathe = createBreather();
  const known = new Map<string, SessionWords>();
  async function readWords(id: string): Promise<SessionWords> {
    const row = world.store.session(id);
    const session = row && (read(row) ?? (await anew(id)));
    await breathe();
    return { sessionTitle: session?.title ?? '', project: session?.project ?? '' };
  }
  return async (id) => {
    const words = known.get(id) ?? (await readWords(id));
    known.set(id, words);
    return words;
  };
}

async function context(world: RouteWorld, { query, signal }: Asked): Promise<Reply> {
  const { cwd, limit } = queryOf(contextQuerySchema, query);
  const project = cwd === undefined ? undefined : await projectOf(world, cwd);
  const sessions: Session[] = [];
  for await (const session of pastSessions(world, { project, signal })) if (sessions.push(session) >= limit) break;
  return { status: 200, body: contextText({ sessions, now: world.now(), allProjects: project === undefined }) };
}

/** In the words that sessions have it in: they were masked when they were stored. */
async function projectOf({ projects }: RouteWorld, folder: string): Promise<string> {
  return maskText(projects ? (await projects.locate(folder)).path : folder);
}
