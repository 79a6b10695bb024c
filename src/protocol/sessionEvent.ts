import * as z from 'zod/mini';
import { severities } from './event.ts';

/** EVT-1; and `guard_gap`, an edit that nobody judged though the guard was on (GRD-3). */
export const sessionEventTypes = [
  'session_start',
  'session_end',
  'work_start',
  'work_end',
  'dependency_resolved',
  'user_request',
  'untracked_edit',
  'guard_gap',
  'escalation',
  'decision',
  'file_edit',
  'build_failed',
  'test_failed',
  'quality_warning',
  'agent_activated',
  'agent_deactivated',
  'compact',
  'checkpoint_created',
  'context_loaded',
  'context_overflow',
] as const;
export type SessionEventType = (typeof sessionEventTypes)[number];

/** Keys in snake_case like those of the events that they are made of. */
export const sessionEventSchema = z.object({
  /** Of the event that it was made of: told twice, it is the same. */
  id: z.string().check(z.minLength(1)),
  session_id: z.string(),
  /** The one that it was done for, or that it is about. */
  work_item_id: z.optional(z.string()),
  event_type: z.enum(sessionEventTypes),
  /** One line, in English: a program reads it. */
  summary: z.string(),
  details: z.record(z.string(), z.string()),
  severity: z.enum(severities),
  created_at: z.string(),
});
export type SessionEvent = Readonly<z.infer<typeof sessionEventSchema>>;
