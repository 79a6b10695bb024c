import * as z from 'zod/mini';
import { activitySchema, agentSchema, causeSchema, correctors, phases, sessionSchema, sessionStates } from './state.ts';

/** Where an event stands among those of its session. */
export const orderKeySchema = z.object({ ts: z.string(), rank: z.int(), id: z.string() });
export type OrderKey = Readonly<z.infer<typeof orderKeySchema>>;

const standingSchema = z.object({ life: z.enum(sessionStates), phase: z.nullable(z.enum(phases)) });

/** One step of the way to the present state: what came, who told it, and what it changed. */
export const trailStepSchema = z.object({
  ts: z.string(),
  event: z.string(),
  hook: z.optional(z.string()),
  source: causeSchema.shape.source,
  by: z.optional(z.enum(correctors)),
  agentId: z.string(),
  tool: z.optional(z.string()),
  target: z.optional(z.string()),
  detail: z.optional(z.string()),
  from: standingSchema,
  to: standingSchema,
  /** Not told by a hook: something else had to say what the hooks missed. */
  correction: z.boolean(),
});
export type TrailStep = Readonly<z.infer<typeof trailStepSchema>>;

/** What others say of an agent; its own events never do. */
export const kinSchema = z.object({
  id: z.string(),
  parent: z.optional(z.string()),
  task: z.optional(z.string()),
  name: z.optional(z.string()),
  team: z.optional(z.string()),
  background: z.optional(z.boolean()),
  teammate: z.optional(z.boolean()),
});
export type Kin = Readonly<z.infer<typeof kinSchema>>;

export const openToolSchema = z.object({
  id: z.string(),
  activity: activitySchema,
  /** Its agent gave it no id; this one is ours. */
  unnamed: z.optional(z.boolean()),
  /** CNV-4: what it was begun with is not kept, so what it ends with is not either. */
  unlogged: z.optional(z.literal(true)),
  /** It starts an agent: of which type and for what, until that agent is there. */
  spawn: z.optional(z.object({ type: z.string(), task: z.optional(z.string()) })),
});
export type OpenTool = Readonly<z.infer<typeof openToolSchema>>;

export const turnEnds = ['open', 'completed', 'failed', 'interrupted'] as const;

/** MEM-5: text that the person wrote. The brand prevents passing agents' or tools' words off as the person's. */
export const personWordsSchema = z.string().brand<'person'>();
export type PersonWords = z.infer<typeof personWordsSchema>;

/** MEM-2: what later sessions are told of this one, and this one of itself once its conversation is compacted. */
export const digestSchema = z.object({
  /** The person's name for the session, else its first prompt. */
  name: z.optional(personWordsSchema),
  /** What the person asked for, oldest first. */
  requests: z.array(personWordsSchema),
  /**
   * MEM-5: did the agent or one of its sub-agents use a web tool, an MCP server or a command that fetches from the network? Absent if the
   * session was not followed from its beginning, and in rows of older releases; that counts as yes.
   */
  reachedOut: z.optional(z.boolean()),
  /** What became of the last request. */
  turn: z.optional(z.enum(turnEnds)),
  /** The agent program's word for the failure of its last turn. */
  error: z.optional(z.string()),
  /** Relative to the project where they lie inside it; the newest last. */
  files: z.array(z.object({ path: z.string(), written: z.boolean() })),
  /** Marks of those that were written as well, and are too many to be named. */
  unnamed: z.optional(z.array(z.string())),
  commands: z.array(
    z.object({
      /** The end of its call's id, where its agent gives it one. */
      id: z.optional(z.string()),
      /** Programs and their plain arguments; see `commandShape`. */
      text: z.string(),
      /** A test, a build, whatever tells whether the work is right, and whose own result is the command's. */
      check: z.optional(z.boolean()),
      /** `started`: it goes on beside the agent, and nobody tells how it ends. */
      outcome: z.enum(['succeeded', 'failed', 'started']),
      exit: z.optional(z.number()),
    }),
  ),
  /** Files whose last edit failed; absent in rows of older releases. */
  failedEdits: z._default(z.array(z.string()), []),
});
export type Digest = Readonly<z.infer<typeof digestSchema>>;

/** CNV-4: a time of which nothing that was said is kept; without an end it lasts until the person's next prompt. */
export const unloggedSpanSchema = z.object({
  from: z.string(),
  to: z.optional(z.string()),
  /** The person's marker asked for it: not even the names of files are kept. */
  isPrivate: z.optional(z.literal(true)),
  /** The agent's own id of the turn that it began with. */
  turn: z.optional(z.string()),
});
export type UnloggedSpan = Readonly<z.infer<typeof unloggedSpanSchema>>;

/** EVT-2: what a conversation must not lose when it is compacted. */
export const checkpointSchema = z.object({
  request: personWordsSchema,
  /** What was asked before, where the request says little by itself. */
  requestBefore: personWordsSchema,
  /** It is being worked on. */
  requestOpen: z.boolean(),
  /** The agent's words, like the reply. */
  tasks: z.array(z.string()),
  /** Edited ones, the newest last. */
  files: z.array(z.string()),
  /** How many more there are. */
  moreFiles: z.number(),
  commands: z.array(z.object({ text: z.string(), outcome: z.string(), check: z.boolean() })),
  /** How the last reply begins. */
  reply: z.string(),
  /** The work item that runs, by its id and its title. */
  work: z._default(z.string(), ''),
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
      transcript: z.optional(z.string()),
      /** CNV-4: of an agent that appeared so nothing is kept to its end. */
      unlogged: z.optional(z.literal(true)),
    }),
  ),
  /** The main agent's own phase; an open wait of any agent goes before it. */
  main: z.object({
    phase: z.nullable(z.enum(phases)),
    because: z.nullable(causeSchema),
    since: z.nullable(z.string()),
  }),
  kin: z.array(kinSchema),
  /** Calls that are over, newest last: the same end is told by more than one source. */
  ended: z.array(z.object({ id: z.string(), failed: z.boolean(), tool: z.string() })),
  /** Calls that were counted and are not open, newest last. */
  counted: z.optional(z.array(z.string())),
  trail: z.array(trailStepSchema),
  /** When hooks last told that the main agent works, and when a request of anybody was last answered. */
  worked: z.optional(z.string()),
  answered: z.optional(z.string()),
  /** When its present process began to run it. */
  begun: z.optional(z.string()),
  /** The person asked for a compaction that is not over. */
  compacting: z.optional(z.boolean()),
  /** The agent's own id of the turn, where it gives one. */
  turn: z.optional(z.string()),
  /** When the last turn ended of which nobody has told what it ended with. */
  unsaid: z.optional(z.string()),
  /** How far its transcript has been added up, for whoever goes on with it. */
  read: z.optional(
    z.object({
      path: z.string(),
      offset: z.number(),
      counted: z.array(z.object({ id: z.string(), output: z.number() })),
      tokensIn: z.number(),
      tokensOut: z.number(),
      tokensCached: z.number(),
      prompts: z.number(),
      firstPrompt: z.optional(z.string()),
      title: z.optional(z.string()),
      titleByPerson: z.optional(z.boolean()),
      /** When its first line was written, and whether a prompt in it, be it copied, bears the marker. */
      began: z.optional(z.string()),
      privateTurns: z.optional(z.literal(true)),
    }),
  ),
  /** The files with instructions that the agent told to have read. */
  loadedDocs: z.optional(z.array(z.string())),
  /** Absent in what older releases wrote. */
  digest: z.optional(digestSchema),
  /** What hooks told last of prompts and of the ends of turns, oldest first. */
  heard: z.optional(
    z.readonly(
      z.array(
        z.object({
          kind: z.enum(['prompt', 'end']),
          ts: z.string(),
          /** Of the prompt's text, where it is kept. */
          mark: z.optional(z.string()),
          turn: z.optional(z.string()),
          synthetic: z.optional(z.boolean()),
        }),
      ),
    ),
  ),
  /** Replies of this turn that the transcript told, and no hook yet. */
  foundReplies: z.optional(z.number()),
  /** Oldest first. */
  unlogged: z.optional(z.readonly(z.array(unloggedSpanSchema))),
  last: orderKeySchema,
});
export type SessionState = Readonly<z.infer<typeof sessionStateSchema>>;
export type AgentState = Readonly<SessionState['agents'][number]>;
