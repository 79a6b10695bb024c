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
  /** Everybody in it is hidden, but it waits for the person: told by one line. */
  readonly brief: boolean;
}

/** What is drawn, in order, and how much of what there is is not. */
export interface Roster {
  readonly groups: readonly SessionGroup[];
  /** Sessions that the filter leaves out. */
  readonly elsewhere: number;
  /** Those of them that wait for the person, who waits longest first. */
  readonly waitElsewhere: readonly string[];
  /** Mascots of the sessions here that the person has hidden, whether they are shown now or not. */
  readonly hidden: number;
}

export interface RosterWish {
  /** Agents that have just left and are still seen going. */
  readonly departing?: ReadonlySet<string>;
  /** The order on the screen while the person points or reads there: it stays, and only newcomers go to the end. */
  readonly held?: readonly string[] | undefined;
  readonly now?: number;
  readonly elsewhere?: ReadonlySet<string>;
  readonly showHidden?: boolean;
}

const DEPTH_MAX = 3;

/** A session whose process has gone is told for so long: its person may wonder where it is. */
export const GONE_SHOWN_MS = 10 * 60_000;

export function rosterOf(state: Pick<PanelState, 'sessions' | 'agents'>, wish: RosterWish = {}): Roster {
  const { departing, held, now = Number.POSITIVE_INFINITY, elsewhere, showHidden = false } = wish;
  const there = new Map<string, Agent[]>();
  for (const agent of state.agents.values()) {
    if (!agent.present && departing?.has(agent.id) !== true) continue;
    const mates = there.get(agent.sessionId);
    if (mates) mates.push(agent);
    else there.set(agent.sessionId, [agent]);
  }
  const sessions = [...state.sessions.values()].filter(
    (session) => there.has(session.id) || isThere(session) || hasJustGone(session, now),
  );
  const here = sessions.filter(({ id }) => elsewhere?.has(id) !== true);
  const pins = new Map(here.map(({ id }) => [id, there.get(id)?.find(({ kind }) => kind === 'main')?.pinnedAt]));
  const byRank = (a: Session, b: Session) => byNeed(a, b, pins);
  const groups = here
    .toSorted(held === undefined ? byRank : byPlace(held, byRank))
    .map((session) => groupOf(session, there.get(session.id) ?? [], showHidden));
  return {
    groups: groups.filter(({ session, rows, brief }) => brief || rows.length > 0 || !there.has(session.id)),
    elsewhere: sessions.length - here.length,
    waitElsewhere: sessions
      .filter((session) => elsewhere?.has(session.id) === true && waits(session))
      .toSorted((a, b) => compare(a.phaseSince ?? '', b.phaseSince ?? ''))
      .map(({ id }) => id),
    hidden: here.flatMap(({ id }) => there.get(id) ?? []).filter(({ hidden, present }) => hidden === true && present)
      .length,
  };
}

function groupOf(session: Session, agents: readonly Agent[], showHidden: boolean): SessionGroup {
  const seen = showHidden ? agents : agents.filter(({ hidden }) => hidden !== true);
  const brief = seen.length === 0 && agents.length > 0 && waits(session);
  return { session, rows: treeRows(seen), brief };
}

function isThere({ state }: Session): boolean {
  return state === 'active' || state === 'idle';
}

function hasJustGone(session: Session, now: number): boolean {
  return isGone(session) && now - Date.parse(session.endedAt ?? '') < GONE_SHOWN_MS;
}

type Pins = ReadonlyMap<string, string | undefined>;

/** Who waits for the person comes first, then who works, then the rest; among equals who is pinned, and the order of their start. */
function byNeed(a: Session, b: Session, pins: Pins): number {
  return (
    need(a) - need(b) ||
    byPin(pins.get(a.id), pins.get(b.id)) ||
    compare(a.startedAt, b.startedAt) ||
    compare(a.id, b.id)
  );
}

function byPin(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compare(a, b);
}

/** For the person, who alone can let it go on. */
export function waits(session: Session): boolean {
  return need(session) === 0;
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

type Order = (a: Session, b: Session) => number;

function byPlace(held: readonly string[], otherwise: Order): Order {
  const places = new Map(held.map((id, place) => [id, place]));
  return (a, b) => (places.get(a.id) ?? held.length) - (places.get(b.id) ?? held.length) || otherwise(a, b);
}

/** Parents before their children, among siblings who is pinned, then the order of their start. One whose parent is gone stands under the main agent. */
function treeRows(agents: readonly Agent[]): readonly AgentRow[] {
  const sorted = agents.toSorted(
    (a, b) => byPin(a.pinnedAt, b.pinnedAt) || compare(a.startedAt, b.startedAt) || compare(a.id, b.id),
  );
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
