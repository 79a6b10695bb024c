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

interface Erased {
  erasedAt(sessionId: string): string | undefined;
  session(sessionId: string): unknown;
}

/** For what was read before an erasure and comes to be stored after it. */
export function forgettingErased(event: AgentEvent, { erasedAt, session }: Erased): AgentEvent {
  return forgetting(event, (id) => {
    const until = erasedAt(id);
    // The erasure's moment is when it was asked for; what was read a little later has no session any more either.
    return until !== undefined && (event.ts <= until || session(id) === undefined);
  });
}
