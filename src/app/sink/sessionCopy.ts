import { interactionOf } from '../../domain/interactions.ts';
import { noCallsYet, type ObservationReader, readObservations } from '../../domain/observations.ts';
import { compareKeys, orderKey } from '../../domain/order.ts';
import { callRow, eventRow, type Row, saidRow } from '../../domain/postgres/rows.ts';
import { sessionEventOf } from '../../domain/sessionEvents.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey, SessionState } from '../../protocol/stored.ts';
import type { Copied } from '../copyPorts.ts';
import { type CopiedTo, type Quiet, unloggedMark } from './copied.ts';

/** Reading these takes some milliseconds; what they become is made with breaths between. */
const EVENTS_AT_ONCE = 100;

/** Of a live session: one that comes late is read again from the last of these before it. */
const QUIETS_KEPT = 8;

/** How far a session has been read: what is in memory as long as it goes on, and made anew of what was kept. */
export interface Progress {
  key: OrderKey | undefined;
  reader: ObservationReader;
  quiets: readonly Quiet[];
  /** Up to here the database had it before: what makes no row now may have made one then. */
  readonly hadTo: OrderKey | undefined;
  row: string;
  readonly unlogged: string;
}

export interface Slice {
  /** How many events it was made of. */
  readonly events: number;
  readonly interactions: readonly Row[];
  readonly session_events: readonly Row[];
  readonly gone: { readonly interactions: readonly string[]; readonly session_events: readonly string[] };
  readonly more: boolean;
}

interface Reading {
  readonly store: Copied;
  readonly user: string;
  readonly breathe: () => Promise<void>;
}

/** From the beginning, or from the last quiet place before what came late. */
export function begin(had: CopiedTo | undefined, state: SessionState | undefined, late?: OrderKey): Progress {
  const unlogged = unloggedMark(state);
  const quiet = had?.unlogged === unlogged ? quietBefore(had.quiet ? [had.quiet] : [], late) : undefined;
  return {
    key: quiet?.key,
    reader: readObservations(quiet?.calls ?? noCallsYet),
    quiets: quiet ? [quiet] : [],
    hadTo: furthest(had?.hadTo, had?.key),
    row: had?.row ?? '',
    unlogged,
  };
}

/** The same session, read on from where it stands, or from before what came late. */
export function goOn(progress: Progress, state: SessionState | undefined, late: OrderKey | undefined): Progress {
  const { key, quiets, row } = progress;
  const unlogged = unloggedMark(state);
  const isLate = late !== undefined && key !== undefined && compareKeys(late, key) <= 0;
  if (unlogged === progress.unlogged && !isLate) return progress;
  const quiet = unlogged === progress.unlogged ? quietBefore(quiets, late) : undefined;
  const before = quiet ? quiets.slice(0, quiets.indexOf(quiet) + 1) : [];
  const hadTo = furthest(progress.hadTo, key);
  return {
    key: quiet?.key,
    reader: readObservations(quiet?.calls ?? noCallsYet),
    quiets: before,
    hadTo,
    row,
    unlogged,
  };
}

function quietBefore(quiets: readonly Quiet[], late: OrderKey | undefined): Quiet | undefined {
  return quiets.findLast(({ key }) => late === undefined || compareKeys(key, late) < 0);
}

function furthest(one: OrderKey | undefined, other: OrderKey | undefined): OrderKey | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareKeys(one, other) < 0 ? other : one;
}

/** The next rows of a session. Its progress moves on with it. */
export async function readSlice(
  { store, user, breathe }: Reading,
  sessionId: string,
  progress: Progress,
  isAgent: (id: string) => boolean,
): Promise<Slice> {
  const { reader, hadTo } = progress;
  const { events, key, more } = store.eventsAfter(sessionId, progress.key, EVENTS_AT_ONCE);
  const [interactions, told]: [Row[], Row[]] = [[], []];
  let quiet: Quiet | undefined;
  for (const event of events) {
    const said = interactionOf(event);
    if (said) interactions.push(saidRow(said, user));
    const story = sessionEventOf(event, isAgent);
    if (story) told.push(eventRow(story, user));
    reader.take(event, true);
    if (!reader.waits) quiet = { key: orderKey(event), calls: reader.soFar() };
    await breathe();
  }
  for (const call of reader.news()) {
    interactions.push(callRow(call, user));
    await breathe();
  }
  if (key) progress.key = key;
  if (quiet) progress.quiets = [...progress.quiets, quiet].slice(-QUIETS_KEPT);
  const again = hadTo ? events.filter((event) => compareKeys(orderKey(event), hadTo) <= 0) : [];
  // A row without words takes the place of none that has them, for that is what retention leaves here; these were taken back.
  const takenBack = again.filter(({ payload }) => payload['unlogged'] === true).map(({ id }) => id);
  return {
    events: events.length,
    interactions,
    session_events: told,
    gone: {
      interactions: [...new Set([...takenBack, ...without(again, interactions)])],
      session_events: without(again, told),
    },
    more,
  };
}

function without(events: readonly AgentEvent[], rows: readonly Row[]): readonly string[] {
  const there = new Set(rows.map(({ id }) => id));
  return events.filter(({ id }) => !there.has(id)).map(({ id }) => id);
}

/** What is kept of it once the database has it. */
export function copiedTo(progress: Progress, store: Copied, sessionId: string): CopiedTo | undefined {
  const { key, quiets, hadTo, row, unlogged } = progress;
  if (!key) return undefined;
  const isAgain = hadTo !== undefined && compareKeys(key, hadTo) < 0;
  const count = store.countEvents(sessionId, key);
  return { key, count, quiet: quiets.at(-1), hadTo: isAgain ? hadTo : undefined, row, unlogged };
}
