import { z } from 'zod';
import { textWithin } from './textSchema.ts';
import { WORK_ID, WORK_ID_RULE } from './workId.ts';

export const workStatuses = ['pending', 'running', 'done', 'cancelled'] as const;
export type WorkStatus = (typeof workStatuses)[number];

export const workIdSchema = z.string().regex(WORK_ID, WORK_ID_RULE);

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
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  /** The session that started it, where one did. */
  startedBy: z.string().optional(),
  /** Sessions that said they work on it, each since when; the last one to say so at the end. */
  workers: z.array(z.object({ session: z.string(), at: z.string() })).default([]),
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
  project: textWithin(1, 4_096).optional(),
  session: textWithin(1, 200).optional(),
  processes: z.array(z.int().positive()).max(64).optional(),
};

export const workCreationSchema = z.strictObject({
  id: workIdSchema,
  title: textWithin(1, 300).optional().describe('Without it the id.'),
  dependencies: z.array(workIdSchema).max(50).optional(),
  start: z.boolean().optional().describe('Starts it at once.'),
  ...asker,
});
export type WorkCreation = Readonly<z.infer<typeof workCreationSchema>>;

export const workStartSchema = z.strictObject(asker);
export type WorkStart = Readonly<z.infer<typeof workStartSchema>>;

export const workEndSchema = z.strictObject({
  cancel: z.boolean().optional().describe('It is given up rather than done.'),
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
  details: textWithin(1, 4_000).optional(),
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
  gaps: z.int().nonnegative(),
});
export type Tracking = Readonly<z.infer<typeof trackingSchema>>;
