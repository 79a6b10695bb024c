import { reduceAll } from '../domain/reduce.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';

/** The sessions as they will be once what was taken of a batch is committed: each event may decide about the next. */
export interface Ahead {
  state(sessionId: string): SessionState | undefined;
  took(events: readonly AgentEvent[]): void;
}

export function createAhead(stateOf: (sessionId: string) => SessionState | undefined): Ahead {
  const states = new Map<string, SessionState | undefined>();
  /** Reduced only if somebody asks: nearly every batch is one hook. */
  const taken = new Map<string, AgentEvent[]>();
  return {
    state(id) {
      const before = states.has(id) ? states.get(id) : stateOf(id);
      const state = reduceAll(taken.get(id) ?? [], before);
      states.set(id, state);
      taken.delete(id);
      return state;
    },
    took(events) {
      for (const event of events) {
        const { session_id: id } = event;
        taken.set(id, [...(taken.get(id) ?? []), event]);
      }
    },
  };
}
