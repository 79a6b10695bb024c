import { expect, test } from 'vitest';
import { SinkTrouble } from './sinkPorts.ts';
import { fakeTeamDatabase, quietMachine, rest, turns, unreachable } from './sink.testkit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** By the minute: events come, and the copying does what it then does. */
async function dayOf(one: ReturnType<typeof quietMachine>, each: (minute: number) => Promise<void>): Promise<void> {
  for (let minute = 0; minute < 24 * 60; minute++) {
    await each(minute);
    await one.pass(MINUTE, 15_000);
  }
}

test('SNK-1 a database that is down for a day is asked seldom, costs numbers alone, and then has everything once', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s0', 0, 1));
  const copying = one.start();
  await rest();
  await one.pass(5_000, 1_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  database.refuseWith(unreachable);
  const connects: number[] = [];
  const touches: number[] = [];
  await dayOf(one, async (minute) => {
    if (minute % 60 === 0) connects.push(database.connects());
    if (minute % 10 !== 0) return;
    const before = one.clock.pending();
    // Whoever hands an event in never waits for the database: nothing of it is asked, no timer is added.
    await one.say(turns(`s${minute % 50}`, minute + 1, 1));
    touches.push(one.clock.pending() - before);
  });
  const anHour = connects.slice(1).map((count, hour) => count - (connects[hour] ?? 0));
  expect(anHour[0]).toBeLessThan(80);
  expect(Math.max(...anHour.slice(1))).toBeLessThan(25);
  expect(Math.min(...anHour)).toBeGreaterThan(10);
  expect(Math.max(...touches)).toBe(0);

  const troubles = one.standings.flatMap((each) => (each.kind === 'trouble' ? [each] : []));
  // By these two the person is told once, and no more: the kind and the moment stay as they are.
  expect(new Set(troubles.map(({ trouble, since }) => `${trouble} ${since}`)).size).toBe(1);
  expect(one.log.lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  expect(troubles.at(-1)?.behind).toMatchObject({ events: 144 * 4 });

  database.refuseWith(undefined);
  await one.pass(6 * MINUTE, 15_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  const stored = one.store.records().filter(({ event }) => event.event_type !== 'tool_started');
  const ids = database.ids('interactions');
  const said = stored.filter(({ event }) => !event.event_type.startsWith('tool')).map(({ event }) => event.id);
  expect(ids.length).toBe(145 * 3);
  expect(said.filter((id) => !ids.includes(id))).toEqual([]);
  expect([...database.sent('interactions').values()].filter((times) => times > 1)).toEqual([]);
  await copying.close();
});

test('SNK-1 machines that lost their server together come back at different moments', async () => {
  const waits = await Promise.all(
    [0, 0.5, 1].map(async (luck) => {
      const database = fakeTeamDatabase();
      const one = quietMachine(database, { random: () => luck });
      database.refuseWith(unreachable);
      const copying = one.start();
      await rest();
      const first = one.clock.now();
      const at: number[] = [];
      let seen = database.connects();
      for (let second = 0; second < 3 * 60; second++) {
        await one.pass(1_000, 250);
        if (database.connects() > seen) at.push(one.clock.now() - first);
        seen = database.connects();
      }
      await copying.close();
      return at.join();
    }),
  );
  expect(new Set(waits).size).toBe(3);
});

test('SNK-1 what only a person can mend is tried every few minutes, not more often', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  database.refuseWith(new SinkTrouble('password', 'no'));
  const copying = one.start();
  await rest();
  await one.pass(HOUR, 5_000);
  const before = database.connects();
  await one.pass(HOUR, 5_000);
  expect(database.connects() - before).toBeGreaterThan(10);
  expect(database.connects() - before).toBeLessThan(25);
  await copying.close();
});

test('SNK-1 closing while a connection hangs takes no time, and what comes of it later is closed and not used', async () => {
  let arrive: (() => void) | undefined;
  let closes = 0;
  const database = fakeTeamDatabase();
  const hanging = {
    async connect() {
      await new Promise<void>((resolve) => (arrive = resolve));
      const connection = await database.connect();
      return { ...connection, close: () => Promise.resolve(void closes++) };
    },
  };
  const one = quietMachine(hanging);
  await one.say(turns('s', 0, 1));
  const before = one.clock.pending();
  const copying = one.start();
  await rest();
  await copying.close();
  arrive?.();
  await rest();
  await one.pass(HOUR, MINUTE);
  expect([closes, database.ids('interactions'), one.clock.pending()]).toEqual([1, [], before]);
});
