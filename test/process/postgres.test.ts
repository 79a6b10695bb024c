import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchHoldUps } from '../../scripts/bench/holdUp.mjs';
import { createSink } from '../../src/app/sink/sink.ts';
import type { SinkStanding, SinkTrouble } from '../../src/app/sink/sinkPorts.ts';
import { turns } from '../../src/app/sink/sink.testkit.ts';
import { createBreather } from '../../src/node/collector/breathe.ts';
import { withoutContent } from '../../src/domain/unlogged.ts';
import { interactionOf } from '../../src/domain/interactions.ts';
import { makeMigrations, makeSchema, schemaSteps } from '../../src/domain/postgres/schema.ts';
import { noCallsYet, readObservations } from '../../src/domain/observations.ts';
import { openIn, temporaryFolder, unsyncedFileSystem } from '../../src/node/store/store.testkit.ts';
import {
  binaries,
  hasOpenssl,
  PASSWORD,
  pgBouncer,
  type Postgres,
  startPool,
  startPostgres,
} from './postgres.testkit.ts';
import { isThorough } from '../thorough.testkit.ts';
import type { SinkChildOptions } from './sinkChild.ts';
import { databaseOf, type Machine, machineWith, quickClock, seed } from './sinkMachine.testkit.ts';
import { buildPrograms } from './storePrograms.testkit.ts';

const tables = ['machines', 'sessions', 'interactions', 'session_events', 'work_items'];

/** Of the thread's own work between two turns of others; what it waits for a processor is the machine's. */
const LONGEST_WORK_MS = 100;

const there = binaries !== undefined;
if (!there) console.warn('SNK-1: no PostgreSQL on this machine, so nothing is tested against a real one.');
if (!pgBouncer) console.warn('SNK-1: no PgBouncer on this machine, so nothing is tested behind a pool.');

/** What the API tells of the stored events is what the team's database has to have. */
function expectedIds(machine: Machine): string[] {
  const sessions = machine.store.sessions({ limit: 500 }).items.map(({ id }) => id);
  return sessions
    .flatMap((id) => {
      const events = machine.store.events(id);
      const reader = readObservations(noCallsYet);
      for (const event of events) reader.take(event, true);
      return [
        ...events.flatMap((event) => interactionOf(event)?.id ?? []),
        ...reader.items(false).map((call) => `${call.id} ${call.outcome}`),
      ];
    })
    .sort();
}

describe.skipIf(!there)('SNK-1 the team’s PostgreSQL', () => {
  let postgres: Postgres;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await postgres[Symbol.asyncDispose]();
  });

  async function machine(id: string, url: string): Promise<Machine> {
    const folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem, sealAfterBytes: 1e9 });
    const made = machineWith(store, id, url);
    ends.push(async () => {
      await made.close();
      await folder[Symbol.asyncDispose]();
    });
    return made;
  }

  async function interactionsIn(url: string, id: string): Promise<string[]> {
    const rows = await postgres.query<{ id: string; outcome: string | null }>(
      url,
      'SELECT id, outcome FROM agent_mascot.interactions WHERE machine_id = $1',
      [id],
    );
    return rows.map((row) => (row.outcome === null ? row.id : `${row.id} ${row.outcome}`)).sort();
  }

  /** What is told from before the end of it may not know of it yet. */
  const upToDate = async (one: Machine, act: () => Promise<void> | void) => {
    await act();
    await one.standing();
  };

  test('SNK-1 what is stored is there after the first push, and pushing it again changes nothing', async () => {
    const url = await postgres.database('first');
    const one = await machine('m1', url);
    await one.say(turns('s1', 0, 7));
    await upToDate(one, () => one.start());
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
    const [said] = await postgres.query(
      url,
      `SELECT user_name, role, content, skill_name FROM agent_mascot.interactions WHERE id = 's1-3'`,
    );
    expect(said).toEqual({
      user_name: 'user-m1',
      role: 'assistant',
      content: 'done 0 \ufffd \ufffd \\u0000',
      skill_name: 'claude_response',
    });
    await upToDate(one, () => one.say(turns('s1', 7, 3)));
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
  });

  test('SNK-1 an event that comes late, and a session that is told otherwise, are put right there', async () => {
    const url = await postgres.database('late');
    const one = await machine('m1', url);
    const events = turns('s1', 0, 12);
    const late = new Set([events[5], events[6], events[40]]);
    await one.say(events.filter((event) => !late.has(event)));
    await upToDate(one, () => one.start());
    for (const event of late) await upToDate(one, () => one.say([event!]));
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
    // CNV-4: a marker that came after what was done for it.
    const said = events[8]!;
    const unlogged = { ...said, payload: { unlogged: true }, raw: {} };
    await one.store.rewrite({ events: [unlogged], rows: [] });
    await upToDate(one, () => one.hub.remake(['s1']));
    const left = await interactionsIn(url, 'm1');
    expect([left.includes(said.id), left]).toEqual([false, expectedIds(one)]);
    const call = events.slice(9, 11);
    const ofCall = `SELECT skill_args, content FROM agent_mascot.interactions WHERE id = '${call[0]!.id}'`;
    expect(JSON.stringify(await postgres.query(url, ofCall))).toContain('"n":');
    const ended = withoutContent(call[1]!, true);
    await one.store.rewrite({ events: [ended], rows: [] });
    await upToDate(one, () => one.hub.remake(['s1']));
    const begun = await postgres.query<{ skill_args: unknown; content: unknown }>(url, ofCall);
    expect(begun).toMatchObject([{ skill_args: { n: expect.any(Number) as number }, content: null }]);
    await one.store.rewrite({ events: call.map((event) => withoutContent(event, true)), rows: [] });
    await upToDate(one, () => one.hub.remake(['s1']));
    const bare = await postgres.query(url, ofCall);
    expect([bare.length, JSON.stringify(bare)]).toEqual([1, expect.not.stringContaining('"n":')]);
  });

  test('SNK-1 what came while nobody copied, late things among it, is found at the next start', async () => {
    const url = await postgres.database('meanwhile');
    const one = await machine('m1', url);
    const events = turns('s1', 0, 6);
    const late = events.slice(4, 6);
    await one.say(events.filter((event) => !late.includes(event)));
    await one.say(turns('s2', 0, 2));
    await upToDate(one, () => one.start());
    await one.stop();
    await one.say(late);
    await one.say(turns('s3', 0, 1));
    await one.store.erase({ sessions: ['s2'] });
    one.hub.erase(['s2']);
    await upToDate(one, () => one.start());
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
    expect(await postgres.query(url, 'SELECT session_id FROM agent_mascot.sessions ORDER BY 1')).toEqual([
      { session_id: 's1' },
      { session_id: 's3' },
    ]);
  });

  test('SNK-1 CNV-4 what bears the times of a clock that went before ours is erased there too', async () => {
    const url = await postgres.database('ahead');
    const one = await machine('m1', url);
    await one.say(turns('s1', 0, 2).map((event) => ({ ...event, ts: event.ts.replace('2026-01-01', '2026-01-02') })));
    await upToDate(one, () => one.start());
    expect((await interactionsIn(url, 'm1')).length).toBeGreaterThan(0);
    await one.store.erase({ sessions: ['s1'] });
    await upToDate(one, () => one.hub.erase(['s1']));
    expect(await interactionsIn(url, 'm1')).toEqual([]);
    expect(await postgres.query(url, 'SELECT session_id FROM agent_mascot.sessions')).toEqual([]);
  });

  test('SNK-1 CNV-4 what is erased here is erased there, of this machine alone; what retention takes is kept there', async () => {
    const url = await postgres.database('erased');
    const [one, other] = [await machine('m1', url), await machine('m2', url)];
    for (const each of [one, other]) {
      await each.say([...turns('same', 0, 3), ...turns('more', 0, 3)]);
      await upToDate(each, () => each.start());
    }
    const whole = await interactionsIn(url, 'm2');
    const erase = async (sessions: readonly string[] | 'all') => {
      await one.store.erase({ sessions });
      await upToDate(one, () => one.hub.erase(sessions === 'all' ? one.hub.sessionIds() : sessions));
    };
    const ids = one.store.events('more').map(({ id }) => id);
    await one.store.trim({ sessionId: 'more', remove: ids, forget: true });
    await erase(['same']);
    const afterOne = await interactionsIn(url, 'm1');
    expect([afterOne.length > 0, afterOne.filter((id) => id.startsWith('same'))]).toEqual([true, []]);
    // Told again after an erasure, only what is newer is kept, here as there.
    await upToDate(one, () => one.say(turns('same', 20_000, 1)));
    expect(await interactionsIn(url, 'm1')).toEqual([...afterOne, ...expectedIds(one)].sort());
    await erase('all');
    const left = await postgres.query(
      url,
      `SELECT machine_id, count(*)::int AS n FROM agent_mascot.session_events GROUP BY 1
       UNION ALL SELECT machine_id, count(*)::int FROM agent_mascot.sessions GROUP BY 1 ORDER BY 1, 2`,
    );
    expect(left.filter((row) => row['machine_id'] === 'm1' && Number(row['n']) > 1)).toEqual([]);
    expect(await interactionsIn(url, 'm2')).toEqual(whole);
  });

  test('SNK-1 CNV-4 rows that another window deletes in mid-stream are brought back by no push, under way or later', async () => {
    const url = await postgres.database('removed');
    const { hub, log, store } = await machine('m1', url);
    await seed(store, 4, 300);
    const database = databaseOf('m1', url);
    let secret: string | undefined = url;
    const listeners: ((name: 'postgres.url') => void)[] = [];
    const standings: SinkStanding[] = [];
    let pushesBegun = 0;
    let removed: Promise<void> | undefined;
    let told: (() => void) | undefined;
    const until = (kind: SinkStanding['kind']) =>
      new Promise<void>((resolve) => {
        const look = () => (standings.at(-1)?.kind === kind ? resolve() : undefined);
        told = look;
        look();
      });

    async function removeFromElsewhere(): Promise<void> {
      secret = undefined;
      const connection = await database.connect();
      await connection.removeMachine();
      await connection.close();
    }

    const sink = createSink({
      secrets: {
        get: () => Promise.resolve(secret),
        onChange: (listener) => {
          listeners.push(listener);
          return { dispose: () => undefined };
        },
      },
      database: () => ({
        async connect() {
          const connection = await database.connect();
          const push: typeof connection.push = async (batch) => {
            pushesBegun++;
            if (pushesBegun === 2) removed = removeFromElsewhere();
            const pushes = await connection.push(batch);
            // The next one comes later in any case; else all of them might be through before the rows go.
            await removed;
            return pushes;
          };
          return { ...connection, push };
        },
      }),
      exclusions: () => Promise.resolve({ excludes: () => false, dispose: () => undefined }),
      user: () => 'u',
      breather: createBreather,
      random: () => 0.5,
      onStanding(standing) {
        standings.push(standing);
        told?.();
      },
    })({ store, source: hub, state: hub.state, clock: quickClock(), log });

    // Nobody has told this window that the address was taken back.
    await until('off');
    await removed;
    const counts = `SELECT ${tables.map((name) => `(SELECT count(*)::int FROM agent_mascot.${name}) AS ${name}`).join(', ')}`;
    expect(await postgres.query(url, counts)).toEqual([Object.fromEntries(tables.map((name) => [name, 0]))]);
    expect(standings.filter(({ kind }) => kind === 'upToDate')).toEqual([]);

    // Connected once more, it goes there as a whole.
    secret = url;
    for (const each of listeners) each('postgres.url');
    await until('upToDate');
    const [count] = await postgres.query(url, 'SELECT count(*)::int AS n FROM agent_mascot.interactions');
    expect(count).toEqual({ n: 4 * 300 * 3 });
    await sink.close();
  });

  test('SNK-1 CNV-4 a schema of the first release loses the words of other sessions, and those who may read its views may go on', async () => {
    const url = await postgres.database('earlier');
    await postgres.query(
      url,
      `${makeSchema}; ${makeMigrations}; ${schemaSteps[0]?.sql}; INSERT INTO agent_mascot.migrations VALUES (1);
       ALTER TABLE agent_mascot.sessions DROP COLUMN waits;
       CREATE VIEW agent_mascot.waiting_now AS
         SELECT s.user_name, m.host, s.project, s.title, s.phase AS waits_for, s.waits_for_tool AS tool,
           s.waits_for_target AS target, s.phase_since AS since, now() - s.phase_since AS waiting, s.machine_id, s.session_id
         FROM agent_mascot.sessions s JOIN agent_mascot.machines m USING (machine_id);
       CREATE ROLE reader; GRANT SELECT ON ALL TABLES IN SCHEMA agent_mascot TO reader;`,
    );
    const insert = (id: string) =>
      postgres.query(
        url,
        `INSERT INTO agent_mascot.session_events (machine_id, id, event_type, details)
         VALUES ('m2', $1, 'context_loaded', '{"text":"their words","tokens":"9"}'), ('m2', $1 || '-', 'user_request', '{"text":"own"}')`,
        [id],
      );
    await insert('before');
    // Looking takes no step, which might lock everybody out for long.
    const version = async () => postgres.query(url, 'SELECT max(id) AS version FROM agent_mascot.migrations');
    expect([await databaseOf('m1', url).look(), await version()]).toMatchObject([{ sessions: 0 }, [{ version: 1 }]]);
    await (await databaseOf('m1', url).connect()).close();
    const left = await postgres.query(url, 'SELECT details FROM agent_mascot.session_events ORDER BY id');
    expect(left).toEqual([{ details: { tokens: '9' } }, { details: { text: 'own' } }]);
    // A machine of the first release may be connected for hours yet.
    await expect(insert('after')).rejects.toMatchObject({ code: '23514' });
    const [may] = await postgres.query(
      url,
      `SELECT has_table_privilege('reader', 'agent_mascot.waiting_now', 'SELECT')`,
    );
    expect(may).toEqual({ has_table_privilege: true });
  });

  test('SNK-1 CNV-1 how a call ended is told of those that are not logged, too; contents that retention took here stay there', async () => {
    const url = await postgres.database('bare');
    const one = await machine('m1', url);
    const [, begins, ends] = turns('s1', 0, 1);
    const [, silentBegin, silentEnd] = turns('s2', 0, 1).map((event) => withoutContent(event, true));
    await one.say([begins!, silentBegin!]);
    await upToDate(one, () => one.start());
    const calls = () =>
      postgres.query(
        url,
        'SELECT outcome, skill_args, content, metadata FROM agent_mascot.interactions ORDER BY session_id',
      );
    const first = { outcome: 'running', skill_args: { n: 0 }, content: null };
    const silent = { skill_args: null, content: null };
    expect(await calls()).toMatchObject([first, { ...silent, outcome: 'running' }]);
    await upToDate(one, () => one.say([ends!, silentEnd!]));
    const whole = { outcome: 'failed', skill_args: { n: 0 }, content: 'exit 1', metadata: { error: 'exit 1' } };
    expect(await calls()).toMatchObject([whole, { ...silent, outcome: 'failed' }]);
    await one.stop();
    const before = await calls();
    await one.store.trim({ sessionId: begins!.session_id, strip: [begins!.id, ends!.id] });
    await postgres.query(url, `UPDATE agent_mascot.machines SET pushes = 0`);
    await upToDate(one, () => one.start());
    expect(await calls()).toEqual(before);
  });

  test('SNK-1 CNV-4 sessions whose ids PostgreSQL can’t tell apart, and one whose own row it lacks, are erased each alone', async () => {
    const url = await postgres.database('ids');
    const one = await machine('m1', url);
    const of = (id: string, name: string) => turns(id, 0, 2).map((event, n) => ({ ...event, id: `${name}-${n}` }));
    await one.say([...of('x\0', 'nul'), ...of('x\ud800', 'half'), ...of('x\ufffd', 'letter'), ...of('lost', 'lost')]);
    await upToDate(one, () => one.start());
    expect(one.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
    await postgres.query(url, `DELETE FROM agent_mascot.sessions WHERE session_id = 'lost'`);
    const gone = ['x\0', 'lost'];
    await one.store.erase({ sessions: gone });
    await upToDate(one, () => one.hub.erase(gone));
    const left = await postgres.query(
      url,
      `SELECT DISTINCT split_part(id, '-', 1) AS name FROM agent_mascot.interactions
       UNION SELECT split_part(id, '-', 1) FROM agent_mascot.session_events ORDER BY 1`,
    );
    expect(left).toEqual([{ name: 'half' }, { name: 'letter' }]);
    expect(await postgres.query(url, 'SELECT session_id FROM agent_mascot.sessions ORDER BY 1')).toHaveLength(2);
  });

  test('SNK-1 CNV-2 the sessions of a machine that are not known to be over are found page by page', async () => {
    const url = await postgres.database('pages');
    const connection = await databaseOf('m1', url).connect();
    await postgres.query(
      url,
      `INSERT INTO agent_mascot.sessions (machine_id, session_id, is_final)
         SELECT 'm1', 'a' || n, CASE n % 3 WHEN 0 THEN true WHEN 1 THEN false END FROM generate_series(10, 29) n;
       INSERT INTO agent_mascot.sessions (machine_id, session_id, is_final) VALUES ('m2', 'a1', false)`,
    );
    const found: string[] = [];
    for (let page = await connection.openSessionsAfter('', 3); page.length > 0;) {
      found.push(...page);
      page = await connection.openSessionsAfter(page.at(-1)!, 3);
    }
    await connection.close();
    const open = Array.from({ length: 20 }, (_, n) => n + 10).filter((n) => n % 3 !== 0);
    expect(found).toEqual(open.map((n) => `a${n}`));
  });

  test('SNK-1 machines that start at once make the schema once, and each has its own rows', async () => {
    const url = await postgres.database('several');
    const machines = await Promise.all(['m1', 'm2', 'm3', 'm4'].map((id) => machine(id, url)));
    for (const each of machines) await each.say(turns('same', 0, 3));
    await Promise.all(machines.map((each) => upToDate(each, () => each.start())));
    expect(machines.flatMap((each) => each.standings.filter(({ kind }) => kind === 'trouble'))).toEqual([]);
    for (const [index, each] of machines.entries())
      expect(await interactionsIn(url, `m${index + 1}`)).toEqual(expectedIds(each));
  });

  test('SNK-1 the questions of a team are views: who waits now, sessions per day, failures by tool', async () => {
    const url = await postgres.database('views');
    const one = await machine('m1', url);
    const now = new Date().toISOString();
    const waits = { ...turns('w1', 0, 1)[1]!, id: 'w1-wait', ts: now, event_type: 'agent_blocked' as const };
    const asked = { ...waits, payload: { reason: 'permission', tool_name: 'Bash', target: 'rm -r build' } };
    // STA-2: nobody is waited for after a minute of silence.
    const rests = {
      ...waits,
      id: 'i1-idle',
      session_id: 'i1',
      agent_id: 'i1/main',
      event_type: 'notification' as const,
    };
    const idle = { ...rests, payload: { notification_type: 'idle_prompt' } };
    await one.say([...turns('s1', 0, 6), ...turns('w1', 0, 1), asked, ...turns('i1', 0, 1), idle]);
    await upToDate(one, () => one.start());
    const shown = one.hub.snapshot().sessions.find(({ id }) => id === 'w1');
    const waiting = await postgres.query(
      url,
      'SELECT user_name, host, session_id, waits_for FROM agent_mascot.waiting_now',
    );
    expect([shown?.phase, waiting]).toEqual([
      'waiting_permission',
      [{ user_name: 'user-m1', host: 'host-m1', session_id: 'w1', waits_for: 'waiting_permission' }],
    ]);
    const tools = await postgres.query(url, 'SELECT tool, calls::int, failed::int FROM agent_mascot.failures_by_tool');
    expect(tools).toEqual([
      { tool: 'Bash', calls: 4, failed: 4 },
      { tool: 'Edit', calls: 4, failed: 0 },
    ]);
    const days = await postgres.query(url, 'SELECT sum(sessions)::int AS n FROM agent_mascot.sessions_per_day');
    expect(days).toEqual([{ n: 3 }]);
    for (const view of ['failed_checks', 'work_in_progress'])
      await postgres.query(url, `SELECT * FROM agent_mascot.${view}`);
  });

  test('SNK-1 work items are copied, and go with everything that is erased', async () => {
    const url = await postgres.database('work');
    const one = await machine('m1', url);
    const item = {
      id: 'A-1',
      title: 'first',
      status: 'running',
      dependencies: [],
      project: '/p',
      sessions: [],
    } as const;
    const rest = { workers: [], files: ['a.ts'], touches: [], createdAt: '2026-01-01T00:00:00.000Z' };
    const whole = { ...item, ...rest, key: '/p#A-1', dependencies: [], sessions: [], status: 'running' as const };
    const change = (title: string) => async () => {
      await one.store.work.change(() => ({ save: [{ ...whole, title }] }));
      one.hub.reworked();
    };
    await change('first')();
    await upToDate(one, () => one.start());
    await upToDate(one, change('second'));
    const items = () => postgres.query(url, 'SELECT id, title, status, files FROM agent_mascot.work_items');
    expect(await items()).toEqual([{ id: 'A-1', title: 'second', status: 'running', files: ['a.ts'] }]);
    await one.store.erase({ sessions: 'all' });
    await upToDate(one, () => one.hub.erase(['s1']));
    expect(await items()).toEqual([]);
  });

  test('SNK-1 what the person excludes does not leave, and a row that PostgreSQL refuses keeps no other back', async () => {
    const url = await postgres.database('odd');
    const one = await machine('m1', url);
    const odd = turns('odd', 0, 1).map((event) => ({ ...event, ts: event.ts.replace('2026', '+292278') }));
    await one.say([...turns('s1', 0, 2), ...odd]);
    await one.say(turns('s2', 0, 1).map((event) => ({ ...event, project: { path: '/secret' } })));
    await upToDate(one, () => one.start(undefined, (folder) => folder.startsWith('/secret')));
    const ids = await interactionsIn(url, 'm1');
    expect([ids.filter((id) => id.startsWith('s1')).length, ids.filter((id) => id.startsWith('s2'))]).toEqual([6, []]);
    expect(one.log.lines.filter((line) => line.includes('PostgreSQL refuses a row')).length).toBeGreaterThan(0);
  });

  describe('what keeps it from the database is told by its kind', () => {
    async function troubleWith(url: string, caFile = ''): Promise<string> {
      const folder = await temporaryFolder();
      const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
      const one = machineWith(store, 'm', url, { caFile });
      const told = one.standing('trouble');
      one.start();
      const standing = await told;
      await one.close();
      await folder[Symbol.asyncDispose]();
      if (standing.kind !== 'trouble') throw new Error('no trouble');
      expect(JSON.stringify([one.standings, one.log.lines])).not.toContain(PASSWORD);
      return standing.trouble;
    }

    test('SNK-1 a wrong password, an unknown host, database or address, nobody there, no TLS, a file that is none', async () => {
      const of = (options: Parameters<Postgres['urlOf']>[1], name = 'postgres') => postgres.urlOf(name, options);
      const told = [
        await troubleWith(of({ password: 'wrong' })),
        await troubleWith(of({ host: 'nowhere.invalid', query: '?sslmode=disable' })),
        await troubleWith(of({}, 'none')),
        await troubleWith('mysql://localhost/x'),
        await troubleWith(of({}).replace(String(postgres.port), '1')),
        await troubleWith(of({ query: '?sslmode=require' })),
        await troubleWith(of({ query: '?sslmode=verify-full' }), '/none.pem'),
      ];
      expect(told).toEqual(['password', 'host', 'database', 'address', 'unreachable', 'tls', 'caFile']);
    });

    test('SNK-1 no right to make the schema', async () => {
      const url = await postgres.database('rights');
      await postgres.query(url, `CREATE ROLE weak LOGIN PASSWORD 'weak'`);
      const weak = postgres.urlOf('rights', { user: 'weak', password: 'weak' });
      expect(await troubleWith(weak)).toBe('rights');
      await expect(databaseOf('m1', weak).look()).rejects.toMatchObject({ kind: 'rights' });
    });

    test('SNK-1 no right to write is told before the person said yes, also where all may be read', async () => {
      const url = await postgres.database('reading');
      await (await databaseOf('m1', url).connect()).close();
      await postgres.query(
        url,
        `CREATE ROLE reads LOGIN PASSWORD 'weak'; GRANT USAGE ON SCHEMA agent_mascot TO reads;
         GRANT SELECT ON ALL TABLES IN SCHEMA agent_mascot TO reads`,
      );
      const reads = databaseOf('m1', postgres.urlOf('reading', { user: 'reads', password: 'weak' }));
      for (const right of ['INSERT', 'UPDATE', 'DELETE']) {
        await expect(reads.look()).rejects.toMatchObject({ kind: 'rights' });
        await postgres.query(url, `GRANT ${right} ON ALL TABLES IN SCHEMA agent_mascot TO reads`);
      }
      expect(await reads.look()).toMatchObject({ machines: 0, sessions: 0 });
      expect(await postgres.query(url, 'SELECT machine_id FROM agent_mascot.machines')).toEqual([]);
    });

    test('SNK-1 looking, before the person said yes, tries all that it takes and leaves nothing', async () => {
      const url = await postgres.database('looked');
      const nothing = { seenAt: undefined, machines: 0, sessions: 0, interactions: 0, sessionEvents: 0, workItems: 0 };
      expect(await databaseOf('m1', url).look()).toEqual(nothing);
      const made = `SELECT count(*)::int AS n FROM pg_namespace WHERE nspname = 'agent_mascot'`;
      expect(await postgres.query(url, made)).toEqual([{ n: 0 }]);
      await (await databaseOf('m1', url).connect()).close();
      expect(await databaseOf('m1', url).look()).toEqual(nothing);
    });

    test('SNK-1 a schema that a newer release made is not touched', async () => {
      const url = await postgres.database('newer');
      await postgres.query(
        url,
        `CREATE SCHEMA agent_mascot; CREATE TABLE agent_mascot.migrations (id int); INSERT INTO agent_mascot.migrations VALUES (99)`,
      );
      expect(await troubleWith(url)).toBe('newer');
      const found = await postgres.query(
        url,
        `SELECT relname FROM pg_class WHERE relnamespace = 'agent_mascot'::regnamespace`,
      );
      expect(found).toEqual([{ relname: 'migrations' }]);
    });
  });

  test('SNK-1 PostgreSQL is killed in mid-stream, again and again, and in the end has everything once', async () => {
    try {
      const url = await postgres.database('killed');
      const one = await machine('m1', url);
      await seed(one.store, 5, 500);
      await one.say(turns('s', 0, 250));
      const done = one.standing();
      let kills = 3;
      one.start((pushes) => {
        // Without waiting for it: the next push is under way by then.
        if (pushes % 3 === 2 && kills-- > 0) void postgres.kill().then(postgres.start);
      });
      await done;
      expect(one.standings.filter(({ kind }) => kind === 'trouble').length).toBeGreaterThan(0);
      expect([kills < 3, await interactionsIn(url, 'm1')]).toEqual([true, expectedIds(one)]);
      // Closing does not wait for a server that is gone.
      await postgres.kill();
      const from = performance.now();
      await one.stop();
      expect(performance.now() - from).toBeLessThan(1_000);
    } finally {
      await postgres.kill();
      await postgres.start();
    }
  });

  test('SNK-1 MWN-2 who joined last writes: a connection that was there before, and wakes up, is refused and leaves nothing', async () => {
    const url = await postgres.database('deposed');
    const [old, other] = [await databaseOf('m1', url).connect(), await databaseOf('m2', url).connect()];
    const row = (id: string) => ({ rows: { interactions: [JSON.stringify({ id, session_id: 's' })] }, gone: {} });
    await Promise.all([old.join(), other.join()]);
    expect([await old.push(row('1')), await old.push(row('2'))]).toEqual([1, 2]);
    const now = await databaseOf('m1', url).connect();
    expect(now.standing.pushes).toBe(2);
    await now.join();
    await expect(old.push(row('3'))).rejects.toMatchObject({ kind: 'other' });
    await expect(old.erase(['s'])).rejects.toMatchObject({ kind: 'other' });
    await expect(old.join()).rejects.toMatchObject({ kind: 'other' });
    expect(await now.push(row('4'))).toBe(4);
    expect(await now.erase([])).toBe(5);
    expect(await interactionsIn(url, 'm1')).toEqual(['1', '2', '4']);
    expect(await other.push(row('5'))).toBe(1);
    await now.removeMachine();
    await expect(now.push(row('6'))).rejects.toMatchObject({ kind: 'removed' });
    for (const each of [old, now, other]) await each.close();
  });

  test('SNK-1 MWN-2 of a push that is under way and somebody who joins one goes through, and what was refused left nothing', async () => {
    const url = await postgres.database('racing');
    const many = Array.from({ length: 2_000 }, (_, n) => JSON.stringify({ id: `r${n}`, session_id: 's' }));
    for (let round = 0; round < 6; round++) {
      const old = await databaseOf('m1', url).connect();
      await old.join();
      const next = await databaseOf('m1', url).connect();
      const pushing = old.push({ rows: { interactions: many }, gone: {} });
      // Sooner and later: before its first statement, and when it holds the machine's row.
      for (let turn = 0; turn < round; turn++) await old.openSessionsAfter('', 1).catch(() => undefined);
      const [pushed, joined] = await Promise.allSettled([pushing, next.join()]);
      expect([pushed.status, joined.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const rows = (await interactionsIn(url, 'm1')).length;
      expect(rows).toBe(pushed.status === 'fulfilled' ? many.length : 0);
      await postgres.query(url, 'DELETE FROM agent_mascot.interactions');
      for (const each of [old, next]) await each.close();
    }
  });

  describe.skipIf(process.platform === 'win32')('the process that copies', () => {
    let programs: AsyncDisposable & { readonly path: string };
    beforeAll(async () => {
      programs = await temporaryFolder();
      await buildPrograms(programs.path, 'sinkChild.ts');
      return () => programs[Symbol.asyncDispose]();
    });

    function run(options: SinkChildOptions) {
      writeFileSync(path.join(options.folder, 'owner'), String(options.generation));
      const child = spawn(process.execPath, [path.join(programs.path, 'child.mjs'), '', JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        async until(wanted: (line: string) => boolean): Promise<void> {
          for (;;) {
            const { value, done } = await lines.next();
            if (done) throw new Error('it ended');
            if (wanted(value)) return;
          }
        },
        signal: (signal: NodeJS.Signals) => void child.kill(signal),
        async [Symbol.asyncDispose]() {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    }

    async function seeded(name: string) {
      const url = await postgres.database(name);
      const folder = await temporaryFolder();
      const { store } = await openIn(folder.path, { fs: unsyncedFileSystem, sealAfterBytes: 1e9 });
      await seed(store, 6, 300);
      await store.close();
      ends.push(async () => folder[Symbol.asyncDispose]());
      return { url, folder: folder.path };
    }

    async function takeOver(folder: string, generation: number, url: string): Promise<Machine> {
      writeFileSync(path.join(folder, 'owner'), String(generation));
      const options = { fs: unsyncedFileSystem, sealAfterBytes: 1e9, generation };
      const { store } = await openIn(folder, options);
      const made = machineWith(store, 'm1', url);
      ends.push(async () => {
        await made.close();
      });
      await upToDate(made, () => made.start());
      return made;
    }

    test('SNK-1 killed in mid-backlog, twice, it leaves nothing out: the next owner goes on, and everything is there once', async () => {
      const { url, folder } = await seeded('dying');
      for (const generation of [2, 3]) {
        await using child = run({ folder, generation, machine: 'm1', url });
        let pushes = 0;
        await child.until((line) => line.startsWith('+') && ++pushes === 2);
      }
      const before = (await interactionsIn(url, 'm1')).length;
      const owner = await takeOver(folder, 4, url);
      const ids = await interactionsIn(url, 'm1');
      expect([before > 0, before < ids.length]).toEqual([true, true]);
      expect(ids).toEqual(expectedIds(owner));
    });

    test('SNK-1 MWN-2 stopped in mid-backlog and woken after another owner has copied all, it pushes nothing any more', async () => {
      const { url, folder } = await seeded('sleeping');
      await using child = run({ folder, generation: 2, machine: 'm1', url });
      await child.until((line) => line.startsWith('+'));
      child.signal('SIGSTOP');
      const owner = await takeOver(folder, 3, url);
      await owner.store.erase({ sessions: ['seed5'] });
      await upToDate(owner, () => owner.hub.erase(['seed5']));
      const ids = await interactionsIn(url, 'm1');
      child.signal('SIGCONT');
      await child.until((line) => line === 'trouble');
      expect(await interactionsIn(url, 'm1')).toEqual(ids);
      expect(ids).toEqual(expectedIds(owner));
      await upToDate(owner, () => owner.say(turns('s1', 0, 1)));
      expect(owner.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
    });
  });

  test.skipIf(!pgBouncer)(
    'SNK-1 CNV-4 behind a pool that gives each transaction to another connection: looked, copied, erased',
    async () => {
      const direct = await postgres.database('pooled');
      await using pool = await startPool(postgres, 'pooled');
      const one = await machine('m1', pool.url);
      expect(await databaseOf('m1', pool.url).look()).toMatchObject({ machines: 0 });
      await seed(one.store, 3, 200);
      await one.say(turns('s1', 0, 5));
      await upToDate(one, () => one.start());
      expect(await interactionsIn(direct, 'm1')).toEqual(expectedIds(one));
      await one.store.erase({ sessions: ['seed1'] });
      await upToDate(one, () => one.hub.erase(['seed1']));
      expect(await interactionsIn(direct, 'm1')).toEqual(expectedIds(one));
      expect(one.standings.filter(({ kind }) => kind === 'trouble')).toEqual([]);
    },
  );

  test('SNK-1 a database that was put back to an earlier state, or is another one, gets everything again', async () => {
    const url = await postgres.database('restored');
    const one = await machine('m1', url);
    await one.say(turns('s1', 0, 4));
    await upToDate(one, () => one.start());
    await one.stop();
    await postgres.query(url, `UPDATE agent_mascot.machines SET pushes = 0; DELETE FROM agent_mascot.interactions`);
    await upToDate(one, () => one.start());
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
    await one.stop();
    await postgres.query(url, 'DROP SCHEMA agent_mascot CASCADE');
    await upToDate(one, () => one.start());
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
  });

  test('SNK-1 a long backlog goes out in bounded steps, and holds nobody up for long', async () => {
    const url = await postgres.database('backlog');
    const one = await machine('m1', url);
    const sessions = isThorough ? 50 : 15;
    await seed(one.store, sessions, 500);
    const done = one.standing();
    const holdUps = watchHoldUps();
    one.start();
    await done;
    const { longestWork } = holdUps();
    const [count] = await postgres.query(
      url,
      `SELECT (SELECT count(*)::int FROM agent_mascot.interactions) + (SELECT count(*)::int FROM agent_mascot.session_events) AS n`,
    );
    expect(count).toEqual({ n: sessions * 500 * 4 });
    expect(longestWork).toBeLessThan(LONGEST_WORK_MS);
  });

  test.skipIf(!hasOpenssl)(
    'SNK-1 TLS: an unknown certificate is refused, a known one is not, and one of another host only where that was asked for',
    async () => {
      const files = ['server.key', 'server.crt'].map((name) => path.join(postgres.folder, 'data', name));
      const [key = '', certificate = ''] = files;
      const asked = ['-days', '2', '-subj', '/CN=db.example', '-addext', 'subjectAltName=DNS:db.example'];
      execFileSync(
        'openssl',
        ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...asked],
        { stdio: 'ignore' },
      );
      chmodSync(key, 0o600);
      for (const file of files) postgres.give(file);
      await postgres.kill();
      postgres.options.push('ssl=on');
      await postgres.start();
      const look = async (mode: string, caFile = '') => {
        try {
          await databaseOf('m', postgres.urlOf('postgres', { query: `?sslmode=${mode}` }), caFile).look();
          return 'connected';
        } catch (error) {
          return (error as SinkTrouble).kind;
        }
      };
      expect([
        await look('require'),
        await look('verify-ca'),
        await look('verify-ca', certificate),
        await look('verify-full', certificate),
      ]).toEqual(['connected', 'tls', 'connected', 'tls']);
    },
  );
});
