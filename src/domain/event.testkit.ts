import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';

/** The `index`th event of the main agent of session `s`, a second after the one before. */
export function anEvent(
  index: number,
  event_type: EventType,
  payload: JsonObject = {},
  changes: Partial<AgentEvent> = {},
): AgentEvent {
  return {
    id: `e${index}`,
    version: '1.1',
    ts: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    event_type,
    source: 'hook',
    provider: 'claude',
    workspace_id: 'w',
    terminal_session_id: 't',
    session_id: 's',
    agent_id: 's/main',
    severity: 'info',
    payload,
    raw: {},
    ...changes,
  };
}
