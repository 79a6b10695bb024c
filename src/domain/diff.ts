import type { Agent, Patch, Session, Snapshot } from '../protocol/state.ts';

type Entities = Pick<Snapshot, 'sessions' | 'agents'>;

/** What changed from `before` to `after`; undefined when nothing did. Unchanged entities are told by identity. */
export function diff(before: Entities, after: Entities, revision: number): Patch | undefined {
  const agents = changes(before.agents, after.agents);
  const sessions = changes(before.sessions, after.sessions);
  const count = agents.changed.length + agents.removed.length + sessions.changed.length + sessions.removed.length;
  if (count === 0) return undefined;
  return {
    revision,
    sessions: sessions.changed,
    agents: agents.changed,
    removedSessions: sessions.removed,
    removedAgents: agents.removed,
    workItems: [],
    removedWorkItems: [],
    events: [
      ...agents.changed.map((agent) => ({ name: agentEvent(agents.before.get(agent.id), agent), id: agent.id })),
      ...agents.removed
        .filter((id) => agents.before.get(id)?.present)
        .map((id) => ({ name: 'agent-departed' as const, id })),
      ...sessions.changed.map((session) => ({ name: 'session.event' as const, id: session.id })),
    ],
  };
}

/** The state after a patch. The patch must be the next one: its revision is one above. */
export function applyPatch(state: Snapshot, patch: Patch): Snapshot {
  return {
    ...state,
    revision: patch.revision,
    sessions: replaced(state.sessions, patch.sessions, patch.removedSessions),
    agents: replaced(state.agents, patch.agents, patch.removedAgents),
  };
}

function agentEvent(before: Agent | undefined, after: Agent): 'agent-appeared' | 'agent-update' | 'agent-departed' {
  const was = before?.present ?? false;
  if (was === after.present) return 'agent-update';
  return after.present ? 'agent-appeared' : 'agent-departed';
}

function changes<T extends Session | Agent>(before: readonly T[], after: readonly T[]) {
  const old = new Map(before.map((entity) => [entity.id, entity]));
  const ids = new Set(after.map((entity) => entity.id));
  return {
    before: old,
    changed: after.filter((entity) => old.get(entity.id) !== entity),
    removed: before.filter((entity) => !ids.has(entity.id)).map((entity) => entity.id),
  };
}

function replaced<T extends Session | Agent>(
  old: readonly T[],
  changed: readonly T[],
  removed: readonly string[],
): T[] {
  const next = new Map(old.map((entity) => [entity.id, entity]));
  for (const entity of changed) next.set(entity.id, entity);
  for (const id of removed) next.delete(id);
  return [...next.values()];
}
