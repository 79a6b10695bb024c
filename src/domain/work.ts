import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { Session } from '../protocol/state.ts';

/** Somebody asked, did or said something. A session that is opened, closed or heard of has not been worked in. */
const workTypes: ReadonlySet<EventType> = new Set([
  'user_prompt',
  'turn_ended',
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
  'prompt_found',
  'reply_found',
]);

/** What was only concluded later bears the moment of that. */
function isWork({ event_type: type, source, payload }: AgentEvent): boolean {
  return source !== 'synthetic' && payload.by === undefined && workTypes.has(type);
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
