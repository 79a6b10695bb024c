import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writePortFile, writeProofKey } from '../../forwarder/forwarder.testkit.ts';
import { fakeCollector, type FakeCollector } from './fakeCollector.testkit.ts';

let there: FakeCollector;
let project = '';
beforeEach(() => {
  there = fakeCollector();
  project = path.join(there.home, 'a project');
  mkdirSync(path.join(project, '.git'), { recursive: true });
});
afterEach(() => there.end());

const anItem = (changes: Readonly<Record<string, unknown>> = {}) => ({
  key: 'k/fix-login',
  id: 'fix-login',
  title: 'Fix the login',
  status: 'pending',
  dependencies: [],
  project: '/p',
  createdAt: '2026-11-18T11:00:00.000Z',
  sessions: [],
  files: [],
  touches: [],
  ...changes,
});
const running = { status: 'running', startedAt: '2026-11-18T11:55:00.000Z' };
const done = { status: 'done', finishedAt: '2026-11-16T11:00:00.000Z' };

/** In the project, with these variables. */
function mascot(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const scene = there.scene(env);
  scene.cwd = project;
  scene.processes = [41, 7, 1].map((pid) => ({ pid, parent: 0, name: 'zsh' }));
  return scene.run(...args);
}

const inSession = { MASCOT_SESSION_ID: 's-1' };

describe('GRD-1 mascot work', () => {
  test.each([
    [
      ['create', 'fix-login', '--title', '로그인을 고친다'],
      inSession,
      { id: 'fix-login', title: '로그인을 고친다', session: 's-1' },
    ],
    [
      ['create', '--title', '--dry-run is wrong', 'fix.x'],
      inSession,
      { id: 'fix.x', title: '--dry-run is wrong', session: 's-1' },
    ],
    [['create', '로그인', '--start'], inSession, { id: '로그인', start: true, session: 's-1' }],
    [
      ['create', 'b', '--needs', ' a, c ,,a', '--needs=d'],
      { MASCOT_SESSION_ID: '' },
      { id: 'b', dependencies: ['a', 'c', 'd'], processes: [41, 7, 1], project: 'around' },
    ],
    [['create', 'b', '--session', 's-2'], inSession, { id: 'b', session: 's-2' }],
    [['create', 'b', '--project', '.'], inSession, { id: 'b', session: 's-1', project: 'around' }],
  ])('GRD-1 %j asks for what was said, and says for whom', async (args, env, body) => {
    await there.serve(() => ({ item: anItem(), changed: true }));
    const { code, complaints } = await mascot(['work', ...args], env);
    const wanted = 'project' in body ? { ...body, project } : body;
    expect([code, complaints, there.asked]).toEqual([
      0,
      '',
      [{ method: 'POST', path: '/api/work-items', body: wanted }],
    ]);
  });

  test.each([
    [
      ['create', 'fix-login'],
      anItem(),
      true,
      'Created "fix-login" (pending). Start it with: mascot work start fix-login',
    ],
    [
      ['create', 'fix-login', '--needs', 'a'],
      anItem({ dependencies: ['a', 'b'] }),
      true,
      'Created "fix-login" (pending). Once a, b ended, start it with: mascot work start fix-login',
    ],
    [
      ['create', 'fix-login', '--start'],
      anItem(running),
      true,
      'Created and started "fix-login". Edits belong to it now. When it is done: mascot work end fix-login',
    ],
    [
      ['start', 'fix-login'],
      anItem(running),
      true,
      'Started "fix-login". Edits belong to it now. When it is done: mascot work end fix-login',
    ],
    [
      ['start', 'fix-login'],
      anItem(running),
      false,
      '"fix-login" is running already. Edits belong to it now. When it is done: mascot work end fix-login',
    ],
    [['end', 'fix-login'], anItem(done), true, 'Ended "fix-login" (done).'],
    [['end', 'fix-login', '--cancel'], anItem(done), false, '"fix-login" has ended already (done).'],
  ])('GRD-1 %j says what came of it and what is next', async (args, item, changed, said) => {
    await there.serve(() => ({ item, changed }));
    const { code, out } = await mascot(['work', ...args], inSession);
    expect([code, out]).toEqual([0, said]);
    const json = await mascot(['work', ...args, '--json'], inSession);
    expect([json.code, JSON.parse(json.out)]).toEqual([0, { item, changed }]);
  });

  test('GRD-1 start and end go to the item; what is next names the project that was named', async () => {
    await there.serve(() => ({ item: anItem(running), changed: true }));
    const start = await mascot(['work', 'start', '로그인', '--project', project], inSession);
    await mascot(['work', 'end', 'fix-login', '--cancel'], inSession);
    expect(start.out).toContain(`mascot work end fix-login --project '${project}'`);
    expect(there.asked).toEqual([
      {
        method: 'POST',
        path: `/api/work-items/${encodeURIComponent('로그인')}/start`,
        body: { session: 's-1', project },
      },
      { method: 'POST', path: '/api/work-items/fix-login/end', body: { cancel: true, session: 's-1' } },
    ]);
  });

  test('GRD-1 what is next is named by its whole path where the shell would not find it', async () => {
    await there.serve(() => ({ item: anItem(), changed: true }));
    const bin = path.join(there.home, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'mascot'), '');
    const said = async (env: Readonly<Record<string, string>>) =>
      (await mascot(['work', 'create', 'fix-login'], { ...inSession, ...env })).out;
    expect(await said({ PATH: '/nowhere' })).toContain(`Start it with: ${bin}/mascot work start fix-login`);
    expect(await said({ PATH: `/nowhere:${bin}` })).toContain('Start it with: mascot work start fix-login');
  });

  test.each([
    [
      ['create', 'fix login'],
      '"fix login" can\'t be an id: an id takes letters, digits, ".", "_" and "-", and begins with a letter or a digit (at most 80); write fix-login;',
    ],
    [['start', 'Fix', 'the', 'login!'], 'write fix-the-login;'],
    [['create', '$(rm)'], 'write rm;'],
    [['create', '···'], '"···" can\'t be an id'],
    [['create'], 'the id is missing'],
    [['create', 'a', '--needs', 'b c$'], '--needs takes ids, as in a,b: "c$" can\'t be one'],
    [['create', 'a', '--needs', ' , '], '--needs takes ids, as in a,b;'],
    [['create', 'a', '--title', '  '], '--title takes a sentence'],
    [['create', 'a', '--session', ' '], '--session takes the id of a session; "mascot sessions" lists them'],
    [['start', 'a', '--project', 'nowhere'], 'there is no folder'],
    [['list', '--all', '--project', '.'], '--all and --project can’t be used together'],
    [['list', 'x'], '"x" is not understood here'],
    [['begin', 'x'], '"mascot work" takes one of create, start, end, list, show'],
    [[], '"mascot work" takes one of create, start, end, list, show'],
  ])('GRD-1 HKI-9 work %j is wrong usage and asks nobody', async (args, words) => {
    await there.serve(() => ({}));
    const { code, complaints } = await mascot(['work', ...args], inSession);
    expect([code, there.asked]).toEqual([2, []]);
    expect(complaints).toContain(words);
  });

  test.each([
    [
      409,
      { error: '"b" needs "a", which is running: end that first\u001b[2J' },
      'mascot: "b" needs "a", which is running: end that first [2J',
    ],
    [404, { error: 'no work item has this id' }, 'mascot: no work item has this id'],
    [404, { ok: false, error: 'not found' }, /is older than this command.*update the Agent Mascot extension/],
    [405, { ok: false, error: 'method not allowed' }, /is older than this command/],
    [500, {}, /answered 500; is it Agent Mascot/],
  ])('GRD-1 HKI-9 a refusal by %i ends with 1 and says why', async (status, body, words) => {
    await there.serve(() => [status, body]);
    const { code, out, complaints } = await mascot(['work', 'start', 'b'], inSession);
    expect([code, out]).toEqual([1, '']);
    if (typeof words === 'string') expect(complaints).toBe(words);
    else expect(complaints).toMatch(words);
  });

  test('GRD-1 HKI-9 without a collector all of them end with 3', async () => {
    for (const args of [['create', 'a'], ['start', 'a'], ['end', 'a'], ['list'], ['show', 'a']]) {
      const { code } = await mascot(['work', ...args], { ...inSession, MASCOT_COLLECTOR_URL: 'http://127.0.0.1:1' });
      expect([args[0], code]).toEqual([args[0], 3]);
    }
  });

  test('GRD-1 the list has what runs first, since when, and what is still needed', async () => {
    const items = [
      anItem({ id: 'old', title: 'Old', ...done, finishedAt: '2026-11-10T11:00:00.000Z' }),
      anItem({ id: 'design', title: '디자인', ...done }),
      anItem({ id: 'ship', title: 'Ship \u001b[2J it', dependencies: ['design', 'fix-login'] }),
      anItem({ id: 'early', title: '', createdAt: '2026-11-18T10:00:00.000Z', dependencies: ['design', 'gone'] }),
      anItem({ id: 'long', ...running, startedAt: '2026-11-18T09:00:00.000Z' }),
      anItem(running),
    ];
    await there.serve(({ path: asked }) =>
      asked.includes('cursor=2') ? { items: items.slice(4), next: null } : { items: items.slice(0, 4), next: '2' },
    );
    const { code, out } = await mascot(['work', 'list', '--limit', '5']);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      '   ID         STATUS   SINCE  NEEDS      TITLE',
      '*  fix-login  running  5 min  -          Fix the login',
      '*  long       running  3 h    -          Fix the login',
      '   early      pending  2 h    -          early',
      '   ship       pending  1 h    fix-login  Ship  [2J it',
      '   design     done     2 d    -          디자인',
      'There are 1 more: raise --limit.',
    ]);
    const encoded = encodeURIComponent(project);
    expect(there.asked.map((asked) => asked.path)).toEqual([
      `/api/work-items?project=${encoded}&limit=500`,
      `/api/work-items?project=${encoded}&limit=500&cursor=2`,
    ]);
    const json = await mascot(['work', 'list', '--limit', '5', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ more: 1, items: [{ id: 'fix-login' }, { id: 'long' }, {}, {}, {}] });
  });

  test('GRD-1 the list of a session is of its project, wherever its shell is; --all is of every project', async () => {
    await there.serve(({ path: asked }) =>
      asked.startsWith('/api/sessions/') ? { id: 's-1', project: '/p' } : { items: [], next: null },
    );
    const own = await mascot(['work', 'list'], inSession);
    expect(own.out).toBe('No work items in /p. Create one with: mascot work create <id> --title "…" --start');
    const all = await mascot(['work', 'list', '--all'], inSession);
    expect(all.out.split('\n')).toEqual([
      'No work items. Create one with: mascot work create <id> --title "…" --start',
      expect.stringContaining('Only this project is shown'),
    ]);
    expect(there.asked.map((asked) => asked.path)).toEqual([
      '/api/sessions/s-1',
      '/api/work-items?project=%2Fp&limit=500',
      '/api/work-items?limit=500',
    ]);
  });

  test('GRD-1 the list of a shell whose session is known no more is of the project around', async () => {
    await there.serve(({ path: asked }) =>
      asked.startsWith('/api/sessions/') ? [404, { error: 'no session has this id' }] : { items: [], next: null },
    );
    expect((await mascot(['work', 'list'], inSession)).out).toContain(`No work items in ${project}.`);
    expect(await mascot(['work', 'list', '--session', 's-9'])).toMatchObject({
      code: 1,
      complaints: 'mascot: no session has this id',
    });
  });

  test('GRD-1 an item is shown with its needs, its sessions and their files, and what is next', async () => {
    const item = anItem({
      ...running,
      startedBy: 's-1',
      dependencies: ['design', 'gone'],
      touches: [
        { session: 's-1', files: ['src/a.ts', '앱/b\u202e.ts'] },
        { session: 's-2', files: [] },
      ],
    });
    await there.serve(({ path: asked }) =>
      asked.startsWith('/api/work-items/fix-login?') ? item : { items: [item, anItem({ id: 'design', ...done })] },
    );
    const { code, out } = await mascot(['work', 'show', 'fix-login']);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'fix-login',
      '  Title    Fix the login',
      '  Status   running',
      '  Needs    design (done), gone (unknown)',
      '  Project  /p',
      '  Created  2026-11-18T11:00:00.000Z (1 h ago)',
      '  Started  2026-11-18T11:55:00.000Z (5 min ago) by session s-1',
      '  Session s-1 edited 2 files:',
      '    src/a.ts',
      '    앱/b .ts',
      '  Session s-2 edited nothing',
      'When it is done: mascot work end fix-login',
    ]);
    expect(JSON.parse((await mascot(['work', 'show', 'fix-login', '--json'])).out)).toEqual(item);
  });

  test.each([
    [{}, 'Start it with: mascot work start fix-login'],
    [{ dependencies: ['design', 'api'] }, 'Before it can start these have to end: api'],
    [done, 'Open it again with: mascot work start fix-login'],
  ])('GRD-1 what is next of %j', async (changes, last) => {
    const items = [anItem({ id: 'design', ...done }), anItem({ id: 'api' })];
    await there.serve(({ path: asked }) => (asked.includes('fix-login') ? anItem(changes) : { items }));
    expect((await mascot(['work', 'show', 'fix-login'])).out.split('\n').at(-1)).toBe(last);
  });
});

describe('EVT-3 mascot event', () => {
  test.each([
    [
      ['decision', '--summary', '- use SQLite'],
      inSession,
      { type: 'decision', summary: '- use SQLite', session: 's-1' },
    ],
    [
      ['escalation', '--summary=키가 필요합니다', '--details', 'a\nb'],
      {},
      { type: 'escalation', summary: '키가 필요합니다', details: 'a\nb', processes: [41, 7, 1] },
    ],
    [['decision', '--summary', 'x', '--session', 's-2'], inSession, { type: 'decision', summary: 'x', session: 's-2' }],
  ])('EVT-3 %j is logged', async (args, env, body) => {
    await there.serve(() => ({ ok: true, id: 'e' }));
    const { code, out } = await mascot(['event', ...args], env);
    expect([code, out]).toEqual([0, `Logged the ${args[0]}.`]);
    expect(there.asked).toEqual([{ method: 'POST', path: '/api/session-events', body }]);
    expect(JSON.parse((await mascot(['event', ...args, '--json'], env)).out)).toEqual({ ok: true, id: 'e' });
  });

  test.each([
    [[], 'decision or escalation is missing'],
    [['thought', '--summary', 'x'], 'say decision or escalation, as in: mascot event decision --summary'],
    [['decision'], '--summary "…" is missing'],
    [['decision', '--summary', ' '], '--summary "…" is missing'],
    [['decision', 'use SQLite'], '"use SQLite" is not understood here'],
  ])('EVT-3 %j is wrong usage and asks nobody', async (args, words) => {
    await there.serve(() => ({}));
    const { code, complaints } = await mascot(['event', ...args], inSession);
    expect([code, there.asked]).toEqual([2, []]);
    expect(complaints).toContain(words);
  });

  test('EVT-3 where nothing tells which session it is, it is asked for', async () => {
    await there.serve(() => ({}));
    const scene = there.scene();
    const ran = await scene.run('event', 'decision', '--summary', 'x');
    expect([ran.code, there.asked]).toEqual([2, []]);
    expect(ran.complaints).toContain('give --session ID');
  });
});

describe('GRD-2 mascot status', () => {
  const state = {
    sessions: [],
    agents: [],
    workItems: [anItem({ ...running, project: '/p' }), anItem({ id: 'b', project: '/p' })],
  };
  const answering = (tracking: unknown, changes = {}) =>
    there.serve(({ path: asked }) =>
      asked.startsWith('/api/tracking') ? tracking : asked === '/api/state' ? { ...state, ...changes } : {},
    );
  const rows = async () => (await mascot(['status'])).out.split('\n').slice(5);

  test('GRD-2 HKI-9 tells the mode of the project at hand, what runs there, and edits that nobody judged', async () => {
    const tracking = { mode: 'strict', autoCreate: false, gaps: 2, project: '/p' };
    await answering(tracking);
    expect(await rows()).toEqual([
      'Project    /p',
      'Guard      strict: edits without a running work item are denied',
      '           2 edits were judged by nobody: it could not be asked',
      'Work       fix-login  Fix the login',
    ]);
    expect(there.asked.map((asked) => asked.path)).toContain(`/api/tracking?project=${encodeURIComponent(project)}`);
    expect(JSON.parse((await mascot(['status', '--json'])).out)).toMatchObject({ tracking });
  });

  test.each([
    [
      'warn',
      [
        'Guard      warn: edits without a running work item are noted',
        'Work       none runs: mascot work list, or mascot work create <id> --start',
      ],
    ],
    ['off', ['Guard      off: edits need no work item']],
  ])('GRD-2 HKI-9 mode %s with nothing running', async (mode, expected) => {
    await answering({ mode, autoCreate: false, gaps: 0, project: '/p' }, { workItems: [] });
    expect(await rows()).toEqual(['Project    /p', ...expected]);
  });

  test('GRD-2 HKI-9 an older collector is asked no more than it knows', async () => {
    await answering([404, { ok: false, error: 'not found' }]);
    expect(await rows()).toEqual([]);
  });
});

test('GRD-5 a person’s terminal sends the person’s token; a script and an agent’s shell do not', async () => {
  await there.serve(() => ({ item: anItem(), changed: true }));
  writeFileSync(path.join(there.home, 'person.key'), 'the-person\n', { mode: 0o600 });
  for (const { answers, env } of [
    { answers: [], env: {} },
    { answers: undefined, env: {} },
    { answers: [], env: inSession },
  ]) {
    const scene = there.scene(env);
    Object.assign(scene, { cwd: project, answers });
    expect((await scene.run('work', 'create', 'a')).code).toBe(0);
  }
  expect(there.tokens).toEqual(['the-person', undefined, undefined]);
});

test('SEC-7 does not send the person’s token if the port file’s owner is gone', async () => {
  const port = await there.serve(() => ({ items: [], next: null }));
  writeFileSync(path.join(there.home, 'person.key'), 'the-person\n', { mode: 0o600 });
  writePortFile(there.home, port, { pid: 4_000_000 });
  const scene = there.scene({ MASCOT_COLLECTOR_URL: `http://127.0.0.1:${port}` });
  Object.assign(scene, { cwd: project, answers: [] });
  expect((await scene.run('work', 'list')).code).toBe(0);
  expect(there.tokens).toEqual([undefined]);
});

describe('SEC-8 an agent whose variables name a collector', () => {
  const stranger = 'told by a stranger';
  async function listed(key: string | undefined, isPerson = false): Promise<readonly unknown[]> {
    const port = await there.serve(({ path: asked }) =>
      asked === '/health' ? 'ok' : { items: [anItem({ title: stranger })], next: null },
    );
    rmSync(path.join(there.home, 'collector.json'));
    if (key !== undefined) writeProofKey(there.home, key);
    const named = { MASCOT_COLLECTOR_URL: `http://127.0.0.1:${port}`, MASCOT_TOKEN: 'a-token' };
    const scene = there.scene(isPerson ? named : { ...inSession, ...named });
    Object.assign(scene, { cwd: project });
    const { code, out } = await scene.run('work', 'list');
    return [code, out.includes(stranger), there.asked.some(({ path: asked }) => asked !== '/health')];
  }

  test('SEC-8 reads and tells nothing there if it does not know the key of the home', async () => {
    expect(await listed('k'.repeat(43))).toEqual([3, false, false]);
  });

  test.each<readonly [string, string | undefined, boolean]>([
    ['a home without a key, as in a container', undefined, false],
    ['a person', 'k'.repeat(43), true],
  ])('SEC-8 counts for %s', async (_who, key, isPerson) => {
    expect(await listed(key, isPerson)).toEqual([0, true, true]);
  });
});

test('GRD-5 if the item belongs to its session’s project, the suggested commands name no other project', async () => {
  await there.serve(() => ({ item: anItem({ project: '/p' }), changed: true }));
  const { out } = await mascot(['work', 'create', 'fix-login', '--project', '.'], inSession);
  expect([out.includes('work start fix-login'), out.includes('--project')]).toEqual([true, false]);
});
