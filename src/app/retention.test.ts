import { describe, expect, test } from 'vitest';
import { record } from '../node/store/store.testkit.ts';
import { endedItem, newItem } from '../domain/workItems.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import { type FakeClock, fakeClock, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore, type MemoryStore } from './testkit/memoryStore.testkit.ts';
import { openObservedTime } from './observedTime.ts';
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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Machine {
  readonly store: MemoryStore;
  readonly clock?: FakeClock;
  readonly limits?: RetentionLimits;
  readonly isLive?: (id: string) => boolean;
}

/** Retention as one owner runs it over this store. */
function own({ store, clock = fakeClock(now), limits = { days: 90, megabytes: 200 }, isLive = () => false }: Machine) {
  const log = logLines();
  const time = openObservedTime({ store, clock, log });
  let pauses = 0;
  /** Replaces pauses within a run by turns of the event loop. */
  const pausing = (call: () => void) => {
    pauses++;
    const turn = setImmediate(() => {
      pauses--;
      call();
    });
    return { dispose: () => clearImmediate(turn) };
  };
  const after = (ms: number, call: () => void) => (ms < 1_000 ? pausing(call) : clock.after(ms, call));
  const retention = startRetention({ store, clock: { after }, time, log, limits: () => limits, isLive });
  return {
    ...{ clock, log, time, retention, run: () => retention.run() },
    /** With all that runs meanwhile. */
    async pass(ms: number): Promise<void> {
      for (const end = clock.monotonic() + ms; clock.monotonic() < end;) {
        clock.advance(Math.min(10 * 60_000, end - clock.monotonic()));
        do await new Promise((resolve) => setImmediate(resolve));
        while (pauses > 0);
      }
    },
    /** Two runs, a day of uptime apart. */
    async twice(): Promise<void> {
      await retention.run();
      for (let hours = 0; hours < 24; hours++) clock.advance(HOUR);
      await retention.run();
    },
    end() {
      retention.dispose();
      time.dispose();
    },
  };
}

type Owning = ReturnType<typeof own>;

async function retain(store: MemoryStore, limits: RetentionLimits, { liveIds = [] as string[] } = {}): Promise<Owning> {
  const owning = own({ store, limits, isLive: (id) => liveIds.includes(id) });
  await owning.twice();
  owning.end();
  return owning;
}

const prompt = (session: string, raw: boolean): Kept => ({ session, type: 'user_prompt', raw });
const call = (session: string, raw: boolean): Kept => ({ session, type: 'tool_started', raw });

describe('STO-4 retention', () => {
  test('STO-4 sessions whose last event is older than the days go whole, with their rows; live ones stay', async () => {
    const store = memoryStore();
    await live(store, 'old', 91, { count: 1 });
    await live(store, 'waits', 91, { count: 1 });
    await live(store, 'young', 89, { count: 1 });
    for (let index = 0; index < 8; index++) await live(store, `of today ${index}`, 0, { count: 1 });
    const owning = own({ store, isLive: (id) => id === 'waits' });
    await owning.run();
    const old = kept(store).filter(({ session }) => !session.startsWith('of today'));
    expect([old, store.session('old'), owning.log.lines]).toEqual([
      [prompt('waits', true), call('waits', true), prompt('young', true), call('young', true)],
      undefined,
      [expect.stringContaining('1 sessions older than 90 days are gone')],
    ]);
    owning.end();
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
    expect([kept(store).length, log.lines.at(-1)]).toEqual([4, expect.stringContaining('larger than 0.5 MB')]);
  });

  test('STO-4 a session without its tool calls says so of itself, so that nobody makes it anew from the rest', async () => {
    const store = memoryStore();
    await live(store, 'a', 3, { count: 1, text: 600_000 });
    await live(store, 'b', 0, { count: 1 });
    await retain(store, { days: 90, megabytes: 1 });
    expect([kept(store)[0], store.session('a')?.trimmed]).toEqual([prompt('a', false), true]);
  });

  test.each([
    ['too old', { days: 90, megabytes: 200 }],
    ['too much', { days: 200, megabytes: 0.5 }],
  ])('STO-4 a session that is %s, and resumed while it goes, keeps what came for it', async (_what, limits) => {
    const store = memoryStore();
    await live(store, 'a', 100, { count: 200, text: 3_000, raw: 1 });
    for (let index = 0; index < 10; index++) await live(store, `of today ${index}`, 0, { count: 1 });
    const { trim } = store;
    store.trim = async (trimming) => {
      // Stored, and not yet shown: nobody calls it live at this moment.
      if (trimming.forget) await live(store, 'a', 0, { count: 1 });
      return trim(trimming);
    };
    const owning = own({ store, limits });
    await owning.run();
    owning.end();
    const fresh = store.events('a').filter(({ ts }) => ts === daysAgo(0));
    expect([fresh.length, store.session('a') !== undefined]).toEqual([2, true]);
  });

  test('STO-4 sessions in which there is nothing to do are looked at with pauses, and once', async () => {
    const store = memoryStore();
    for (const session of ['a', 'b', 'c']) await live(store, session, 2, { count: 1, text: 600_000, raw: 1 });
    await live(store, 'd', 0, { count: 1, raw: 1 });
    const looks: string[] = [];
    const eventIds = (id: string, selection: EventSelection, limit: number) => {
      looks.push(`${id} ${selection.kind}`);
      return store.eventIds(id, selection, limit);
    };
    const looking = { ...store, eventIds };
    const owning = own({ store: looking, limits: { days: 90, megabytes: 1 }, isLive: () => true });
    for (let round = 0; round < 2; round++) {
      const before = looks.length;
      let done = false;
      void owning.retention.run().then(() => (done = true));
      const inTurns: number[] = [];
      while (!done) {
        const looked = looks.length;
        await new Promise((resolve) => setImmediate(resolve));
        inTurns.push(looks.length - looked);
      }
      expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
      // The newest raw payloads may become older than a day during the run.
      expect(looks.slice(before).filter((look) => !look.startsWith('d'))).toHaveLength(round === 0 ? 3 : 0);
    }
    owning.end();
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
    for (let index = 0; index < 10; index++) await live(store, `of today ${index}`, 0);
    const owning = own({ store });
    store.failAppendsWith(new Error('disk full'));
    await owning.pass(5 * 60_000);
    expect(owning.log.lines).toEqual(['warn Old events stay for now: Error: disk full']);
    store.failAppendsWith(undefined);
    await owning.pass(2 * HOUR);
    expect(store.events('a')).toEqual([]);
    owning.end();
    expect(owning.clock.pending()).toBe(0);
  });
});

test('STO-4 work items that ended long ago go; what goes on stays, however old', async () => {
  const store = memoryStore();
  const item = (id: string, days: number) =>
    newItem({ id, title: id, project: '/w/shop', dependencies: [], madeBy: 'person' }, daysAgo(days));
  const ended = (id: string, days: number) => endedItem(item(id, 300), 'done', daysAgo(days));
  await store.work.change(() => ({ save: [item('open', 300), ended('old', 91), ended('fresh', 89)] }));
  const owning = own({ store });
  await owning.run();
  expect(store.work.items().map(({ id }) => id)).toEqual(['open', 'fresh']);
  owning.end();
});

describe('STO-5 a wrong clock deletes nothing', () => {
  /** Twenty sessions, one for each fourth day of the last eighty. */
  async function stocked(): Promise<MemoryStore> {
    const store = memoryStore();
    for (let day = 80; day > 0; day -= 4) await live(store, `day ${day}`, day, { count: 1 });
    await live(store, 'today', 0, { count: 1 });
    return store;
  }

  const sessionsIn = (store: MemoryStore) => store.oldestSessions(undefined, 1_000).length;

  /** Stores events like the pipeline. */
  async function hear(store: MemoryStore, { time }: Pick<Owning, 'time'>, session: string, at: number): Promise<void> {
    const ts = new Date(at).toISOString();
    const made = record(store.records().length + 1_000, { session, ts, rank: 0, type: 'user_prompt' });
    await time.arriving([made.event]);
    await store.append([made]);
    store.saveSessions([{ id: session, lastEventAt: ts, reducer: 1, json: '{}' }]);
  }

  test.each([
    ['ahead', 'for 75 seconds', 100 * DAY, 75_000],
    ['ahead', 'for a day', 100 * DAY, DAY],
    ['ahead by a week', 'for a day', 7 * DAY, DAY],
    ['behind', 'for a day', -100 * DAY, DAY],
  ])(
    'STO-5 a clock that is %s %s, with hooks meanwhile and afterwards, deletes nothing',
    async (...[, , by, forMs]) => {
      const store = await stocked();
      const owning = own({ store });
      await owning.pass(3 * HOUR);
      owning.clock.set(by);
      await hear(store, owning, 'wrong', owning.clock.now());
      await owning.pass(forMs);
      await hear(store, owning, 'wrong at the end', owning.clock.now());
      owning.clock.set(-by);
      await owning.pass(3 * DAY);
      await hear(store, owning, 'right', owning.clock.now());
      await owning.pass(3 * DAY);
      expect([sessionsIn(store), owning.log.lines]).toEqual([24, []]);
      owning.end();
    },
  );

  test('STO-5 owners that take over while the clock is ahead delete nothing', async () => {
    const store = await stocked();
    const first = own({ store });
    await first.pass(2 * HOUR);
    first.end();
    const clock = fakeClock(now + 100 * DAY);
    for (let hours = 0; hours < 24; hours += 2) {
      const next = own({ store, clock });
      await hear(store, next, 'wrong', clock.now());
      await next.pass(2 * HOUR);
      next.end();
    }
    clock.set(-100 * DAY);
    const last = own({ store, clock });
    await last.pass(3 * DAY);
    expect([sessionsIn(store), last.log.lines]).toEqual([22, []]);
    last.end();
  });

  test('STO-5 events stored under a slow clock count from their arrival once the clock is right', async () => {
    const store = await stocked();
    const owning = own({ store });
    owning.clock.set(-300 * DAY);
    await hear(store, owning, 'wrong', owning.clock.now());
    owning.clock.set(300 * DAY);
    for (let day = 0; day < 85; day += 5) {
      await owning.pass(5 * DAY);
      await hear(store, owning, 'today', owning.clock.now());
      expect(store.session('wrong')).toBeDefined();
    }
    await owning.pass(10 * DAY);
    await hear(store, owning, 'today', owning.clock.now());
    await owning.pass(2 * DAY);
    expect(store.session('wrong')).toBeUndefined();
    owning.end();
  });

  test('STO-5 sessions age only while others are active', async () => {
    const store = await stocked();
    const owning = own({ store });
    await owning.pass(15 * DAY);
    expect([sessionsIn(store), owning.log.lines]).toEqual([21, []]);
    owning.end();
  });

  test('STO-5 over a year of eight-hour workdays keeps the set number of days, and announces nothing', async () => {
    const store = memoryStore();
    const clock = fakeClock(now);
    const oldest: number[] = [];
    for (let day = 0; day < 365; day++) {
      clock.sleep(16 * HOUR);
      if (day % 7 > 4) {
        clock.sleep(8 * HOUR);
        continue;
      }
      const owning = own({ store, clock });
      await hear(store, owning, `day ${day}`, clock.now());
      await owning.pass(8 * HOUR);
      owning.end();
      expect(owning.log.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
      const [first] = store.oldestSessions(undefined, 1);
      if (day > 120) oldest.push((clock.now() - Date.parse(first?.lastEventAt ?? '')) / DAY);
    }
    expect(Math.min(...oldest)).toBeGreaterThan(90);
    expect(Math.max(...oldest)).toBeLessThan(96);
  });

  test('STO-5 after 100 days switched off, announces old sessions and deletes them a day of uptime later', async () => {
    const store = await stocked();
    const before = own({ store });
    await before.pass(2 * HOUR);
    before.end();
    const clock = fakeClock(now + 100 * DAY);
    const owning = own({ store, clock });
    await hear(store, owning, 'back', clock.now());
    await owning.pass(DAY + 2 * HOUR);
    expect([sessionsIn(store), owning.log.lines]).toEqual([
      22,
      [
        'warn Retention: 21 of 22 sessions are to be deleted after another day of running. Raise retention.days to keep them.',
      ],
    ]);
    expect(owning.retention.planned()).toMatchObject([{ why: 'age', sessions: 21, of: 22 }]);
    owning.end();
    // The next owner takes the plan over, with the rest of its day of uptime.
    clock.sleep(3 * DAY);
    const next = own({ store, clock });
    await next.pass(20 * HOUR);
    expect([sessionsIn(store), next.retention.planned()[0]?.inHours]).toEqual([22, expect.toBeOneOf([2, 3, 4])]);
    await next.pass(6 * HOUR);
    expect([store.oldestSessions(undefined, 9).map(({ id }) => id), next.retention.planned()]).toEqual([['back'], []]);
    next.end();
  });

  test('STO-5 an owner that ends while it looks for what is old leaves what was announced to the next one', async () => {
    const store = memoryStore();
    await live(store, 'on the stage', 95, { count: 1 });
    await live(store, 'old', 91, { count: 1 });
    await live(store, 'young', 0, { count: 1 });
    const clock = fakeClock(now);
    const owning = own({ store, clock, isLive: (id) => id === 'on the stage' });
    await owning.run();
    const running = owning.run();
    owning.end();
    await running;
    expect(own({ store, clock }).retention.planned()).toMatchObject([{ why: 'age', sessions: 1, of: 3 }]);
  });

  test('STO-5 keeps announced sessions if the person raises the setting, and withdraws the announcement', async () => {
    const store = await stocked();
    const limits = { days: 10, megabytes: 200 };
    const owning = own({ store, limits });
    await owning.run();
    expect(owning.retention.planned()).toMatchObject([{ sessions: 18, of: 21 }]);
    limits.days = 90;
    await owning.pass(2 * DAY);
    expect([sessionsIn(store), owning.retention.planned()]).toEqual([21, []]);
    owning.end();
  });

  test('STO-5 also announces sessions that would go because the store is too large', async () => {
    const store = memoryStore();
    for (let day = 20; day > 0; day--) await live(store, `day ${day}`, day, { count: 1, text: 2_000, raw: 1 });
    await live(store, 'today', 0, { count: 1 });
    const owning = own({ store, limits: { days: 90, megabytes: 0.03 } });
    await owning.run();
    // Their tool calls go at once, and so do as many as a tenth.
    expect([sessionsIn(store), owning.retention.planned()]).toMatchObject([19, [{ why: 'size', of: 19 }]]);
    await owning.pass(DAY - 2 * HOUR);
    expect(sessionsIn(store)).toBe(19);
    await owning.pass(4 * HOUR);
    expect([sessionsIn(store) < 12, store.session('today') !== undefined, store.usedBytes() <= 30_000]).toEqual([
      true,
      true,
      true,
    ]);
    expect(owning.retention.planned()).toEqual([]);
    owning.end();
  });

  test('STO-5 a store that is too large keeps its last day of activity, whatever the clock says', async () => {
    const store = memoryStore();
    for (let index = 0; index < 20; index++) await live(store, `today ${index}`, 0, { count: 1, text: 2_000, raw: 1 });
    const owning = own({ store, clock: fakeClock(now + 100 * DAY), limits: { days: 90, megabytes: 0.03 } });
    await owning.pass(5 * DAY);
    expect([sessionsIn(store), owning.retention.planned()]).toEqual([20, []]);
    owning.end();
  });
});
