import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { rowOf } from '../../domain/restore.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { fakeTeamDatabase, quietMachine, rest, turns, unreachable } from './sink.testkit.ts';

test('SNK-1 how much waits, and since when, is told while it is copied and while it can’t be', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  database.refuseWith(unreachable);
  const from = one.clock.now();
  const copying = one.start();
  await rest();
  await one.pass(5_000, 1_000);
  await one.say([...turns('s1', 0, 3), ...turns('s2', 0, 1)]);
  await one.pass(60_000, 1_000);
  expect(one.standings.at(-1)).toMatchObject({
    kind: 'trouble',
    behind: { events: 16, since: from + 5_000 },
  });
  database.refuseWith(undefined);
  await one.pass(20_000, 1_000);
  expect(one.standings.slice(-2)).toMatchObject([{ kind: 'copying', behind: { events: 16 } }, { kind: 'upToDate' }]);
  await one.say(turns('s1', 3, 600));
  await one.pass(4_000, 500);
  const told = one.standings.flatMap((each) => (each.kind === 'copying' ? [each.behind.events] : []));
  expect(told.at(-1)).toBe(2_400);
  await copying.close();
});

test('SNK-1 after a start, what waits is what came since it was copied', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 2));
  const first = one.start();
  await rest();
  // What is there when the database is connected waits since then.
  expect(one.standings[0]).toEqual({ kind: 'copying', behind: { events: 8, since: one.clock.now() } });
  await first.close();
  await one.pass(60_000);
  const news = turns('s1', 2, 1);
  await one.say(news);
  const from = one.standings.length;
  const second = one.start();
  await rest();
  expect(one.standings[from]).toEqual({
    kind: 'copying',
    behind: { events: 4, since: Date.parse(news[0]?.ts ?? '') },
  });
  await second.close();
});

test('SNK-1 CNV-4 words that were taken back just before the process ended are taken back there at the next start', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  await one.say([...events, ...turns('s2', 0, 1)]);
  const first = one.start();
  await rest();
  await first.close();
  const said = events[4];
  const state = one.hub.state('s1');
  if (!said || !state) throw new Error('nothing was said');
  expect(database.ids('interactions')).toContain(said.id);
  const unlogged = [{ from: said.ts, to: events[7]?.ts ?? '', isPrivate: true as const }];
  await one.store.rewrite({
    events: [{ ...said, payload: { unlogged: true }, raw: {} }],
    rows: [rowOf({ ...state, unlogged })],
  });
  const next = quietMachine(database, { store: one.store });
  // A session of the past: nobody would look at it but for this.
  next.hub.leave(['s1']);
  const second = next.start();
  await rest();
  expect(next.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  expect(database.ids('interactions')).not.toContain(said.id);
  await second.close();
  // Once is enough.
  const count = database.sent('interactions').get(events[0]?.id ?? '');
  const third = quietMachine(database, { store: one.store }).start();
  await rest();
  expect(database.sent('interactions').get(events[0]?.id ?? '')).toBe(count);
  await third.close();
});

test('SNK-1 what was committed there and could not be noted here is sent once more, and changes nothing', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say([...turns('s1', 0, 700), ...turns('s2', 0, 3)]);
  const shelf = one.store.shelf('postgres');
  const { put } = shelf;
  let puts = 0;
  // As if the process had ended right after the second COMMIT.
  shelf.put = (save, remove) => (++puts < 2 ? put(save, remove) : new Promise<void>(() => undefined));
  const dying = quietMachine(database, { store: { ...one.store, shelf: () => shelf } });
  const first = dying.start();
  await rest();
  await first.close();
  expect(database.ids('interactions').length).toBeLessThan(703 * 3);
  const second = quietMachine(database, { store: one.store });
  const copying = second.start();
  await rest();
  expect(second.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  expect(database.ids('interactions').length).toBe(703 * 3);
  const times = [...database.sent('interactions').values()];
  expect([Math.max(...times), times.includes(1)]).toEqual([2, true]);
  await copying.close();
});

test('SNK-1 MWN-2 an owner that was deposed and wakes up pushes nothing any more, and what was pushed is not counted as its own', async () => {
  const database = fakeTeamDatabase();
  const store = memoryStore();
  const shelf = store.shelf('postgres');
  const sleeper = quietMachine(database, { store: { ...store, shelf: () => shelf } });
  await sleeper.say(turns('s1', 0, 1));
  const sleeping = sleeper.start();
  await rest();
  // The new owner has all of it, and more.
  const owner = quietMachine(database);
  await owner.say(turns('s1', 0, 2));
  const copying = owner.start();
  await rest();
  const ids = database.ids('interactions');
  // Its store takes nothing any more, which it notices only when it writes there.
  const known = shelf.get('database')?.value;
  shelf.put = () => Promise.reject(new Error('fenced'));
  await sleeper.say(turns('s2', 0, 1));
  await sleeper.pass(60_000, 1_000);
  expect(database.ids('interactions')).toEqual(ids);
  expect(sleeper.standings.at(-1)).toMatchObject({ kind: 'trouble' });
  expect(shelf.get('database')?.value).toEqual(known);
  // It kept nobody from going on.
  await owner.say(turns('s1', 2, 1));
  await owner.pass(10_000, 1_000);
  expect([owner.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['upToDate', 9]);
  expect(owner.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
  await Promise.all([sleeping.close(), copying.close()]);
});

test('SNK-1 a server behind a pool that is suddenly in an earlier state gets everything again', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say([...turns('s1', 0, 1), ...turns('s2', 0, 1)]);
  const copying = one.start();
  await rest();
  await one.say(turns('s1', 1, 1));
  await one.pass(5_000, 1_000);
  // A replica that had not followed takes its place, and the connection to the pool stays.
  database.restoreTo(1);
  for (const id of database.ids('interactions')) database.lose('interactions', id);
  const at = one.clock.now();
  const told = one.standings.length;
  await one.say(turns('s2', 1, 1));
  await one.pass(30_000, 1_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  // What it had before waits since it lost it.
  const waits = one.standings.slice(told).flatMap((each) => (each.kind === 'copying' ? [each.behind] : []));
  expect(Math.max(...waits.map(({ events }) => events))).toBe(16);
  expect(waits.filter(({ since = at }) => since < at)).toEqual([]);
  expect(database.ids('interactions')).toHaveLength(12);
  await copying.close();
});

test('SNK-1 a batch that is parted for one row counts as several pushes, and the next one knows it', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 5));
  database.refuseRow('s1-7');
  const copying = one.start();
  await rest();
  await one.say(turns('s1', 5, 1));
  await one.pass(5_000, 1_000);
  expect(one.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
  expect(database.ids('interactions')).toHaveLength(6 * 3 - 1);
  expect(one.log.lines.filter((line) => line.includes('refuses a row'))).toHaveLength(1);
  await copying.close();
});

test('SNK-1 what waits to be sent is not counted as sent, however much comes that makes no row', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 10));
  await one.store.append(
    Array.from({ length: 1_300 }, (_, n) => {
      const event = anEvent(100 + n, 'usage_reported', {}, { session_id: 's1', id: `u${n}` });
      return { event, keys: [event.id], rank: 2 };
    }),
  );
  const { connect } = database;
  let pushes = 0;
  database.connect = async () => {
    const connection = await connect();
    const push: typeof connection.push = (batch) =>
      ++pushes === 1 ? Promise.reject(unreachable) : connection.push(batch);
    return { ...connection, push };
  };
  const copying = one.start();
  await one.pass(60_000, 1_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  expect(database.ids('interactions')).toHaveLength(30);
  await copying.close();
});

test('SNK-1 STO-6 a session whose row is not made yet after a start without an index goes there with all of it', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const start = anEvent(0, 'session_started', { source: 'startup' }, { session_id: 's1', agent_id: 's1/main' });
  await one.store.append(
    [start, ...turns('s1', 1, 3)].map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })),
  );
  const copying = one.start();
  await rest();
  expect([database.ids('sessions'), database.ids('interactions').length]).toEqual([['s1'], 9]);
  await copying.close();
});

test('SNK-1 a row that changed by time alone, and whose push failed, is there with the next one', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 1));
  const { connect } = database;
  let fails = false;
  database.connect = async () => {
    const connection = await connect();
    const push: typeof connection.push = (batch) => {
      const isRefused = fails && batch.rows.sessions !== undefined;
      if (isRefused) fails = false;
      return isRefused ? Promise.reject(unreachable) : connection.push(batch);
    };
    return { ...connection, push };
  };
  const copying = one.start();
  await rest();
  fails = true;
  await one.pass(20 * 60_000, 10_000);
  const { state } = one.hub.snapshot().sessions[0] ?? {};
  expect([fails, state]).toEqual([false, 'idle']);
  expect([one.standings.at(-1)?.kind, database.row('sessions', 's1')?.['state']]).toEqual(['upToDate', state]);
  await copying.close();
});
