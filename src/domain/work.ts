import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { Session } from '../protocol/state.ts';
import { isFoundSaying } from './found.ts';

/** Of these nobody did anything: a session that is opened, closed or heard of has not been worked in. */
const idleTypes: ReadonlySet<EventType> = new Set([
  'session_started',
  'session_ended',
  'heartbeat',
  'notification',
  'schema_error',
]);

/** Somebody asked, did or said something then; what was only found out later bears the moment of finding. */
function isWork(event: AgentEvent): boolean {
  if (isFoundSaying(event)) return true;
  const { event_type: type, source, payload } = event;
  return source !== 'synthetic' && payload['by'] === undefined && !idleTypes.has(type);
}

/** When a session was last worked in, after an event; what comes late was before. */
export function workedAfter(before: Session, event: AgentEvent): string {
  const at = lastWorkOf(before);
  return isWork(event) && event.ts > at ? event.ts : at;
}

/** The moment by which a session is told of as new or old. */
export function lastWorkOf({ lastWorkAt, lastEventAt }: Pick<Session, 'lastWorkAt' | 'lastEventAt'>): string {
  return lastWorkAt ?? lastEventAt;
}
