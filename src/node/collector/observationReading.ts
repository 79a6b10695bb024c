import type { Page, PageRequest } from '../../app/ports.ts';
import { isOver } from '../../domain/life.ts';
import { type CallsSoFar, noCallsYet, readObservations } from '../../domain/observations.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import type { ToolObservation } from '../../protocol/reading.ts';
import { decodeCursor, encodeCursor } from '../store/cursor.ts';
import { createBreather } from './breathe.ts';
import { bytesOf } from './pages.ts';
import type { RouteWorld } from './route.ts';

type World = Pick<RouteWorld, 'store' | 'source'>;

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

export interface Asking extends PageRequest {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** CNV-1: the calls of a session that there is, oldest first. */
export async function observationPage(
  world: World,
  { id, limit, cursor, signal }: Asking,
): Promise<Page<ToolObservation>> {
  const reading = createReading(world, id, placeIn(cursor), signal);
  const next = await reading.page(limit);
  return { items: await reading.items(), next: next && cursorOf(next) };
}

/** A page reads on from where the one before ended, and then only as far as its own calls go on. */
function createReading({ store, source }: World, id: string, from: Place, signal: AbortSignal) {
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
