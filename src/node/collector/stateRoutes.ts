import {
  type Intake,
  intakeSchema,
  pageQuerySchema,
  type Stats,
  statsSchema,
  type Totals,
} from '../../protocol/reading.ts';
import { agentSchema, type Session, snapshotSchema } from '../../protocol/state.ts';
import { ownState } from './otherAgents.ts';
import { pageOf } from './pages.ts';
import { type Asked, badQuery, pageSchemaOf, queryOf, type Reply, type Route, type RouteWorld } from './route.ts';
import { allSessions } from './shownSessions.ts';

export const stateRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/state',
    name: 'readState',
    summary: 'The live state, with the revision that the patches of the stream count from.',
    description: 'Sessions of the last day and those that were heard of since; older ones are at `/api/sessions`.',
    answers: { 200: { words: 'The whole live state.', shape: ['Snapshot', snapshotSchema] } },
    answer: (world, { scope }) => ({ status: 200, body: ownState(world, scope) }),
  },
  {
    method: 'GET',
    path: '/api/agents',
    name: 'listAgents',
    summary: 'The agents of the live state.',
    query: pageQuerySchema,
    answers: {
      200: { words: 'A page, in the order of the ids.', shape: ['AgentPage', pageSchemaOf(agentSchema)] },
      400: badQuery,
    },
    answer: (world, { query, scope }) => ({
      status: 200,
      body: pageOf('agents', ownState(world, scope).agents, ({ id }) => id, queryOf(pageQuerySchema, query)),
    }),
  },
  {
    method: 'GET',
    path: '/api/stats',
    name: 'readStats',
    summary: 'Totals over everything that is stored, and what waits to be.',
    answers: { 200: { words: 'The totals, also by provider.', shape: ['Stats', statsSchema] } },
    answer: stats,
  },
  {
    method: 'GET',
    path: '/api/storing',
    name: 'readStoring',
    summary: 'Whether events are stored now, and how many wait to be: the part of the totals that takes no counting.',
    answers: { 200: { words: 'As it is now.', shape: ['Intake', intakeSchema] } },
    answer: async (world) => ({ status: 200, body: await intake(world) }),
  },
];

async function intake({ spool, storing }: RouteWorld): Promise<Intake> {
  return { spool: await spool(), storing: storing() };
}

async function stats(world: RouteWorld, { signal }: Asked): Promise<Reply> {
  let all = nothing;
  const byProvider = new Map<string, Totals>();
  for await (const session of allSessions(world, { signal })) {
    all = plus(all, session);
    byProvider.set(session.provider, plus(byProvider.get(session.provider) ?? nothing, session));
  }
  const events = world.store.eventCount();
  const body: Stats = { ...all, events, byProvider: Object.fromEntries(byProvider), ...(await intake(world)) };
  return { status: 200, body };
}

const nothing: Totals = {
  sessions: 0,
  active: 0,
  prompts: 0,
  replies: 0,
  toolCalls: 0,
  failures: 0,
  tokensIn: 0,
  tokensOut: 0,
};

function plus(totals: Totals, { state, counts }: Session): Totals {
  return {
    sessions: totals.sessions + 1,
    active: totals.active + (state === 'active' ? 1 : 0),
    prompts: totals.prompts + counts.prompts,
    replies: totals.replies + counts.replies,
    toolCalls: totals.toolCalls + counts.toolCalls,
    failures: totals.failures + counts.failures,
    tokensIn: totals.tokensIn + counts.tokensIn,
    tokensOut: totals.tokensOut + counts.tokensOut,
  };
}
