import * as z from 'zod/mini';
import { textWithin } from './textSchema.ts';
import { WORK_ID, WORK_ID_RULE } from './workId.ts';

export const workStatuses = ['pending', 'running', 'done', 'cancelled'] as const;
export type WorkStatus = (typeof workStatuses)[number];

export const workIdSchema = z.string().check(z.regex(WORK_ID, WORK_ID_RULE));

/** Of one session: what it edited while the item ran. */
const touchSchema = z.object({ session: z.string(), files: z.array(z.string()) });

/** GRD-1: a named piece of work that edits can be held to. */
export const workItemSchema = z.object({
  /** Its own among all projects; `id` is so in its project alone. */
  key: z.string(),
  id: z.string(),
  title: z.string(),
  status: z.enum(workStatuses),
  /** Ids of the same project that have to end first. */
  dependencies: z.array(z.string()),
  project: z.string(),
  createdAt: z.string(),
  startedAt: z.optional(z.string()),
  finishedAt: z.optional(z.string()),
  /** Who wrote the id and title; absent if unknown, which counts as an agent. */
  madeBy: z.optional(z.enum(['person', 'agent'])),
  /** The session that made it, if one did. */
  madeIn: z.optional(z.string()),
  /** GRD-5: when a person made it, started it, or was first shown it. */
  seenAt: z.optional(z.string()),
  /** The session that started it, where one did. */
  startedBy: z.optional(z.string()),
  /** Sessions that said they work on it, each since when; the last one to say so at the end. */
  workers: z._default(z.array(z.object({ session: z.string(), at: z.string() })), []),
  /** Those that touched it, in the order in which they came. */
  sessions: z.array(z.string()),
  /** What was edited for it; below its project by the path from there. */
  files: z.array(z.string()),
  touches: z.array(touchSchema),
});
export type WorkItem = Readonly<z.infer<typeof workItemSchema>>;

/**
 * Who asks, and of which project: the project itself or a folder of it; without either the one where the session is. A
 * session is told by its id, or by the processes above the one that asks, nearest first.
 */
const asker = {
  project: z.optional(textWithin(1, 4_096)),
  session: z.optional(textWithin(1, 200)),
  processes: z.optional(z.array(z.int().check(z.positive())).check(z.maxLength(64))),
};

export const workCreationSchema = z.strictObject({
  id: workIdSchema,
  title: z.optional(textWithin(1, 300)).check(z.describe('Without it the id.')),
  dependencies: z.optional(z.array(workIdSchema).check(z.maxLength(50))),
  start: z.optional(z.boolean()).check(z.describe('Starts it at once.')),
  ...asker,
});
export type WorkCreation = Readonly<z.infer<typeof workCreationSchema>>;

export const workStartSchema = z.strictObject(asker);
export type WorkStart = Readonly<z.infer<typeof workStartSchema>>;

/** GRD-5: keys of items that a person has seen. */
export const workSeenSchema = z.strictObject({
  keys: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(500)),
});
export type WorkSeen = Readonly<z.infer<typeof workSeenSchema>>;

export const workEndSchema = z.strictObject({
  cancel: z.optional(z.boolean()).check(z.describe('It is given up rather than done.')),
  ...asker,
});
export type WorkEnd = Readonly<z.infer<typeof workEndSchema>>;

/** Why a change is refused. `ambiguous`: several projects have one of that name; `unknown`: there is none, or none of its needs. */
export const workRefusals = [
  'no-project',
  'unknown',
  'exists',
  'needs-open',
  'not-running',
  'ambiguous',
  'too-many',
  'secret',
] as const;
export type WorkRefusal = (typeof workRefusals)[number];

/** EVT-3: what agents log of their own. */
export const ownEventTypes = ['decision', 'escalation'] as const;

export const ownEventSchema = z.strictObject({
  type: z.enum(ownEventTypes),
  summary: textWithin(1, 500),
  details: z.optional(textWithin(1, 4_000)),
  session: asker.session,
  processes: asker.processes,
});
export type OwnEvent = Readonly<z.infer<typeof ownEventSchema>>;

export const trackingModes = ['off', 'warn', 'strict'] as const;
export type TrackingMode = (typeof trackingModes)[number];

/** GRD-2: what edits are held to in a project. */
export interface TrackingRule {
  readonly mode: TrackingMode;
  /** Whether a denied edit is given a work item to begin with. */
  readonly autoCreate: boolean;
}

/** What agents are told of the guard, and what is shown of it. */
export const trackingSchema = z.object({
  mode: z.enum(trackingModes),
  autoCreate: z.boolean(),
  /** Edits that nobody judged, for the guard could not be asked. */
  gaps: z.int().check(z.nonnegative()),
});
export type Tracking = Readonly<z.infer<typeof trackingSchema>>;
