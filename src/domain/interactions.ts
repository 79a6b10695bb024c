import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { Interaction } from '../protocol/reading.ts';
import { isFoundPrompt, isFoundReply, isFoundSaying, isLastReply } from './found.ts';

/** The events that an interaction can be made of; not each of them makes one. */
export const sayingTypes = ['user_prompt', 'turn_ended', 'agent_stopped'] as const satisfies readonly EventType[];

/** Whether an interaction can be made of it. */
export function isSaying(event: AgentEvent): boolean {
  // CNV-4: there is nothing in it to be read.
  if (event.payload['unlogged'] === true) return false;
  return sayingTypes.some((type) => type === event.event_type) || isLastReply(event) || isFoundSaying(event);
}

/** CNV-1: the prompt or the reply that this event tells of, if it does. */
export function interactionOf(event: AgentEvent): Interaction | undefined {
  switch (event.event_type) {
    case 'user_prompt':
      // What an agent sends itself when background work ends is nobody's prompt.
      return event.payload['synthetic'] === true ? undefined : said(event, 'user', 'prompt', 'user_prompt');
    case 'turn_ended':
      // The text of a failed turn is the program's error, which its agent never said.
      if (event.payload['reason'] === 'failed') return undefined;
      return said(event, 'assistant', 'message', `${event.provider}_response`);
    case 'agent_stopped':
      // Who compacts a conversation bears an empty type: its last words are the summary, and nobody's.
      if (event.payload['agent_type'] === '') return undefined;
      return said(event, 'assistant', 'message', `${event.provider}_response`);
    case 'notification':
      if (isFoundPrompt(event)) return said(event, 'user', 'prompt', 'user_prompt');
      if (!isFoundReply(event) && !isLastReply(event)) return undefined;
      return said(event, 'assistant', 'message', `${event.provider}_response`);
    default:
      return undefined;
  }
}

function said(event: AgentEvent, role: Interaction['role'], field: string, skillName: string): Interaction | undefined {
  const content = event.payload[field];
  if (typeof content !== 'string' || content === '') return undefined;
  const { id, session_id: sessionId, agent_id: agentId, ts } = event;
  return { id, sessionId, agentId, role, content, skillName, ts };
}

/** One spelling for search: capitals, wide letters and the two ways to write Korean or accents are all the same. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
