import { renormalized } from '../domain/normalize.ts';
import { compareKeys, orderKey } from '../domain/order.ts';
import { REDUCER_VERSION, reduceAll } from '../domain/reduce.ts';
import { restoreSession, rowOf, storedSession } from '../domain/restore.ts';
import { insert, type Timeline, timelineFrom } from '../domain/timeline.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { Clock, EventStore, Log, SessionRow } from './ports.ts';

/** Rows of one page while loading; any number does. */
const PAGE = 200;

/** Hooks overtake each other by milliseconds: an event that comes this long after a session's end is put in its place from the store. */
const STEPS_KEPT_MS = 10_000;

export interface LiveSessions {
  ids(): readonly string[];
  state(id: string): SessionState | undefined;
  /** Puts stored events in their places and saves the rows; gives the sessions that changed. */
  place(events: readonly AgentEvent[]): readonly string[];
  /** Made anew from what is stored of it now, whatever its row tells. */
  remake(id: string): void;
  /** Lets go of sessions that nothing has come for since then; they stay in the store. */
  forget(before: number, keep?: (id: string) => boolean): readonly string[];
  /** Lets go of these, whatever they are at; they stay in the store. */
  drop(ids: readonly string[]): void;
  /** Makes the row of one more session that was left for later. False if there is none left. */
  reduceNext(): boolean;
}

/**
 * COL-8: after an upgrade the rows of a whole day are to be made anew from all of their events; done here, with a breath after
 * each, the editor's other extensions go on meanwhile.
 */
export async function renewRows(
  store: EventStore,
  { since, unreduced, breathe }: { since: number; unreduced: readonly string[]; breathe: () => Promise<void> },
): Promise<void> {
  const made = new Set(unreduced);
  for (const row of rowsSince(store, new Date(since).toISOString())) {
    if (row.reducer === REDUCER_VERSION || row.trimmed || made.has(row.id)) continue;
    try {
      const { anew } = restoreSession(row, () => store.events(row.id));
      if (anew) store.saveSessions([anew]);
    } catch {
      // Whoever loads it says so.
    }
    await breathe();
  }
}

export interface LiveSessionsOptions {
  readonly clock: Clock;
  /** Sessions with a later event are kept in memory. */
  readonly since: number;
  /** Sessions whose rows don't tell of all their events: these are reduced at once. */
  readonly unreduced: readonly string[];
  /** The same, but they wait for `reduceNext`, or for an event. */
  readonly later?: readonly string[] | undefined;
}

/** The sessions that still matter, each reduced from its stored events. */
export function createLiveSessions(
  store: EventStore,
  log: Log,
  { clock, since, unreduced, later = [] }: LiveSessionsOptions,
): LiveSessions {
  const timelines = new Map<string, Timeline>();
  /** When something came for it, by our clock: an event may tell of a time long past and be news all the same. */
  const heardAt = new Map<string, number>();
  /** When something came for sessions that are over but still have the steps to their state, the longest ago first. */
  const over = new Map<string, number>();
  const failed = new Set<string>();
  const stale = new Set(later);
  for (const id of unreduced) attempt(id, () => rebuild(id));
  saveRows(unreduced);
  for (const row of rowsSince(store, new Date(since).toISOString())) {
    // What could not be rebuilt is shown as its row tells of it, if that is not to be made from the same events.
    if (timelines.has(row.id)) continue;
    attempt(row.id, () => timelines.set(row.id, stale.delete(row.id) ? rebuilt(row.id) : timelineFrom(stateOf(row))));
  }
  for (const [id, { state }] of timelines) heardAt.set(id, Date.parse(state?.session.lastEventAt ?? ''));
  forget(since, (id) => isWaitedFor(timelines.get(id)?.state));

  /** One session that can't be reduced must not keep every window from owning. */
  function attempt(id: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!failed.has(id)) log.error(`A session could not be reduced: ${String(error)}`);
      failed.add(id);
    }
  }

  function stateOf(row: SessionRow): SessionState | undefined {
    const { state, anew } = restoreSession(row, () => store.events(row.id));
    if (anew) store.saveSessions([anew]);
    return state;
  }

  function timelineOf(id: string): Timeline {
    const row = timelines.has(id) ? undefined : store.session(id);
    return timelines.get(id) ?? timelineFrom(row && stateOf(row));
  }

  function rebuild(id: string): void {
    timelines.set(id, rebuilt(id));
  }

  function rebuilt(id: string): Timeline {
    const events = renormalized(store.events(id));
    const row = store.session(id);
    // Retention has taken events of it away: its row tells of them, so what came later is laid over it.
    const from = row?.trimmed ? storedSession(row) : undefined;
    return events.reduce<Timeline>((line, event) => insert(line, event) ?? line, timelineFrom(from));
  }

  function reduceNext(): boolean {
    const [id] = stale;
    if (id === undefined) return false;
    stale.delete(id);
    attempt(id, () => {
      const { state } = rebuilt(id);
      if (state) store.saveSessions([rowOf(state)]);
    });
    return true;
  }

  function remake(id: string): void {
    attempt(id, () => timelines.set(id, timelineFrom(reduceAll(renormalized(store.events(id))))));
    saveRows([id]);
  }

  /** In order, so that a batch costs one replay at the most. */
  function placeInto(id: string, events: readonly AgentEvent[]): void {
    // Its row lacks events; the new ones are stored by now.
    if (stale.delete(id)) return rebuild(id);
    let line = timelineOf(id);
    for (const event of events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))) {
      const next = insert(line, event);
      if (!next) return rebuild(id);
      line = next;
    }
    timelines.set(id, line);
  }

  function saveRows(ids: readonly string[]): void {
    const states = ids.map((id) => timelines.get(id)?.state).filter((state) => state !== undefined);
    store.saveSessions(states.map(rowOf));
  }

  function place(events: readonly AgentEvent[]): readonly string[] {
    const bySession = new Map<string, AgentEvent[]>();
    for (const event of events) {
      const own = bySession.get(event.session_id);
      if (own) own.push(event);
      else bySession.set(event.session_id, [event]);
    }
    for (const [id, own] of bySession) {
      heardAt.set(id, clock.now());
      try {
        placeInto(id, own);
      } catch (error) {
        // The events are durable; one session that can't be shown must not cost the others of its batch.
        log.error(`A session could not be reduced: ${String(error)}`);
      }
    }
    saveRows([...bySession.keys()]);
    letStepsGo([...bySession.keys()]);
    return [...bySession.keys()];
  }

  /** The steps to a state take ten times the memory of the state: sessions that are over keep none. */
  function letStepsGo(heard: readonly string[]): void {
    const now = clock.now();
    for (const id of heard) {
      over.delete(id);
      if (timelines.get(id)?.state?.session.state === 'completed') over.set(id, now);
    }
    for (const [id, at] of over) {
      if (now - at < STEPS_KEPT_MS) return;
      over.delete(id);
      timelines.set(id, timelineFrom(timelines.get(id)?.state));
    }
  }

  function forget(before: number, keep = (_id: string) => false): readonly string[] {
    const old = [...timelines.keys()].filter((id) => !((heardAt.get(id) ?? NaN) >= before) && !keep(id));
    drop(old);
    return old;
  }

  function drop(ids: readonly string[]): void {
    for (const id of ids) {
      timelines.delete(id);
      heardAt.delete(id);
      over.delete(id);
    }
  }

  return {
    ids: () => [...timelines.keys()],
    state: (id) => timelines.get(id)?.state,
    place,
    remake,
    forget,
    drop,
    reduceNext,
  };
}

/** As far back as somebody may still wait to be answered. */
const LOOKED_THROUGH = 1_000;

/** Without reading the row: a state is long. */
function mayWait({ json }: SessionRow): boolean {
  return waiting.test(json.slice(0, HEAD));
}

const HEAD = 2_000;
const waiting = /"state":"active","phase":"waiting_(?:permission"|question","phaseBecause":\{(?![^}]*"detail":"idle"))/;

/** Somebody is asked: that is no matter of days. */
function isWaitedFor(state: SessionState | undefined): boolean {
  return state?.agents.some(({ agent }) => agent.present && agent.wait !== null) ?? false;
}

function rowsSince(store: EventStore, since: string): SessionRow[] {
  const rows: SessionRow[] = [];
  let cursor: string | undefined;
  let seen = 0;
  do {
    const page = store.sessions({ limit: PAGE, cursor });
    const live = page.items.filter((row) => row.lastEventAt >= since);
    rows.push(...live, ...page.items.filter((row) => row.lastEventAt < since && mayWait(row)));
    seen += page.items.length;
    cursor = live.length === page.items.length || seen < LOOKED_THROUGH ? (page.next ?? undefined) : undefined;
  } while (cursor !== undefined);
  return rows;
}
