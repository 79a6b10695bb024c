import { type AgentEvent, EVENT_VERSION, type EventType, type Severity } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { hashHex } from './hash.ts';
import type { Arrival, NormalizedHook } from './normalize.ts';

interface Observed {
  readonly key: string;
  readonly ts: string;
  readonly provider: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly source: 'transcript' | 'synthetic';
  readonly type: EventType;
  readonly payload: JsonObject;
  readonly taskId?: string;
  readonly severity?: Severity;
}

/** What was observed, as an event like those of hooks. It has no payload of an agent's to be kept raw. */
export function observed(seen: Observed, { project }: Arrival): NormalizedHook {
  const key = `o:${seen.key}`;
  const event: AgentEvent = {
    id: hashHex(key),
    version: EVENT_VERSION,
    ts: seen.ts,
    event_type: seen.type,
    source: seen.source,
    provider: seen.provider,
    workspace_id: '',
    terminal_session_id: 'unknown',
    session_id: seen.sessionId,
    agent_id: seen.agentId,
    ...(seen.taskId === undefined ? {} : { task_id: seen.taskId }),
    severity: seen.severity ?? 'info',
    payload: seen.payload,
    raw: {},
    ...(project === undefined ? {} : { project }),
  };
  return { events: [event], keys: [key] };
}
