import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  belowNobody,
  httpReply,
  jsonReply,
  type Run,
  runScript,
  startServer,
  temporaryFolder,
  type TestServer,
  unusedPort,
  usualPort,
  writePortFile,
} from '../../forwarder/forwarder.testkit.ts';
import { type Headless, startHeadless } from './headless.testkit.ts';

const script = path.join(import.meta.dirname, '../../dist/forwarder/mascot.mjs');
const session = {
  id: 'session-1',
  state: 'active',
  phase: 'busy',
  lastEventAt: '2026-11-18T12:00:00.000Z',
  project: '/home/dev/project',
  cwd: '/home/dev/project',
  title: 'Fix it',
};
const state = {
  revision: 7,
  owner: null,
  sessions: [session],
  agents: [{ present: true }],
  workItems: [],
  guardGaps: [],
};

let home: string;
let server: TestServer | undefined;
let headless: Headless | undefined;
beforeEach(async () => {
  home = temporaryFolder('mascot');
  // Without this it could ask whatever collector this machine really has.
  usualPort(home, await unusedPort());
});
afterEach(async () => {
  await server?.close();
  await headless?.end('SIGKILL');
  [server, headless] = [undefined, undefined];
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const environment = () => ({ AGENT_MASCOT_HOME: home, MASCOT_COLLECTOR_URL: server?.url ?? '', HOME: home });
const mascot = (...args: readonly string[]): Promise<Run> =>
  runScript(script, { args, env: environment(), nodeArgs: belowNobody });

async function serve(answer: Answer): Promise<string> {
  server = await startServer(answer);
  return writePortFile(home, server.port);
}

describe('HKI-9 the mascot command', () => {
  it.each([
    [['--help'], 0, /Usage: mascot/, ''],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, ''],
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
    const hits = (page: number) => ({
      items: page === 1 ? [] : [{ ts: '', role: 'user', sessionTitle: 't', content: 'a needle' }],
      next: page === 1 ? 'page 2' : null,
    });
    const token = await serve(({ path: asked }) => {
      if (asked.startsWith('/api/search')) return jsonReply(200, hits(asked.includes('cursor') ? 2 : 1));
      return jsonReply(200, asked === '/api/state' ? state : { items: [session], next: null });
    });
    const [status, json, list, listJson, found] = [
      await mascot('status'),
      await mascot('status', '--json'),
      await mascot('sessions', '--limit', '7'),
      await mascot('sessions', '--json'),
      await mascot('search', 'a', 'needle', '--json', '--limit=3'),
    ];
    expect([status.code, json.code, list.code, listJson.code, found.code]).toEqual([0, 0, 0, 0, 0]);
    expect(status.stdout).toContain('Sessions   1 · 1 busy\n');
    expect(JSON.parse(json.stdout)).toEqual(state);
    expect(list.stdout).toMatch(/^ID {9}STATE/);
    expect(JSON.parse(listJson.stdout)).toEqual({ items: [session], next: null });
    expect(JSON.parse(found.stdout)).toEqual(hits(2));
    const asked = server?.received
      // Beside the question for the state, in whatever order; this collector does not know them.
      .filter(({ path: route }) => !/^\/api\/(?:storing|tracking)/.test(route))
      .map(({ method, path: route, headers }) => `${method} ${route} ${headers.get('authorization')}`);
    expect(asked).toEqual(
      [
        '/api/state',
        '/api/state',
        '/api/sessions?limit=7',
        '/api/sessions?limit=50',
        '/api/search?q=a%20needle&limit=3',
        '/api/search?q=a%20needle&limit=3&cursor=page%202',
      ].map((route) => `GET ${route} Bearer ${token}`),
    );
  });

  it('CNV-3 a search is narrowed down by project, role and days', async () => {
    await serve(() => jsonReply(200, { items: [], next: null }));
    const filters = ['--project', home, '--role=user', '--since', '2026-01-31', '--until', '2026-02-28'];
    const run = await mascot('search', '로그인', '화면', ...filters);
    expect([run.code, run.stdout]).toEqual([0, 'Nothing said holds "로그인 화면".\n']);
    const { searchParams } = new URL(server?.received[0]?.path ?? '', 'http://localhost');
    expect(Object.fromEntries(searchParams)).toEqual({
      q: '로그인 화면',
      limit: '50',
      project: await realpath(home),
      role: 'user',
      from: new Date(2026, 0, 31).toISOString(),
      to: new Date(2026, 2, 1).toISOString(),
    });
  });

  it.each([['status'], ['sessions'], ['search x'], ['tail']])(
    'HKI-9 %s ends with 3 when no collector runs',
    async (command) => {
      await serve(() => '');
      await server?.close();
      const run = await mascot(...command.split(' '));
      expect([run.code, run.stdout]).toEqual([3, '']);
      expect(run.stderr).toMatch(/can't be reached/);
    },
  );

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

  it('HKI-9 tail prints a line for each change of a real collector’s state, and ends on SIGINT with 0', async () => {
    headless = startHeadless(home);
    await headless.ready;
    const hook = (name: string, fields: object) =>
      headless?.post({ hook_event_name: name, session_id: 's', cwd: home, ...fields });
    await hook('SessionStart', { source: 'startup' });
    const child = spawn(process.execPath, [...belowNobody, script, 'tail', '--json'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENT_MASCOT_HOME: headless.home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines: { readonly kind: string; readonly from?: string; readonly to?: string }[] = [];
      // It may have begun to look in the middle of one.
      const ofTurn = () => {
        const begin = lines.findIndex(({ to }) => to === 'busy');
        return begin < 0 ? [] : lines.slice(begin);
      };
      let text = '';
      const told = new Promise<void>((resolve) => {
        child.stdout.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          const whole = text.split('\n');
          text = whole.pop() ?? '';
          lines.push(...whole.map((line) => JSON.parse(line) as (typeof lines)[number]));
          if (ofTurn().some(({ to }) => to === 'interactable')) resolve();
        });
      });
      // It says nothing of what was there before it looked, so both ends of a turn are told until it has seen one.
      const turns = setInterval(() => {
        void hook('UserPromptSubmit', { prompt: 'go' })?.then(() => hook('Stop', {}));
      }, 300);
      await told;
      clearInterval(turns);
      expect(ofTurn().slice(0, 2)).toMatchObject([
        { kind: 'phase', session: 's', to: 'busy' },
        { kind: 'phase', session: 's', from: 'busy', to: 'interactable' },
      ]);
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
      child.kill('SIGINT');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
