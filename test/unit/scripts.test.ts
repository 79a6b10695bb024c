import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ensureTools, TOOL_NAMES } from '../../scripts/install-tools.mjs';
import { findEditor, findProgram } from '../../scripts/lib/findProgram.mjs';
import { withLock } from '../../scripts/lib/lock.mjs';
import { processStart } from '../../scripts/lib/processes.mjs';
import { run, RunError } from '../../scripts/lib/run.mjs';
import { hasRun, mayBeEmpty, parseTest, shortcoming, STEPS } from '../../scripts/lib/testSteps.mjs';
import { personEnv } from '../../scripts/lib/toolNode.mjs';
import { UsageError } from '../../scripts/lib/usageError.mjs';
import { helpText, parseStart } from '../../scripts/start/arguments.mjs';
import { openInBrowser, privateSocket, profileFor } from '../../scripts/start/browser.mjs';
import { friendly } from '../../scripts/start/friendlyPrompts.mjs';
import { startGuard } from '../../scripts/start/guard.mjs';
import { chooseRecording } from '../../scripts/start/play.mjs';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'am-scripts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const node = process.execPath;

/** Longer than even a busy machine takes for what comes at once on a quiet one. */
const BUSY_MS = 20_000;

describe('the command line of npm start', () => {
  const defaults = parseStart([]);

  test('without options it opens an editor, and plays nothing', () => {
    expect(defaults).toMatchObject({ browser: false, play: false, open: true, headless: false, speed: 1 });
  });

  test.each<[string, Partial<typeof defaults>]>([
    ['--help', { help: true }],
    ['-h', { help: true }],
    ['--browser --no-open', { browser: true, open: false }],
    ['--folder some/where', { folder: 'some/where' }],
    ['--folder=a=b', { folder: 'a=b' }],
    ['--play', { play: true }],
    ['--play --speed 4', { play: true, speed: 4 }],
    ['--play p-team --speed=0.5', { play: true, recording: 'p-team', speed: 0.5 }],
    ['--port 8080', { port: 8080, browser: true }],
    ['--headless', { headless: true, browser: true }],
    ['--headless --screenshot x.png', { headless: true, browser: true, screenshot: 'x.png' }],
  ])('%s', (line, changed) => {
    expect(parseStart(line.split(' '))).toEqual({ ...defaults, ...changed });
  });

  test.each([
    ['--nonsense', 'Unknown option: --nonsense'],
    ['--password', 'Unknown option: --password'],
    ['stray', 'Unknown option: stray'],
    ['--folder', '--folder needs a value'],
    ['--folder --play', '--folder needs a value'],
    ['--speed', '--speed needs a value'],
    ['--speed 0', '--speed needs a number above 0, not 0'],
    ['--speed fast', '--speed needs a number above 0, not fast'],
    ['--port 0', '--port needs a port from 1 to 65535, not 0'],
    ['--port 65536', '--port needs a port from 1 to 65535, not 65536'],
    ['--port 80.5', '--port needs a port from 1 to 65535, not 80.5'],
    ['--screenshot x.png', '--screenshot needs --headless'],
  ])('%s is refused', (line, message) => {
    expect(() => parseStart(line.split(' '))).toThrow(new UsageError(message));
  });
});

describe('the command line of npm test', () => {
  const all = ['types', 'lint', 'unit', 'cost', 'process', 'ui', 'exthost', 'agent'];

  test.each<[string, Partial<ReturnType<typeof parseTest>>]>([
    ['', { chosen: all }],
    ['ui unit', { chosen: ['unit', 'ui'] }],
    ['unit -t MSK-1', { chosen: ['unit'], vitestArgs: ['-t', 'MSK-1'] }],
    ['unit some.test.ts', { chosen: ['unit'], vitestArgs: ['some.test.ts'] }],
    ['-t MSK-1', { chosen: all, vitestArgs: ['-t', 'MSK-1'] }],
    ['--help', { help: true, chosen: [] }],
    ['unit -h', { help: true, chosen: [] }],
  ])('"%s"', (line, expected) => {
    const args = line.split(' ').filter((arg) => arg !== '');
    expect(parseTest(args)).toEqual({ help: false, vitestArgs: [], ...expected });
  });

  test.each([
    ['bogus', 'There is no step "bogus".'],
    ['toString', 'There is no step "toString".'],
    ['bogus unit', 'There is no step "bogus".'],
    ['types lint bogus', '"bogus" is no step, and types and lint can\'t be filtered.'],
  ])('"%s" is refused', (line, message) => {
    expect(() => parseTest(line.split(' '))).toThrow(new UsageError(message));
  });

  test.each([
    ['bogus', 2, 'stderr'],
    ['--help', 0, 'stdout'],
  ] as const)('"%s" lists the steps and runs nothing', (arg, status, where) => {
    const ended = spawnSync(node, ['scripts/test.mjs', arg], { encoding: 'utf8' });
    expect([ended.status, ended[where]]).toEqual([status, expect.stringMatching(/\nSteps: types lint unit .*\n$/)]);
    expect(ended[where === 'stdout' ? 'stderr' : 'stdout']).toBe('');
  });

  const none = { passed: 0, failed: 0, skipped: [] };
  const skips = { ...none, skipped: [{ title: 'a', reason: 'why' }] };
  test.each([
    ['unit', undefined, 'ended without a result'],
    ['unit ui -t x', undefined, 'ended without a result'],
    ['unit', none, 'no test ran'],
    ['unit ui', none, 'no test ran'],
    ['unit', skips, undefined],
    ['unit -t x', skips, 'no test ran'],
    ['unit -t x', { ...skips, passed: 1 }, undefined],
    ['unit ui -t x', skips, undefined],
  ])('%s with the counts %j: %s', (line, summary, why) => {
    expect(shortcoming(summary, parseTest(line.split(' ')))).toBe(why);
  });

  test('several steps with a filter: one may be empty, not all', () => {
    const options = parseTest(['unit', 'ui', '-t', 'x']);
    expect([mayBeEmpty(options), mayBeEmpty(parseTest(['unit', 'ui']))]).toEqual([true, false]);
    expect(hasRun([skips, none], options)).toBe(false);
    expect(hasRun([skips, { ...none, passed: 1 }], options)).toBe(true);
  });
});

describe('the profile of the browser variant', () => {
  test('lasts, or is a new one each time that is gone at the end', async () => {
    const lasting = await profileFor({ throwAway: false }, folder);
    await lasting.remove();
    expect([lasting.folder, existsSync(lasting.folder)]).toEqual([path.join(folder, 'profile'), true]);
    const brief = [await profileFor({ throwAway: true }, folder), await profileFor({ throwAway: true }, folder)];
    expect(new Set([...brief, lasting].map((profile) => profile.folder)).size).toBe(3);
    for (const profile of brief) await profile.remove();
    expect(brief.some((profile) => existsSync(profile.folder))).toBe(false);
  });

  test("a throw-away one keeps the person's own agents and events out: of the server, and of what is played", async () => {
    const names = ['AGENT_MASCOT_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'];
    const seen = path.join(folder, 'seen.json');
    const entry = path.join(folder, 'code-server.cjs');
    await writeFile(
      entry,
      `if (process.argv.includes('--install-extension')) process.exit();
      require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));
      const at = (flag) => process.argv[process.argv.indexOf(flag) + 1];
      const where = process.argv.includes('--socket') ? at('--socket') : Number(at('--bind-addr').split(':')[1]);
      require('node:http').createServer((_, answer) => answer.end('ok')).listen(where);`,
    );
    await writeFile(path.join(folder, 'x.vsix'), '');
    const own = Object.fromEntries(names.map((name) => [name, path.join(folder, 'own')]));
    const server = await openInBrowser({
      ...{ program: { node, entry }, vsix: path.join(folder, 'x.vsix'), port: undefined, folder, throwAway: true },
      env: { PATH: process.env['PATH'], KEPT: 'yes', ...own },
      signal: new AbortController().signal,
    });
    try {
      const profile = path.dirname(server.logFile);
      const homes = Object.fromEntries(
        names.map((name, at) => [name, path.join(profile, `${'home claude codex'.split(' ')[at]}`)]),
      );
      expect(server.env).toMatchObject({ KEPT: 'yes', ...homes });
      expect(JSON.parse(await readFile(seen, 'utf8'))).toMatchObject({ KEPT: 'yes', ...homes });
    } finally {
      await server.stop();
    }
    expect(existsSync(server.logFile)).toBe(false);
    expect((await profileFor({ throwAway: false }, folder)).homes).toEqual({});
  });
});

describe('the command line of the tools', () => {
  test.each([
    ['--help', 0, ''],
    ['-h', 0, ''],
    ['code-server --help', 0, ''],
    ['bogus', 2, 'Unknown tool: bogus\n\n'],
  ])('"%s" is answered with the usage, and nothing is installed', (line, status, message) => {
    const env = { ...process.env, AGENT_MASCOT_CACHE: path.join(folder, 'cache') };
    const ended = spawnSync(node, ['scripts/install-tools.mjs', ...line.split(' ')], { encoding: 'utf8', env });
    const words = status === 0 ? ended.stdout : ended.stderr;
    expect([ended.status, words]).toEqual([
      status,
      expect.stringMatching(/node scripts\/install-tools\.mjs \[tool…\]\n/),
    ]);
    expect(words.startsWith(`${message}node `)).toBe(true);
    expect(TOOL_NAMES.filter((tool) => !words.includes(`\n  ${tool} `))).toEqual([]);
    expect([`${ended.stdout}${ended.stderr}`, existsSync(path.join(folder, 'cache'))]).toEqual([words, false]);
  });
});

describe('OPS-6 what the tests need beyond packages', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('OPS-6 each step installs its tools: shells, databases and real agents too', () => {
    const tools = Object.values(STEPS).flatMap((step) => step.tools);
    expect([...new Set(tools)].sort()).toEqual([...TOOL_NAMES].sort());
  });

  test.each([
    ['', 'unavailable'],
    ['true', 'an error'],
  ])('OPS-6 with CI="%s", shells that can not be installed are %s', async (CI, outcome) => {
    vi.stubEnv('PATH', folder);
    vi.stubEnv('CI', CI);
    vi.stubEnv('AGENT_MASCOT_CACHE', path.join(folder, 'cache'));
    const told = await ensureTools({ need: ['shells'] }).then(
      ({ unavailable }) => ['unavailable', unavailable],
      (error: unknown) => ['an error', String(error)],
    );
    const why = outcome === 'unavailable' ? [{ tool: 'shells', reason: expect.any(String) }] : expect.any(String);
    expect(told).toEqual([outcome, why]);
    expect(JSON.stringify(told)).toMatch(/dash, zsh, busybox, ksh93u\+m, mksh, yash/);
  });
});

describe("what needs the project's own Node", () => {
  test("npm runs it on that one, which may be newer than the machine's", () => {
    const how = { encoding: 'utf8', env: personEnv(), shell: process.platform === 'win32' } as const;
    const ended = spawnSync('npm', ['run', '--silent', 'agent:timings', '--', '--help'], how);
    expect([ended.stdout, ended.status]).toEqual([
      expect.stringMatching(/^npm run agent:timings -- [^]*\nCases: \w/),
      0,
    ]);
  });

  test('pictures are taken the same way', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect([scripts['shots'], existsSync('test/webview/shots.mjs')]).toEqual(['node test/webview/shots.mjs', true]);
  });
});

describe('the recording to play', () => {
  const known = ['claude/1/p-a', 'claude/2/p-a', 'claude/2/interactive-subagents-permission'].map((name) => ({
    name,
    file: `/r/${name}.jsonl`,
  }));

  test.each([
    [undefined, '/r/claude/2/interactive-subagents-permission.jsonl'],
    ['p-a', '/r/claude/2/p-a.jsonl'],
    ['claude/1/p-a', '/r/claude/1/p-a.jsonl'],
    ['p-a.jsonl', '/r/claude/2/p-a.jsonl'],
  ])('%s', (wanted, file) => {
    expect(chooseRecording(wanted, known, folder)).toBe(file);
  });

  test('a file is found from the folder where the command was called, before a recording', async () => {
    await writeFile(path.join(folder, 'p-a.jsonl'), '');
    expect(chooseRecording('p-a.jsonl', known, folder)).toBe(path.join(folder, 'p-a.jsonl'));
    expect(chooseRecording('p-a', known, folder)).toBe('/r/claude/2/p-a.jsonl');
  });

  test('--help names each of them once, and every editor', () => {
    expect(helpText(known)).toMatch(/\nRecordings:\n {2}interactive-subagents-permission p-a$/);
    expect(helpText(known)).toContain('code, code-insiders, codium, cursor, windsurf');
    const many = Array.from({ length: 40 }, (_, index) => ({ name: `a/recording-${index}` }));
    expect(
      Math.max(
        ...helpText(many)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(120);
  });

  test('an unknown one is answered with the list', () => {
    expect(() => chooseRecording('-a', known, folder)).toThrow(/no recording "-a"[^]*\n {2}claude\/1\/p-a\n/);
  });

  test.each([
    [{ prompt: '[[s:subperm]] go' }, { prompt: 'Share the clean-up between two sub-agents' }],
    [{ prompt: '[[s:unheard]] go' }, { prompt: 'Look around the project and tidy up' }],
    [{ prompt: '[[s:single]]' }, { prompt: 'Look around the project and tidy up' }],
    [{ prompt: '[[s:subs]] please run it' }, { prompt: 'please run it' }],
    [{ prompt: '[[s:ask]] 12345678901' }, { prompt: 'Choose a colour for the new button' }],
    [{ prompt: '[[s:ask]] 123456789012' }, { prompt: '123456789012' }],
    [{ prompt: 'go' }, { prompt: 'go' }],
    [{ tool_input: { command: 'if [[ -f x ]]; then' } }, { tool_input: { command: 'if [[ -f x ]]; then' } }],
    [
      [{ tool_calls: [{ tool_input: { prompt: '[[s:sub_perm]] x', message: '[[s:sub_mate2]] hello' } }] }],
      [{ tool_calls: [{ tool_input: { prompt: 'Add the file that the tests miss', message: 'hello' } }] }],
    ],
    [
      { t_ms: 1, on: true, none: null },
      { t_ms: 1, on: true, none: null },
    ],
  ])('its prompts are for people: %j', (recorded, shown) => {
    expect(friendly<unknown>(recorded)).toEqual(shown);
  });
});

describe('programs on the PATH', () => {
  const program = async (name: string, mode = 0o755) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), '#!/bin/sh\n');
    await chmod(path.join(folder, name), mode);
    return path.join(folder, name);
  };
  const envOf = (...parts: string[]) => ({ PATH: parts.join(path.delimiter) });

  test('the first folder that has it as a program wins', async () => {
    await program('a/tool', 0o644);
    await mkdir(path.join(folder, 'b', 'tool'), { recursive: true });
    const found = await program('c/tool');
    await program('d/tool');
    const env = envOf(...['none', 'a', 'b', 'c', 'd'].map((name) => path.join(folder, name)));
    expect(findProgram('tool', env)).toBe(found);
  });

  test('folders relative to wherever one stands are left out, and no PATH finds nothing', async () => {
    await program('tool');
    expect(findProgram('tool', envOf(path.relative(process.cwd(), folder), '', '.'))).toBeUndefined();
    expect(findProgram('tool', {})).toBeUndefined();
  });

  test('editors are taken in the order of preference, not of the PATH', async () => {
    await program('a/cursor');
    const file = await program('b/codium');
    expect(findEditor(envOf(path.join(folder, 'a'), path.join(folder, 'b')))).toEqual({ name: 'codium', file });
    expect(findEditor(envOf(folder))).toBeUndefined();
  });
});

describe('running a program', () => {
  const script = (code: string) => ['-e', code];

  test('gives what it printed', async () => {
    const both = await run(node, script('console.log(1); console.error(2)'));
    expect(both).toMatchObject({ code: 0, stdout: '1\n' });
    expect(both.output.split('\n').sort().join('')).toBe('12');
  });

  test('a failure shows the output, the log file and what to do', async () => {
    const logFile = path.join(folder, 'log');
    const failing = run(node, script('console.error("it broke"); process.exit(3)'), {
      label: 'the tool',
      logFile,
      advice: 'Try again.',
    });
    await expect(failing).rejects.toThrow(
      new RunError(`the tool: ended with exit code 3\nit broke\nFull log: ${logFile}\nTry again.`, 3, 'it broke\n'),
    );
    await vi.waitFor(async () => expect(await readFile(logFile, 'utf8')).toBe('it broke\n'), BUSY_MS);
  });

  test('a long output is shown by both its ends', async () => {
    const failing = run(node, script('for (let i = 1; i <= 100; i++) console.log("line " + i); process.exitCode = 1'));
    await expect(failing).rejects.toThrow(/line 15\n… 55 lines …\nline 71\n[^]*line 100$/);
  });

  test('unchecked, a failure is a result', async () => {
    expect(await run(node, script('process.exit(3)'), { check: false })).toMatchObject({ code: 3 });
  });

  test('a program that is not there', async () => {
    const failing = run(path.join(folder, 'nothing'), [], { advice: 'Install it.' });
    await expect(failing).rejects.toMatchObject({ name: 'RunError', code: 127 });
    await expect(failing).rejects.toThrow(/nothing: spawn .* ENOENT\nInstall it\.$/);
  });

  test('an abort ends it with everything that it started', async () => {
    const stop = new AbortController();
    const pidFile = path.join(folder, 'pid');
    const child = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1e6)`;
    const parent = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}]); setInterval(() => {}, 1e6)`;
    const running = run(node, script(parent), { signal: stop.signal });
    const refused = expect(running).rejects.toThrow('enough');
    await vi.waitFor(async () => expect(await readFile(pidFile, 'utf8')).toMatch(/\d/), BUSY_MS);
    stop.abort(new Error('enough'));
    await refused;
    const grandchild = Number(await readFile(pidFile, 'utf8'));
    await vi.waitFor(() => expect(processStart(grandchild)).toBeUndefined(), BUSY_MS);
  });

  test('an abort before the start starts nothing', async () => {
    await expect(run(node, script(''), { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early');
  });
});

describe('the lock between processes', () => {
  const lockFile = () => path.join(folder, 'deep', 'lock');
  const held = async (holder: unknown) => {
    await mkdir(path.dirname(lockFile()), { recursive: true });
    await writeFile(lockFile(), typeof holder === 'string' ? holder : JSON.stringify(holder));
  };
  const nobody = () => expect.unreachable('there was nobody to wait for');
  const deadPid = () => spawnSync(node, ['-e', '']).pid;

  test('is held during the work and gone after it, also when that fails', async () => {
    const waiting = vi.fn();
    const during = await withLock(lockFile(), { waiting }, () => readFile(lockFile(), 'utf8'));
    expect(JSON.parse(during)).toMatchObject({ pid: process.pid });
    expect(existsSync(lockFile())).toBe(false);
    await expect(withLock(lockFile(), { waiting }, () => Promise.reject(new Error('work')))).rejects.toThrow('work');
    expect(existsSync(lockFile())).toBe(false);
    expect(waiting).not.toHaveBeenCalled();
  });

  test.each<[string, () => unknown]>([
    ['a dead holder', () => ({ pid: deadPid(), start: '1' })],
    ['a process that has the pid of a dead holder', () => ({ pid: process.pid, start: '1' })],
    ['a file that names nobody', () => '{"pid'],
  ])('%s does not keep it', async (_title, holder) => {
    await held(holder());
    expect(await withLock(lockFile(), { waiting: nobody }, async () => 'done')).toBe('done');
  });

  test('a living holder is waited for, told once, and an abort ends the wait', async () => {
    await held({ pid: process.pid, start: processStart(process.pid) });
    const waiting = vi.fn();
    const work = vi.fn(async () => 'done');
    const stop = new AbortController();
    const given = withLock(lockFile(), { waiting: () => stop.abort(), signal: stop.signal }, work);
    await expect(given).rejects.toThrow(/abort/i);
    const taken = withLock(lockFile(), { waiting }, work);
    await vi.waitFor(() => expect(waiting.mock.calls).toEqual([[process.pid]]), BUSY_MS);
    expect(work).not.toHaveBeenCalled();
    await rm(lockFile());
    expect(await taken).toBe('done');
    expect(waiting).toHaveBeenCalledTimes(1);
  });

  test("a lock that became another's meanwhile is left to it", async () => {
    const other = path.join(folder, 'other');
    await writeFile(other, 'other');
    await withLock(lockFile(), { waiting: nobody }, async () => {
      await rm(lockFile());
      await link(other, lockFile());
    });
    expect(await readFile(lockFile(), 'utf8')).toBe('other');
  });
});

describe('the socket of code-server', () => {
  test('lies in the private profile, or in a private folder of its own where that path is too long', async () => {
    expect((await privateSocket('/p', 'linux'))?.file).toBe('/p/cs.sock');
    expect(await privateSocket('C:\\p', 'win32')).toBeUndefined();
    const short = await privateSocket(`/${'p'.repeat(100)}`, 'linux');
    expect(Buffer.byteLength(short?.file ?? '')).toBeLessThanOrEqual(103);
    await short?.remove();
    expect(existsSync(path.dirname(short?.file ?? ''))).toBe(false);
  });
});

describe('SEC-2 the guard in front of code-server', () => {
  type Guard = Awaited<ReturnType<typeof startGuard>>;
  interface Reply {
    readonly status: number | undefined;
    readonly headers: http.IncomingHttpHeaders;
    readonly text: string;
  }

  interface How {
    readonly target?: string;
    readonly key?: boolean;
    readonly method?: string;
    readonly headers?: http.OutgoingHttpHeaders;
    readonly body?: string;
  }

  let upstream: http.Server;
  let seen: { method: string | undefined; url: string | undefined; headers: http.IncomingHttpHeaders; body: string }[];
  let upstreamSockets: Set<Socket>;
  let guard: Guard;
  let cookie: string;

  beforeEach(async () => {
    seen = [];
    upstreamSockets = new Set();
    upstream = http.createServer(async (request, response) => {
      const { method, url, headers } = request;
      if (url === '/first-half') return response.write('half');
      if (url === '/break') return request.socket.destroy();
      const body = (await request.toArray()).join('');
      seen.push({ method, url, headers, body });
      return response.writeHead(201, 'Made', { 'set-cookie': ['a=1', 'b=2'], 'x-up': 'yes' }).end(`${url} ${body}`);
    });
    upstream.on('connection', (socket) => {
      upstreamSockets.add(socket);
      socket.on('close', () => upstreamSockets.delete(socket));
    });
    const rooms = new WebSocketServer({ noServer: true });
    upstream.on('upgrade', (request, socket, head) => {
      if (request.url === '/refused') return socket.end('HTTP/1.1 426 No\r\nContent-Length: 4\r\n\r\nnope');
      return rooms.handleUpgrade(request, socket, head, (peer) => {
        peer.on('error', () => {});
        peer.on('message', (text) =>
          String(text) === 'bye' ? peer.close(4001, 'bye') : peer.send(`echo ${String(text)}`),
        );
        peer.send(
          JSON.stringify({ url: request.url, host: request.headers.host, cookie: request.headers.cookie ?? null }),
        );
      });
    });
    const socketPath = path.join(folder, 's');
    await once(upstream.listen(socketPath), 'listening');
    guard = await startGuard({ upstream: { socketPath } });
    guard.open();
    const { headers } = await ask('/', { key: true });
    cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  });
  afterEach(async () => {
    await guard.stop();
    upstream.closeAllConnections();
    for (const socket of upstreamSockets) socket.destroy();
    upstream.close();
  });

  const host = () => `127.0.0.1:${guard.port}`;
  const address = () => new URL(guard.address({ folder: '/some where' }));
  const ask = async (target: string, how: How = {}): Promise<Reply> => {
    const { key = false, method = 'GET', headers = {}, body } = how;
    const request = http.request({
      ...{ host: '127.0.0.1', port: guard.port, agent: false, method },
      path: key ? `${target}${target.includes('?') ? '&' : '?'}key=${address().searchParams.get('key')}` : target,
      headers,
    });
    request.end(body);
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
    return { status: reply.statusCode, headers: reply.headers, text: (await reply.toArray()).join('') };
  };
  const signedIn = (headers: http.OutgoingHttpHeaders = {}) => ({ headers: { cookie, ...headers } });
  const connect = (target: string, options: http.OutgoingHttpHeaders = signedIn().headers) =>
    new WebSocket(`ws://${host()}${target}`, { headers: options as Record<string, string> });
  const refusalOf = async (socket: WebSocket) => {
    socket.on('error', () => {});
    const [, reply] = (await once(socket, 'unexpected-response')) as [unknown, http.IncomingMessage];
    return [reply.statusCode, (await reply.toArray()).join('')] as const;
  };

  test('the address with its key gives a cookie and leads to the same address without the key', async () => {
    const { pathname, search, searchParams } = address();
    expect(searchParams.get('folder')).toBe('/some where');
    expect(searchParams.get('key')).toMatch(/^[\w-]{32}$/);
    const { status, headers } = await ask(`${pathname}${search}`);
    expect([status, headers.location]).toEqual([302, `http://${host()}/?folder=%2Fsome+where`]);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^agent-mascot-${guard.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax$`)),
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect(seen).toEqual([]);
  });

  test('a folder of two slashes does not lead to another host', async () => {
    expect((await ask('//evil.example/', { key: true })).headers.location).toBe(`http://${host()}//evil.example/`);
  });

  test('with the cookie a request goes through whole, but for the cookie itself, and so does the answer', async () => {
    const body = 'x'.repeat(300_000);
    const { status, headers, text } = await ask('/a?b=c', {
      method: 'POST',
      body,
      headers: { cookie: `other=1; ${cookie}; more=2`, origin: `http://${host()}`, 'x-mine': 'kept' },
    });
    expect([status, text.length, headers['x-up'], headers['set-cookie']]).toEqual([
      201,
      '/a?b=c '.length + body.length,
      'yes',
      ['a=1', 'b=2'],
    ]);
    expect(seen).toMatchObject([{ method: 'POST', url: '/a?b=c', body }]);
    expect(seen[0]?.headers).toMatchObject({ host: host(), cookie: 'other=1; more=2', 'x-mine': 'kept' });
  });

  test.each<[string, How | (() => How)]>([
    ['without key and cookie', {}],
    ['with a wrong key', { target: '/?key=wrong' }],
    ['with an empty key', { target: '/?key=' }],
    ['with a wrong cookie', () => ({ headers: { cookie: `${cookie}x` } })],
    ['with the cookie of another port', () => ({ headers: { cookie: cookie.replace(/-\d+=/, '-1=') } })],
    ['with the key in another method', { key: true, method: 'POST' }],
    ['with the key for another host', { key: true, headers: { host: 'evil.example' } }],
    ['for another host', () => signedIn({ host: 'evil.example' })],
    ['for a rebound host with our port', () => signedIn({ host: `evil.example:${guard.port}` })],
    ['for our host with another port', () => signedIn({ host: '127.0.0.1:1' })],
    ['for our host without a port', () => signedIn({ host: '127.0.0.1' })],
    ['from another origin', () => ({ ...signedIn({ origin: 'http://evil.example' }), method: 'POST' })],
    ['from another port', () => ({ ...signedIn({ origin: 'http://127.0.0.1:1' }), method: 'PUT' })],
    ['from no origin in particular', () => ({ ...signedIn({ origin: 'null' }), method: 'DELETE' })],
    ['from our other name', () => ({ ...signedIn({ origin: `http://localhost:${guard.port}` }), method: 'POST' })],
    ["as a part of another's page", () => signedIn({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })],
    [
      "in a frame of another's page",
      () => signedIn({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }),
    ],
  ])('403 and a word what to do: a request %s', async (_title, how) => {
    const { target = '/', ...rest } = typeof how === 'function' ? how() : how;
    const { status, text, headers } = await ask(target, rest);
    expect([status, headers['set-cookie']]).toEqual([403, undefined]);
    expect(text).toMatch(/^Open the address that "npm start" printed/);
    expect(seen).toEqual([]);
  });

  test.each<[string, () => How]>([
    ['by the name localhost', () => signedIn({ host: `localhost:${guard.port}` })],
    ['with a word that is called key and is none of ours', () => ({ ...signedIn(), target: '/?key=wrong' })],
    ['typed in', () => signedIn({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })],
    ['of the workbench itself', () => signedIn({ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' })],
    [
      'by a link elsewhere',
      () => signedIn({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }),
    ],
  ])('a request %s goes through', async (_title, how) => {
    const { target = '/', ...rest } = how();
    expect((await ask(target, rest)).status).toBe(201);
  });

  test('a target that is no path of ours is refused', async () => {
    expect((await ask('http://evil.example/', signedIn())).status).toBe(403);
  });

  test('a key for one visit is good for one visit; the printed one stays good', async () => {
    const { pathname, search } = new URL(guard.address({ folder: '/f' }, { once: true }));
    const visits = [await ask(`${pathname}${search}`), await ask(`${pathname}${search}`)];
    expect(visits.map(({ status }) => status)).toEqual([302, 403]);
    expect([(await ask('/', { key: true })).status, (await ask('/', { key: true })).status]).toEqual([302, 302]);
  });

  test('before it is open only the health of code-server can be asked for', async () => {
    const closed = await startGuard({ upstream: { socketPath: path.join(folder, 's') } });
    const { search } = new URL(closed.address({}));
    const statuses = ['/healthz', '/', `/${search}`, '/healthz?x'].map(
      async (target) => (await fetch(`http://127.0.0.1:${closed.port}${target}`, { redirect: 'manual' })).status,
    );
    expect(await Promise.all(statuses)).toEqual([201, 403, 403, 403]);
    closed.open();
    expect((await fetch(`http://127.0.0.1:${closed.port}/healthz`)).status).toBe(403);
    await closed.stop();
  });

  test('an answer is passed on as it comes', async () => {
    const request = http.get({ host: '127.0.0.1', port: guard.port, agent: false, path: '/first-half', ...signedIn() });
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(String(await once(reply, 'data'))).toBe('half');
    request.destroy();
    await vi.waitFor(() => expect(upstreamSockets.size).toBe(0), BUSY_MS);
  });

  test('502 where code-server breaks off or is gone', async () => {
    expect((await ask('/break', signedIn())).status).toBe(502);
    upstream.close();
    const { status, text } = await ask('/', signedIn());
    expect([status, text]).toEqual([502, 'code-server does not answer.\n']);
    const socket = connect('/x');
    expect(await refusalOf(socket)).toEqual([502, '']);
  });

  test('a WebSocket goes both ways, and its end as well', async () => {
    const socket = connect('/room?x=1', { ...signedIn().headers, origin: `http://${host()}` });
    const [hello] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(String(hello))).toEqual({ url: '/room?x=1', host: host(), cookie: null });
    const long = 'y'.repeat(2_000_000);
    socket.send(long);
    expect(String(((await once(socket, 'message')) as [Buffer])[0])).toBe(`echo ${long}`);
    socket.send('bye');
    expect((await once(socket, 'close'))[0]).toBe(4001);
    await vi.waitFor(() => expect(upstreamSockets.size).toBe(0), BUSY_MS);
  });

  test.each<[string, (socket: WebSocket) => void]>([
    ['the page vanishes', (socket) => socket.terminate()],
    ['the guard stops', () => void guard.stop()],
    ['code-server vanishes', () => upstreamSockets.forEach((peer) => peer.destroy())],
  ])('no half of a WebSocket is left when %s', async (_title, vanish) => {
    const socket = connect('/room');
    await once(socket, 'message');
    const closed = once(socket, 'close');
    vanish(socket);
    await closed;
    await vi.waitFor(() => expect(upstreamSockets.size).toBe(0), BUSY_MS);
  });

  test.each<[string, () => http.OutgoingHttpHeaders]>([
    ['without the cookie', () => ({})],
    ['with a wrong one', () => ({ cookie: `${cookie}x` })],
    ['for another host', () => signedIn({ host: `evil.example:${guard.port}` }).headers],
    ['from another origin', () => signedIn({ origin: 'http://evil.example' }).headers],
    ["from another port's page", () => signedIn({ origin: 'http://127.0.0.1:1' }).headers],
  ])('a WebSocket %s is refused', async (_title, headers) => {
    const [status, text] = await refusalOf(connect('/room', headers()));
    expect([status, text]).toEqual([403, expect.stringMatching(/^Open the address/)]);
    expect(upstreamSockets.size).toBe(0);
  });

  test("code-server's own refusal of a WebSocket comes through", async () => {
    expect(await refusalOf(connect('/refused'))).toEqual([426, 'nope']);
  });

  test('a port that is taken is named, with what to do', async () => {
    const taken = http.createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(startGuard({ upstream: { host: '127.0.0.1', port: 1 }, port })).rejects.toThrow(
      `Port ${port} can't be had (EADDRINUSE): name another one with --port.`,
    );
    taken.close();
  });
});
