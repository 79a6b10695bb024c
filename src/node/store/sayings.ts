import { sayingTypes } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';

/** Whether an interaction can be made of it. */
export function isSaying(event: AgentEvent): boolean {
  return sayingTypes.some((type) => type === event.event_type) || isLastReply(event);
}

/** TRN-2: a turn's reply that no hook told, found in the transcript. A hook can't claim to be one. */
export function isLastReply({ event_type, source, payload }: AgentEvent): boolean {
  return event_type === 'notification' && source === 'transcript' && payload['notification_type'] === 'last_reply';
}
