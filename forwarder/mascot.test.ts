import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rmSync, statSync } from 'node:fs';
import {
  buildForwarder,
  httpReply,
  jsonReply,
  runScript,
  startServer,
  temporaryFolder,
  testVersion,
  writePortFile,
} from './forwarder.testkit.ts';
import type { Answer, Bundles, Run, TestServer } from './forwarder.testkit.ts';
import { age, printable, sessionLines, statusLines } from './mascotText.ts';

const escape = '\u001b';
const session = {
  id: 'session-1',
  state: 'active',
  phase: 'waiting_permission',
  lastEventAt: '2026-11-18T12:00:00.000Z',
  project: '/home/dev/project',
  cwd: '/home/dev/project/sub',
  title: `Fix the ${escape}[31mred\nbutton`,
};
const sessions = [
  session,
  { ...session, id: 's2', phase: 'busy', project: '', cwd: 'C:\\work\\앱', title: '' },
  { ...session, id: 's3', state: 'completed', phase: null, lastEventAt: 'never' },
  { ...session, id: 's4', phase: 'waiting_question', phaseBecause: { detail: 'idle' }, title: 'idle' },
];
const owner = {
  instance: 'i',
  generation: 1,
  app: 'Visual Studio Code',
  version: '0.1.0',
  startedAt: '2026-11-18T11:00:00.000Z',
};
const state = { revision: 7, owner, sessions, agents: [{ present: true }, { present: false }, 7], workItems: [] };
const now = Date.parse('2026-11-18T12:05:30.000Z');

describe('HKI-9 what mascot prints', () => {
  it('HKI-9 status in words, the urgent first', () => {
    expect(statusLines(state, 'http://127.0.0.1:4820')).toEqual([
      'Collector  http://127.0.0.1:4820',
      'Runs in    Visual Studio Code 0.1.0',
      'Since      2026-11-18T11:00:00.000Z',
      'Sessions   3 · 1 waiting for permission · 1 ready · 1 busy',
      'Agents     1',
    ]);
  });

  it('HKI-9 sessions in columns that stay aligned with wide letters', () => {
    expect(sessionLines({ items: sessions, next: 'more' }, now)).toEqual([
      'ID         STATE      PHASE                   LAST   PROJECT  TITLE',
      'session-1  active     waiting for permission  5 min  project  Fix the  [31mred button',
      's2         active     busy                    5 min  앱       -',
      's3         completed  -                       -      project  Fix the  [31mred button',
      's4         active     ready                   5 min  project  idle',
      'There are more: raise --limit.',
    ]);
  });

  it.each([
    ['an empty list', { items: [], next: null }],
    ['an answer of another shape', { items: 'none' }],
  ])('HKI-9 %s says so', (_title, answer) => {
    expect(sessionLines(answer, now)).toEqual(['No sessions yet. Start an agent with the hooks installed.']);
  });

  it('HKI-9 a state of another version is shown as far as it is understood', () => {
    expect(statusLines({ sessions: [{ state: 'active', phase: 'dancing' }, null] }, 'x')[3]).toBe('Sessions   1');
  });

  it.each([
    [0, 'now'],
    [59_999, 'now'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
    [-5, 'now'],
    [Number.NaN, '-'],
  ])('HKI-9 %d ms ago is %s', (milliseconds, words) => {
    expect(age(milliseconds)).toBe(words);
  });

  it('HKI-9 no control or direction character reaches the terminal', () => {
    expect(printable(`a${escape}]0;x\u0007b\u202ec\r\nd`)).toBe('a ]0;x b c d');
  });
});

describe('HKI-9 the mascot command', () => {
  let bundles: Bundles;
  let home: string;
  let server: TestServer | undefined;
  beforeAll(async () => {
    bundles = await buildForwarder();
  });
  afterAll(() => bundles.remove());
  beforeEach(() => {
    home = temporaryFolder('mascot');
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    rmSync(home, { recursive: true, force: true });
  });

  const mascot = (...args: readonly string[]): Promise<Run> =>
    runScript(bundles.mascot, { args, env: { AGENT_MASCOT_HOME: home, MASCOT_COLLECTOR_URL: server?.url ?? '' } });

  async function serve(answer: Answer): Promise<string> {
    server = await startServer(answer);
    return writePortFile(home, server.port);
  }

  it('HKI-9 is small', () => {
    expect(statSync(bundles.mascot).size).toBeLessThan(20 * 1024);
  });

  it.each([
    [['--help'], 0, /Usage: mascot/, ''],
    [['--version'], 0, new RegExp(`^${testVersion}\n$`), ''],
    [[], 2, /^$/, 'say what to do'],
    [['dance'], 2, /^$/, 'there is no command "dance"'],
    [['constructor'], 2, /^$/, 'there is no command "constructor"'],
    [['status', '--loud'], 2, /^$/, '"--loud" is not understood here'],
    [['status', '--limit', '3'], 2, /^$/, '"--limit" is not understood here'],
    [['sessions', '--limit', '0'], 2, /^$/, '--limit takes a number from 1 to 500'],
    [['sessions', '--limit'], 2, /^$/, '--limit takes a number from 1 to 500'],
  ])('HKI-9 %j ends with %i', async (args, code, stdout, stderr) => {
    const run = await mascot(...args);
    expect(run.code).toBe(code);
    expect(run.stdout).toMatch(stdout);
    expect(run.stderr).toContain(stderr);
  });

  it('HKI-9 asks with the port file’s token, and prints text or JSON', async () => {
    const token = await serve(({ path }) =>
      jsonReply(200, path === '/api/state' ? state : { items: sessions, next: null }),
    );
    const [status, json, list, listJson] = [
      await mascot('status'),
      await mascot('status', '--json'),
      await mascot('sessions', '--limit', '7'),
      await mascot('sessions', '--json'),
    ];
    expect([status.code, json.code, list.code, listJson.code]).toEqual([0, 0, 0, 0]);
    expect(status.stdout).toContain('Sessions   3 · 1 waiting for permission · 1 ready · 1 busy\n');
    expect(JSON.parse(json.stdout)).toEqual(state);
    expect(list.stdout).toMatch(/^ID {9}STATE/);
    expect(JSON.parse(listJson.stdout)).toEqual({ items: sessions, next: null });
    const asked = server?.received.map(
      ({ method, path, headers }) => `${method} ${path} ${headers.get('authorization')}`,
    );
    expect(asked).toEqual(
      ['/api/state', '/api/state', '/api/sessions?limit=7', '/api/sessions?limit=50'].map(
        (path) => `GET ${path} Bearer ${token}`,
      ),
    );
  });

  it('HKI-9 ends with 3 when no collector runs', async () => {
    await serve(() => '');
    await server?.close();
    const run = await mascot('status');
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toMatch(/can't be reached/);
  });

  it.each([
    ['401', jsonReply(401, { ok: false }), /refused: set MASCOT_TOKEN/],
    ['404', httpReply(404, 'no'), /answered 404/],
    ['no JSON', httpReply(200, 'hello'), /answered 200; is it Agent Mascot/],
    ['garbage', 'nonsense\r\n', /gave no usable answer/],
  ])('HKI-9 ends with 1 when the collector answers %s', async (_title, answer, words) => {
    await serve(() => answer);
    const run = await mascot('sessions', '--json');
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(words);
  });
});
