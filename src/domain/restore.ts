import type { AgentEvent } from '../protocol/event.ts';
import { type SessionState, sessionStateSchema } from '../protocol/stored.ts';
import { renormalized } from './normalize.ts';
import { REDUCER_VERSION, reduceAll } from './reduce.ts';

/** A stored row that another version wrote, or that can't be read, is as good as none: the events are the truth. */
export function restoreSession(
  row: { readonly reducer: number; readonly json: string },
  events: () => readonly AgentEvent[],
): SessionState | undefined {
  return (row.reducer === REDUCER_VERSION ? parsed(row.json) : undefined) ?? reduceAll(renormalized(events()));
}

function parsed(json: string): SessionState | undefined {
  try {
    return sessionStateSchema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
