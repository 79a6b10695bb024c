import { diff } from '../domain/diff.ts';
import { explain } from '../domain/explain.ts';
import { sessionEventOf } from '../domain/sessionEvents.ts';
import { settleSession, settlesAt } from '../domain/settle.ts';
import { withSighting, type Sighting, type Sightings, overlaid } from '../domain/sighting.ts';
import { hasEnded } from '../domain/workItems.ts';
import type { CastEntry } from '../protocol/cast.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { LIVE_STATE_HOURS, LIVE_WORK_ENDED } from '../protocol/limits.ts';
import type { Agent, GuardGap, OwnerInfo, Session, Snapshot, TakeOverProgress } from '../protocol/state.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { Cast } from './cast.ts';
import { createListeners } from './listeners.ts';
import { createLiveSessions } from './liveSessions.ts';
import type { CommittedSource } from './outletPorts.ts';
import type { Clock, Disposable, EventStore, Explainer, Log, SessionEventSource, StateSource } from './ports.ts';
import { type Shown, ShownSessions } from './shownSessions.ts';

const LIVE_MS = LIVE_STATE_HOURS * 3_600_000;

/** Looking through all sessions for old ones with every event would make each event as dear as all of them. */
const FORGET_EVERY_MS = 60_000;

/** Somebody who was away for longer than it takes to store so many events reads what happened in the history. */
const STORY_AFTER_MAX = 2_000;
/** Or than so many pieces of the store: some ten megabytes. */
const STORY_PAGES_MAX = 80;

export interface Hub extends StateSource, SessionEventSource, CommittedSource, Explainer, Disposable {
  /**
   * Reduces stored events and notifies the subscribers. No event's content makes it throw; a failing store may. `liveAgents` sent
   * their events just now, whatever time the events bear: they count as alive until a restart.
   */
  commit(events: readonly AgentEvent[], liveAgents?: ReadonlySet<string>): void;
  /** These are shown no more, until an event of theirs is committed again. */
  leave(sessionIds: readonly string[]): void;
  /** These are gone for good: nobody may be told of them again, nor of how they came to be. */
  erase(sessionIds: readonly string[]): void;
  /** Called with the ids of sessions that are gone for good. */
  onErased(listener: (sessionIds: readonly string[]) => void): Disposable;
  /** Their events are others than those that were told: whoever was told starts from what is true now. */
  remake(sessionIds: readonly string[]): void;
  /** What is seen beside the events and kept in memory only: growth, measures and thoughts of a transcript. */
  sight(sighting: Sighting): void;
  /** The session as the reducer keeps it, while it is live. */
  state(sessionId: string): SessionState | undefined;
  sessionIds(): readonly string[];
  /** Makes the row of one more session of `later`. False if there is none left. */
  reduceNext(): boolean;
  /** The person sees some mascots otherwise than before. */
  recast(): void;
  /** Work items are others than before. */
  reworked(): void;
  /** GRD-3: what the guard could not be asked for. */
  showGaps(gaps: readonly GuardGap[]): void;
  /** STO-6: how far the store of an earlier release is taken over; `undefined` while nothing is. */
  showTakeOver(progress: TakeOverProgress | undefined): void;
}

export interface HubParts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: OwnerInfo;
  /** Sessions whose stored rows are older than their events. */
  readonly unreduced: readonly string[];
  /** The same, but these are reduced one by one, by `reduceNext`. */
  readonly later?: readonly string[] | undefined;
  /** After so long without a sign of life a session counts as idle. */
  readonly idleMs: () => number;
  /** Without it every mascot looks as it was born. */
  readonly cast?: Pick<Cast, 'dress'>;
}

/** Sessions that nothing came for since are not live. */
export function liveSince(clock: Pick<Clock, 'now'>): number {
  return clock.now() - LIVE_MS;
}

type Bearer = CastEntry['bearers'][number];

/** What the snapshot has beside sessions, agents and work items. */
type Facts = Pick<Snapshot, 'guardGaps' | 'takeOver'>;

/** The owner's live state and its numbered changes. What an event costs depends on its session, not on how many there are. */
export function createHub({ store, clock, log, owner, unreduced, later, idleMs, cast }: HubParts): Hub {
  const horizon = () => liveSince(clock);
  const live = createLiveSessions(store, log, { clock, since: horizon(), unreduced, later });
  const listeners = createListeners(log);
  const storyListeners = createListeners<readonly SessionEvent[]>(log);
  const committed = createListeners<void>(log);
  const erasedListeners = createListeners<readonly string[]>(log);
  const shown = new ShownSessions();
  const sightings = new Map<string, Sightings>();
  /** When time alone changes a session next, for the sessions where it does. */
  const passing = new Map<string, number>();
  let timer: Disposable | undefined;
  let forgotAt = clock.now();
  let revision = 0;
  let erasures = 0;
  let snapshot: Snapshot | undefined;
  let work = shownWork(store.work.items());
  let facts: Facts = { guardGaps: [] };
  let factsShown = facts;

  let storyTo = store.changes.lastSeq();

  publish(live.ids());

  function commit(events: readonly AgentEvent[], liveAgents: ReadonlySet<string> = new Set()): void {
    const changed = live.place(events);
    for (const id of changed) hear(id, liveAgents);
    publish([...changed, ...forgetOld()]);
    storyTo = store.changes.lastSeq();
    const told = storyOf(events);
    if (told.length > 0) storyListeners.tell(told);
    committed.tell();
  }

  function storyOf(events: readonly AgentEvent[]): readonly SessionEvent[] {
    return events.flatMap((event) => {
      const isAgent = (id: string) =>
        live.state(event.session_id)?.agents.some(({ agent }) => agent.id === id) ?? false;
      return sessionEventOf(event, isAgent) ?? [];
    });
  }

  function storyAfter(seq: number): readonly SessionEvent[] {
    const news: AgentEvent[] = [];
    if (store.changes.countAfter(seq) > STORY_AFTER_MAX) return [];
    for (let [pages, upTo, last] = [1, seq, -1]; last < upTo && upTo < storyTo; pages++) {
      if (pages > STORY_PAGES_MAX) return [];
      last = upTo;
      const page = store.changes.after(upTo);
      for (const change of page.changes) {
        // What is not live is of excluded projects, or history.
        const isNews = change.kind === 'event' && change.was === undefined && live.state(change.event.session_id);
        if (isNews && change.seq <= storyTo) news.push(change.event);
      }
      upTo = page.upTo;
    }
    return storyOf(news);
  }

  /** SES-3: also news of long ago is news; what a spool kept over night has not been seen by anybody. */
  function hear(id: string, liveAgents: ReadonlySet<string>): void {
    const state = live.state(id);
    if (!state) return;
    const now = clock.now();
    const heard = state.agents.filter(({ agent }) => liveAgents.has(agent.id)).map(({ agent }) => agent.id);
    for (const agentId of [undefined, ...heard]) {
      sightings.set(id, withSighting(sightings.get(id), { sessionId: id, signAt: now, agentId }, state, now));
    }
  }

  function leave(ids: readonly string[]): void {
    live.drop(ids);
    publish(ids);
  }

  /** A stream keeps its latest changes for those who come again. */
  function forgetTold(): void {
    erasures++;
    snapshot = undefined;
    listeners.tell({ type: 'reset' });
  }

  function forgetOld(): readonly string[] {
    if (clock.now() - forgotAt < FORGET_EVERY_MS) return [];
    forgotAt = clock.now();
    return live.forget(horizon(), isWaitedFor);
  }

  /** As long as somebody is asked it stays in sight, however long ago that was. */
  function isWaitedFor(id: string): boolean {
    const phase = shown.get(id)?.session.phase;
    return (
      phase === 'waiting_permission' ||
      (phase === 'waiting_question' && shown.get(id)?.session.phaseBecause?.detail !== 'idle')
    );
  }

  function publish(ids: readonly string[]): void {
    for (const id of new Set(ids)) show(id);
    const { before, after } = shown.renew();
    const now = shownWork(store.work.items());
    const patch = diff(
      { ...entities(before, work), ...factsShown },
      { ...entities(after, now), ...facts },
      revision + 1,
    );
    work = now;
    factsShown = facts;
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
      shown.set(id, undefined);
      sightings.delete(id);
      return;
    }
    const seen = sightings.get(id);
    const signs = { idleMs: idleMs(), signAt: seen?.signAt, aliveAt: seen?.aliveAt, agentSigns: seen?.agentSigns };
    const now = clock.now();
    const next = settlesAt(state, now, signs);
    if (next !== undefined) passing.set(id, next);
    const { session, agents: born } = overlaid(settleSession(state, now, signs), state, seen);
    const agents = cast?.dress(session, born, lastSeen) ?? born;
    const before = shown.whole(id);
    const old = new Map(before?.agents.map((agent) => [agent.id, agent]));
    shown.set(id, {
      session: sameAs(before?.session, session),
      agents: agents.map((agent) => sameAs(old.get(agent.id), agent)),
    });
  }

  function lastSeen({ agentId, sessionId }: Bearer): 'here' | string | undefined {
    const state = live.state(sessionId);
    const agent = state?.agents.find((each) => each.agent.id === agentId)?.agent;
    if (agent?.present) return 'here';
    return agent?.moodSince ?? state?.session.lastEventAt;
  }

  function sight(sighting: Sighting): void {
    const { sessionId } = sighting;
    const state = live.state(sessionId);
    if (!state) return;
    sightings.set(sessionId, withSighting(sightings.get(sessionId), sighting, state, clock.now()));
    publish([sessionId]);
  }

  /** One timer, and only while time alone is about to change something. */
  function scheduleSettling(): void {
    timer?.dispose();
    const next = earliest([...passing.values()]);
    timer = next === undefined ? undefined : clock.after(Math.max(0, next - clock.now()), () => publish(due()));
  }

  /** Only those whose moment has come: looking at all would make one agent's celebration everybody's work. */
  function due(): readonly string[] {
    return [...passing].filter(([, at]) => at <= clock.now()).map(([id]) => id);
  }

  return {
    commit,
    leave,
    reduceNext: live.reduceNext,
    erase(ids) {
      leave(ids);
      forgetTold();
      erasedListeners.tell(ids);
      committed.tell();
    },
    remake(ids) {
      for (const id of ids) live.remake(id);
      publish(ids);
      forgetTold();
      committed.tell();
    },
    sight,
    state: live.state,
    sessionIds: live.ids,
    recast: () => publish(live.ids()),
    reworked: () => publish([]),
    showGaps(gaps) {
      facts = { ...facts, guardGaps: [...gaps] };
      publish([]);
    },
    showTakeOver(takeOver) {
      facts = { guardGaps: facts.guardGaps, ...(takeOver && { takeOver }) };
      publish([]);
    },
    explain(id) {
      const state = live.state(id);
      const session = shown.get(id)?.session;
      return Promise.resolve(state && session && explain(state, session));
    },
    snapshot() {
      const counted = erasures === 0 ? {} : { erasures };
      snapshot ??= { revision, owner, ...counted, ...entities(shown.all(), work), ...facts };
      return snapshot;
    },
    status: () => 'live',
    onChange: listeners.add,
    onSessionEvents: storyListeners.add,
    storyTo: () => storyTo,
    storyAfter,
    onCommitted: committed.add,
    onErased: erasedListeners.add,
    dispose() {
      timer?.dispose();
      listeners.clear();
      storyListeners.clear();
      committed.clear();
      erasedListeners.clear();
    },
  };
}

/** Those that go on, and the last that ended. */
function shownWork(items: readonly WorkItem[]): readonly WorkItem[] {
  const ended = items.filter(hasEnded);
  if (ended.length <= LIVE_WORK_ENDED) return items;
  const last = new Set(
    ended.toSorted((a, b) => ((a.finishedAt ?? '') < (b.finishedAt ?? '') ? 1 : -1)).slice(0, LIVE_WORK_ENDED),
  );
  return items.filter((item) => !hasEnded(item) || last.has(item));
}

function entities(all: readonly Shown[], work: readonly WorkItem[]) {
  return {
    sessions: all.map(({ session }) => session),
    agents: all.flatMap(({ agents }) => agents),
    workItems: [...work],
  };
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce<number | undefined>(
    (first, time) => (time === undefined || (first !== undefined && first <= time) ? first : time),
    undefined,
  );
}

/** Settling makes new objects each time; an equal one must not count as a change, which is told by identity. */
function sameAs<T extends Session | Agent>(old: T | undefined, now: T): T {
  if (!old || old === now) return now;
  return JSON.stringify(old) === JSON.stringify(now) ? old : now;
}
