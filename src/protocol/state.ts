import { z } from 'zod';

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

/** Why a phase or a mood is what it is: the event, and what it was about. Words for people are made from this, elsewhere. */
export const causeSchema = z.object({
  event: z.string(),
  source: z.enum(['hook', 'transcript', 'synthetic']),
  tool: z.string().optional(),
  target: z.string().optional(),
  detail: z.string().optional(),
  /** Why the last turn failed, for as long as nothing new has begun. */
  failure: z.string().optional(),
});
export type Cause = z.infer<typeof causeSchema>;

export const waitSchema = z.object({
  kind: z.enum(['permission', 'question']),
  since: z.string(),
  tool: z.string().optional(),
  target: z.string().optional(),
  message: z.string().optional(),
  /** The call that waits, where it is known: another call's result does not answer it. */
  toolUseId: z.string().optional(),
});
export type Wait = z.infer<typeof waitSchema>;

/** What an agent does right now: a tool in the agent's own words, a kind for the picture, a target for the sentence. */
export const activitySchema = z.object({
  tool: z.string(),
  mood: z.enum(moods),
  target: z.string().optional(),
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

export const sessionSchema = z.object({
  id: z.string(),
  provider: z.string(),
  state: z.enum(sessionStates),
  phase: z.enum(phases).nullable(),
  phaseBecause: causeSchema.nullable(),
  phaseSince: z.string().nullable(),
  cwd: z.string(),
  project: z.string(),
  worktree: z.string().optional(),
  workspace: z.string(),
  title: z.string(),
  model: z.string(),
  permissionMode: z.string(),
  source: z.string(),
  agentPid: z.number().optional(),
  agentStartedAt: z.string().optional(),
  host: z.string().optional(),
  tty: z.string().optional(),
  fingerprint: z.string().optional(),
  startedAt: z.string(),
  lastEventAt: z.string(),
  endedAt: z.string().optional(),
  endReason: z.string().optional(),
  counts: countsSchema,
});
export type Session = z.infer<typeof sessionSchema>;

export const agentSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  parentId: z.string().nullable(),
  kind: z.enum(['main', 'subagent', 'teammate']),
  name: z.string(),
  type: z.string(),
  mood: z.enum(moods),
  moodSince: z.string(),
  present: z.boolean(),
  avatarSeed: z.number(),
  employmentType: z.enum(['contractor', 'employee']),
  source: z.literal('runtime_agent'),
  wait: waitSchema.nullable(),
  activity: activitySchema.nullable(),
  /** The latest thing it said or thought, cut for a speech bubble. */
  says: z.string().nullable(),
  startedAt: z.string(),
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

export const workItemSchema = z.object({ id: z.string(), title: z.string(), status: z.string() });

export const snapshotSchema = z.object({
  revision: z.int().nonnegative(),
  owner: ownerInfoSchema.nullable(),
  sessions: z.array(sessionSchema),
  agents: z.array(agentSchema),
  workItems: z.array(workItemSchema),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

/** What changed from `revision - 1` to `revision`: whole entities to put in place of the old ones, and ids that are gone. */
export const patchSchema = z.object({
  revision: z.int().positive(),
  sessions: z.array(sessionSchema),
  agents: z.array(agentSchema),
  removedSessions: z.array(z.string()),
  removedAgents: z.array(z.string()),
  events: z.array(
    z.object({
      name: z.enum(['agent-appeared', 'agent-update', 'agent-departed', 'session.event']),
      id: z.string(),
    }),
  ),
});
export type Patch = z.infer<typeof patchSchema>;
