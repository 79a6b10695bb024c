import type { SayingSearch } from '../../app/ports.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { type SearchHit, searchHitSchema, searchQuerySchema } from '../../protocol/reading.ts';
import type { AgentScope } from './agentScope.ts';
import { createBreather } from './breathe.ts';
import { projectOf } from './contextRoutes.ts';
import { mayReadSaid, titleForAgent } from './otherAgents.ts';
import { bytesOf } from './pages.ts';
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

/** Of some milliseconds each: somebody waits for the answer, and may see what there is before it is asked on. */
const SLICES = 12;

async function search(world: RouteWorld, { query, signal, scope }: Asked): Promise<Reply> {
  const { q, project, role, from, to, limit, cursor } = queryOf(searchQuerySchema, query);
  const wantedProjects = project === undefined ? undefined : await namesOf(world, project);
  const projects = scope ? ownOf(scope, wantedProjects) : wantedProjects;
  const breathe = createBreather();
  const wanted: SayingSearch = {
    text: q,
    role,
    from: momentOf(from),
    to: momentOf(to),
    isOfSession: projects && mayBeIn(world, projects),
  };
  const found: Said[] = [];
  let size = 0;
  let next: string | null | undefined = cursor;
  let slices = 0;
  do {
    const part = world.store.searchSayings(wanted, { limit: limit - found.length, cursor: next });
    for (const event of part.items) {
      const said = saidIn(event);
      if (!said) continue;
      found.push(said);
      size += bytesOf(said.interaction);
    }
    next = part.next;
    await breathe();
    signal.throwIfAborted();
  } while (next !== null && ++slices < SLICES && found.length < limit && size < PAGE_MAX_BYTES);

  const sessionOf = sessionWords(world);
  const items: SearchHit[] = [];
  for (const interaction of await eachOnce(world.store, found, signal)) {
    const hit = { ...interaction, ...(await sessionOf(interaction.sessionId)) };
    if (projects && !projects.has(hit.project)) continue;
    if (!scope) items.push(hit);
    else if (mayReadSaid(world, scope, interaction))
      items.push({ ...hit, sessionTitle: titleForAgent(world, scope, hit.sessionId, hit.sessionTitle) });
    signal.throwIfAborted();
  }
  return { status: 200, body: { items, next } };
}

/** In the form in which events have it, so that the texts can be compared: a year of five digits would stand before them all. */
function momentOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString().replace(/^\+.*/, '9999-12-31T23:59:59.999Z');
}

/** As it was asked for, and the project of which that is a folder. */
async function namesOf(world: RouteWorld, project: string): Promise<ReadonlySet<string>> {
  return new Set([project, await projectOf(world, project)]);
}

/** The projects that an agent's search covers: those it names, within its scope; its own if it names none. */
function ownOf({ project }: AgentScope, wanted: ReadonlySet<string> | undefined): ReadonlySet<string> {
  return new Set(wanted === undefined || wanted.has(project) ? [project] : []);
}

/** A row that has to be made anew may be of any project; what it says then decides. */
function mayBeIn(world: RouteWorld, projects: ReadonlySet<string>): NonNullable<SayingSearch['isOfSession']> {
  const { read } = sessionReader(world);
  const known = new Map<string, boolean>();
  const look: NonNullable<SayingSearch['isOfSession']> = (id, told) => {
    const row = world.store.session(id);
    told?.(row?.json.length ?? 0);
    const session = row && read(row);
    return row !== undefined && (session === undefined || projects.has(session.project));
  };
  return (id, told) => {
    const is = known.get(id) ?? look(id, told);
    known.set(id, is);
    return is;
  };
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
