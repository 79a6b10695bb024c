import type { AgentEvent } from '../protocol/event.ts';

/** MEM-3: the sessions that a starting one was told of. */
export function toldOf({ payload }: AgentEvent): readonly string[] {
  const { notification_type: type, told } = payload;
  if (type !== 'context_loaded' || !Array.isArray(told)) return [];
  return told.filter((id) => typeof id === 'string');
}

/** CNV-4: nobody can tell which of the words are of which session, so all of them go with one. */
export function forgetting(event: AgentEvent, isGone: (sessionId: string) => boolean): AgentEvent {
  const told = toldOf(event);
  if (!told.some(isGone)) return event;
  return { ...event, payload: { ...event.payload, text: '', told: told.filter((id) => !isGone(id)) } };
}
