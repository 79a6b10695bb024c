import { expect, test } from 'vitest';
import type { AgentEvent } from '../../protocol/event.ts';
import { fakeTeamDatabase, quietMachine, rest, turns } from './sink.testkit.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { withPayload } from '../../domain/event.testkit.ts';

const HOUR = 60 * 60_000;

type Machine = ReturnType<typeof quietMachine>;

const later = (events: readonly AgentEvent[], ms: number) =>
  events.map((event) => ({ ...event, ts: new Date(Date.parse(event.ts) + ms).toISOString() }));

const idsOf = (events: readonly AgentEvent[]) => events.map(({ id }) => id);

async function copiedOnce(one: Machine): Promise<void> {
  const copying = one.start();
  await rest();
  expect(one.standings.at(-1)).toMatchObject({ kind: 'upToDate' });
  await copying.close();
}

async function retained(one: Machine, session: string): Promise<void> {
  await one.store.trim({ sessionId: session, keepRow: true });
  await one.store.trim({ sessionId: session, remove: idsOf(one.store.events(session)) });
  await one.store.trim({ sessionId: session, forget: true });
  one.hub.leave([session]);
}

test.each([['all'], [['s0', 's1']]] as const)(
  'SNK-1 CNV-4 what began within a day after an erasure (%j) and was taken by retention here stays there',
  async (sessions) => {
    const database = fakeTeamDatabase();
    const one = quietMachine(database);
    await one.say([...turns('s0', 0, 1), ...turns('s1', 0, 1)]);
    await copiedOnce(one);
    await one.store.erase({ sessions });
    one.hub.erase(['s0', 's1']);
    await copiedOnce(one);
    expect(database.ids('interactions')).toEqual([]);
    await one.say(later(turns('s1', 100, 2), HOUR));
    await copiedOnce(one);
    await retained(one, 's1');
    await copiedOnce(quietMachine(database, { store: one.store }));
    expect([database.ids('interactions').length, database.ids('sessions')]).toEqual([6, ['s1']]);
  },
);

test('SNK-1 CNV-4 the next process carries out an erasure that a killed process did not send', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say([...turns('s0', 0, 1), ...turns('s1', 0, 1)]);
  await copiedOnce(one);
  await one.store.erase({ sessions: ['s1'] });
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('sessions')).toEqual(['s0']);
});

test('SNK-1 CNV-4 sessions that are erased while others are being erased there go there, too', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(['s0', 's1', 's2'].flatMap((id) => turns(id, 0, 1)));
  await copiedOnce(one);
  await one.store.erase({ sessions: ['s0'] });
  one.hub.erase(['s0']);
  const { connect } = database;
  database.connect = async () => {
    const connection = await connect();
    const erase: typeof connection.erase = async (sessions) => {
      if (sessions.includes('s0')) await one.store.erase({ sessions: ['s1', 's2'] });
      return connection.erase(sessions);
    };
    return { ...connection, erase };
  };
  await copiedOnce(one);
  expect([database.ids('sessions'), database.ids('interactions')]).toEqual([[], []]);
});

test('SNK-1 CNV-4 a session that went on before its erasure was carried out keeps there what retention takes of it here', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 1));
  await copiedOnce(one);
  await one.store.erase({ sessions: ['s1'] });
  one.hub.erase(['s1']);
  await one.say(later(turns('s1', 100, 2), HOUR));
  await copiedOnce(one);
  await retained(one, 's1');
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect([database.ids('interactions').length, database.ids('sessions')]).toEqual([6, ['s1']]);
});

test.each([-100, 0, 100])(
  'CNV-5 SNK-1 what is said after an erasure by a clock that is %i days off is there, and what was said before is not',
  async (days) => {
    const database = fakeTeamDatabase();
    const one = quietMachine(database);
    await one.say([...turns('s1', 0, 2), ...turns('s2', 0, 1)]);
    const copying = one.start();
    await rest();
    expect(database.ids('interactions').length).toBe(9);
    await one.store.erase({ sessions: 'all' });
    one.hub.erase(['s1', 's2']);
    const after = [...turns('s1', 100, 1), ...turns('new', 0, 1)];
    await one.say(later(after, days * 24 * HOUR));
    await one.pass(5_000, 1_000);
    await copying.close();
    await copiedOnce(quietMachine(database, { store: one.store }));
    expect(database.ids('sessions').toSorted()).toEqual(['new', 's1']);
    expect(database.ids('interactions').length).toBe(6);
    expect(database.ids('interactions').every((id) => after.some((event) => event.id === id))).toBe(true);
  },
);

test('SNK-1 CNV-4 a session that goes on after its erasure has none of its old rows there, and all of its new ones', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 2));
  const copying = one.start();
  await rest();
  expect(database.ids('interactions').length).toBe(6);
  // Nobody is told of the erasure but by the store.
  await one.store.erase({ sessions: ['s1'] });
  one.hub.leave(['s1']);
  await one.say(later(turns('s1', 10, 1), HOUR));
  await one.pass(5_000, 1_000);
  await copying.close();
  expect([database.ids('interactions').length, database.ids('sessions')]).toEqual([3, ['s1']]);
});

test('SNK-1 CNV-4 rows of a session whose own row is not there are erased, too', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  await one.say(turns('s1', 0, 2));
  await copiedOnce(one);
  database.lose('sessions', 's1');
  await one.store.erase({ sessions: ['s1'] });
  one.hub.erase(['s1']);
  await copiedOnce(one);
  expect([database.ids('interactions'), database.ids('session_events')]).toEqual([[], []]);
});

test('SNK-1 CNV-4 sessions whose ids PostgreSQL can’t tell apart have rows of their own, and each is erased alone', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const odd = ['x\0', 'x\ud800', 'x\ufffd', '"x"'];
  await one.say(odd.flatMap((id, index) => turns(id, 0, 1).map((event) => ({ ...event, id: `${index}-${event.id}` }))));
  await copiedOnce(one);
  expect(database.ids('sessions')).toHaveLength(4);
  expect(database.ids('sessions').join()).not.toMatch(/[\0\ud800]/);
  await one.store.erase({ sessions: ['x\0', '"x"'] });
  one.hub.erase(['x\0', '"x"']);
  await copiedOnce(one);
  expect(database.ids('sessions')).toEqual(['"x\\ud800"', 'x\ufffd']);
  expect(new Set(database.ids('interactions').map((id) => id[0]))).toEqual(new Set(['1', '2']));
});

test('SNK-1 CNV-4 what was taken back here does not stay in a database that was put back to an earlier state', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  await one.say(events);
  await copiedOnce(one);
  const said = events[4]!;
  expect(database.ids('interactions')).toContain(said.id);
  await one.store.rewrite({ events: [{ ...said, payload: { unlogged: true }, raw: {} }], rows: [] });
  database.restoreTo(0);
  await copiedOnce(one);
  expect(database.ids('interactions')).not.toContain(said.id);
});

test('SNK-1 CNV-4 nor what it has beyond what was told: a push that was committed and not heard of', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 3);
  await one.say(events);
  const shelf = one.store.shelf('postgres');
  const { put } = shelf;
  // As if the process had ended right after the COMMIT.
  let puts = 0;
  shelf.put = (save, remove) => (++puts < 2 ? put(save, remove) : new Promise<void>(() => undefined));
  const dying = quietMachine(database, { store: { ...one.store, shelf: () => shelf } }).start();
  await rest();
  await dying.close();
  shelf.put = put;
  const said = events[4]!;
  expect(database.ids('interactions')).toContain(said.id);
  // It tells nothing any more, though nobody took it back.
  await one.store.rewrite({ events: [{ ...withPayload(said, { synthetic: true }), raw: {} }], rows: [] });
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('interactions')).not.toContain(said.id);
  expect(database.ids('interactions')).toHaveLength(8);
});

test('SNK-1 CNV-4 what was taken back goes there though retention takes its session before the database answers', async () => {
  const database = fakeTeamDatabase();
  const one = quietMachine(database);
  const events = turns('s1', 0, 2);
  await one.say(events);
  await copiedOnce(one);
  const said = events[4]!;
  expect(database.ids('interactions')).toContain(said.id);
  await one.store.rewrite({ events: [{ ...said, payload: { unlogged: true }, raw: {} }], rows: [] });
  await retained(one, 's1');
  await copiedOnce(quietMachine(database, { store: one.store }));
  expect(database.ids('interactions')).not.toContain(said.id);
  expect(database.ids('interactions').length).toBe(5);
});

test('SNK-1 CNV-4 an erased session is named by no work item there, be it excluded or forgotten here', async () => {
  const database = fakeTeamDatabase();
  const excluded = new Set<string>();
  const one = quietMachine(database, { excludes: (folder) => excluded.has(folder) });
  const item = (key: string, project: string): WorkItem => ({
    ...{ key, project, id: key, title: key, status: 'done', createdAt: '2026-01-01T00:00:00.000Z' },
    ...{ dependencies: [], workers: [], sessions: ['s1'], files: ['a.ts'] },
    touches: [{ session: 's1', files: ['a.ts'] }],
  });
  await one.say(turns('s1', 0, 1));
  await one.store.work.change(() => ({ save: [item('w1', '/p'), item('w2', '/q'), item('w3', '/r')] }));
  await copiedOnce(one);
  expect(database.ids('work_items')).toEqual(['w1', 'w2', 'w3']);
  excluded.add('/p');
  await one.store.work.change(() => ({ save: [], remove: ['w2'] }));
  await one.store.erase({ sessions: ['s1'] });
  one.hub.erase(['s1']);
  await copiedOnce(one);
  expect(database.ids('work_items').map((key) => database.row('work_items', key)?.['sessions'])).toEqual([[]]);
});
