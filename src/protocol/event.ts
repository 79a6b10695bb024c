import * as z from 'zod/mini';
import { jsonObjectSchema } from './jsonSchema.ts';

export const EVENT_VERSION = '1.1';

export const eventTypes = [
  'agent_started',
  'agent_stopped',
  'agent_blocked',
  'agent_unblocked',
  'task_created',
  'task_started',
  'task_progress',
  'task_completed',
  'task_failed',
  'tool_started',
  'tool_succeeded',
  'tool_failed',
  'session_started',
  'session_ended',
  'user_prompt',
  'turn_ended',
  'heartbeat',
  'notification',
  'schema_error',
] as const;
export type EventType = (typeof eventTypes)[number];

export const severities = ['debug', 'info', 'warn', 'error'] as const;
export type Severity = (typeof severities)[number];

/**
 * One normalised event. Its keys are those of the wire and of the journal (snake_case, like the agents' own payloads),
 * so that an event reads the same in a log, in the database and in a reply.
 */
export const agentEventSchema = z.object({
  id: z.string().check(z.minLength(1)),
  version: z.string(),
  ts: z.string(),
  event_type: z.enum(eventTypes),
  source: z.enum(['hook', 'transcript', 'synthetic']),
  provider: z.string(),
  workspace_id: z.string(),
  terminal_session_id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  target_agent_id: z.optional(z.string()),
  task_id: z.optional(z.string()),
  severity: z.enum(severities),
  payload: jsonObjectSchema,
  thinking_text: z.optional(z.string()),
  /** The hook's payload as the agent sent it, masked. */
  raw: jsonObjectSchema,
  /** Retention has taken `raw` away: there is nothing to read the event from again. */
  raw_removed: z.optional(z.boolean()),
  /** Found on this machine when the event arrived; kept with it so that replaying needs no file system. */
  project: z.optional(z.object({ path: z.string(), worktree: z.optional(z.string()) })),
});
export type AgentEvent = Readonly<z.infer<typeof agentEventSchema>>;
