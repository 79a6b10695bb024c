import * as z from 'zod/mini';
import { anyPayloadSchema, type EventPayload, type EventType, eventTypes, payloadSchemas } from './eventPayloads.ts';
import { jsonObjectSchema } from './jsonSchema.ts';

export const EVENT_VERSION = '1.1';

export const severities = ['debug', 'info', 'warn', 'error'] as const;
export type Severity = (typeof severities)[number];

const eventFields = {
  id: z.string().check(z.minLength(1)),
  version: z.string(),
  ts: z.string(),
  source: z.enum(['hook', 'transcript', 'synthetic']),
  provider: z.string(),
  workspace_id: z.string(),
  terminal_session_id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  target_agent_id: z.optional(z.string()),
  task_id: z.optional(z.string()),
  severity: z.enum(severities),
  thinking_text: z.optional(z.string()),
  /** The hook's payload as the agent sent it, masked. */
  raw: jsonObjectSchema,
  /** Retention has taken `raw` away: there is nothing to read the event from again. */
  raw_removed: z.optional(z.boolean()),
  /** Found on this machine when the event arrived; kept with it so that replaying needs no file system. */
  project: z.optional(z.object({ path: z.string(), worktree: z.optional(z.string()) })),
};

/** What all events have in common, whatever their type. */
export type EventFields = Readonly<z.infer<z.ZodMiniObject<typeof eventFields>>>;

/** The event of one type, or of one of several. */
export type EventOf<T extends EventType> = T extends EventType
  ? EventFields & { readonly event_type: T; readonly payload: EventPayload<T> }
  : never;

/**
 * One normalised event. Its keys are those of the wire and of the stored log (snake_case, like the agents' own payloads), so that
 * an event reads the same in a file, in a message and in a reply. `event_type` says which words `payload` may have.
 */
export type AgentEvent = EventOf<EventType>;

/** On the wire: one object, whose payload has some of all the words that there are. */
export const agentEventSchema = z
  .object({ ...eventFields, event_type: z.enum(eventTypes), payload: anyPayloadSchema })
  .check(
    z.refine(
      ({ event_type: type, payload }) => z.safeParse(payloadSchemas[type], payload).success,
      'a word of the payload has the wrong type',
    ),
  );

/** An event of a type that is known only at run time. The caller has made the payload for that type. */
export function eventOf<T extends EventType>(fields: EventFields, event_type: T, payload: EventPayload<T>): EventOf<T> {
  return { ...fields, event_type, payload } as unknown as EventOf<T>;
}

/** The same event with these words in its payload. */
export function withWords<E extends AgentEvent>(event: E, words: Partial<E['payload']>): E {
  return { ...event, payload: { ...event.payload, ...words } } as E;
}

/** Whether the event is of one of these types. */
export function isOfType<T extends EventType>(event: AgentEvent, ...types: readonly T[]): event is EventOf<T> {
  return (types as readonly EventType[]).includes(event.event_type);
}
