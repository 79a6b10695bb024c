import { describe, expect, test } from 'vitest';
import { record } from '../node/store/store.testkit.ts';
import { endedItem, newItem } from '../domain/workItems.ts';
import type { EventType } from '../protocol/event.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore, type MemoryStore } from './testkit/memoryStore.testkit.ts';
import type { EventSelection } from './ports.ts';
import { startRetention, type RetentionLimits } from './retention.ts';

const now = Date.UTC(2026, 5, 1);
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();

interface Kept {
  readonly session: string;
  readonly type: EventType;
  readonly raw: boolean;
}

/** A session with this many prompts, and as many tool calls, each with this much of text and of raw payload. */
async function live(store: MemoryStore, session: string, days: number, { count = 2, text = 10, raw = 10 } = {}) {
  const first = 1 + Math.max(0, ...store.records().map(({ event }) => Number(event.id.slice('evt-'.length))));
  const ts = daysAgo(days);
  const added = Array.from({ length: count * 2 }, (_, index) => {
    const made = record(first + index, {
      session,
      ts,
      rank: index,
      text: 't'.repeat(text),
      type: index % 2 === 0 ? 'user_prompt' : 'tool_started',
    });
    return { ...made, event: { ...made.event, raw: { tool: 'r'.repeat(raw) } } };
  });
  await store.append(added);
  store.saveSessions([{ id: session, lastEventAt: ts, reducer: 1, json: '{}' }]);
}

function kept(store: MemoryStore): Kept[] {
  return store.records().map(({ event }) => ({
    session: event.session_id,
    type: event.event_type,
    raw: Object.keys(event.raw).length > 0,
  }));
}

async function retain(store: MemoryStore, limits: RetentionLimits, { liveIds = [] as string[] } = {}) {
  const clock = fakeClock(now);
  const log = logLines();
  const retention = startRetention({ store, clock, log, limits: () => limits, isLive: (id) => liveIds.includes(id) });
  let done = false;
  const running = retention.run().then(() => (done = true));
  while (!done) {
    clock.advance(25);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await running;
  retention.dispose();
  return { log, clock };
}

const prompt = (session: string, raw: boolean): Kept => ({ session, type: 'user_prompt', raw });
const call = (session: string, raw: boolean): Kept => ({ session, type: 'tool_started', raw });

describe('STO-4 retention', () => {
  test('STO-4 sessions whose last event is older than the days go whole, with their rows; live ones stay', async () => {
    const store = memoryStore();
    await live(store, 'old', 91, { count: 1 });
    await live(store, 'waits', 91, { count: 1 });
    await live(store, 'young', 89, { count: 1 });
    const { log } = await retain(store, { days: 90, megabytes: 200 }, { liveIds: ['waits'] });
    expect([kept(store), store.session('old'), log.lines]).toEqual([
      [prompt('waits', true), call('waits', true), prompt('young', true), call('young', true)],
      undefined,
      [expect.stringContaining('1 sessions older than 90 days are gone')],
    ]);
  });

  test('STO-4 too large: raw payloads of the oldest go first, and no more than is needed', async () => {
    const store = memoryStore();
    for (const [session, days] of [
      ['a', 3],
      ['b', 2],
      ['c', 0],
    ] as const)
      await live(store, session, days, { count: 1, raw: 180_000 });
    await retain(store, { days: 90, megabytes: 1 });
    expect(kept(store)).toEqual([
      prompt('a', false),
      call('a', false),
      prompt('b', true),
      call('b', true),
      prompt('c', true),
      call('c', true),
    ]);
  });

  test('STO-4 still too large: tool calls go, then conversations, the oldest first; the last day stays', async () => {
    const store = memoryStore();
    await live(store, 'a', 3, { count: 1, text: 250_000 });
    await live(store, 'b', 2, { count: 1, text: 250_000 });
    await live(store, 'c', 0, { count: 1, text: 150_000, raw: 1 });
    await retain(store, { days: 90, megabytes: 1 });
    expect(kept(store)).toEqual([prompt('a', false), prompt('b', false), prompt('c', true), call('c', true)]);

    await live(store, 'd', 0, { count: 1, text: 250_000 });
    await retain(store, { days: 90, megabytes: 1 });
    expect(kept(store).map(({ session }) => session)).toEqual(['c', 'c', 'd', 'd']);
    expect([store.session('a'), store.session('b')]).toEqual([undefined, undefined]);

    const { log } = await retain(store, { days: 90, megabytes: 0.5 });
    expect([kept(store).length, log.lines]).toEqual([4, [expect.stringContaining('larger than 0.5 MB')]]);
  });

  test('STO-4 a session without its tool calls says so of itself, so that nobody makes it anew from the rest', async () => {
    const store = memoryStore();
    await live(store, 'a', 3, { count: 1, text: 600_000 });
    await retain(store, { days: 90, megabytes: 1 });
    expect([kept(store), store.session('a')?.trimmed]).toEqual([[prompt('a', false)], true]);
  });

  test.each([
    ['too old', { days: 90, megabytes: 200 }],
    ['too much', { days: 200, megabytes: 0.5 }],
  ])('STO-4 a session that is %s, and resumed while it goes, keeps what came for it', async (_what, limits) => {
    const store = memoryStore();
    await live(store, 'a', 100, { count: 200, text: 3_000, raw: 1 });
    const clock = fakeClock(now);
    let isResumed = false;
    const isLive = () => isResumed;
    const retention = startRetention({ store, clock, log: logLines(), limits: () => limits, isLive });
    let done = false;
    void retention.run().then(() => (done = true));
    for (let step = 0; !done; step++) {
      // Stored, and not yet shown: nobody calls it live at this moment.
      if (step === 3) await live(store, 'a', 0, { count: 1 });
      if (step === 5) isResumed = true;
      clock.advance(25);
      await new Promise((resolve) => setImmediate(resolve));
    }
    retention.dispose();
    const fresh = store.records().filter(({ event }) => event.ts === daysAgo(0));
    expect([fresh.length, store.session('a') !== undefined]).toEqual([2, true]);
  });

  test('STO-4 sessions in which there is nothing to do are looked at with pauses, and once', async () => {
    const store = memoryStore();
    for (const session of ['a', 'b', 'c']) await live(store, session, 2, { count: 1, text: 600_000, raw: 1 });
    const looks: string[] = [];
    const looking = {
      ...store,
      eventIds: (id: string, selection: EventSelection, limit: number) => {
        looks.push(`${id} ${selection.kind}`);
        return store.eventIds(id, selection, limit);
      },
    };
    const clock = fakeClock(now);
    const limits = () => ({ days: 90, megabytes: 1 });
    const retention = startRetention({ store: looking, clock, log: logLines(), limits, isLive: () => true });
    for (let round = 0; round < 2; round++) {
      const before = looks.length;
      let done = false;
      void retention.run().then(() => (done = true));
      const inTurns: number[] = [];
      while (!done) {
        const looked = looks.length;
        clock.advance(25);
        await new Promise((resolve) => setImmediate(resolve));
        inTurns.push(looks.length - looked);
      }
      expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
      expect(looks.length - before).toBe(round === 0 ? 6 : 0);
    }
    retention.dispose();
  });

  test('STO-4 nothing too old, nothing too much: nothing is touched and nothing is said', async () => {
    const store = memoryStore();
    await live(store, 'a', 3);
    const before = structuredClone(store.records());
    const { log } = await retain(store, { days: 90, megabytes: 1 });
    expect([store.records(), log.lines]).toEqual([before, []]);
  });

  test('STO-4 a store that fails is told of and tried again in an hour; an end stops it', async () => {
    const store = memoryStore();
    await live(store, 'a', 91);
    store.failAppendsWith(new Error('disk full'));
    const clock = fakeClock(now);
    const log = logLines();
    const retention = startRetention({
      store,
      clock,
      log,
      limits: () => ({ days: 90, megabytes: 200 }),
      isLive: () => false,
    });
    const settle = async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    clock.advance(60_000);
    await settle();
    expect([log.lines, clock.pending()]).toEqual([['warn Old events stay for now: Error: disk full'], 1]);
    store.failAppendsWith(undefined);
    clock.advance(3_600_000);
    for (let step = 0; step < 5; step++) {
      await settle();
      clock.advance(25);
    }
    await settle();
    expect(kept(store)).toEqual([]);
    retention.dispose();
    expect(clock.pending()).toBe(0);
  });
});

test('STO-4 work items that ended long ago go; what goes on stays, however old', async () => {
  const store = memoryStore();
  const item = (id: string, days: number) =>
    newItem({ id, title: id, project: '/w/shop', dependencies: [] }, daysAgo(days));
  const ended = (id: string, days: number) => endedItem(item(id, 300), 'done', daysAgo(days));
  await store.work.change(() => ({ save: [item('open', 300), ended('old', 91), ended('fresh', 89)] }));
  const clock = fakeClock(now);
  const limits = { days: 90, megabytes: 200 };
  const retention = startRetention({ store, clock, log: logLines(), limits: () => limits, isLive: () => false });
  await retention.run();
  expect(store.work.items().map(({ id }) => id)).toEqual(['open', 'fresh']);
  retention.dispose();
});
