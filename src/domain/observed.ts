import { EVENT_VERSION, type EventFields, eventOf, type Severity } from '../protocol/event.ts';
import type { EventPayload, EventType } from '../protocol/eventPayloads.ts';
import { hashHex } from './hash.ts';
import type { Arrival, NormalizedHook } from './normalize.ts';

/** The type of an event to be made, with its payload. */
export type EventContent = {
  readonly [T in EventType]: { readonly type: T; readonly payload: EventPayload<T> };
}[EventType];

/** Something that no hook said: found in a transcript, in an agent's status file, by its process or by its silence. */
export type Observation = ObservedFields & EventContent;

export interface ObservedFields {
  /** Makes its id: the same thing found again is the same event. */
  readonly key: string;
  readonly ts: string;
  readonly provider: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly source: 'transcript' | 'synthetic';
  readonly taskId?: string;
  readonly severity?: Severity;
  /** The folder whose project the session belongs to, where no hook has told it yet. */
  readonly folder?: string | undefined;
  /** Others where the session has been: one of them may be excluded. */
  readonly wasIn?: readonly string[];
}

/** What was observed, as an event like those of hooks. It has no payload of an agent's to be kept raw. */
export function observed(seen: Observation, { project, receivedAt }: Arrival, last?: string): NormalizedHook {
  // As a hash alone: it is made of what stood in somebody's file.
  const id = hashHex(`o:${seen.key}`);
  const fields: EventFields = {
    id,
    version: EVENT_VERSION,
    ts: momentOf(seen.ts, receivedAt, last),
    source: seen.source,
    provider: seen.provider,
    workspace_id: '',
    terminal_session_id: 'unknown',
    session_id: seen.sessionId,
    agent_id: seen.agentId,
    ...(seen.taskId === undefined ? {} : { task_id: seen.taskId }),
    severity: seen.severity ?? 'info',
    raw: {},
    ...(project === undefined ? {} : { project }),
  };
  return { events: [eventOf(fields, seen.type, seen.payload)], keys: [`o:${id}`] };
}

/** What is concluded from a state comes after its last event, be it by a millisecond. */
const AFTER_MS = 1_000;

/** What was observed has happened: what claims to come from later would stay the newest until then. */
function momentOf(ts: string, receivedAt: string, last = receivedAt): string {
  const ms = Date.parse(ts);
  const usable = ms > 0 && ms <= Math.max(Date.parse(receivedAt), Date.parse(last)) + AFTER_MS;
  return usable ? new Date(ms).toISOString() : receivedAt;
}
