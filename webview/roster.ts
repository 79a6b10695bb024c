import type { Agent, Session } from '../src/protocol/state.ts';
import { isGone, isQuiet } from './sentences.ts';
import type { PanelState } from './store.ts';

export interface AgentRow {
  readonly agent: Agent;
  /** 0 for a session's main agent, 1 for its sub-agents, and so on. */
  readonly depth: number;
  /** The last child of its parent: where the tree's line ends. */
  readonly last: boolean;
  /** The depths above its own whose lines go on past it to later siblings. */
  readonly rails: readonly number[];
}

export interface SessionGroup {
  readonly session: Session;
  readonly rows: readonly AgentRow[];
}

const DEPTH_MAX = 3;

/** A session whose process has gone is told for so long: its person may wonder where it is. */
const GONE_SHOWN_MS = 10 * 60_000;

/**
 * What is drawn, in order. `departing` are agents that have just left and are still seen going; `held` is the order on the
 * screen while the person points or reads there: it stays, and only newcomers go to the end.
 */
export function groupsToShow(
  state: Pick<PanelState, 'sessions' | 'agents'>,
  departing: ReadonlySet<string> = new Set(),
  held: readonly string[] | undefined = undefined,
  now = Number.POSITIVE_INFINITY,
): readonly SessionGroup[] {
  const bySession = new Map<string, Agent[]>();
  for (const agent of state.agents.values()) {
    if (!agent.present && !departing.has(agent.id)) continue;
    const mates = bySession.get(agent.sessionId);
    if (mates) mates.push(agent);
    else bySession.set(agent.sessionId, [agent]);
  }
  const sessions = [...state.sessions.values()].filter(
    (session) => bySession.has(session.id) || isThere(session) || hasJustGone(session, now),
  );
  sessions.sort(held === undefined ? byNeed : byPlace(held));
  return sessions.map((session) => ({ session, rows: treeRows(bySession.get(session.id) ?? []) }));
}

function isThere({ state }: Session): boolean {
  return state === 'active' || state === 'idle';
}

function hasJustGone(session: Session, now: number): boolean {
  return isGone(session) && now - Date.parse(session.endedAt ?? '') < GONE_SHOWN_MS;
}

/** Who waits for the person comes first, then who works, then the rest; among equals the order of their start. */
function byNeed(a: Session, b: Session): number {
  return need(a) - need(b) || compare(a.startedAt, b.startedAt) || compare(a.id, b.id);
}

function need(session: Session): number {
  if (session.surface === 'headless') return session.phase === 'busy' ? 1 : 2;
  switch (session.phase) {
    case 'waiting_permission':
      return 0;
    case 'waiting_question':
      return isQuiet(session) ? 2 : 0;
    case 'busy':
      return 1;
    case 'interactable':
    case null:
      return 2;
  }
}

function byPlace(held: readonly string[]): (a: Session, b: Session) => number {
  const places = new Map(held.map((id, place) => [id, place]));
  return (a, b) => (places.get(a.id) ?? held.length) - (places.get(b.id) ?? held.length) || byNeed(a, b);
}

/** Parents before their children, children in the order of their start. One whose parent is gone stands under the main agent. */
function treeRows(agents: readonly Agent[]): readonly AgentRow[] {
  const sorted = agents.toSorted((a, b) => compare(a.startedAt, b.startedAt) || compare(a.id, b.id));
  const main = sorted.find((agent) => agent.kind === 'main');
  const ids = new Set(sorted.map((agent) => agent.id));
  const children = new Map<string | undefined, Agent[]>();
  for (const agent of sorted) {
    const parent = parentOf(agent);
    children.set(parent, [...(children.get(parent) ?? []), agent]);
  }
  const rows: AgentRow[] = [];
  const drawn = new Set<string>();
  addBelow(undefined, 0, []);
  // Parents that point at each other belong to no tree; nobody is left out for it.
  for (const agent of sorted)
    if (!drawn.has(agent.id)) rows.push({ agent, depth: main ? 1 : 0, last: true, rails: [] });
  return rows;

  function parentOf(agent: Agent): string | undefined {
    if (agent === main) return undefined;
    if (agent.parentId !== null && agent.parentId !== agent.id && ids.has(agent.parentId)) return agent.parentId;
    return main?.id;
  }

  function addBelow(parent: string | undefined, depth: number, rails: readonly number[]): void {
    const mates = children.get(parent) ?? [];
    mates.forEach((agent, index) => {
      if (drawn.has(agent.id)) return;
      drawn.add(agent.id);
      const last = index === mates.length - 1;
      rows.push({ agent, depth: Math.min(depth, DEPTH_MAX), last, rails });
      addBelow(agent.id, depth + 1, last || depth === 0 || depth >= DEPTH_MAX ? rails : [...rails, depth]);
    });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
