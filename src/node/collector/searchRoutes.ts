import { searchable } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { type SearchHit, searchHitSchema, searchQuerySchema } from '../../protocol/reading.ts';
import { createBreather } from './breathe.ts';
import { gather } from './pages.ts';
import { type Asked, badQuery, pageSchemaOf, queryOf, type Reply, type Route, type RouteWorld } from './route.ts';
import { eachOnce, type Said, saidIn } from './said.ts';
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
