import * as z from 'zod/mini';
import type { Asker, WorkOutcome } from '../../app/workPorts.ts';
import { pageQuerySchema } from '../../protocol/reading.ts';
import { textWithin } from '../../protocol/textSchema.ts';
import {
  ownEventSchema,
  trackingSchema,
  workCreationSchema,
  workEndSchema,
  workItemSchema,
  type WorkRefusal,
  workRefusals,
  workSeenSchema,
  workStartSchema,
} from '../../protocol/work.ts';
import { type AgentScope, refusalOfProject, refusalOfSession } from './agentScope.ts';
import { itemForAgent } from './otherAgents.ts';
import { pageOf } from './pages.ts';
import {
  type Answered,
  type Asked,
  badQuery,
  failing,
  pageSchemaOf,
  queryOf,
  type Reply,
  type Route,
  type RouteWorld,
} from './route.ts';
import { sentAs } from './sentAs.ts';

const folder = z.optional(textWithin(1, 4_096)).check(z.describe('The project, or a folder of it.'));
const listQuerySchema = z.object({ ...pageQuerySchema.shape, project: folder });
const oneQuerySchema = z.object({ project: folder });
const trackingQuerySchema = z.object({
  project: textWithin(1, 4_096).check(z.describe('The project, or a folder of it.')),
});

const changedSchema = z.object({
  item: workItemSchema,
  changed: z.boolean().check(z.describe('False: it was as it was to become.')),
});
const refusedSchema = z.object({
  error: z.string(),
  reason: z.optional(z.enum(workRefusals)),
  needs: z.optional(z.array(z.string())).check(z.describe('The ids that have to end first.')),
});
const folderTrackingSchema = z.object({ ...trackingSchema.shape, project: z.string() });

const refusing = (words: string): Answered => ({ words, shape: ['WorkRefused', refusedSchema] });
const changing: Route['answers'] = {
  200: { words: 'It is so, and durable.', shape: ['WorkChanged', changedSchema] },
  400: refusing('The body is no such request, or it is not known which project is meant; the error says why.'),
  404: refusing('There is no such item.'),
  408: failing('The body did not come in time.'),
  409: refusing('It can’t be done now; the error says what has to be done first.'),
  413: failing('The body is too large.'),
  500: failing('It could not be stored, and nothing changed: send it again.'),
  503: failing('Too much waits already.'),
};

/** GRD-1, EVT-4: what stands behind the command line tool `mascot`. */
export const workRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/work-items',
    name: 'listWorkItems',
    summary: 'The work items that edits can be held to, of one project or of all.',
    query: listQuerySchema,
    answers: {
      200: { words: 'A page, in the order of their keys.', shape: ['WorkItemPage', pageSchemaOf(workItemSchema)] },
      400: badQuery,
    },
    answer: list,
  },
  {
    method: 'POST',
    path: '/api/work-items',
    name: 'createWorkItem',
    summary: 'Makes a work item, and starts it where that is asked for.',
    sent: ['WorkCreation', workCreationSchema],
    answers: changing,
    answer: (world, asked) =>
      change(world, asked, workCreationSchema, (body) => world.work.create(body, asked.isPerson)),
  },
  {
    method: 'GET',
    path: '/api/work-items/{id}',
    name: 'readWorkItem',
    summary: 'One work item, with who touched it and which files.',
    query: oneQuerySchema,
    answers: {
      200: { words: 'As it is now.', shape: ['WorkItem', workItemSchema] },
      400: badQuery,
      404: refusing('There is no such item.'),
      409: refusing('Several projects have one of this id, and none was named.'),
    },
    answer: one,
  },
  {
    method: 'POST',
    path: '/api/work-items/{id}/start',
    name: 'startWorkItem',
    summary: 'Edits of its project belong to it from now on.',
    sent: ['WorkStart', workStartSchema],
    answers: changing,
    answer: (world, asked) =>
      change(world, asked, workStartSchema, (body) => world.work.start(asked.params['id'] ?? '', body, asked.isPerson)),
  },
  {
    method: 'POST',
    path: '/api/work-items/{id}/end',
    name: 'endWorkItem',
    summary: 'It is done, or given up.',
    sent: ['WorkEnd', workEndSchema],
    answers: changing,
    answer: (world, asked) =>
      change(world, asked, workEndSchema, (body) => world.work.end(asked.params['id'] ?? '', body)),
  },
  {
    method: 'POST',
    path: '/api/work-items-seen',
    name: 'sawWorkItems',
    summary: 'A person has seen these work items: agents may get their titles from now on.',
    sent: ['WorkSeen', workSeenSchema],
    answers: {
      200: { words: 'Stored durably.', shape: ['WorkSeenKept', z.object({ ok: z.literal(true) })] },
      400: failing('The body is no such request; the error says why.'),
      408: failing('The body did not come in time.'),
      413: failing('The body is too large.'),
      500: failing('It could not be stored: send it again.'),
      503: failing('Too much waits already.'),
    },
    answer: saw,
  },
  {
    method: 'POST',
    path: '/api/session-events',
    name: 'logOwnEvent',
    summary: 'What an agent logs of its own: a decision, an escalation.',
    sent: ['OwnEvent', ownEventSchema],
    answers: {
      200: {
        words: 'It is part of the session’s story.',
        shape: ['OwnEventKept', z.object({ ok: z.literal(true), id: z.string().check(z.describe('Of the session.')) })],
      },
      400: failing('The body is no such event; the error says why.'),
      404: failing('It is not known which session says this.'),
      408: failing('The body did not come in time.'),
      413: failing('The body is too large.'),
      500: failing('It could not be stored: send it again.'),
      503: failing('Too much waits already.'),
    },
    answer: logOwn,
  },
  {
    method: 'GET',
    path: '/api/tracking',
    name: 'readTracking',
    summary: 'What edits in a project are held to.',
    query: trackingQuerySchema,
    answers: {
      200: { words: 'As it is now.', shape: ['Tracking', folderTrackingSchema] },
      400: badQuery,
    },
    answer: tracking,
  },
];

async function list(world: RouteWorld, { query, scope }: Asked): Promise<Reply> {
  const { project: asked, ...page } = queryOf(listQuerySchema, query);
  const project = asked === undefined ? scope?.project : await world.work.projectOf({ project: asked });
  const items = refusalOfProject(scope, project) ? [] : world.work.list(project);
  return {
    status: 200,
    body: pageOf(
      'work-items',
      items.map((item) => itemForAgent(world, scope, item)),
      ({ key }) => key,
      page,
    ),
  };
}

async function one(world: RouteWorld, { params, query, scope }: Asked): Promise<Reply> {
  const { project = scope?.project } = queryOf(oneQuerySchema, query);
  const asker = project === undefined ? {} : { project };
  const others = refusalOfProject(scope, scope && (await world.work.projectOf(asker)));
  if (others) return others;
  const found = await world.work.one(params['id'] ?? '', asker);
  return found.kind === 'done' ? { status: 200, body: itemForAgent(world, scope, found.item) } : refusal(found, scope);
}

const statuses: Readonly<Record<WorkRefusal, number>> = {
  'no-project': 400,
  secret: 400,
  unknown: 404,
  exists: 409,
  'needs-open': 409,
  'not-running': 409,
  ambiguous: 409,
  'too-many': 409,
};

function refusal(refused: Extract<WorkOutcome, { kind: 'refused' }>, scope: AgentScope | undefined): Reply {
  const { reason, error, needs, elsewhere } = refused;
  // SEC-7: an agent must not learn what other projects have.
  const words = elsewhere === undefined || scope ? error : `${error}; ${elsewhere} has one of that name`;
  return { status: statuses[reason], body: { error: words, reason, ...(needs ? { needs } : {}) } };
}

async function change<T extends Asker>(
  world: RouteWorld,
  { body, scope }: Asked,
  schema: z.ZodMiniType<T>,
  work: (body: T) => Promise<WorkOutcome>,
): Promise<Reply> {
  const sent = await sentAs(schema, body);
  if ('status' in sent) return sent;
  // Where nothing else tells the project, the scope does: an item of the same name may be alone, in another project.
  const asked = { ...sent.value, ...(scope && { project: sent.value.project ?? scope.project }) };
  const others =
    refusalOfAsker(world, scope, asked) ?? refusalOfProject(scope, scope && (await world.work.projectOf(asked)));
  if (others) return others;
  const answer = await work(asked);
  return answer.kind === 'done'
    ? { status: 200, body: { item: itemForAgent(world, scope, answer.item), changed: answer.changed } }
    : refusal(answer, scope);
}

/** Refuses an agent that names a session of another project. */
function refusalOfAsker({ work }: RouteWorld, scope: AgentScope | undefined, asker: Asker): Reply | undefined {
  const session = scope && work.sessionOf(asker);
  return session && refusalOfSession(scope, session);
}

async function saw({ work }: RouteWorld, { body }: Asked): Promise<Reply> {
  const sent = await sentAs(workSeenSchema, body);
  if ('status' in sent) return sent;
  await work.saw(sent.value.keys);
  return { status: 200, body: { ok: true } };
}

async function logOwn(world: RouteWorld, { body, scope }: Asked): Promise<Reply> {
  const sent = await sentAs(ownEventSchema, body);
  if ('status' in sent) return sent;
  const others = refusalOfAsker(world, scope, sent.value);
  if (others) return others;
  const id = await world.work.log(sent.value);
  if (id !== undefined) return { status: 200, body: { ok: true, id } };
  const error = 'it is not known which session says this: name it by its id';
  return { status: 404, body: { error } };
}

async function tracking(world: RouteWorld, { query, scope }: Asked): Promise<Reply> {
  const asked = queryOf(trackingQuerySchema, query);
  const project = (await world.work.projectOf(asked)) ?? asked.project;
  const others = refusalOfProject(scope, project);
  if (others) return others;
  return { status: 200, body: { ...world.tracking.of(project), gaps: world.guard.gaps(project), project } };
}
