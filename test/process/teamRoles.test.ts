import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { turns } from '../../src/app/sink/sink.testkit.ts';
import { makeMigrations, makeSchema, schemaSteps } from '../../src/domain/postgres/schema.ts';
import { openIn, temporaryFolder, unsyncedFileSystem } from '../../src/node/store/store.testkit.ts';
import { binaries, type Postgres, startPostgres } from './postgres.testkit.ts';
import { databaseOf, type Machine, machineWith } from './sinkMachine.testkit.ts';
import { withWords } from '../../src/protocol/event.ts';

const data = ['sessions', 'interactions', 'session_events', 'work_items'];
const views = ['machines_shown', 'waiting_now', 'sessions_per_day', 'failures_by_tool', 'failed_checks'];

/** As docs/team-database.md says. */
const grants = `GRANT USAGE ON SCHEMA agent_mascot TO writers;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent_mascot TO writers;
GRANT USAGE ON SCHEMA agent_mascot TO lookers;
GRANT SELECT ON agent_mascot.waiting_now, agent_mascot.sessions_per_day, agent_mascot.failures_by_tool,
  agent_mascot.failed_checks, agent_mascot.work_in_progress TO lookers;`;

/** The schema of an earlier release, before machines had roles. */
const versionTwo = [
  ...[makeSchema, makeMigrations, ...schemaSteps.slice(0, 2).map(({ sql }) => sql)],
  'INSERT INTO agent_mascot.migrations VALUES (1), (2)',
  'ALTER TABLE agent_mascot.sessions DROP COLUMN tty, DROP COLUMN parent_pid, DROP COLUMN fingerprint',
].join(';');

describe.skipIf(binaries === undefined)('the team’s database with a role for each person', () => {
  let postgres: Postgres;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.query(
      postgres.urlOf('postgres'),
      `CREATE ROLE writers; CREATE ROLE lookers; CREATE ROLE alice LOGIN PASSWORD 'pw-alice' IN ROLE writers;
       CREATE ROLE bob LOGIN PASSWORD 'pw-bob' IN ROLE writers; CREATE ROLE lead LOGIN PASSWORD 'pw-lead' IN ROLE lookers`,
    );
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await postgres[Symbol.asyncDispose]();
  });

  const as = (name: string, role: string) => postgres.urlOf(name, { user: role, password: `pw-${role}` });

  async function machine(id: string, url: string): Promise<Machine> {
    const folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem, sealAfterBytes: 1e9 });
    const made = machineWith(store, id, url);
    ends.push(async () => {
      await made.stop();
      made.hub.dispose();
      await store.close();
      await folder[Symbol.asyncDispose]();
    });
    return made;
  }

  async function upToDate(one: Machine, act: () => Promise<void> | void): Promise<void> {
    await act();
    await one.standing();
  }

  async function pushedAs(id: string, url: string): Promise<Machine> {
    const one = await machine(id, url);
    const now = new Date().toISOString();
    const asks = { id: `${id}-asks`, ts: now, event_type: 'agent_blocked' as const };
    const of = turns(`of-${id}`, 0, 3);
    await one.say([...of, { ...of[1]!, ...asks, payload: { tool_name: 'Bash' } }]);
    await upToDate(one, () => one.start());
    return one;
  }

  /** A schema of its own owner, with the rights that the documentation gives. */
  async function shared(name: string): Promise<string> {
    const url = await postgres.database(name);
    await (await databaseOf('owner', url).connect()).close();
    await postgres.query(url, grants);
    return url;
  }

  const count = async (url: string, from: string) =>
    (await postgres.query<{ n: number }>(url, `SELECT count(*)::int AS n FROM agent_mascot.${from}`))[0]?.n;

  test('B1.2-team sessions have tty, parent_pid and fingerprint as columns with an index, after an upgrade too', async () => {
    const url = await postgres.database('columns');
    await postgres.query(
      url,
      `${versionTwo};
       INSERT INTO agent_mascot.sessions (machine_id, session_id) VALUES ('m1', 'old')`,
    );
    const one = await machine('m1', url);
    const told = { tty: '/dev/pts/7', agent_pid: 4711, fingerprint: '0123456789abcdef' };
    await one.say(turns('s1', 0, 1).map((event) => withWords(event, told)));
    await upToDate(one, () => one.start());
    const rows = await postgres.query(
      url,
      'SELECT session_id, tty, parent_pid::int, fingerprint FROM agent_mascot.sessions ORDER BY 1 DESC LIMIT 1',
    );
    expect(rows).toEqual([{ session_id: 's1', tty: '/dev/pts/7', parent_pid: 4711, fingerprint: '0123456789abcdef' }]);
    const indexes = await postgres.query(url, `SELECT indexdef FROM pg_indexes WHERE tablename = 'sessions'`);
    expect(JSON.stringify(indexes)).toContain('(fingerprint)');
  });

  test('SNK-1 each role pushes, sees and erases its own rows', async () => {
    const url = await shared('own');
    const [alice, bob] = [as('own', 'alice'), as('own', 'bob')];
    const one = await pushedAs('ma', alice);
    await pushedAs('mb', bob);
    expect(one.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
    for (const [role, id] of [
      [alice, 'ma'],
      [bob, 'mb'],
    ] as const) {
      for (const table of ['machines', 'sessions', 'interactions', 'session_events']) {
        const seen = await postgres.query(role, `SELECT DISTINCT machine_id FROM agent_mascot.${table}`);
        expect([table, seen]).toEqual([table, [{ machine_id: id }]]);
      }
      expect(await postgres.query(role, 'SELECT session_id FROM agent_mascot.waiting_now')).toEqual([
        { session_id: `of-${id}` },
      ]);
    }
    expect(await count(url, 'sessions')).toBe(2);
    await one.store.erase({ sessions: ['of-ma'] });
    await upToDate(one, () => one.hub.erase(['of-ma']));
    expect(await postgres.query(url, 'SELECT machine_id FROM agent_mascot.sessions')).toEqual([{ machine_id: 'mb' }]);
    await one.stop();
    const again = await databaseOf('ma', alice).connect();
    await again.removeMachine();
    await again.close();
    expect(await postgres.query(url, 'SELECT machine_id FROM agent_mascot.machines')).toEqual([{ machine_id: 'mb' }]);
    for (const table of data)
      expect(await postgres.query(url, `SELECT FROM agent_mascot.${table} WHERE machine_id = 'ma'`)).toEqual([]);
  });

  test('SNK-1 no role can read, change, delete or add rows of another, in tables or views', async () => {
    const url = await shared('apart');
    await pushedAs('ma', as('apart', 'alice'));
    const bob = as('apart', 'bob');
    await pushedAs('mb', bob);
    await postgres.query(url, `INSERT INTO agent_mascot.work_items (machine_id, item_key) VALUES ('ma', 'k')`);
    const whole = async () =>
      Promise.all(
        data.map((t) => postgres.query(url, `SELECT * FROM agent_mascot.${t} WHERE machine_id = 'ma' ORDER BY 2`)),
      );
    const before = await whole();
    for (const table of ['machines', ...data]) {
      for (const statement of [
        `SELECT FROM agent_mascot.${table} WHERE machine_id = 'ma'`,
        `UPDATE agent_mascot.${table} SET user_name = 'x' WHERE machine_id = 'ma' RETURNING 1`,
        `DELETE FROM agent_mascot.${table} WHERE machine_id = 'ma' RETURNING 1`,
      ])
        expect([statement, await postgres.query(bob, statement)]).toEqual([statement, []]);
    }
    const refused = expect.objectContaining({ code: '42501' }) as unknown;
    for (const statement of [
      `INSERT INTO agent_mascot.interactions (machine_id, id) VALUES ('ma', 'x')`,
      `INSERT INTO agent_mascot.interactions (machine_id, id) VALUES ('ma', 'of-ma-0') ON CONFLICT (machine_id, id) DO UPDATE SET content = 'x'`,
      `UPDATE agent_mascot.sessions SET machine_id = 'ma'`,
      `UPDATE agent_mascot.machines SET role_name = 'alice'`,
      `INSERT INTO agent_mascot.machines (machine_id, role_name) VALUES ('mc', 'alice')`,
      `INSERT INTO agent_mascot.readers VALUES ('bob')`,
      `INSERT INTO agent_mascot.migrations VALUES (99)`,
    ])
      await expect(postgres.query(bob, statement).then(() => statement)).rejects.toEqual(refused);
    // Neither the name of the machine nor a setting gives what already belongs to a role.
    const claim = `SELECT set_config('agent_mascot.machine', 'ma', false);
      UPDATE agent_mascot.machines SET role_name = current_user WHERE machine_id = 'ma'`;
    await postgres.query(bob, claim);
    expect(await postgres.query(url, `SELECT role_name FROM agent_mascot.machines WHERE machine_id = 'ma'`)).toEqual([
      { role_name: 'alice' },
    ]);
    expect(await whole()).toEqual(before);
    for (const view of views) {
      const seen = JSON.stringify(await postgres.query(bob, `SELECT * FROM agent_mascot.${view}`));
      expect([view, /ma\b/.test(seen), seen.includes('user-ma')]).toEqual([view, false, false]);
    }
    // A function of one's own in the condition is not shown what the view leaves out.
    const leaks = `CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
      $$ BEGIN IF $1 = 'of-ma' THEN RAISE EXCEPTION 'seen'; END IF; RETURN true; END $$;
      SELECT FROM agent_mascot.waiting_now WHERE pg_temp.leak(session_id)`;
    await postgres.query(bob, leaks);
  });

  test('SNK-1 a reader sees all rows by the views alone, the schema’s owner sees all, a role without a machine none', async () => {
    const url = await shared('readers');
    await pushedAs('ma', as('readers', 'alice'));
    await pushedAs('mb', as('readers', 'bob'));
    const lead = as('readers', 'lead');
    expect(await count(lead, 'waiting_now')).toBe(0);
    await postgres.query(url, `INSERT INTO agent_mascot.readers VALUES ('lookers')`);
    expect([await count(lead, 'waiting_now'), await count(url, 'waiting_now')]).toEqual([2, 2]);
    await expect(count(lead, 'sessions')).rejects.toMatchObject({ code: '42501' });
    await postgres.query(url, 'GRANT SELECT ON ALL TABLES IN SCHEMA agent_mascot TO lookers');
    expect(await count(lead, 'sessions')).toBe(2);
    await expect(postgres.query(lead, 'DELETE FROM agent_mascot.sessions')).rejects.toMatchObject({ code: '42501' });
  });

  test('SNK-1 reports a machine of another role, at the status and when copying, until the owner hands it over', async () => {
    const url = await shared('handed');
    const one = await pushedAs('ma', as('handed', 'alice'));
    await one.stop();
    const bob = as('handed', 'bob');
    await expect(databaseOf('ma', bob).look()).rejects.toMatchObject({ kind: 'role' });
    const other = await machine('ma', bob);
    const told = other.standing('trouble');
    other.start();
    expect(await told).toMatchObject({ trouble: 'role' });
    await other.stop();
    const rows = await count(url, 'interactions');
    await postgres.query(url, `UPDATE agent_mascot.machines SET role_name = 'bob' WHERE machine_id = 'ma'`);
    expect(await databaseOf('ma', bob).look()).toMatchObject({ machines: 1, interactions: rows });
  });

  test('SNK-1 after an upgrade the first role that connects as a machine gets its rows, and those who could read still can', async () => {
    const url = await postgres.database('upgraded');
    await postgres.query(
      url,
      `${versionTwo};
       CREATE VIEW agent_mascot.waiting_now AS
         SELECT s.user_name, m.host, s.project, s.title, s.phase AS waits_for, s.waits_for_tool AS tool,
           s.waits_for_target AS target, s.phase_since AS since, now() - s.phase_since AS waiting, s.machine_id, s.session_id
         FROM agent_mascot.sessions s JOIN agent_mascot.machines m USING (machine_id);
       GRANT USAGE ON SCHEMA agent_mascot TO writers, lookers; GRANT SELECT ON agent_mascot.waiting_now TO lookers;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent_mascot TO writers;
       INSERT INTO agent_mascot.machines (machine_id, pushes) VALUES ('ma', 4), ('mb', 4);
       INSERT INTO agent_mascot.sessions (machine_id, session_id, waits) VALUES ('ma', 'old-a', true), ('mb', 'old-b', true)`,
    );
    const alice = as('upgraded', 'alice');
    await expect(databaseOf('ma', alice).connect()).rejects.toMatchObject({ kind: 'rights' });
    await (await databaseOf('owner', url).connect()).close();
    expect(await postgres.query(alice, 'SELECT machine_id FROM agent_mascot.machines')).toEqual([]);
    expect(await databaseOf('ma', alice).look()).toMatchObject({ machines: 1, sessions: 1 });
    expect(await postgres.query(url, 'SELECT role_name FROM agent_mascot.machines')).toEqual([
      { role_name: null },
      { role_name: null },
    ]);
    const connection = await databaseOf('ma', alice).connect();
    expect(connection.standing.pushes).toBe(4);
    await connection.join();
    expect(await connection.push({ rows: {}, gone: {} })).toBe(6);
    await connection.close();
    expect(await postgres.query(alice, 'SELECT session_id FROM agent_mascot.sessions')).toEqual([
      { session_id: 'old-a' },
    ]);
    expect(await postgres.query(url, 'SELECT role_name FROM agent_mascot.machines ORDER BY machine_id')).toEqual([
      { role_name: 'alice' },
      { role_name: null },
    ]);
    expect(await count(as('upgraded', 'lead'), 'waiting_now')).toBe(2);
    expect(await count(as('upgraded', 'bob'), 'waiting_now')).toBe(0);
  });
});
