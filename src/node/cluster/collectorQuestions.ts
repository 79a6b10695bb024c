import * as z from 'zod/mini';
import type { Page } from '../../app/ports.ts';
import type { Collector, ListName, PageAfter, SessionLists, WorkAnswer } from '../../app/windowPorts.ts';
import { NO_AGENT } from '../../protocol/cast.ts';
import { toPathPart } from '../../protocol/pathPart.ts';
import {
  erasedSchema,
  interactionSchema,
  NO_SESSION,
  observationSchema,
  searchHitSchema,
  sessionWithAgentsSchema,
  statisticsSchema,
  storedSchema,
} from '../../protocol/reading.ts';
import { deliverySchema } from '../../protocol/relay.ts';
import { type Report, reportSchema } from '../../protocol/report.ts';
import { sessionEventSchema } from '../../protocol/sessionEvent.ts';
import { sessionSchema } from '../../protocol/state.ts';
import { storySchema } from '../../protocol/story.ts';
import { trackingSchema, workItemSchema, workRefusals } from '../../protocol/work.ts';
import type { Home } from '../machine/home.ts';
import { type Answer, answerOf, askOwner, type Question } from './askOwner.ts';
import { readOwner } from './portFile.ts';

/** Rewriting the database and its copies takes seconds where they are large. */
const ERASE_DEADLINE_MS = 120_000;
/** All that is stored of a session is read for it. */
const REPORT_DEADLINE_MS = 60_000;

const listSchemas: { readonly [Name in ListName]: z.ZodMiniType<SessionLists[Name]> } = {
  interactions: interactionSchema,
  observations: observationSchema,
  'session-events': sessionEventSchema,
};

const deliveriesSchema = z.object({ items: z.array(deliverySchema) });
const workChangedSchema = z.object({ item: workItemSchema, changed: z.boolean() });
const workRefusedSchema = z.object({
  reason: z.enum(workRefusals),
  needs: z._default(z.array(z.string()), []),
});
const folderTrackingSchema = z.extend(trackingSchema, { project: z.string() });

const noAgentSchema = z.object({ error: z.literal(NO_AGENT) });
const noSessionSchema = z.object({ error: z.literal(NO_SESSION) });

/** Asks whoever owns now, by the port file: the window that owns asks itself by the same way, so there is but one. */
export function createCollectorQuestions(home: Pick<Home, 'portFile' | 'personKey'>): Collector {
  // A port file that can't be trusted names nobody.
  const owner = () => readOwner(home).catch(() => undefined);

  async function ask<T>(question: Question, schema: z.ZodMiniType<T>): Promise<T | undefined> {
    const found = await owner();
    return found && (await askOwner(found, question, schema));
  }

  async function answered(question: Question) {
    const found = await owner();
    return found && (await answerOf(found, question));
  }

  async function list<Name extends ListName>(
    sessionId: string,
    name: Name,
    page: PageAfter,
  ): Promise<Page<SessionLists[Name]> | 'unknown' | undefined> {
    const answer = await answered({ path: `${ofSession(sessionId)}/${name}?${queryText({ ...page })}` });
    if (answer?.status === 404) return 'unknown';
    const item: z.ZodMiniType<SessionLists[Name]> = listSchemas[name];
    const parsed = answer?.status === 200 ? pageOf(item).safeParse(answer.body) : undefined;
    return parsed?.success ? parsed.data : undefined;
  }

  async function changedWork(path: string, body: object): Promise<WorkAnswer> {
    return workAnswer(await answered({ path, body }));
  }

  return {
    story: (id) => ask({ path: `${ofSession(id)}/story` }, storySchema),
    report: async (id) => reportIn(await answered({ path: `${ofSession(id)}/report`, deadlineMs: REPORT_DEADLINE_MS })),
    deliveries: async (id) => (await ask({ path: `${ofSession(id)}/deliveries` }, deliveriesSchema))?.items,
    list,
    session: (id) => ask({ path: ofSession(id) }, sessionWithAgentsSchema),
    statistics: (id) => ask({ path: `${ofSession(id)}/statistics` }, statisticsSchema),
    sessions: (query) => ask({ path: `/api/sessions?${queryText({ ...query })}` }, pageOf(sessionSchema)),
    search: (query) => ask({ path: `/api/search?${queryText({ ...query })}` }, pageOf(searchHitSchema)),
    stored: () => ask({ path: '/api/stored' }, storedSchema),
    async changeLook(agentId, body) {
      const answer = await answered({ path: `/api/agents/${toPathPart(agentId)}/look`, body });
      if (answer === undefined) return 'silent';
      if (answer.status === 200) return 'changed';
      if (answer.status !== 404) return 'refused';
      // An owner of an older version has no such route, and can't say who is there.
      return noAgentSchema.safeParse(answer.body).success ? 'unknown' : 'silent';
    },
    createWork: (creation) => changedWork('/api/work-items', creation),
    startWork: ({ id, project }) => changedWork(`${ofItem(id)}/start`, { project }),
    sawWork: async (keys) => (await answered({ path: '/api/work-items-seen', body: { keys } }))?.status === 200,
    endWork: ({ id, project, cancel }) => changedWork(`${ofItem(id)}/end`, { project, cancel }),
    tracking: (project) => ask({ path: `/api/tracking?${queryText({ project })}` }, folderTrackingSchema),
    async erase(sessionId) {
      const what =
        sessionId === undefined
          ? { path: '/api/erase', body: { all: true } }
          : { path: `${ofSession(sessionId)}/erase`, body: {} };
      const answer = await answered({ ...what, deadlineMs: ERASE_DEADLINE_MS });
      const erased = answer?.status === 200 ? erasedSchema.safeParse(answer.body) : undefined;
      if (erased?.success) return erased.data;
      if (answer === undefined) return 'silent';
      return answer.status === 404 ? 'unknown' : 'refused';
    },
  };
}

function ofItem(id: string): string {
  return `/api/work-items/${toPathPart(id)}`;
}

/** An owner of an older version has no such routes, and answers without a reason. */
function workAnswer(answer: Answer | undefined): WorkAnswer {
  if (answer === undefined) return { kind: 'silent' };
  const changed = answer.status === 200 ? workChangedSchema.safeParse(answer.body) : undefined;
  if (changed?.success) return { kind: 'done', ...changed.data };
  const refused = workRefusedSchema.safeParse(answer.body);
  if (!refused.success) return { kind: answer.status === 404 ? 'silent' : 'refused' };
  const { reason: kind, needs } = refused.data;
  return kind === 'needs-open' ? { kind, needs } : { kind };
}

function reportIn(answer: Answer | undefined): Report | 'unknown' | undefined {
  const parsed = answer?.status === 200 ? reportSchema.safeParse(answer.body) : undefined;
  if (parsed?.success) return parsed.data;
  // An owner of an older version has no such route, and can't say which sessions there are.
  return answer?.status === 404 && noSessionSchema.safeParse(answer.body).success ? 'unknown' : undefined;
}

function ofSession(id: string): string {
  return `/api/sessions/${toPathPart(id)}`;
}

function pageOf<T>(item: z.ZodMiniType<T>) {
  return z.object({ items: z.array(item), next: z.nullable(z.string()) });
}

/** What is not given is not asked for. */
function queryText(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
  );
  return new URLSearchParams(given).toString();
}
