import { diff } from '../domain/diff.ts';
import { compareKeys, orderKey } from '../domain/order.ts';
import { REDUCER_VERSION } from '../domain/reduce.ts';
import { restoreSession } from '../domain/restore.ts';
import { settle, settlesAt } from '../domain/settle.ts';
import { insert, type Timeline, timelineFrom } from '../domain/timeline.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { LIVE_STATE_HOURS } from '../protocol/limits.ts';
import type { Agent, OwnerInfo, Session, Snapshot } from '../protocol/state.ts';
import type { SessionState } from '../protocol/stored.ts';
import { createListeners } from './listeners.ts';
import type { Clock, Disposable, EventStore, Log, SessionRow, StateSource } from './ports.ts';

const HOUR_MS = 3_600_000;

export interface Hub extends StateSource, Disposable {
  /** Reduces stored events and tells the subscribers. Never throws for what an event says. */
  commit(events: readonly AgentEvent[]): void;
}

export interface HubParts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: OwnerInfo;
  /** Sessions whose stored rows are older than their events. */
  readonly unreduced: readonly string[];
}

/** The owner's live state: the reduction over every stored event of the sessions that still matter. */
export function createHub({ store, clock, log, owner, unreduced }: HubParts): Hub {
  const timelines = new Map<string, Timeline>();
  const listeners = createListeners(log);
  let passing: Disposable | undefined;
  let state: Snapshot = { revision: 0, owner, sessions: [], agents: [], workItems: [] };

  for (const id of unreduced) rebuild(id);
  for (const row of liveRows(store, clock)) {
    if (!timelines.has(row.id)) timelines.set(row.id, timelineFrom(stateOf(row)));
  }
  saveRows(unreduced);
  publish();

  function rebuild(sessionId: string): void {
    const events = store.events(sessionId);
    timelines.set(
      sessionId,
      events.reduce<Timeline>((line, event) => insert(line, event) ?? line, timelineFrom(undefined)),
    );
  }

  function stateOf(row: SessionRow): SessionState | undefined {
    return restoreSession(row, () => store.events(row.id));
  }

  function timelineOf(sessionId: string): Timeline | undefined {
    const known = timelines.get(sessionId);
    if (known) return known;
    const row = store.session(sessionId);
    return row ? timelineFrom(stateOf(row)) : undefined;
  }

  function commit(events: readonly AgentEvent[]): void {
    const bySession = new Map<string, AgentEvent[]>();
    for (const event of events) {
      const own = bySession.get(event.session_id);
      if (own) own.push(event);
      else bySession.set(event.session_id, [event]);
    }
    for (const [id, own] of bySession) place(id, own);
    saveRows([...bySession.keys()]);
    publish();
  }

  /** In order, so that a batch costs one replay at the most. */
  function place(sessionId: string, events: readonly AgentEvent[]): void {
    let line = timelineOf(sessionId) ?? timelineFrom(undefined);
    for (const event of events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))) {
      const next = insert(line, event);
      if (!next) return rebuild(sessionId);
      line = next;
    }
    timelines.set(sessionId, line);
  }

  function saveRows(ids: readonly string[]): void {
    const states = ids.map((id) => timelines.get(id)?.state).filter((row) => row !== undefined);
    store.saveSessions(
      states.map((row) => ({
        id: row.session.id,
        lastEventAt: row.session.lastEventAt,
        reducer: REDUCER_VERSION,
        json: JSON.stringify(row),
      })),
    );
  }

  function publish(): void {
    forgetOld();
    const after = shown(timelines, state, clock.now());
    const patch = diff(state, after, state.revision + 1);
    if (patch) {
      state = { ...state, ...after, revision: patch.revision };
      listeners.tell({ type: 'patch', patch });
    }
    scheduleSettling();
  }

  /** One timer, and only while somebody's mood is about to pass. */
  function scheduleSettling(): void {
    passing?.dispose();
    const next = Math.min(...state.agents.map((agent) => settlesAt(agent) ?? Infinity));
    passing = next === Infinity ? undefined : clock.after(Math.max(0, next - clock.now()), publish);
  }

  function forgetOld(): void {
    const horizon = new Date(clock.now() - LIVE_STATE_HOURS * HOUR_MS).toISOString();
    for (const [id, line] of timelines) {
      if (line.state && line.state.session.lastEventAt < horizon) timelines.delete(id);
    }
  }

  return {
    commit,
    snapshot: () => state,
    status: () => 'live',
    onChange: listeners.add,
    dispose() {
      passing?.dispose();
      listeners.clear();
    },
  };
}

function liveRows(store: EventStore, clock: Clock): SessionRow[] {
  const horizon = new Date(clock.now() - LIVE_STATE_HOURS * HOUR_MS).toISOString();
  const rows: SessionRow[] = [];
  let cursor: string | undefined;
  do {
    const page = store.sessions({ limit: 200, cursor });
    const live = page.items.filter((row) => row.lastEventAt >= horizon);
    rows.push(...live);
    cursor = live.length === page.items.length ? (page.next ?? undefined) : undefined;
  } while (cursor !== undefined);
  return rows;
}

/** Entities keep their identity while nothing about them changes: the diff relies on it. */
function shown(
  timelines: ReadonlyMap<string, Timeline>,
  before: Snapshot,
  now: number,
): { sessions: Session[]; agents: Agent[] } {
  const oldAgents = new Map(before.agents.map((agent) => [agent.id, agent]));
  const states = [...timelines.values()].map((line) => line.state).filter((state) => state !== undefined);
  const agents = states.flatMap((state) => state.agents.map(({ agent }) => settle(agent, now)));
  return {
    sessions: states.map((state) => state.session),
    agents: agents.map((agent) => sameAs(oldAgents.get(agent.id), agent)),
  };
}

/** `settle` makes a new object each time; an equal one must not count as a change. */
function sameAs(old: Agent | undefined, agent: Agent): Agent {
  return old && old.mood === agent.mood && old.moodSince === agent.moodSince && equalBut(old, agent) ? old : agent;
}

function equalBut(a: Agent, b: Agent): boolean {
  return (Object.keys(a) as (keyof Agent)[]).every((key) => a[key] === b[key]);
}
