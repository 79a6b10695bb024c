import { z } from 'zod';
import type { EventStore, Page, PageRequest, StateSource } from '../../app/ports.ts';
import { restoreSession } from '../../domain/restore.ts';
import { settle } from '../../domain/settle.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../../protocol/limits.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
  cursor: z.string().min(1).max(2_000).optional(),
});

export interface ReadingParts {
  readonly source: StateSource;
  readonly store: EventStore;
  /** Milliseconds since the epoch: some moods pass by themselves. */
  readonly now: () => number;
}

/** The reading routes: `GET /api/…`. */
export function readRoute({ source, store, now }: ReadingParts, url: URL): Reply {
  const [, api, name, id, part, ...more] = url.pathname.split('/');
  if (api !== 'api' || more.length > 0) return notFound;
  if (name === 'state' && id === undefined) return { status: 200, body: source.snapshot() };
  const page = pageSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!page.success) return { status: 400, body: { error: `bad query: ${z.prettifyError(page.error)}` } };
  if (name === 'agents' && id === undefined) return { status: 200, body: pageOf(source.snapshot().agents, page.data) };
  if (name !== 'sessions') return notFound;
  if (id === undefined) return { status: 200, body: sessionsPage(store, page.data) };
  const sessionId = decoded(id);
  if (part === undefined) return sessionReply(store, sessionId, now());
  return part === 'events' ? eventsReply(store, sessionId, page.data) : notFound;
}

const notFound: Reply = { status: 404, body: { error: 'not found' } };

function sessionsPage(store: EventStore, page: PageRequest): Page<unknown> {
  const { items, next } = store.sessions(page);
  const states = items.map((row) => restoreSession(row, () => store.events(row.id)));
  return { items: states.filter((state) => state !== undefined).map(({ session }) => session), next };
}

function sessionReply(store: EventStore, id: string, now: number): Reply {
  const row = store.session(id);
  if (!row) return notFound;
  const state = restoreSession(row, () => store.events(id));
  if (!state) return notFound;
  return { status: 200, body: { ...state.session, agents: state.agents.map(({ agent }) => settle(agent, now)) } };
}

function eventsReply(store: EventStore, id: string, page: PageRequest): Reply {
  return store.session(id) ? { status: 200, body: boundedPage((part) => store.eventsPage(id, part), page) } : notFound;
}

/** Events may be megabytes each: a page ends early once it is this large. */
const PAGE_MAX_CHARACTERS = 8_000_000;
const PART = 5;

function boundedPage<T>(read: (page: PageRequest) => Page<T>, { limit, cursor }: PageRequest): Page<T> {
  const items: T[] = [];
  let next: string | null = cursor ?? null;
  let size = 0;
  do {
    const part = read({ limit: Math.min(PART, limit - items.length), cursor: next ?? undefined });
    items.push(...part.items);
    size += JSON.stringify(part.items).length;
    next = part.next;
  } while (next !== null && items.length < limit && size < PAGE_MAX_CHARACTERS);
  return { items, next };
}

/** The live agents are few and in memory; their cursor is the id of the last one given. */
function pageOf<T extends { readonly id: string }>(all: readonly T[], { limit, cursor }: PageRequest): Page<T> {
  const sorted = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rest = cursor === undefined ? sorted : sorted.filter((entity) => entity.id > cursor);
  const items = rest.slice(0, limit);
  return { items, next: rest.length > limit ? (items.at(-1)?.id ?? null) : null };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
