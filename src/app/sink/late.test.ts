import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { rowOf } from '../../domain/restore.ts';
import { withoutContent } from '../../domain/unlogged.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { fakeClock } from '../testkit/fakes.testkit.ts';
import { fakeTeamDatabase, quietMachine, rest, turns, unreachable } from './sink.testkit.ts';

const HOUR = 60 * 60_000;

type Machine = ReturnType<typeof quietMachine>;

async function copiedOnce(one: Machine): Promise<void> {
  const copying = one.start();
  await rest();
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  await copying.close();
}

/** Stored, and told to nobody: as just before the process ends. */
const stored = (one: Pick<Machine, 'store'>, events: readonly AgentEvent[]) =>
  one.store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));

const call = { tool_use_id: 'c', tool_name: 'Bash', target: 'ls' };
const begins = anEvent(1, 'tool_started', call, { raw: { tool_input: { command: 'ls' } } });
const ends = (index: number) => anEvent(index, 'tool_succeeded', call, { raw: { tool_response: { stdout: 'files' } } });

test('SNK-1 an event that is stored between reading a session and sending it goes there, too', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  const late = events[3]!;
  await one.say(events.filter((event) => event !== late));
  const { eventsAfter } = one.store;
  one.store.eventsAfter = (...asked) => {
    const found = eventsAfter(...asked);
    one.store.eventsAfter = eventsAfter;
    void stored(one, [late]);
    return found;
  };
  await copiedOnce(one);
  expect(database.ids('interactions')).toContain(late.id);
});

test('SNK-1 what comes late for a session that retention has thinned is found all the same', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  const late = events[7]!;
  await one.say(events.filter((event) => event !== late));
  await copiedOnce(one);
  const calls = events.filter(({ event_type: type }) => type.startsWith('tool_')).map(({ id }) => id);
  await one.store.trim({ sessionId: 's1', keepRow: true, remove: calls });
  await stored(one, [late]);
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('interactions')).toContain(late.id);
  expect(database.ids('interactions')).toHaveLength(9);
});

test.each([
  [
    'a restart',
    async (one: Machine, database: ReturnType<typeof fakeTeamDatabase>) => {
      await copiedOnce(one);
      return quietMachine(database, { store: one.store });
    },
  ],
  [
    'a push that failed',
    async (one: Machine, database: ReturnType<typeof fakeTeamDatabase>) => {
      await copiedOnce(one);
      const copying = one.start();
      await rest();
      database.refuseWith(unreachable);
      await one.say([anEvent(4, 'user_prompt', { prompt: 'more' })]);
      await one.pass(10_000, 1_000);
      database.refuseWith(undefined);
      await copying.close();
      return one;
    },
  ],
] as const)(
  'SNK-1 CNV-1 a call that was given up is told to have ended when that comes late, also after %s',
  async (_, after) => {
    const database = fakeTeamDatabase();
    const first = quietMachine(database);
    await first.say([
      anEvent(0, 'user_prompt', { prompt: 'go' }),
      begins,
      anEvent(2, 'turn_ended', { message: 'well' }),
    ]);
    const one = await after(first, database);
    expect(database.row('interactions', begins.id)).toMatchObject({ outcome: 'unknown' });
    await one.say([ends(5)]);
    await copiedOnce(one);
    expect(database.row('interactions', begins.id)).toMatchObject({
      outcome: 'succeeded',
      skill_args: { command: 'ls' },
      content: 'files',
    });
    expect(database.ids('interactions').filter((id) => id === 'e5')).toEqual([]);
  },
);

test('SNK-1 CNV-1 an end that is told once more, after the row was sent, changes the row and takes nothing from it', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const copying = one.start();
  await rest();
  await one.say([anEvent(0, 'user_prompt', { prompt: 'go' }), begins, ends(2)]);
  await one.pass(5_000, 1_000);
  expect(database.row('interactions', begins.id)).toMatchObject({ outcome: 'succeeded' });
  const failed = { ...call, exit_code: 2, error_message: 'exit code 2' };
  await one.say([anEvent(3, 'tool_failed', failed, { source: 'transcript' })]);
  await one.pass(5_000, 1_000);
  expect(database.row('interactions', begins.id)).toMatchObject({
    outcome: 'failed',
    skill_args: { command: 'ls' },
    content: 'files',
    metadata: { exitCode: 2, error: 'exit code 2' },
  });
  await copying.close();
});

test('SNK-1 CNV-4 of a call whose end alone is taken back the answer goes there, too, and its beginning stays', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say([anEvent(0, 'user_prompt', { prompt: 'go' }), begins, ends(3)]);
  await copiedOnce(one);
  expect(database.row('interactions', begins.id)).toMatchObject({ content: 'files' });
  // The private prompt came after that, and was given before the call was over.
  const prompt = { ...anEvent(2, 'user_prompt'), payload: { unlogged: true, private: true } };
  await one.store.rewrite({ events: [withoutContent(ends(3), true)], rows: [] });
  await stored(one, [prompt]);
  one.hub.remake(['s']);
  await copiedOnce(one);
  expect(database.row('interactions', begins.id)).toMatchObject({
    outcome: 'succeeded',
    skill_args: { command: 'ls' },
    content: null,
  });
});

test.each([['while it is copied'], ['between two starts']] as const)(
  'SNK-1 CNV-4 a time of which nothing is kept, and its end, that come %s cost no second reading of what came before',
  async (when) => {
    const database = fakeTeamDatabase();
    const one = quietMachine(database);
    const events = turns('s1', 0, 3);
    const of = { session_id: 's1', agent_id: 's1/main' };
    const hidden = { unlogged: true, private: true };
    let copying = one.start();
    for (const each of [
      events,
      [anEvent(20, 'user_prompt', hidden, of)],
      [anEvent(21, 'turn_ended', hidden, of)],
      [anEvent(22, 'user_prompt', { prompt: 'go on' }, of)],
      [anEvent(23, 'turn_ended', { message: 'well' }, of)],
      [anEvent(24, 'user_prompt', hidden, of)],
    ]) {
      if (when === 'between two starts') await copying.close();
      await one.say(each);
      if (when === 'between two starts') copying = one.start();
      await rest();
      await one.pass(5_000, 1_000);
    }
    expect(one.hub.state('s1')?.unlogged).toMatchObject([{ to: expect.any(String) as string }, {}]);
    await copying.close();
    await copiedOnce(quietMachine(database, { store: one.store }));
    expect(database.ids('interactions')).toHaveLength(3 * 3 + 2);
    expect([...database.sent('interactions').values()].filter((times) => times > 1)).toEqual([]);
  },
);

test('SNK-1 CNV-4 a time that goes on and began behind what was copied is taken back there at the next start', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  await one.say(events);
  await copiedOnce(one);
  const said = events.slice(8).map((event) => withoutContent(event, true));
  const unlogged = [{ from: said[0]!.ts, isPrivate: true as const }];
  await one.store.rewrite({ events: said, rows: [rowOf({ ...one.hub.state('s1')!, unlogged })] });
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('interactions').toSorted()).toEqual(['s1-0', 's1-1', 's1-3', 's1-4', 's1-5', 's1-7', 's1-9']);
  expect(database.row('interactions', 's1-9')).toMatchObject({ skill_args: null, content: null });
});

test('SNK-1 STO-4 what retention takes of a call here stays there', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say([anEvent(0, 'user_prompt', { prompt: 'go' }), begins, ends(3)]);
  await copiedOnce(one);
  await one.store.trim({ sessionId: 's', keepRow: true, strip: [begins.id, ends(3).id] });
  database.restoreTo(0);
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.row('interactions', begins.id)).toMatchObject({ skill_args: { command: 'ls' }, content: 'files' });
});

test('SNK-1 EVT-1 a sub-agent that begins while its long session is being copied is told of, too', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 60));
  const child = { session_id: 's1', agent_id: 's1/child' };
  const came = anEvent(900, 'agent_started', { agent_type: 'explorer' }, child);
  const { eventsAfter } = one.store;
  one.store.eventsAfter = (...asked) => {
    const found = eventsAfter(...asked);
    one.store.eventsAfter = eventsAfter;
    void one.say([came]);
    return found;
  };
  const copying = one.start();
  await rest();
  await one.pass(5_000, 1_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  expect(database.ids('session_events')).toContain(came.id);
  await copying.close();
});

test('SNK-1 CNV-2 a session that was left open is told to be over once it is, though nothing came for it', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 1));
  await copiedOnce(one);
  expect(database.row('sessions', 's1')).toMatchObject({ is_final: false });
  const clock = fakeClock(Date.UTC(2026, 0, 1) + 72 * HOUR);
  const next = () => quietMachine(database, { store: one.store, clock });
  await copiedOnce(next());
  expect(database.row('sessions', 's1')).toMatchObject({ is_final: true, state: 'stale' });
  const times = database.sent('sessions').get('s1');
  await copiedOnce(next());
  expect(database.sent('sessions').get('s1')).toBe(times);
});

test('SNK-1 STO-4 a call of which retention took the beginning gets no second row when all is sent again', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  await one.say(events);
  await copiedOnce(one);
  const ids = database.ids('interactions').toSorted();
  await one.store.trim({ sessionId: 's1', keepRow: true, remove: [events[1]!.id] });
  database.restoreTo(0);
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('interactions').toSorted()).toEqual(ids);
});

test('SNK-1 STO-4 raw payloads that retention takes send no row again', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 200));
  await copiedOnce(one);
  const ids = one.store.events('s1').map(({ id }) => id);
  for (let from = 0; from < ids.length; from += 100)
    await one.store.trim({ sessionId: 's1', keepRow: true, strip: ids.slice(from, from + 100) });
  await copiedOnce(one);
  expect([...database.sent('interactions').values()].filter((times) => times > 1)).toEqual([]);
});
