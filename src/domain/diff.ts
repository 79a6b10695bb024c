import type { Agent, Patch, Session, Snapshot } from '../protocol/state.ts';
import type { WorkItem } from '../protocol/work.ts';

type Entities = Pick<Snapshot, 'sessions' | 'agents' | 'workItems' | 'guardGaps' | 'takeOver'>;

/** What changed from `before` to `after`; undefined when nothing did. Unchanged entities are told by identity. */
export function diff(before: Entities, after: Entities, revision: number): Patch | undefined {
  const agents = changes(before.agents, after.agents, idOf);
  const sessions = changes(before.sessions, after.sessions, idOf);
  const work = changes(before.workItems, after.workItems, keyOf);
  const isSame = [agents, sessions, work].every(({ changed, removed }) => changed.length + removed.length === 0);
  const gaps = before.guardGaps === after.guardGaps ? {} : { guardGaps: after.guardGaps };
  const takeOver = before.takeOver === after.takeOver ? {} : { takeOver: after.takeOver ?? null };
  const facts = { ...gaps, ...takeOver };
  if (isSame && Object.keys(facts).length === 0) return undefined;
  return {
    revision,
    sessions: sessions.changed,
    agents: agents.changed,
    removedSessions: sessions.removed,
    removedAgents: agents.removed,
    workItems: work.changed,
    removedWorkItems: work.removed,
    ...facts,
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
  const { takeOver: before, ...rest } = state;
  const takeOver = patch.takeOver === undefined ? before : patch.takeOver;
  return {
    ...rest,
    ...(takeOver && { takeOver }),
    revision: patch.revision,
    sessions: replaced(state.sessions, patch.sessions, patch.removedSessions, idOf),
    agents: replaced(state.agents, patch.agents, patch.removedAgents, idOf),
    workItems: replaced(state.workItems, patch.workItems, patch.removedWorkItems, keyOf),
    guardGaps: patch.guardGaps ?? state.guardGaps,
  };
}

function agentEvent(before: Agent | undefined, after: Agent): 'agent-appeared' | 'agent-update' | 'agent-departed' {
  // A team's agent that another session starts appears there, though its earlier session told of no end.
  const isElsewhere = before?.sessionId !== after.sessionId && after.present;
  const was = before?.present === true && !isElsewhere;
  if (was === after.present) return 'agent-update';
  return after.present ? 'agent-appeared' : 'agent-departed';
}

type Told = Session | Agent | WorkItem;

function idOf({ id }: Session | Agent): string {
  return id;
}

function keyOf({ key }: WorkItem): string {
  return key;
}

function changes<T extends Told>(before: readonly T[], after: readonly T[], nameOf: (entity: T) => string) {
  const old = new Map(before.map((entity) => [nameOf(entity), entity]));
  const names = new Set(after.map(nameOf));
  return {
    before: old,
    changed: after.filter((entity) => old.get(nameOf(entity)) !== entity),
    removed: before.map(nameOf).filter((name) => !names.has(name)),
  };
}

function replaced<T extends Told>(
  old: readonly T[],
  changed: readonly T[],
  removed: readonly string[],
  nameOf: (entity: T) => string,
): T[] {
  const next = new Map(old.map((entity) => [nameOf(entity), entity]));
  for (const entity of changed) next.set(nameOf(entity), entity);
  for (const name of removed) next.delete(name);
  return [...next.values()];
}
