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
  /** CNV-4: what it was begun with is not kept, so what it ends with is not either. */
  unlogged: z.literal(true).optional(),
  /** It starts an agent: of which type and for what, until that agent is there. */
  spawn: z.object({ type: z.string(), task: z.string().optional() }).optional(),
});
export type OpenTool = Readonly<z.infer<typeof openToolSchema>>;

export const turnEnds = ['open', 'completed', 'failed', 'interrupted'] as const;

/** MEM-2: what later sessions are told of this one, and this one of itself once its conversation is compacted. */
export const digestSchema = z.object({
  /** What the person asked for, oldest first. */
  requests: z.array(z.string()),
  /** What became of the last request. */
  turn: z.enum(turnEnds).optional(),
  error: z.string().optional(),
  /** Relative to the project where they lie inside it; the newest last. */
  files: z.array(z.object({ path: z.string(), written: z.boolean() })),
  /** Marks of those that were written as well, and are too many to be named. */
  unnamed: z.array(z.string()).optional(),
  commands: z.array(
    z.object({
      /** The end of its call's id, where its agent gives it one. */
      id: z.string().optional(),
      text: z.string(),
      /** A test, a build, whatever tells whether the work is right, and whose own result is the command's. */
      check: z.boolean().optional(),
      /** `started`: it goes on beside the agent, and nobody tells how it ends. */
      outcome: z.enum(['succeeded', 'failed', 'started']),
      exit: z.number().optional(),
    }),
  ),
  /** Of other calls, where the same did not go well later. */
  failures: z.array(z.object({ tool: z.string(), target: z.string(), message: z.string() })),
});
export type Digest = Readonly<z.infer<typeof digestSchema>>;

/** CNV-4: a time of which nothing that was said is kept; without an end it lasts until the person's next prompt. */
export const unloggedSpanSchema = z.object({
  from: z.string(),
  to: z.string().optional(),
  /** The person's marker asked for it: not even the names of files are kept. */
  isPrivate: z.literal(true).optional(),
  /** The agent's own id of the turn that it began with. */
  turn: z.string().optional(),
});
export type UnloggedSpan = Readonly<z.infer<typeof unloggedSpanSchema>>;

/** EVT-2: what a conversation must not lose when it is compacted. */
export const checkpointSchema = z.object({
  request: z.string(),
  /** What was asked before, where the request says little by itself. */
  requestBefore: z.string(),
  /** It is being worked on. */
  requestOpen: z.boolean(),
  tasks: z.array(z.string()),
  /** Edited ones, the newest last. */
  files: z.array(z.string()),
  /** How many more there are. */
  moreFiles: z.number(),
  commands: z.array(z.object({ text: z.string(), outcome: z.string(), check: z.boolean() })),
  /** How the last reply begins. */
  reply: z.string(),
  /** The work item that runs, by its id and its title. */
  work: z.string().default(''),
});
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

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
      /** CNV-4: of an agent that appeared so nothing is kept to its end. */
      unlogged: z.literal(true).optional(),
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
      /** When its first line was written, and whether a prompt in it, be it copied, bears the marker. */
      began: z.string().optional(),
      privateTurns: z.literal(true).optional(),
    })
    .optional(),
  /** The files with instructions that the agent told to have read. */
  loadedDocs: z.array(z.string()).optional(),
  /** Absent in what older releases wrote. */
  digest: digestSchema.optional(),
  /** What hooks told last of prompts and of the ends of turns, oldest first. */
  heard: z
    .array(
      z.object({
        kind: z.enum(['prompt', 'end']),
        ts: z.string(),
        /** Of the prompt's text, where it is kept. */
        mark: z.string().optional(),
        turn: z.string().optional(),
        synthetic: z.boolean().optional(),
      }),
    )
    .readonly()
    .optional(),
  /** Replies of this turn that the transcript told, and no hook yet. */
  foundReplies: z.number().optional(),
  /** Oldest first. */
  unlogged: z.array(unloggedSpanSchema).readonly().optional(),
  last: orderKeySchema,
});
export type SessionState = Readonly<z.infer<typeof sessionStateSchema>>;
export type AgentState = Readonly<SessionState['agents'][number]>;
