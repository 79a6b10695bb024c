import { z } from 'zod';
import { severities } from './event.ts';

/** EVT-1, as far as they are told without work items. */
export const sessionEventTypes = [
  'session_start',
  'session_end',
  'user_request',
  'agent_activated',
  'agent_deactivated',
  'compact',
  'checkpoint_created',
  'context_loaded',
] as const;
export type SessionEventType = (typeof sessionEventTypes)[number];

/** Keys in snake_case like those of the events that they are made of. */
export const sessionEventSchema = z.object({
  /** Of the event that it was made of: told twice, it is the same. */
  id: z.string().min(1),
  session_id: z.string(),
  event_type: z.enum(sessionEventTypes),
  /** One line, in English: a program reads it. */
  summary: z.string(),
  details: z.record(z.string(), z.string()),
  severity: z.enum(severities),
  created_at: z.string(),
});
export type SessionEvent = Readonly<z.infer<typeof sessionEventSchema>>;
