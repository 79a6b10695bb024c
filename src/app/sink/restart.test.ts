import { expect, test } from 'vitest';
import { rowOf } from '../../domain/restore.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { fakeClock } from '../testkit/fakes.testkit.ts';
import type { MemoryStore } from '../testkit/memoryStore.testkit.ts';
import { fakeTeamDatabase, quietMachine, rest, turns } from './sink.testkit.ts';

const SECRET = { path: '/secret' };

/** One start, until all is there that should be: which sessions' states were read for it, and how many waited. */
async function started(one: ReturnType<typeof quietMachine>): Promise<{ read: string[]; behind: number }> {
  const read: string[] = [];
  const { store } = one;
  const { session } = store;
  store.session = (id) => {
    const row = session(id);
    return (
      row && {
        ...row,
        get json() {
          read.push(id);
          return row.json;
        },
      }
    );
  };
  const from = one.standings.length;
  const copying = one.start();
  await rest();
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  await copying.close();
  store.session = session;
  const behind = one.standings.slice(from).map((each) => (each.kind === 'copying' ? each.behind.events : 0));
  return { read, behind: Math.max(...behind) };
}

const over = () => fakeClock(Date.UTC(2026, 1, 1));
const nothing = { read: [], behind: 0 };

test('SNK-1 HKI-9 a session that is left out is known by the next start without its state, until its folder is let in', async () => {
  const database = fakeTeamDatabase();
  const excluded = new Set([SECRET.path]);
  const excludes = (folder: string) => excluded.has(folder);
  const one = quietMachine(database, { excludes });
  await one.say(turns('s1', 0, 2).map((event) => ({ ...event, project: SECRET })));
  await started(one);
  const next = (store: MemoryStore) => quietMachine(database, { store, excludes, clock: over() });
  expect(await started(next(one.store))).toEqual(nothing);
  expect(database.ids('interactions')).toEqual([]);
  excluded.clear();
  await started(next(one.store));
  expect(database.ids('interactions')).toHaveLength(6);
  // It is there now, and goes there no more.
  excluded.add(SECRET.path);
  expect(await started(next(one.store))).toEqual(nothing);
});

test('SNK-1 HKI-9 a session that was left out and went on elsewhere while nobody copied goes there', async () => {
  const database = fakeTeamDatabase();
  const excludes = (folder: string) => folder === SECRET.path;
  const one = quietMachine(database, { excludes });
  await one.say(turns('s1', 0, 1));
  const { session, ...state } = one.hub.state('s1')!;
  one.store.saveSessions([rowOf({ ...state, session: { ...session, cwd: SECRET.path } })]);
  const next = () => quietMachine(database, { store: one.store, excludes, clock: over() });
  await started(next());
  expect(database.ids('interactions')).toEqual([]);
  await one.say(turns('s1', 1, 1));
  await started(next());
  expect(database.ids('interactions')).toHaveLength(6);
});

test('SNK-1 CNV-4 the mark of a session that was left out goes with it', async () => {
  const database = fakeTeamDatabase();
  const excludes = (folder: string) => folder === SECRET.path;
  const one = quietMachine(database, { excludes });
  await one.say(['s1', 's2'].flatMap((id) => turns(id, 0, 1)).map((event) => ({ ...event, project: SECRET })));
  const next = () => quietMachine(database, { store: one.store, excludes, clock: over() });
  const marks = () =>
    one.store
      .shelf('postgres')
      .after(undefined, 10)
      .filter(({ value }) => JSON.stringify(value).includes(SECRET.path))
      .map(({ session }) => session);
  await started(next());
  expect(marks()).toEqual(['s1', 's2']);
  await one.store.erase({ sessions: ['s1'] });
  expect(marks()).toEqual(['s2']);
  await one.store.trim({ sessionId: 's2', remove: one.store.events('s2').map(({ id }) => id) });
  await one.store.trim({ sessionId: 's2', forget: true });
  await started(next());
  expect(marks()).toEqual([]);
});

test.each([
  ['after it was copied', true],
  ['before there was a database', false],
] as const)('SNK-1 STO-4 a session of which retention left no event %s is taken up once', async (_, isCopied) => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 2);
  await one.say(events);
  if (isCopied) await started(one);
  await one.store.trim({ sessionId: 's1', keepRow: true, remove: events.map(({ id }) => id) });
  const next = () => quietMachine(database, { store: one.store, clock: over() });
  expect((await started(next())).read).toContain('s1');
  expect(database.row('sessions', 's1')).toMatchObject({ is_final: true });
  const times = database.sent('sessions').get('s1');
  expect(await started(next())).toEqual(nothing);
  expect(database.sent('sessions').get('s1')).toBe(times);
  // It goes on all the same.
  const last = next();
  await last.say(turns('s1', 2, 1));
  await started(last);
  expect(database.ids('interactions')).toHaveLength(isCopied ? 9 : 3);
});

const anItem = (key: string, project: string): WorkItem => ({
  ...{ key, project, id: key, title: key, status: 'pending', createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ dependencies: [], workers: [], sessions: [], files: [], touches: [] },
});

test('SNK-1 a start takes a breath between any two sessions and any two work items, also those that are left out', async () => {
  let [work, most] = [0, 0];
  const step = () => void (most = Math.max(most, ++work));
  const breathe = () => Promise.resolve(void (work = 0));
  const database = fakeTeamDatabase();
  const excludes = (folder: string) => folder === SECRET.path && (step(), true);
  const one = quietMachine(database);
  const many = Array.from({ length: 60 }, (_, n) => `s${n}`);
  await one.say(many.flatMap((id) => turns(id, 0, 1)));
  await one.store.work.change(() => ({
    save: many.map((key, n) => anItem(key, n % 2 === 0 ? SECRET.path : '/open')),
  }));
  await started(one);
  const next = quietMachine(database, { store: one.store, clock: over(), excludes, breathe });
  const { session } = one.store;
  const { get } = one.store.shelf('postgres');
  one.store.session = (id) => (step(), session(id));
  const shelf = Object.assign(one.store.shelf('postgres'), { get: (key: string) => (step(), get(key)) });
  one.store.shelf = () => shelf;
  await started(next);
  expect([most > 0, most < 10]).toEqual([true, true]);
});

test('SNK-1 HKI-9 a long session that is let in again is read once from its beginning to its end', async () => {
  const database = fakeTeamDatabase();
  const excluded = new Set([SECRET.path]);
  const one = quietMachine(database, { excludes: (folder) => excluded.has(folder) });
  await one.say(turns('s1', 0, 500).map((event) => ({ ...event, project: SECRET })));
  await started(one);
  excluded.clear();
  const { eventsAfter } = one.store;
  let read = 0;
  one.store.eventsAfter = (...asked) => {
    const found = eventsAfter(...asked);
    read += found.events.length;
    return found;
  };
  await started(quietMachine(database, { store: one.store, clock: over() }));
  expect([database.ids('interactions').length, read]).toEqual([1_500, 2_000]);
});
