import { isFoundPrompt, isFoundReply } from '../../domain/found.ts';
import { interactionOf, sayingTypes } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/reading.ts';

/** Whether an interaction can be made of it. */
export function isSaying(event: AgentEvent): boolean {
  // CNV-4: there is nothing in it to be read.
  if (event.payload['unlogged'] === true) return false;
  return sayingTypes.some((type) => type === event.event_type) || isLastReply(event) || isFoundSaying(event);
}

/** TRN-2: a turn's reply that no hook told, found in the transcript. A hook can't claim to be one. */
export function isLastReply({ event_type, source, payload }: AgentEvent): boolean {
  return event_type === 'notification' && source === 'transcript' && payload['notification_type'] === 'last_reply';
}

/** CNV-1: what was said while no hook told of it. */
export function isFoundSaying(event: AgentEvent): boolean {
  return isFoundPrompt(event) || isFoundReply(event);
}

/** CNV-1, with the replies of agents whose Stop does not tell them: such a one stands for the end of the turn, and reads like one. */
export function interactionIn(event: AgentEvent): Interaction | undefined {
  return interactionOf(isLastReply(event) ? { ...event, event_type: 'turn_ended' } : event);
}
