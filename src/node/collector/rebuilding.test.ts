import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventStore, Page } from '../../app/ports.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { REDUCER_VERSION } from '../../domain/reduce.ts';
import type { Session } from '../../protocol/state.ts';
import type { Reply, RouteWorld } from './route.ts';
import { routesAt } from './routes.ts';
import { worldOver } from './routeWorld.testkit.ts';

const SESSIONS = 60;
const names = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);

interface Upgraded {
  readonly world: RouteWorld;
  /** Tells of each read, in order: whose events, or which list. */
  readonly reads: string[];
  readonly store: EventStore;
}

/** A store as the version before left it: the events of each session, and rows that this version can't use. */
async function upgraded(onRead: (what: string) => void = () => undefined): Promise<Upgraded> {
  const inner = memoryStore();
  const events = names.flatMap((session_id, index) => [
    anEvent(index, 'user_prompt', { prompt: `needle ${session_id}` }, { ...of(session_id), id: `p${index}` }),
    anEvent(index, 'turn_ended', { reason: 'completed', message: 'hay' }, { ...of(session_id), id: `t${index}` }),
  ]);
  await inner.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  inner.saveSessions(
    names.map((id, index) => ({
      id,
      lastEventAt: anEvent(index, 'turn_ended').ts,
      reducer: REDUCER_VERSION - 1,
      json: '{"project":"/p"}',
    })),
  );
  const reads: string[] = [];
  function told<T>(what: string, value: T): T {
    reads.push(what);
    onRead(what);
    return value;
  }
  const store: EventStore = {
    ...inner,
    events: (id) => told(`events of ${id}`, inner.events(id)),
    sessions: (page) => told('list', inner.sessions({ ...page, limit: Math.min(page.limit, 7) })),
    eventsPage: (id, page) => told('list', inner.eventsPage(id, { ...page, limit: 1 })),
    sayings: (id, page) => told('list', inner.sayings(id, { ...page, limit: 1 })),
    searchSayings: (search, page) => told('list', inner.searchSayings(search, { ...page, limit: 7 })),
  };
  return { world: worldOver(store, Date.UTC(2026, 0, 3)), reads, store };
}

function of(session_id: string) {
  return { session_id, agent_id: `${session_id}/main`, project: { path: '/p' } };
}

async function ask(world: RouteWorld, path: string, signal = new AbortController().signal): Promise<Reply> {
  const url = new URL(path, 'http://127.0.0.1');
  const { routes, params } = routesAt(url.pathname);
  const body = () => Promise.reject(new Error('unused'));
  return routes[0]!.answer(world, {
    params,
    query: url.searchParams,
    headers: {},
    hasToken: true,
    isPerson: true,
    body,
    signal,
  });
}

// No page ends early because the machine is slow.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const all = names.map((id) => `events of ${id}`).toSorted();
const table: readonly [path: string, rebuilt: readonly string[]][] = [
  ['/api/sessions?limit=500', all],
  ['/api/search?q=needle&limit=500', all],
  ['/api/stats', all],
  ['/api/context?cwd=/p&limit=50', all.toSorted(byNumber).slice(-50).toSorted()],
  ['/api/sessions/s7', ['events of s7']],
  ['/api/sessions/s7/explanation', ['events of s7']],
];

function byNumber(a: string, b: string): number {
  return Number(a.slice('events of s'.length)) - Number(b.slice('events of s'.length));
}

test.each(table)(
  'COL-6 after an upgrade %s makes each row anew once, and reads it afterwards',
  async (path, rebuilt) => {
    const { world, reads } = await upgraded();
    const rebuiltNow = () => reads.splice(0).filter((read) => read !== 'list');
    const first = await ask(world, path);
    expect(rebuiltNow().toSorted()).toEqual(rebuilt);
    const second = await ask(world, path);
    expect(rebuiltNow()).toEqual([]);
    expect([first.status, JSON.parse(JSON.stringify(second))]).toEqual([200, JSON.parse(JSON.stringify(first))]);
  },
);

test.each(table.slice(0, 4))('COL-6 %s lets others have a turn between two rows made anew', async (path) => {
  const order: string[] = [];
  const { world } = await upgraded((what) => what !== 'list' && order.push('anew'));
  let asking = true;
  const others = () => {
    order.push('others');
    if (asking) setImmediate(others);
  };
  setImmediate(others);
  await ask(world, path);
  asking = false;
  const pairs = order.slice(1).map((each, index) => [order[index], each]);
  expect(order).toContain('anew');
  expect(pairs).not.toContainEqual(['anew', 'anew']);
});

test('COL-6 a page of sessions ends early once rows have been made anew for long, and all come once and in order', async () => {
  const { world } = await upgraded((what) => what !== 'list' && vi.advanceTimersByTime(200));
  const pages: (readonly string[])[] = [];
  for (let next: string | null = ''; next !== null;) {
    const reply = await ask(world, `/api/sessions?limit=500${next && `&cursor=${encodeURIComponent(next)}`}`);
    const shown = { body: undefined, ...reply }.body as unknown as Page<Session>;
    pages.push(shown.items.map(({ id }) => id));
    next = shown.next;
  }
  expect(pages.flat()).toEqual(names.toReversed());
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(10);
});

test('COL-6 two that read at once make no row anew twice', async () => {
  const { world, reads } = await upgraded();
  await Promise.all([ask(world, '/api/sessions?limit=500'), ask(world, '/api/stats')]);
  expect(reads.filter((read) => read !== 'list').toSorted()).toEqual(all);
});

test('COL-6 a row made anew is the one that its events lead to, in the place where it was', async () => {
  const { world, store } = await upgraded();
  const before = store.sessions({ limit: 7 }).items;
  const reply = await ask(world, '/api/sessions?limit=500');
  const shown = { body: undefined, ...reply }.body as unknown as Page<Session>;
  expect(shown.items.map(({ id, title }) => [id, title])).toEqual(names.toReversed().map((id) => [id, `needle ${id}`]));
  const after = store.sessions({ limit: 7 }).items;
  expect(after.map(({ id, lastEventAt, reducer }) => ({ id, lastEventAt, reducer }))).toEqual(
    before.map(({ id, lastEventAt }) => ({ id, lastEventAt, reducer: REDUCER_VERSION })),
  );
  expect(JSON.parse(after[0]?.json ?? '')).toMatchObject({
    session: { id: 's59', title: 'needle s59', counts: { prompts: 1, replies: 1 } },
  });
});

test('COL-6 the explanation of a session of long ago, stored by another version, has the steps of its events', async () => {
  const { world } = await upgraded();
  const { status, body } = { body: undefined, ...(await ask(world, '/api/sessions/s7/explanation')) };
  expect([status, JSON.parse(JSON.stringify(body))]).toEqual([
    200,
    expect.objectContaining({
      sessionId: 's7',
      title: 'needle s7',
      state: 'stale',
      phase: null,
      steps: [
        expect.objectContaining({ event: 'user_prompt', to: { life: 'active', phase: 'busy' } }),
        expect.objectContaining({ event: 'turn_ended', to: { life: 'active', phase: 'interactable' } }),
        expect.objectContaining({ event: 'stale', by: 'silence', to: { life: 'stale', phase: null } }),
      ],
    }),
  ]);
});

test.each([
  '/api/sessions?limit=500',
  '/api/search?q=needle&limit=500',
  '/api/search?q=nowhere',
  '/api/stats',
  '/api/context?cwd=/p&limit=50',
  '/api/sessions/s7/interactions',
  '/api/sessions/s7/events',
])('COL-6 %s reads no further once nobody waits for the answer', async (path) => {
  const client = new AbortController();
  const { world, reads } = await upgraded(() => client.abort());
  const end = await ask(world, path, client.signal).catch((error: unknown) => error);
  expect(end).toBe(client.signal.reason);
  expect(reads.length).toBeLessThanOrEqual(2);
});
