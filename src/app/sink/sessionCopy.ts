import { interactionOf } from '../../domain/interactions.ts';
import { noCallsYet, type ObservationReader, readObservations } from '../../domain/observations.ts';
import { compareKeys, orderKey } from '../../domain/order.ts';
import { callRow, eventRow, type Row, saidRow } from '../../domain/postgres/rows.ts';
import { sessionEventOf } from '../../domain/sessionEvents.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey, SessionState } from '../../protocol/stored.ts';
import type { Copied } from '../changePorts.ts';
import { type CopiedTo, type Quiet, unloggedMark } from './copied.ts';

/** Reading these takes some milliseconds; what they become is made with breaths between. */
const EVENTS_AT_ONCE = 100;

/** Before all that a session may ever have. */
const BEFORE_ALL: OrderKey = { ts: '', rank: 0, id: '' };

/** Of a live session: one that comes late is read again from the last of these before it. */
const QUIETS_KEPT = 8;

/** How far a session has been read: what is in memory as long as it goes on, and made anew of what was kept. */
export interface Progress {
  key: OrderKey | undefined;
  /** How many events were read up to there. */
  count: number;
  /** Whether nothing followed there. */
  isWhole: boolean;
  readonly reader: ObservationReader;
  quiets: readonly Quiet[];
  /** Up to here the database may have had it before: what makes no row now may have made one then. */
  readonly hadTo: OrderKey | undefined;
  row: string;
  isFinal: boolean;
  /** The times of which nothing is kept, as they were known when it was read. */
  unlogged: SessionState['unlogged'];
}

export interface Slice {
  /** How many events it was made of. */
  readonly events: number;
  readonly interactions: readonly Row[];
  readonly session_events: readonly Row[];
  readonly gone: { readonly interactions: readonly string[]; readonly session_events: readonly string[] };
}

interface Reading {
  readonly store: Copied;
  readonly user: string;
  readonly breathe: () => Promise<void>;
  /** Retention has taken events of the session away. */
  readonly isTrimmed: boolean;
  readonly isAgent: (id: string) => boolean;
}

/** From the beginning, or from the last quiet place. `mayHaveTo`: where the database may know more than was told. */
export function begin(
  had: CopiedTo | undefined,
  state: SessionState | undefined,
  mayHaveTo: OrderKey | undefined,
): Progress {
  const unlogged = state?.unlogged;
  const isSame = had?.unlogged === unloggedMark(unlogged, had?.key);
  return readFrom(had?.quiet && isSame ? [had.quiet] : [], {
    hadTo: furthest(furthest(had?.hadTo, had?.key), mayHaveTo),
    row: had?.row ?? '',
    isFinal: had?.isFinal === true,
    unlogged,
  });
}

/** The same session, read on from where it stands, or from before what came late. */
export function goOn(progress: Progress, state: SessionState | undefined, late: OrderKey | undefined): Progress {
  const { key, quiets } = progress;
  const unlogged = state?.unlogged;
  const isSame = unloggedMark(unlogged, key) === unloggedMark(progress.unlogged, key);
  const isLate = late !== undefined && key !== undefined && compareKeys(late, key) <= 0;
  if (isSame && !isLate) {
    progress.unlogged = unlogged;
    return progress;
  }
  const isBefore = (quiet: Quiet) => late === undefined || compareKeys(quiet.key, late) < 0;
  return again(progress, isSame ? quiets.filter(isBefore) : [], unlogged);
}

/** The same session, read again from before this call began. */
export function furtherBack(progress: Progress, call: string): Progress {
  const isBefore = ({ calls }: Quiet) => !calls.open.includes(call) && !calls.ended.includes(call);
  return again(progress, progress.quiets.filter(isBefore), progress.unlogged);
}

function again(progress: Progress, quiets: readonly Quiet[], unlogged: SessionState['unlogged']): Progress {
  const { row, isFinal, hadTo, key } = progress;
  return readFrom(quiets, { row, isFinal, unlogged, hadTo: furthest(hadTo, key) });
}

function readFrom(quiets: readonly Quiet[], rest: Pick<Progress, 'hadTo' | 'row' | 'isFinal' | 'unlogged'>): Progress {
  const quiet = quiets.at(-1);
  const reader = readObservations(quiet?.calls ?? noCallsYet);
  return { ...rest, key: quiet?.key, count: quiet?.count ?? 0, isWhole: false, reader, quiets };
}

function furthest(one: OrderKey | undefined, other: OrderKey | undefined): OrderKey | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareKeys(one, other) < 0 ? other : one;
}

/** The next rows of a session, and its progress moves on with it; or the mark of a call for which it has to be read from further back. */
export async function readSlice(
  { store, user, breathe, isTrimmed, isAgent }: Reading,
  sessionId: string,
  progress: Progress,
): Promise<Slice | string> {
  const { reader, hadTo } = progress;
  const { events, key, more } = store.eventsAfter(sessionId, progress.key, EVENTS_AT_ONCE);
  const isAgain = (event: AgentEvent) => hadTo !== undefined && compareKeys(orderKey(event), hadTo) <= 0;
  // Its row there is of its beginning, which retention may have taken here: without one it would be another row.
  const mayLackBeginning = (event: AgentEvent) => isTrimmed && endsCall(event) && isAgain(event);
  const [interactions, told]: [Row[], Row[]] = [[], []];
  let quiet: Quiet | undefined;
  for (const [index, event] of events.entries()) {
    const said = interactionOf(event);
    if (said) interactions.push(saidRow(said, user));
    const story = sessionEventOf(event, isAgent);
    if (story) told.push(eventRow(story, user));
    reader.take(event, !mayLackBeginning(event));
    if (reader.missed !== undefined) return reader.missed;
    if (!reader.waits) quiet = { key: orderKey(event), count: progress.count + index + 1, calls: reader.soFar() };
    await breathe();
  }
  for (const call of reader.news()) {
    interactions.push(callRow(call, user));
    await breathe();
  }
  if (key) progress.key = key;
  progress.count += events.length;
  progress.isWhole = !more;
  if (quiet) progress.quiets = [...progress.quiets, quiet].slice(-QUIETS_KEPT);
  const known = events.filter(isAgain);
  const ofCalls = known.filter((event) => !mayLackBeginning(event));
  // Whenever they came there: a row without words takes the place of none that has them, for that is what retention leaves here.
  const takenBack = events.filter(({ payload }) => payload.unlogged === true).map(({ id }) => id);
  // A call is there under its beginning's id, whichever of its events it is whose words may not stay.
  const calls = reader.takenBack();
  return {
    events: events.length,
    interactions,
    session_events: told,
    gone: {
      interactions: [...new Set([...takenBack, ...calls, ...without(ofCalls, interactions)])],
      session_events: without(
        known.filter((event) => !isOfAgent(event)),
        told,
      ),
    },
  };
}

/** The session's state forgets who is long gone, and with whom its story would not be told again. */
function isOfAgent({ event_type: type }: AgentEvent): boolean {
  return type === 'agent_started' || type === 'agent_stopped';
}

function endsCall({ event_type: type }: AgentEvent): boolean {
  return type === 'tool_succeeded' || type === 'tool_failed';
}

function without(events: readonly AgentEvent[], rows: readonly Row[]): readonly string[] {
  const there = new Set(rows.map(({ id }) => id));
  return events.filter(({ id }) => !there.has(id)).map(({ id }) => id);
}

/** What is kept of it once the database has it. */
export function copiedTo({
  key: last,
  count,
  isWhole,
  quiets,
  hadTo,
  row,
  unlogged,
  isFinal,
}: Progress): CopiedTo | undefined {
  // Where there was nothing to read there was nothing left: its row is there all the same.
  const key = last ?? (isWhole ? BEFORE_ALL : undefined);
  if (!key) return undefined;
  const isAgain = !isWhole && hadTo !== undefined && compareKeys(key, hadTo) < 0;
  const mark = unloggedMark(unlogged, key);
  return { key, count, quiet: quiets.at(-1), hadTo: isAgain ? hadTo : undefined, row, unlogged: mark, isFinal };
}
