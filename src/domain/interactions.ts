import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { Interaction } from '../protocol/reading.ts';

/** The events that an interaction can be made of; not each of them makes one. */
export const sayingTypes = [
  'user_prompt',
  'turn_ended',
  'agent_stopped',
  'prompt_found',
  'reply_found',
  'last_reply_found',
] as const satisfies readonly EventType[];

/** Whether an interaction can be made of it. */
export function isSaying(event: AgentEvent): boolean {
  // CNV-4: there is nothing in it to be read.
  return event.payload.unlogged !== true && sayingTypes.some((type) => type === event.event_type);
}

/** CNV-1: the prompt or the reply that this event tells of, if it does. */
export function interactionOf(event: AgentEvent): Interaction | undefined {
  switch (event.event_type) {
    case 'user_prompt':
      // What an agent sends itself when background work ends is nobody's prompt.
      return event.payload.synthetic === true ? undefined : prompted(event, event.payload.prompt);
    case 'prompt_found':
      return prompted(event, event.payload.prompt);
    case 'turn_ended':
      // The text of a failed turn is the program's error, which its agent never said.
      return event.payload.reason === 'failed' ? undefined : replied(event, event.payload.message);
    case 'agent_stopped':
      // Who compacts a conversation bears an empty type: its last words are the summary, and nobody's.
      return event.payload.agent_type === '' ? undefined : replied(event, event.payload.message);
    case 'reply_found':
    case 'last_reply_found':
      return replied(event, event.payload.message);
    default:
      return undefined;
  }
}

function prompted(event: AgentEvent, content: string | undefined): Interaction | undefined {
  return said(event, { role: 'user', content, skillName: 'user_prompt' });
}

function replied(event: AgentEvent, content: string | undefined): Interaction | undefined {
  return said(event, { role: 'assistant', content, skillName: `${event.provider}_response` });
}

interface Words extends Pick<Interaction, 'role' | 'skillName'> {
  readonly content: string | undefined;
}

function said({ id, session_id: sessionId, agent_id: agentId, ts }: AgentEvent, { role, content, skillName }: Words) {
  return content === undefined || content === '' ? undefined : { id, sessionId, agentId, role, content, skillName, ts };
}

/** One spelling for search: capitals, wide letters and the two ways to write Korean or accents are all the same. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
