import { diff } from '../domain/diff.ts';
import { settle, settlesAt } from '../domain/settle.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { LIVE_STATE_HOURS } from '../protocol/limits.ts';
import type { Agent, OwnerInfo, Session, Snapshot } from '../protocol/state.ts';
import { createListeners } from './listeners.ts';
import { createLiveSessions } from './liveSessions.ts';
import type { Clock, Disposable, EventStore, Log, StateSource } from './ports.ts';

const LIVE_MS = LIVE_STATE_HOURS * 3_600_000;

/** Looking through all sessions for old ones with every event would make each event as dear as all of them. */
const FORGET_EVERY_MS = 60_000;

export interface Hub extends StateSource, Disposable {
  /** Reduces stored events and tells the subscribers. What an event says never makes it throw; a failing store may. */
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

interface Shown {
  readonly session: Session;
  readonly agents: readonly Agent[];
}

/** The owner's live state and its numbered changes. What an event costs depends on its session, not on how many there are. */
export function createHub({ store, clock, log, owner, unreduced }: HubParts): Hub {
  const horizon = () => clock.now() - LIVE_MS;
  const live = createLiveSessions(store, log, { clock, since: horizon(), unreduced });
  const listeners = createListeners(log);
  const shown = new Map<string, Shown>();
  /** When the next mood of a session passes, for the sessions where one does. */
  const passing = new Map<string, number>();
  let timer: Disposable | undefined;
  let forgotAt = clock.now();
  let revision = 0;
  let snapshot: Snapshot | undefined;

  publish(live.ids());

  function commit(events: readonly AgentEvent[]): void {
    const changed = live.place(events);
    publish([...changed, ...forgetOld()]);
  }

  function forgetOld(): readonly string[] {
    if (clock.now() - forgotAt < FORGET_EVERY_MS) return [];
    forgotAt = clock.now();
    return live.forget(horizon());
  }

  function publish(ids: readonly string[]): void {
    const touched = [...new Set(ids)];
    const before = touched.map((id) => shown.get(id)).filter((each) => each !== undefined);
    for (const id of touched) show(id);
    const after = touched.map((id) => shown.get(id)).filter((each) => each !== undefined);
    const patch = diff(entities(before), entities(after), revision + 1);
    if (patch) {
      revision = patch.revision;
      snapshot = undefined;
      listeners.tell({ type: 'patch', patch });
    }
    scheduleSettling();
  }

  function show(id: string): void {
    const state = live.state(id);
    passing.delete(id);
    if (!state) {
      shown.delete(id);
      return;
    }
    const old = new Map(shown.get(id)?.agents.map((agent) => [agent.id, agent]));
    const agents = state.agents.map(({ agent }) => sameAs(old.get(agent.id), settle(agent, clock.now())));
    const next = earliest(agents.map(settlesAt));
    if (next !== undefined) passing.set(id, next);
    shown.set(id, { session: state.session, agents });
  }

  /** One timer, and only while somebody's mood is about to pass. */
  function scheduleSettling(): void {
    timer?.dispose();
    const next = earliest([...passing.values()]);
    timer =
      next === undefined ? undefined : clock.after(Math.max(0, next - clock.now()), () => publish([...passing.keys()]));
  }

  return {
    commit,
    snapshot() {
      snapshot ??= { revision, owner, ...entities([...shown.values()]), workItems: [] };
      return snapshot;
    },
    status: () => 'live',
    onChange: listeners.add,
    dispose() {
      timer?.dispose();
      listeners.clear();
    },
  };
}

function entities(all: readonly Shown[]): Pick<Snapshot, 'sessions' | 'agents'> {
  return { sessions: all.map(({ session }) => session), agents: all.flatMap(({ agents }) => agents) };
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce<number | undefined>(
    (first, time) => (time === undefined || (first !== undefined && first <= time) ? first : time),
    undefined,
  );
}

/** `settle` makes a new object each time; an equal one must not count as a change, which is told by identity. */
function sameAs(old: Agent | undefined, agent: Agent): Agent {
  if (!old) return agent;
  return (Object.keys(agent) as (keyof Agent)[]).every((key) => old[key] === agent[key]) ? old : agent;
}
