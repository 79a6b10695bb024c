import { type AgentEvent, type EventFields, eventOf, type EventOf } from '../protocol/event.ts';
import { type EventType, typedPayload } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';

/** The `index`th event of the main agent of session `s`, a second after the one before. */
export function anEvent<T extends EventType = EventType>(
  index: number,
  event_type: T,
  payload: object = {},
  changes: Partial<EventFields> = {},
): EventOf<T> {
  const fields: EventFields = {
    id: `e${index}`,
    version: '1.1',
    ts: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    source: 'hook',
    provider: 'claude',
    workspace_id: 'w',
    terminal_session_id: 't',
    session_id: 's',
    agent_id: 's/main',
    severity: 'info',
    raw: {},
    ...changes,
  };
  return eventOf(fields, event_type, typedPayload(event_type, payload as JsonObject));
}

/** The same event with this payload, whatever its type; nothing is checked. */
export function withPayload(event: AgentEvent, payload: JsonObject): AgentEvent {
  return { ...event, payload } as unknown as AgentEvent;
}
