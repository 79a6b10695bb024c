import { expect, test } from 'vitest';
import { anEvent } from '../domain/event.testkit.ts';
import { rankOf } from '../domain/order.ts';
import { reduceAll, REDUCER_VERSION } from '../domain/reduce.ts';
import { rowOf } from '../domain/restore.ts';
import { createLiveSessions, renewRows } from './liveSessions.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

const prompt = anEvent(1, 'user_prompt', { prompt: 'hello' });
const state = reduceAll([prompt])!;

test.each([
  ['by another version', { reducer: REDUCER_VERSION - 1 }],
  ['by nobody who can be understood', { json: '{"half' }],
])(
  'COL-8 a row that was written %s is made anew when the owner starts, and saved for the next start',
  async (_name, changes) => {
    const store = memoryStore();
    await store.append([{ event: prompt, keys: ['k'], rank: rankOf('user_prompt') }]);
    store.saveSessions([{ ...rowOf(state), ...changes }]);
    let rebuilt = 0;
    const counting: typeof store = {
      ...store,
      events: (id) => {
        rebuilt++;
        return store.events(id);
      },
    };
    const clock = fakeClock(Date.parse(prompt.ts));
    const start = () => createLiveSessions(counting, logLines(), { clock, since: clock.now() - 1, unreduced: [] });
    const states = [start().state('s'), start().state('s')];
    expect([rebuilt, JSON.parse(JSON.stringify(states))]).toEqual([1, JSON.parse(JSON.stringify([state, state]))]);
    expect(store.session('s')).toEqual(rowOf(state));
  },
);

/** As of a version whose reducer could take it. */
const poisoned = { ...anEvent(2, 'user_prompt'), payload: null } as unknown as typeof prompt;
const present = rowOf(state);
const older = { ...present, reducer: REDUCER_VERSION - 1 };

test.each([
  ['unreduced, with a row of this version', ['s'], present, true],
  ['unreduced, with a row of another version', ['s'], older, false],
  ['reduced by another version', [], older, false],
])(
  'MWN-2 STO-3 a session that can’t be reduced keeps no window from owning: %s',
  async (_name, unreduced, row, isShown) => {
    const other = { ...anEvent(1, 'user_prompt', { prompt: 'hi' }), id: 'other', session_id: 'o', agent_id: 'o/main' };
    const store = memoryStore();
    const records = [prompt, poisoned, other].map((event) => ({
      event,
      keys: [event.id],
      rank: rankOf('user_prompt'),
    }));
    await store.append(records);
    store.saveSessions([row, { ...rowOf(reduceAll([other])!), id: 'o' }]);
    const log = logLines();
    const clock = fakeClock(Date.parse(prompt.ts));
    const live = createLiveSessions(store, log, { clock, since: clock.now() - 1, unreduced });
    expect(live.ids().toSorted()).toEqual(isShown ? ['o', 's'] : ['o']);
    expect(log.lines).toEqual([expect.stringContaining('error A session could not be reduced')]);
  },
);

test('COL-8 after an upgrade the rows of a day are made anew with a breath after each, and loading them makes none again', async () => {
  const ids = ['a', 'b', 'c'];
  const inner = memoryStore();
  const events = ids.map((id, index) => ({
    ...anEvent(index, 'user_prompt'),
    id,
    session_id: id,
    agent_id: `${id}/main`,
  }));
  await inner.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf('user_prompt') })));
  inner.saveSessions(events.map((event) => ({ ...rowOf(reduceAll([event])!), reducer: REDUCER_VERSION - 1 })));
  const told: string[] = [];
  const store: typeof inner = {
    ...inner,
    events: (id) => {
      told.push(id);
      if (id === 'b') throw new Error('unreadable');
      return inner.events(id);
    },
  };
  const clock = fakeClock(Date.parse(events[2]!.ts));
  const since = clock.now() - 60_000;
  const breathe = () => Promise.resolve(void told.push('breath'));
  await renewRows(store, { since, unreduced: [], breathe });
  expect(told.splice(0)).toEqual(['c', 'breath', 'b', 'breath', 'a', 'breath']);
  const live = createLiveSessions(store, logLines(), { clock, since, unreduced: [] });
  expect([told, live.ids().toSorted()]).toEqual([['b'], ['a', 'c']]);
  await renewRows(store, { since, unreduced: ['b'], breathe });
  expect(told).toEqual(['b']);
});

test('STO-4 a session whose tool calls retention took away stays what it was: restarted, resumed, or with a late event', async () => {
  const at = (seconds: number) => new Date(Date.parse(prompt.ts) + seconds * 1000).toISOString();
  const all = [
    prompt,
    { ...anEvent(2, 'tool_started', { tool: 'Bash', tool_use_id: 't', target: 'npm test' }), ts: at(1) },
    { ...anEvent(3, 'turn_ended', { last_reply: 'done' }), ts: at(2) },
  ];
  const whole = rowOf(reduceAll(all)!);
  const store = memoryStore();
  await store.append(all.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  store.saveSessions([whole]);
  await store.trim({ sessionId: 's', keepRow: true, remove: [all[1]!.id] });
  const clock = fakeClock(Date.parse(at(3)));
  const start = (unreduced: readonly string[] = []) =>
    createLiveSessions(store, logLines(), { clock, since: clock.now() - 60_000, unreduced });

  const live = start(['s']);
  expect(JSON.parse(JSON.stringify(live.state('s')))).toEqual(JSON.parse(whole.json));

  const late = { ...anEvent(4, 'tool_started', { tool: 'Read', tool_use_id: 'u' }), ts: at(0.5) };
  await store.append([{ event: late, keys: ['late'], rank: rankOf('tool_started') }]);
  live.place([late]);
  expect(JSON.parse(JSON.stringify(live.state('s')))).toEqual(JSON.parse(whole.json));

  const resumed = { ...anEvent(5, 'user_prompt', { prompt: 'go on' }), ts: at(3) };
  await store.append([{ event: resumed, keys: ['resumed'], rank: rankOf('user_prompt') }]);
  const prompts = start(['s']).state('s')?.session.counts.prompts;
  expect(prompts).toBe((reduceAll(all)?.session.counts.prompts ?? 0) + 1);
});

test('STO-6 a session left for later gets its row in its turn, or with its next event, and a broken one costs no other', async () => {
  const store = memoryStore();
  const ids = ['s1', 's2', 's3', 's4'];
  const promptOf = (number: number, session_id: string) =>
    anEvent(number, 'user_prompt', { prompt: 'hello' }, { session_id });
  const keep = (event: ReturnType<typeof promptOf>) =>
    store.append([{ event, keys: [event.id], rank: rankOf('user_prompt') }]);
  const first = ids.map((id, index) => promptOf(index, id));
  for (const event of first) await keep(event);
  // A row that lacks the first event.
  store.saveSessions([{ ...rowOf(state), id: 's4', lastEventAt: '2020-01-01T00:00:00.000Z' }]);
  const broken: typeof store = {
    ...store,
    events: (id) => {
      if (id === 's2') throw new Error('unreadable');
      return store.events(id);
    },
  };
  const clock = fakeClock(Date.parse(prompt.ts));
  const later = { clock, since: clock.now() + 1, unreduced: [], later: ids };
  const live = createLiveSessions(broken, logLines(), later);
  const second = promptOf(9, 's4');
  await keep(second);
  live.place([second]);
  const steps = [1, 2, 3, 4].map(() => live.reduceNext());
  expect([steps, ids.map((id) => store.session(id)?.lastEventAt)]).toEqual([
    [true, true, true, false],
    [first[0]?.ts, undefined, first[2]?.ts, second.ts],
  ]);
  expect(live.state('s4')?.session.counts.prompts).toBe(2);
});
