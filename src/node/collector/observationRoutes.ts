import type { PageRequest } from '../../app/ports.ts';
import { isOver } from '../../domain/life.ts';
import { type CallsSoFar, noCallsYet, readObservations } from '../../domain/observations.ts';
import { statisticsOf } from '../../domain/statistics.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { observationSchema, pageQuerySchema, statisticsSchema, type ToolObservation } from '../../protocol/reading.ts';
import { decodeCursor, encodeCursor } from '../store/cursor.ts';
import { createBreather } from './breathe.ts';
import { bytesOf } from './pages.ts';
import {
  type Asked,
  badQuery,
  noSession,
  pageSchemaOf,
  queryOf,
  type Reply,
  type Route,
  type RouteWorld,
} from './route.ts';
import { isKnown, sessionWithAgents } from './shownSessions.ts';

export const observationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/observations',
    name: 'listObservations',
    summary: 'The tool calls of a session: what was asked of each tool, what it answered, and how it ended.',
    query: pageQuerySchema,
    answers: {
      200: {
        words: 'A page, oldest first. Go on with `next` until it is null, also after an empty page.',
        shape: ['ObservationPage', pageSchemaOf(observationSchema)],
      },
      400: badQuery,
      404: noSession,
    },
    answer: listObservations,
  },
  {
    method: 'GET',
    path: '/api/sessions/{id}/statistics',
    name: 'readStatistics',
    summary: 'What a session adds up to.',
    answers: {
      200: { words: 'The figures; final once the session is over.', shape: ['Statistics', statisticsSchema] },
      404: noSession,
    },
    answer: statistics,
  },
];

const notFound: Reply = { status: 404, body: { error: 'no session has this id' } };

function statistics(world: RouteWorld, { params }: Asked): Reply {
  const session = sessionWithAgents(world, params['id'] ?? '');
  return session ? { status: 200, body: statisticsOf(session) } : notFound;
}

const LIST = 'observations';

/** What is read at once. */
const SLICE = 50;

/** A page of a session in which nobody called a tool gives the turn back after so many. */
const LOOKED_AT_MAX = 20_000;

/** So far is the end of a call looked for that its own turn does not end: a killed sub-agent's, say. */
const LOOKED_AHEAD_MAX = 20_000;
const LOOKED_AHEAD_MAX_BYTES = 4 * PAGE_MAX_BYTES;

interface Place {
  /** The store's own cursor, which knows its session. */
  readonly cursor: string | undefined;
  readonly calls: CallsSoFar;
}

async function listObservations(world: RouteWorld, { params, query, signal }: Asked): Promise<Reply> {
  const { limit, cursor } = queryOf(pageQuerySchema, query);
  const id = params['id'] ?? '';
  if (!isKnown(world, id)) return notFound;
  const reading = createReading(world, id, placeIn(cursor), signal);
  const next = await reading.page(limit);
  return { status: 200, body: { items: await reading.items(), next: next && cursorOf(next) } };
}

/** A page reads on from where the one before ended, and then only as far as its own calls go on. */
function createReading({ store, source }: RouteWorld, id: string, from: Place, signal: AbortSignal) {
  const reader = readObservations(from.calls);
  const breathe = createBreather();
  const read = (page: PageRequest) => store.eventsPage(id, page);
  let cursor = from.cursor;
  /** Read, and of the next page. */
  let rest: readonly AgentEvent[] = [];
  let isEnd = false;

  async function slice(): Promise<readonly AgentEvent[]> {
    const { items, next } = read({ limit: SLICE, cursor });
    await breathe();
    signal.throwIfAborted();
    cursor = next ?? cursor;
    isEnd = next === null;
    return items;
  }

  async function page(limit: number): Promise<Place | null> {
    let size = 0;
    for (let lookedAt = 0; ;) {
      const before = cursor;
      const events = await slice();
      let used = 0;
      while (used < events.length && reader.count < limit && size < PAGE_MAX_BYTES) {
        const event = events[used++] as AgentEvent;
        reader.take(event, true);
        size += sizeOf(event);
      }
      lookedAt += used;
      rest = events.slice(used);
      if (rest.length === 0 && isEnd) return null;
      const full = reader.count >= limit || size >= PAGE_MAX_BYTES || lookedAt >= LOOKED_AT_MAX;
      if (!full) continue;
      // The place within the slice: the same one, cut there, tells it.
      const here = rest.length === 0 ? cursor : (read({ limit: used, cursor: before }).next ?? undefined);
      return { cursor: here, calls: reader.soFar() };
    }
  }

  async function items(): Promise<readonly ToolObservation[]> {
    for (const event of rest) reader.take(event, false);
    let [ahead, bytes] = [0, 0];
    while (reader.waits && !isEnd && ahead < LOOKED_AHEAD_MAX && bytes < LOOKED_AHEAD_MAX_BYTES) {
      for (const event of await slice()) {
        reader.take(event, false);
        bytes += bytesOf(event.raw);
      }
      ahead += SLICE;
    }
    const state = source.snapshot().sessions.find((session) => session.id === id)?.state;
    // What is live no more goes on no more.
    return reader.items(state === undefined || isOver(state));
  }

  return { page, items };
}

function sizeOf({ raw, event_type: type }: AgentEvent): number {
  return type.startsWith('tool_') ? bytesOf(raw) : 0;
}

function placeIn(cursor: string | undefined): Place {
  if (cursor === undefined) return { cursor: undefined, calls: noCallsYet };
  const [at, open, ended, turn] = decodeCursor(cursor, LIST, ['string', 'string', 'string', 'string']);
  return { cursor: at, calls: { open: marksIn(open), ended: marksIn(ended), turn: turn === '' ? undefined : turn } };
}

function marksIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

function cursorOf({ cursor = '', calls }: Place): string {
  return encodeCursor({ list: LIST, key: [cursor, calls.open.join(), calls.ended.join(), calls.turn ?? ''] });
}
