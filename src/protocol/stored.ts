import { z } from 'zod';
import { activitySchema, agentSchema, causeSchema, correctors, phases, sessionSchema, sessionStates } from './state.ts';

/** Where an event stands among those of its session. */
export const orderKeySchema = z.object({ ts: z.string(), rank: z.int(), id: z.string() });
export type OrderKey = Readonly<z.infer<typeof orderKeySchema>>;

const standingSchema = z.object({ life: z.enum(sessionStates), phase: z.enum(phases).nullable() });

/** One step of the way to the present state: what came, who told it, and what it changed. */
export const trailStepSchema = z.object({
  ts: z.string(),
  event: z.string(),
  hook: z.string().optional(),
  source: causeSchema.shape.source,
  by: z.enum(correctors).optional(),
  agentId: z.string(),
  tool: z.string().optional(),
  target: z.string().optional(),
  detail: z.string().optional(),
  from: standingSchema,
  to: standingSchema,
  /** Not told by a hook: something else had to say what the hooks missed. */
  correction: z.boolean(),
});
export type TrailStep = Readonly<z.infer<typeof trailStepSchema>>;

/** What others say of an agent; its own events never do. */
export const kinSchema = z.object({
  id: z.string(),
  parent: z.string().optional(),
  task: z.string().optional(),
  name: z.string().optional(),
  team: z.string().optional(),
  background: z.boolean().optional(),
  teammate: z.boolean().optional(),
});
export type Kin = Readonly<z.infer<typeof kinSchema>>;

export const openToolSchema = z.object({
  id: z.string(),
  activity: activitySchema,
  /** Its agent gave it no id; this one is ours. */
  unnamed: z.boolean().optional(),
  /** It starts an agent: of which type and for what, until that agent is there. */
  spawn: z.object({ type: z.string(), task: z.string().optional() }).optional(),
});
export type OpenTool = Readonly<z.infer<typeof openToolSchema>>;

/** One session as the reducer keeps it: what people see, and what only the next event needs. */
export const sessionStateSchema = z.object({
  session: sessionSchema,
  agents: z.array(
    z.object({
      agent: agentSchema,
      /** Calls that have started and not ended, newest last. */
      openTools: z.array(openToolSchema),
      /** When it was last heard of. */
      seenAt: z.string(),
      /** Named by its own hooks: some agents write one file for all, some one for each. */
      transcript: z.string().optional(),
    }),
  ),
  /** The main agent's own phase; an open wait of any agent goes before it. */
  main: z.object({
    phase: z.enum(phases).nullable(),
    because: causeSchema.nullable(),
    since: z.string().nullable(),
  }),
  kin: z.array(kinSchema),
  /** Calls that are over, newest last: the same end is told by more than one source. */
  ended: z.array(z.object({ id: z.string(), failed: z.boolean(), tool: z.string() })),
  trail: z.array(trailStepSchema),
  /** When hooks last told that the main agent works, and when a request of anybody was last answered. */
  worked: z.string().optional(),
  answered: z.string().optional(),
  /** When its present process began to run it. */
  begun: z.string().optional(),
  /** The person asked for a compaction that is not over. */
  compacting: z.boolean().optional(),
  /** The agent's own id of the turn, where it gives one. */
  turn: z.string().optional(),
  /** When the last turn ended of which nobody has told what it ended with. */
  unsaid: z.string().optional(),
  /** How far its transcript has been added up, for whoever goes on with it. */
  read: z
    .object({
      path: z.string(),
      offset: z.number(),
      counted: z.array(z.object({ id: z.string(), output: z.number() })),
      tokensIn: z.number(),
      tokensOut: z.number(),
      tokensCached: z.number(),
      prompts: z.number(),
      firstPrompt: z.string().optional(),
      title: z.string().optional(),
      titleByPerson: z.boolean().optional(),
    })
    .optional(),
  last: orderKeySchema,
});
export type SessionState = Readonly<z.infer<typeof sessionStateSchema>>;
export type AgentState = Readonly<SessionState['agents'][number]>;
