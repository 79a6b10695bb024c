import type { Agent, Patch, Session, Snapshot, TakeOverProgress } from '../src/protocol/state.ts';
import type { WorkItem } from '../src/protocol/work.ts';
import type { HostMessage, ViewConfig, ViewSource } from '../src/protocol/view.ts';

export interface PanelState {
  readonly config: ViewConfig;
  readonly source: ViewSource;
  /** Undefined until a snapshot has come, and again from a gap until the next one: patches mean nothing meanwhile. */
  readonly revision: number | undefined;
  /** False until the first snapshot ever: nothing is known, so nothing may be called empty. */
  readonly known: boolean;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly agents: ReadonlyMap<string, Agent>;
  /** By their keys. */
  readonly workItems: ReadonlyMap<string, WorkItem>;
  /** How far the store of an earlier release is taken over; `undefined` while nothing is. */
  readonly takeOver: TakeOverProgress | undefined;
  /** Sessions that the filter leaves out. */
  readonly elsewhere: ReadonlySet<string>;
}

export interface Received {
  readonly state: PanelState;
  readonly ask?: 'resync';
}

export const emptyPanel: PanelState = {
  config: { motion: 'auto', locale: 'en', strings: {} },
  source: 'connecting',
  revision: undefined,
  known: false,
  sessions: new Map(),
  agents: new Map(),
  workItems: new Map(),
  takeOver: undefined,
  elsewhere: new Set(),
};

export type StateMessage = Extract<HostMessage, { type: 'config' | 'snapshot' | 'patch' | 'elsewhere' }>;

export function receive(state: PanelState, message: StateMessage): Received {
  switch (message.type) {
    case 'config':
      return { state: { ...state, config: message.config } };
    case 'snapshot':
      return { state: { ...fromSnapshot(state, message.state), source: message.source } };
    case 'elsewhere':
      return { state: { ...state, elsewhere: new Set(message.sessionIds) } };
    case 'patch':
      return applyPatch(state, message.patch);
  }
}

function fromSnapshot(state: PanelState, snapshot: Snapshot): PanelState {
  return {
    ...state,
    revision: snapshot.revision,
    known: true,
    sessions: new Map(snapshot.sessions.map((session) => [session.id, session])),
    agents: new Map(snapshot.agents.map((agent) => [agent.id, agent])),
    workItems: new Map(snapshot.workItems.map((item) => [item.key, item])),
    takeOver: snapshot.takeOver,
  };
}

function applyPatch(state: PanelState, patch: Patch): Received {
  if (state.revision === undefined || patch.revision <= state.revision) return { state };
  if (patch.revision > state.revision + 1) return { state: { ...state, revision: undefined }, ask: 'resync' };
  return {
    state: {
      ...state,
      revision: patch.revision,
      sessions: merged(state.sessions, patch.sessions.map(byId), patch.removedSessions),
      agents: merged(state.agents, patch.agents.map(byId), patch.removedAgents),
      workItems: merged(state.workItems, patch.workItems.map(byKey), patch.removedWorkItems),
      takeOver: patch.takeOver === undefined ? state.takeOver : (patch.takeOver ?? undefined),
    },
  };
}

function byId<T extends { readonly id: string }>(entity: T): [string, T] {
  return [entity.id, entity];
}

function byKey(item: WorkItem): [string, WorkItem] {
  return [item.key, item];
}

function merged<T>(
  before: ReadonlyMap<string, T>,
  changed: readonly (readonly [string, T])[],
  removed: readonly string[],
): ReadonlyMap<string, T> {
  if (changed.length === 0 && removed.length === 0) return before;
  const after = new Map(before);
  for (const [id, entity] of changed) after.set(id, entity);
  for (const id of removed) after.delete(id);
  return after;
}
