import * as z from 'zod/mini';
import { workItemSchema } from './work.ts';

export const sessionStates = ['active', 'idle', 'completed', 'stale'] as const;
export type SessionLife = (typeof sessionStates)[number];

export const phases = ['busy', 'interactable', 'waiting_permission', 'waiting_question'] as const;
export type Phase = (typeof phases)[number];

export const moods = [
  'arriving',
  'resting',
  'thinking',
  'reading',
  'writing',
  'running',
  'searching',
  'browsing',
  'delegating',
  'waiting',
  'asking',
  'celebrating',
  'hurt',
  'sleeping',
  'leaving',
] as const;
export type Mood = (typeof moods)[number];

/** What corrects the hooks beside the transcript: the agent's own status file, its process, and the absence of any sign. */
export const correctors = ['status_file', 'process', 'silence'] as const;
export type Corrector = (typeof correctors)[number];

/** Why a phase or a mood is what it is: the event, and what it was about. Words for people are made from this, elsewhere. */
export const causeSchema = z.object({
  event: z.string(),
  source: z.enum(['hook', 'transcript', 'synthetic']),
  /** Who told, where it was neither a hook nor the transcript. */
  by: z.optional(z.enum(correctors)),
  tool: z.optional(z.string()),
  target: z.optional(z.string()),
  detail: z.optional(z.string()),
  /** Why the last turn failed, for as long as nothing new has begun. */
  failure: z.optional(z.string()),
});
export type Cause = z.infer<typeof causeSchema>;

export const waitSchema = z.object({
  kind: z.enum(['permission', 'question']),
  since: z.string(),
  tool: z.optional(z.string()),
  target: z.optional(z.string()),
  message: z.optional(z.string()),
  /** The call that waits, where it is known: another call's result does not answer it. */
  toolUseId: z.optional(z.string()),
  /** Told by something that does not know whose request it is; the agent's own word goes before it. */
  inferred: z.optional(z.boolean()),
  source: z.optional(z.enum(['hook', 'transcript', 'synthetic'])),
  by: z.optional(z.enum(correctors)),
});
export type Wait = z.infer<typeof waitSchema>;

/** What an agent does right now: a tool in the agent's own words, a kind for the picture, a target for the sentence. */
export const activitySchema = z.object({
  tool: z.string(),
  mood: z.enum(moods),
  target: z.optional(z.string()),
  since: z.string(),
});
export type Activity = z.infer<typeof activitySchema>;

export const countsSchema = z.object({
  prompts: z.number(),
  replies: z.number(),
  toolCalls: z.number(),
  failures: z.number(),
  subagents: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
});
export type Counts = z.infer<typeof countsSchema>;

/** Where a session runs: in a terminal, in the panel of an editor, or without a person (`-p`, `exec`, an SDK). */
export const surfaces = ['terminal', 'panel', 'headless', 'unknown'] as const;
export type Surface = (typeof surfaces)[number];

export const taskStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const;
export const taskSchema = z.object({ id: z.string(), title: z.string(), status: z.enum(taskStatuses) });
export type Task = z.infer<typeof taskSchema>;

export const usageSchema = z.object({
  tokensCached: z.number(),
  /** Tokens in the model's context at its last call, and how many it can take (null: not known). */
  contextUsed: z.number(),
  contextWindow: z.nullable(z.number()),
});
export type Usage = z.infer<typeof usageSchema>;

/** What older windows do not send has a default: one that is updated may follow one that is not. */
export const sessionSchema = z.object({
  id: z.string(),
  provider: z.string(),
  state: z.enum(sessionStates),
  phase: z.nullable(z.enum(phases)),
  phaseBecause: z.nullable(causeSchema),
  phaseSince: z.nullable(z.string()),
  cwd: z.string(),
  project: z.string(),
  worktree: z.optional(z.string()),
  workspace: z.string(),
  title: z.string(),
  model: z.string(),
  permissionMode: z.string(),
  source: z.string(),
  surface: z._default(z.enum(surfaces), 'unknown'),
  /** TRN-4: `transcript` as long as no hook of it has come. */
  seenIn: z._default(z.enum(['hooks', 'transcript']), 'hooks'),
  transcriptPath: z.optional(z.string()),
  agentPid: z.optional(z.number()),
  agentStartedAt: z.optional(z.string()),
  host: z.optional(z.string()),
  pidNamespace: z.optional(z.string()),
  tty: z.optional(z.string()),
  fingerprint: z.optional(z.string()),
  startedAt: z.string(),
  lastEventAt: z.string(),
  /** When somebody last worked in it; that its end was told or noticed later is no work. Absent in what older releases wrote. */
  lastWorkAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  endReason: z.optional(z.string()),
  counts: countsSchema,
  usage: z._default(z.nullable(usageSchema), null),
  tasks: z._default(z.array(taskSchema), []),
  /** Sub-agents that go on after the main turn ended. */
  background: z._default(z.number(), 0),
  /** The agent's last answer, cut. */
  lastReply: z._default(z.nullable(z.string()), null),
  /** After `/clear`: the session whose main agent this one's carries on. */
  continues: z.optional(z.string()),
});
export type Session = z.infer<typeof sessionSchema>;

export const agentSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  parentId: z.nullable(z.string()),
  kind: z.enum(['main', 'subagent', 'teammate']),
  name: z.string(),
  type: z.string(),
  mood: z.enum(moods),
  moodSince: z.string(),
  present: z.boolean(),
  avatarSeed: z.number(),
  employmentType: z.enum(['contractor', 'employee']),
  source: z.literal('runtime_agent'),
  wait: z.nullable(waitSchema),
  activity: z.nullable(activitySchema),
  /** The latest thing it said or thought, cut for a speech bubble. */
  says: z.nullable(z.string()),
  /** What it was started for, in its starter's words. */
  task: z._default(z.nullable(z.string()), null),
  team: z._default(z.nullable(z.string()), null),
  /** It goes on when its starter's turn ends. */
  background: z._default(z.boolean(), false),
  /** Whom it wrote to last, and when. */
  talksTo: z._default(z.nullable(z.object({ id: z.string(), at: z.string() })), null),
  startedAt: z.string(),
  /** Its own name, while it bears one that the person gave it. */
  ownName: z.optional(z.string()),
  /** AGT-1: since when it is an employee, which keeps its look and its place; the earliest comes first. */
  pinnedAt: z.optional(z.string()),
  /** The person does not want to see it. */
  hidden: z.optional(z.boolean()),
});
export type Agent = z.infer<typeof agentSchema>;

/** Who runs the collector; never the token. */
export const ownerInfoSchema = z.object({
  instance: z.string(),
  generation: z.number(),
  app: z.string(),
  version: z.string(),
  startedAt: z.string(),
});
export type OwnerInfo = z.infer<typeof ownerInfoSchema>;

/** GRD-3: edits of a project that nobody judged though its guard was on, for it could not be asked. */
export const guardGapSchema = z.object({ project: z.string(), count: z.int().check(z.positive()), lastAt: z.string() });
export type GuardGap = Readonly<z.infer<typeof guardGapSchema>>;

/** STO-6: how many events of an earlier release's store have been taken over, of how many. */
export const takeOverProgressSchema = z.object({
  done: z.int().check(z.nonnegative()),
  of: z.int().check(z.positive()),
});
export type TakeOverProgress = Readonly<z.infer<typeof takeOverProgressSchema>>;

export const snapshotSchema = z.object({
  revision: z.int().check(z.nonnegative()),
  owner: z.nullable(ownerInfoSchema),
  /** How often this owner has erased something; absent before the first time. What was read of long ago may be gone then. */
  erasures: z.optional(z.int().check(z.nonnegative())),
  sessions: z.array(sessionSchema),
  agents: z.array(agentSchema),
  /** Those that have not ended, and the last that have. */
  workItems: z.array(workItemSchema),
  /** Of the last day. */
  guardGaps: z._default(z.array(guardGapSchema), []),
  takeOver: z
    .optional(takeOverProgressSchema)
    .check(z.describe('How far the store of an earlier release is taken over; absent while nothing is.')),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

/** What changed from `revision - 1` to `revision`: whole entities to put in place of the old ones, and ids that are gone. */
export const patchSchema = z.object({
  revision: z.int().check(z.positive()),
  sessions: z.array(sessionSchema),
  agents: z.array(agentSchema),
  removedSessions: z.array(z.string()),
  removedAgents: z.array(z.string()),
  workItems: z._default(z.array(workItemSchema), []),
  /** By their keys. */
  removedWorkItems: z._default(z.array(z.string()), []),
  /** All that there are now; absent: as before. */
  guardGaps: z.optional(z.array(guardGapSchema)),
  /** Null: nothing is taken over any more; absent: as before. */
  takeOver: z.optional(z.nullable(takeOverProgressSchema)),
  events: z.array(
    z.object({
      name: z.enum(['agent-appeared', 'agent-update', 'agent-departed', 'session.event']),
      id: z.string(),
    }),
  ),
});
export type Patch = z.infer<typeof patchSchema>;
