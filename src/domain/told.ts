import { type AgentEvent, withWords } from '../protocol/event.ts';

/** MEM-3: the sessions that a starting one was told of. */
export function toldOf(event: AgentEvent): readonly string[] {
  return (event.event_type === 'context_loaded' && event.payload.told) || [];
}

/** CNV-4: nobody can tell which of the words are of which session, so all of them go with one. */
export function forgetting(event: AgentEvent, isGone: (sessionId: string) => boolean): AgentEvent {
  if (event.event_type !== 'context_loaded' || !toldOf(event).some(isGone)) return event;
  return withWords(event, { text: '', told: toldOf(event).filter((id) => !isGone(id)) });
}
