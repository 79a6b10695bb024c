import { expect, test } from 'vitest';
import type { SecretName } from '../outletPorts.ts';
import { createSink } from './sink.ts';
import type { SinkStanding, TeamDatabase } from './sinkPorts.ts';
import { fakeTeamDatabase, quietMachine, rest, turns } from './sink.testkit.ts';

const MINUTE = 60_000;

function fakeSecret(first?: string) {
  const listeners = new Set<(name: SecretName) => void>();
  let value = first;
  let isLocked = false;
  return {
    get: () => (isLocked ? Promise.reject(new Error('locked')) : Promise.resolve(value)),
    lock: (now: boolean) => void (isLocked = now),
    onChange(listener: (name: SecretName) => void) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    /** As it is in every window at once, and told to this one; or not yet. */
    set(given: string | undefined, isTold = true) {
      value = given;
      if (isTold) for (const each of listeners) each('postgres.url');
    },
    listeners,
  };
}

function sinkOver(databases: Readonly<Record<string, TeamDatabase>>, first?: string) {
  const one = quietMachine();
  const secret = fakeSecret(first);
  const standings: SinkStanding[] = [];
  const excluded = new Set<string>();
  let openExclusions = 0;
  let breath = (): void => undefined;
  const sink = createSink({
    secrets: secret,
    database: (url) => databases[url] ?? fakeTeamDatabase(),
    exclusions: () => {
      openExclusions++;
      return Promise.resolve({ excludes: (folder) => excluded.has(folder), dispose: () => void openExclusions-- });
    },
    user: () => 'user',
    breather: () => () => {
      breath();
      return Promise.resolve();
    },
    random: () => 0.5,
    onStanding: (standing) => void standings.push(standing),
  })({ store: one.store, source: one.hub, state: one.hub.state, clock: one.clock, log: one.log });
  const onBreath = (call: () => void) => void (breath = call);
  return { ...one, onBreath, secret, standings, excluded, sink, exclusionsOpen: () => openExclusions };
}

test('SNK-1 without an address nothing is asked for; with one it is copied; without it again nothing more', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database });
  await one.say(turns('s1', 0, 1));
  await one.pass(MINUTE, 1_000);
  expect([one.standings, one.exclusionsOpen(), database.connects()]).toEqual([[], 0, 0]);
  one.secret.set('a');
  await rest();
  expect([one.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['upToDate', 3]);
  one.secret.set(undefined);
  await rest();
  await one.say(turns('s1', 1, 1));
  await one.pass(10 * MINUTE, 10_000);
  expect([one.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['off', 3]);
  await one.sink.close();
  expect([one.exclusionsOpen(), one.secret.listeners.size]).toEqual([0, 0]);
});

test('SNK-1 a keyring that is locked is asked again, and what is copied goes on until it is known to be unwanted', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database });
  one.secret.lock(true);
  one.secret.set('a');
  await one.say(turns('s1', 0, 1));
  await one.pass(MINUTE, 1_000);
  expect(database.connects()).toBe(0);
  one.secret.lock(false);
  await one.pass(2 * MINUTE, 1_000);
  expect([one.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['upToDate', 3]);
  one.secret.lock(true);
  one.secret.set(undefined);
  await rest();
  one.secret.lock(false);
  await one.pass(2 * MINUTE, 1_000);
  await one.say(turns('s1', 1, 1));
  await one.pass(MINUTE, 1_000);
  expect([one.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['off', 3]);
  await one.sink.close();
});

test('SNK-1 closed while it is read what is excluded, nobody watches that any more', async () => {
  const one = sinkOver({ a: fakeTeamDatabase() });
  await rest();
  one.secret.set('a');
  await Promise.all([Promise.resolve().then(() => one.sink.close()), rest()]);
  expect(one.exclusionsOpen()).toBe(0);
});

test('SNK-1 HKI-9 what is excluded while a long session goes out keeps the rest of it here', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database });
  const project = { path: '/work/shop' };
  await one.say(turns('s1', 0, 2_000).map((event) => ({ ...event, project })));
  const whole = 2_000 * 3;
  one.onBreath(() => {
    if (database.ids('interactions').length > 0) one.excluded.add(project.path);
  });
  one.secret.set('a');
  for (let turn = 0; turn < 50; turn++) await rest();
  const there = database.ids('interactions').length;
  expect([there > 0, there < whole]).toEqual([true, true]);
  await one.sink.close();
});

test('SNK-1 another address is another database: it gets everything, the first one nothing more', async () => {
  const [first, second] = [fakeTeamDatabase('first'), fakeTeamDatabase('second')];
  const one = sinkOver({ a: first, b: second }, 'a');
  await one.say(turns('s1', 0, 2));
  await rest();
  one.secret.set('b');
  await rest();
  await one.say(turns('s1', 2, 1));
  await one.pass(MINUTE, 1_000);
  expect([first.ids('interactions').length, second.ids('interactions').length]).toEqual([6, 9]);
  one.secret.set('a');
  await rest();
  expect(first.ids('interactions').length).toBe(9);
  await one.sink.close();
});

test('SNK-1 an answer of the first database that comes after the second took its place says nothing of the second', async () => {
  const [first, second] = [fakeTeamDatabase('first'), fakeTeamDatabase('second')];
  let answer: (() => void) | undefined;
  const slow: TeamDatabase = {
    async connect() {
      const connection = await first.connect();
      return {
        ...connection,
        standing: connection.standing,
        async push(batch) {
          const pushes = await connection.push(batch);
          await new Promise<void>((resolve) => (answer = resolve));
          return pushes;
        },
      };
    },
  };
  const one = sinkOver({ a: slow, b: second }, 'a');
  await one.say(turns('s1', 0, 2));
  await rest();
  one.secret.set('b');
  await rest();
  answer?.();
  await rest();
  expect(one.store.shelf('postgres').get('database')?.value).toMatchObject({ id: 'second' });
  expect(second.ids('interactions').length).toBe(6);
  await one.sink.close();
});

test('SNK-1 an address that is deleted and set again while the connection is being closed is copied to again', async () => {
  const database = fakeTeamDatabase();
  const closed: (() => void)[] = [];
  let isSlow = true;
  const slow: TeamDatabase = {
    async connect() {
      const connection = await database.connect();
      const close = () => (isSlow ? new Promise<void>((resolve) => closed.push(resolve)) : connection.close());
      return { ...connection, close };
    },
  };
  const one = sinkOver({ a: slow }, 'a');
  await one.say(turns('s1', 0, 1));
  await rest();
  one.secret.set(undefined);
  await rest();
  one.secret.set('a');
  await rest();
  isSlow = false;
  for (const each of closed) each();
  await rest();
  await one.say(turns('s1', 1, 1));
  await one.pass(MINUTE, 1_000);
  expect([one.standings.at(-1)?.kind, database.ids('interactions').length]).toEqual(['upToDate', 6]);
  await one.sink.close();
});

test('SNK-1 an address that another window took back is not used any more, though nobody said so here', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database }, 'a');
  await one.say(turns('s1', 0, 1));
  await rest();
  one.secret.set(undefined, false);
  // The connection is given back after a while without news; the next one asks first.
  await one.pass(5 * MINUTE, 1_000);
  const connects = database.connects();
  await one.say(turns('s1', 1, 1));
  await one.pass(5 * MINUTE, 1_000);
  expect([database.connects(), database.ids('interactions').length]).toEqual([connects, 3]);
  expect(one.standings.at(-1)).toEqual({ kind: 'off' });
  await one.sink.close();
});

test('SNK-1 a project that is excluded while it is copied goes there no more, the others do', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database }, 'a');
  const of = (session: string, turn: number, project: string) =>
    turns(session, turn, 1).map((event) => ({ ...event, project: { path: project } }));
  await one.say([...of('s1', 0, '/secret'), ...of('s2', 0, '/open')]);
  await rest();
  expect(database.ids('interactions').length).toBe(6);
  one.excluded.add('/secret');
  await one.say([...of('s1', 1, '/secret'), ...of('s2', 1, '/open')]);
  await one.pass(MINUTE, 1_000);
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  expect(database.ids('interactions').filter((id) => id.startsWith('s1')).length).toBe(3);
  expect(database.ids('interactions').filter((id) => id.startsWith('s2')).length).toBe(6);
  await one.sink.close();
});

test('SNK-1 a secret storage that is locked is no end: the next change is looked at', async () => {
  const database = fakeTeamDatabase();
  const one = sinkOver({ a: database }, undefined);
  await rest();
  const { get } = one.secret;
  one.secret.get = () => Promise.reject(new Error('locked'));
  one.secret.set('a');
  await rest();
  one.secret.get = get;
  one.secret.set('a');
  await rest();
  expect([database.connects(), one.log.lines.some((line) => line.includes('locked'))]).toEqual([1, true]);
  await one.sink.close();
});
