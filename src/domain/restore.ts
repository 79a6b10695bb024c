import type { AgentEvent } from '../protocol/event.ts';
import { type SessionState, sessionStateSchema } from '../protocol/stored.ts';
import { renormalized } from './normalize.ts';
import { REDUCER_VERSION, reduceAll } from './reduce.ts';

/** A session as a store keeps it beside its events. */
interface StoredRow {
  readonly id: string;
  readonly lastEventAt: string;
  readonly reducer: number;
  readonly json: string;
  /** Events of it are gone: a row of another version tells more than what is left. */
  readonly trimmed?: boolean;
}

type Written = Pick<StoredRow, 'reducer' | 'json' | 'trimmed'>;

export interface Restored {
  readonly state: SessionState | undefined;
  /** It had to be made from the events: this row, once saved, spares the next reader that. */
  readonly anew?: StoredRow;
}

/** A stored row that another version wrote, or that can't be read, is as good as none: the events are the truth. */
export function restoreSession(row: Written, events: () => readonly AgentEvent[]): Restored {
  const stored = storedSession(row);
  if (stored) return { state: stored };
  const state = reduceAll(renormalized(events()));
  return state ? { state, anew: rowOf(state) } : { state };
}

/** Undefined: it has to be made from the events. */
export function storedSession({ reducer, json, trimmed = false }: Written): SessionState | undefined {
  if (reducer !== REDUCER_VERSION && !trimmed) return undefined;
  try {
    return sessionStateSchema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Its `json` is made whenever it is read: most rows are replaced by the next event's before anybody does. */
export function rowOf(state: SessionState): StoredRow {
  const { id, lastEventAt } = state.session;
  return {
    ...{ id, lastEventAt, reducer: REDUCER_VERSION },
    get json() {
      return JSON.stringify(state);
    },
  };
}
