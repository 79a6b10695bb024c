import { expect, test } from 'vitest';
import { applyPatch } from '../domain/diff.ts';
import { rankOf } from '../domain/order.ts';
import { eventsOf, recording } from '../domain/recordings.testkit.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { Snapshot } from '../protocol/state.ts';
import { createHub } from './hub.ts';
import { fakeClock, IDLE_MS, logLines, recordChanges } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
const events = eventsOf(recording('claude/2.1.327/p-subs.jsonl'));

function setUp() {
  const store = memoryStore();
  const clock = fakeClock(Date.parse(events[0]!.ts));
  const log = logLines();
  const open = (unreduced: readonly string[] = []) =>
    createHub({ store, clock, log, owner, unreduced, idleMs: () => IDLE_MS });
  const add = async (...added: AgentEvent[]) => {
    await store.append(added.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
    return added;
  };
  return { store, clock, log, open, add };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const content = ({ sessions, agents }: Snapshot) => ({ sessions, agents });

test('UI-8 patches are numbered without gaps and lead to the snapshot', async () => {
  const { open, add } = setUp();
  const hub = open();
  let mirror = hub.snapshot();
  const { changes } = recordChanges(hub);
  for (const event of events) hub.commit(await add(event));
  await settled();
  for (const change of changes) {
    if (change.type !== 'patch') throw new Error('no reset was due');
    expect(change.patch.revision).toBe(mirror.revision + 1);
    mirror = applyPatch(mirror, change.patch);
  }
  expect(content(mirror)).toEqual(content(hub.snapshot()));
  expect(changes.length).toBeGreaterThan(5);
});

test('STO-6 progress of a take-over and its end: a patch each, which lead to the snapshot', async () => {
  const { open } = setUp();
  const hub = open();
  const before = hub.snapshot();
  let mirror = before;
  const { changes } = recordChanges(hub);
  const seen: Snapshot[] = [];
  for (const progress of [{ done: 40, of: 100 }, { done: 41, of: 100 }, undefined, undefined]) {
    hub.showTakeOver(progress);
    seen.push(hub.snapshot());
  }
  await settled();
  const patches = changes.flatMap((change) => (change.type === 'patch' ? [change.patch] : []));
  const mirrored = patches.map((patch) => (mirror = applyPatch(mirror, patch)));
  expect(mirrored).toStrictEqual(seen.slice(0, 3));
  expect(seen.map(({ takeOver }) => takeOver?.done)).toEqual([40, 41, undefined, undefined]);
  expect(seen[3]).toStrictEqual({ ...before, revision: before.revision + 3 });
});

test('COL-8 a batch that comes late and mixed ends in the same state as one in order', async () => {
  const straight = setUp();
  const first = straight.open();
  for (const event of events) first.commit(await straight.add(event));
  const mixed = setUp();
  const second = mixed.open();
  const middle = Math.floor(events.length / 2);
  second.commit(await mixed.add(...events.slice(middle)));
  second.commit(await mixed.add(...events.slice(0, middle).reverse()));
  expect(content(second.snapshot())).toEqual(content(first.snapshot()));
});

test('STO-2 opened again it shows the same, and what the rows do not know is made anew from the events', async () => {
  const { open, add, store } = setUp();
  const hub = open();
  hub.commit(await add(...events.slice(0, 6)));
  expect(content(open().snapshot())).toEqual(content(hub.snapshot()));
  await add(...events.slice(6, 8));
  hub.commit(events.slice(6, 8));
  const whole = content(hub.snapshot());
  store.saveSessions([{ ...store.session(events[0]!.session_id)!, json: '{"broken":true}' }]);
  expect(content(open().snapshot())).toEqual(whole);
  expect(content(open([events[0]!.session_id]).snapshot())).toEqual(whole);
});

test('AGT-3 a passing mood passes by one timer, and nothing moves until the next is due', async () => {
  const { open, add, clock } = setUp();
  const hub = open();
  const start = events.find((event) => event.event_type === 'session_started')!;
  hub.commit(await add(start));
  expect(hub.snapshot().agents.map((agent) => agent.mood)).toEqual(['arriving']);
  expect(clock.pending()).toBe(1);
  clock.advance(10_000);
  expect(hub.snapshot().agents.map((agent) => agent.mood)).toEqual(['resting']);
  const { revision } = hub.snapshot();
  clock.advance(IDLE_MS - 20_000);
  expect([hub.snapshot().revision, clock.pending()]).toEqual([revision, 1]);
});

test('SES-3 a quarter of an hour without a sign is idleness; a sign of life ends it, and a day of silence the session', async () => {
  const { open, add, clock } = setUp();
  const hub = open();
  const session = () => {
    const { state, phase } = hub.snapshot().sessions[0]!;
    return [state, phase, hub.snapshot().agents[0]?.mood];
  };
  hub.commit(await add(...events.filter((event) => event.event_type !== 'session_ended')));
  clock.advance(IDLE_MS - 60_000);
  expect(session()).toEqual(['active', 'interactable', 'resting']);
  clock.advance(120_000);
  expect(session()).toEqual(['idle', null, 'sleeping']);
  hub.sight({ sessionId: events[0]!.session_id, signAt: clock.now() });
  expect(session()).toEqual(['active', 'interactable', 'resting']);
  clock.advance(24 * 3_600_000);
  expect(session()).toEqual(['stale', null, 'sleeping']);
});

test('SES-3 a permission that stays open for twenty minutes, or for hours, is still shown', async () => {
  const { open, add, clock } = setUp();
  const hub = open();
  const asked = eventsOf(recording('claude/2.1.327/interactive-permission.jsonl'));
  const open1 = asked.slice(0, asked.findIndex((event) => event.event_type === 'agent_blocked') + 1);
  hub.commit(await add(...open1));
  const shown = () => hub.snapshot().sessions.map(({ state, phase }) => [state, phase]);
  for (const minutes of [20, 120]) {
    clock.advance(minutes * 60_000);
    expect(shown()).toEqual([['active', 'waiting_permission']]);
  }
});

test('STA-5 a background agent of which nothing more is heard leaves after half an hour', async () => {
  const { open, add, clock } = setUp();
  const hub = open();
  const all = eventsOf(recording('claude/2.1.327/interactive-background-subagent.jsonl'));
  // Its call has ended, its stop never comes.
  const lost = all.slice(
    0,
    all.findIndex((event) => event.event_type === 'agent_stopped'),
  );
  hub.commit(await add(...lost));
  const present = () => hub.snapshot().agents.filter((agent) => agent.present).length;
  expect([present(), hub.snapshot().sessions[0]?.background]).toEqual([2, 1]);
  clock.advance(31 * 60_000);
  expect([present(), hub.snapshot().sessions[0]?.background]).toEqual([1, 0]);
});

test('UI-8 an event that changes nothing in sight makes no agent update', async () => {
  const { open, add } = setUp();
  const hub = open();
  hub.commit(await add(...events.slice(0, 3)));
  const { changes } = recordChanges(hub);
  const quiet: AgentEvent = { ...events[2]!, id: 'quiet', event_type: 'heartbeat', payload: {} };
  hub.commit(await add(quiet));
  await settled();
  const agents = changes.flatMap((change) => (change.type === 'patch' ? change.patch.agents : []));
  expect(agents).toEqual([]);
});

test('COL-7 a listener that throws disturbs nobody', async () => {
  const { open, add, log } = setUp();
  const hub = open();
  hub.onChange(() => {
    throw new Error('broken view');
  });
  const { changes } = recordChanges(hub);
  hub.commit(await add(events[0]!, events[1]!));
  await settled();
  expect(changes).toHaveLength(1);
  expect(log.lines.join()).toContain('broken view');
});

test('SES-3 what has been silent for a day leaves the live state, and is still in the store', async () => {
  const { open, add, clock, store } = setUp();
  const hub = open();
  hub.commit(await add(...events.slice(0, 3)));
  clock.advance(25 * 3_600_000);
  const fresh: AgentEvent = {
    ...events[0]!,
    id: 'fresh',
    session_id: 'other',
    agent_id: 'other/main',
    ts: new Date(clock.now()).toISOString(),
  };
  hub.commit(await add(fresh));
  expect(hub.snapshot().sessions.map(({ id }) => id)).toEqual(['other']);
  expect(
    open()
      .snapshot()
      .sessions.map(({ id }) => id),
  ).toEqual(['other']);
  expect(store.session(events[0]!.session_id)).toBeDefined();
});

test('COL-8 a session that comes back after a day keeps its history, also when another reducer wrote its row', async () => {
  const { open, add, clock, store } = setUp();
  const hub = open();
  hub.commit(await add(...events.slice(0, 5)));
  const row = store.session(events[0]!.session_id)!;
  store.saveSessions([{ ...row, reducer: 0 }]);
  clock.advance(25 * 3_600_000);
  const later = open();
  later.commit(await add({ ...events[2]!, id: 'resumed', ts: new Date(clock.now()).toISOString() }));
  expect(later.snapshot().sessions).toMatchObject([{ startedAt: events[0]!.ts }]);
});

test('UI-8 a hundred thousand agents at once are shown', async () => {
  const { open, add } = setUp();
  const hub = open();
  for (let batch = 0; batch < 13; batch++) {
    const crowd = Array.from({ length: 10_000 }, (_, i) => {
      const id = `c${batch}-${i}`;
      return { ...events[1]!, id, session_id: id, agent_id: `${id}/main` };
    });
    hub.commit(await add(...crowd));
  }
  expect(hub.snapshot().agents).toHaveLength(130_000);
});

test('SES-3 what is heard late of a session is a sign of life when it comes; how long ago it was shows in its phase', async () => {
  const { open, add, clock } = setUp();
  const hub = open();
  clock.advance(6 * 3_600_000);
  hub.commit(await add(...events.filter((event) => event.event_type !== 'session_ended')));
  const [session] = hub.snapshot().sessions;
  expect([session?.state, session?.phase]).toEqual(['active', 'interactable']);
  expect(clock.now() - Date.parse(session?.phaseSince ?? '')).toBeGreaterThan(5 * 3_600_000);
  clock.advance(16 * 60_000);
  expect(hub.snapshot().sessions[0]?.state).toBe('idle');
});
