import * as z from 'zod/mini';
import type { Page, PageRequest } from '../../app/ports.ts';
import { type ReportReader, readReport } from '../../domain/report.ts';
import { reportText } from '../../domain/reportText.ts';
import { englishReport } from '../../domain/reportWords.ts';
import { type Report, reportSchema } from '../../protocol/report.ts';
import { createBreather } from './breathe.ts';
import { type Asked, badQuery, noSession, queryOf, type Reply, type Route, type RouteWorld } from './route.ts';
import { eachOnce, saidIn } from './said.ts';
import { knownId, sessionWithAgents } from './shownSessions.ts';

const querySchema = z.object({
  format: z
    ._default(z.enum(['json', 'markdown'], { error: 'must be json or markdown' }), 'json')
    .check(z.describe('`markdown`: the same in English, as text.')),
});

export const reportRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/report',
    name: 'readReport',
    summary: 'What became of a session: what was asked, done, failed and decided, and which work items moved.',
    description: 'Of long lists the part that is worth telling; `left` says how many others there were.',
    query: querySchema,
    answers: {
      200: { words: 'The report, as far as the session has come.', shape: ['Report', reportSchema] },
      400: badQuery,
      404: noSession,
    },
    answer: report,
  },
];

/** What is read at once. */
const SLICE = 50;
/** Of what was said more: for some of it all that was said has to be looked through, once a slice. */
const SAID_SLICE = 200;

/** Weeks of work; who wants to read of more reads the events themselves. */
const READ_MAX = 200_000;

async function report(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const { format } = queryOf(querySchema, query);
  const made = await reportOf(world, knownId(world, params), signal);
  if (format === 'json') return { status: 200, body: made };
  const headers = { 'content-type': 'text/markdown; charset=utf-8' };
  return { status: 200, text: reportText(made, englishReport()), headers };
}

async function reportOf(world: RouteWorld, id: string, signal: AbortSignal): Promise<Report> {
  const { project, cwd } = sessionWithAgents(world, id);
  const reader = readReport([project, cwd]);
  await readSaid(world, id, reader, signal);
  const isWhole = await eachSlice(
    (page) => world.store.eventsPage(id, page),
    (events) => {
      for (const event of events) reader.take(event);
    },
    signal,
  );
  // Read last: the session may have gone on meanwhile.
  const { agents, ...session } = sessionWithAgents(world, id);
  const items = world.work.list(session.project);
  return reader.report({ session, agents, items }, isWhole);
}

async function readSaid({ store }: RouteWorld, id: string, reader: ReportReader, signal: AbortSignal): Promise<void> {
  await eachSlice(
    (page) => store.sayings(id, { ...page, limit: SAID_SLICE }),
    async (events) => {
      const said = events.flatMap((event) => saidIn(event) ?? []);
      for (const interaction of await eachOnce(store, said, signal)) reader.said(interaction);
    },
    signal,
  );
}

/** False: there was more than is read. */
async function eachSlice<T>(
  read: (page: PageRequest) => Page<T>,
  take: (items: readonly T[]) => void | Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const breathe = createBreather();
  let cursor: string | undefined;
  for (let count = 0; count < READ_MAX; count += SLICE) {
    const { items, next } = read({ limit: SLICE, cursor });
    await take(items);
    await breathe();
    signal.throwIfAborted();
    if (next === null) return true;
    cursor = next;
  }
  return false;
}
