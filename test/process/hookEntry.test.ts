import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toldNames } from '../../forwarder/environment.ts';
import {
  accepted,
  type Answer,
  buildForwarder,
  type Bundles,
  context,
  jsonReply,
  printed,
  provenReply,
  startServer,
  type TestServer,
  unusedPort,
  usualPort,
  writePortFile,
  writeProofKey,
} from '../../forwarder/forwarder.testkit.ts';
import { findProgram } from '../../scripts/lib/findProgram.mjs';
import { temporaryFolder } from './headless.testkit.ts';
import { hasShell, leftIn, prepareHome, programs, quiet, runHook, shells, startHook } from './hookEntry.testkit.ts';

const isRoot = process.getuid?.() === 0;
const call = JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', text: 'ü "q" \\ \n' });
const start = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', source: 'startup', cwd: '/p' });

let folder: ReturnType<typeof temporaryFolder>;
let bundles: Bundles;
const servers: TestServer[] = [];
let home = '';
beforeAll(async () => {
  bundles = await buildForwarder();
});
afterAll(() => bundles.remove());
beforeEach(async () => {
  folder = temporaryFolder();
  home = prepareHome(path.join(folder.dir, 'home'), bundles.forwarder);
  // Else it could ask whatever collector this machine really has.
  usualPort(home, await unusedPort());
  writeProofKey(home);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  folder.remove();
});
async function serve(answer: Answer): Promise<TestServer> {
  const server = await startServer(answer);
  servers.push(server);
  writePortFile(home, server.port);
  return server;
}
async function onSmallDisk(use: (spool: string) => Promise<void>): Promise<void> {
  const spool = path.join(home, 'spool');
  mkdirSync(spool);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', spool]);
  try {
    await use(spool);
  } finally {
    execFileSync('umount', [spool]);
  }
}
function fillUp(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    while (writeSync(descriptor, Buffer.alloc(4096)) > 0);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    closeSync(descriptor);
  }
}
/** A `node` that is another one by a folder at hand or above it, or by a variable, as version managers have it. */
function choosingNode(dir: string): string {
  const chooses = [
    'd=$PWD',
    'while [ -n "$d" ]; do [ -x "$d/.chosen/node" ] && exec "$d/.chosen/node" "$@"; d=${d%/*}; done',
    '[ -n "$CHOSEN" ] && exec "$CHOSEN/node" "$@"',
    `exec '${process.execPath}' "$@"`,
  ];
  return programs(dir, chooses.join('\n'));
}
const bodyOf = (server: TestServer, index = 0) =>
  JSON.parse(server.received[index]?.body ?? '{}') as Record<string, unknown> & { _meta: Record<string, unknown> };

const terminal = {
  CLAUDE_PROJECT_DIR: '/p/with "quotes" and $dollars\nand a line',
  CLAUDE_PID: '42',
  TMUX: '/tmp/tmux-0/default,1,0',
  TMUX_PANE: '%3',
};
const secrets = { ANTHROPIC_API_KEY: 'planted-1', MASCOT_TOKEN: 'planted-2', CLAUDE_CODE_MESSAGING_TOKEN: 'planted-3' };

describe.each(shells.map((shell) => ({ shell, name: shell.join(' ') })))('as $name', ({ shell }) => {
  test.skipIf(!hasShell(shell))(
    'FWD-11 FWD-12 it leaves the hook whole, with the named variables and no others',
    async () => {
      const started = startHook({ home, shell, input: call, env: { ...terminal, ...secrets }, cwd: folder.dir });
      expect(await started.ended).toEqual(quiet);
      const [left, ...more] = leftIn(home);
      expect([more, left?.mode, /^\d+-\d+-[\w-]+\.hook$/.test(left?.name ?? '')]).toEqual([[], 0o600, true]);
      expect(left?.handOver).toEqual({
        head: {
          provider: 'claude',
          event: 'PreToolUse',
          ppid: String(process.pid),
          host: hostname(),
          cwd: folder.dir,
          ...terminal,
        },
        payload: call,
        whole: true,
      });
      expect(left?.name.startsWith(`${started.child.pid}-`)).toBe(true);
      expect(left?.text).not.toContain('planted');
    },
  );

  test.skipIf(!hasShell(shell))('FWD-11 a session’s start that nobody can answer is left like the rest', async () => {
    const env = { PATH: programs(path.join(folder.dir, 'bin')) };
    expect(await runHook({ home, shell, event: 'SessionStart', input: start, env })).toEqual(quiet);
    expect(leftIn(home).map(({ name, handOver }) => [name.startsWith('.'), handOver?.payload])).toEqual([
      [false, start],
    ]);
  });

  test.skipIf(!hasShell(shell))('FWD-1 OUT-1 a session’s start is answered, and nothing stays', async () => {
    const output = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'before: "x"\\n' } };
    const server = await serve((request) => provenReply(request, { output }));
    const run = { home, shell, event: 'SessionStart', input: start, env: terminal, cwd: folder.dir };
    expect(await runHook(run)).toEqual({ ...quiet, stdout: `${JSON.stringify(output)}\n` });
    const { _meta, ...payload } = bodyOf(server);
    expect(payload).toEqual(JSON.parse(start));
    expect(_meta).toMatchObject({
      provider: 'claude',
      event: 'SessionStart',
      host: hostname(),
      project_dir: terminal.CLAUDE_PROJECT_DIR,
      terminal_session_id: 'tmux:/tmp/tmux-0/default,1:%3',
    });
    expect(leftIn(home)).toEqual([]);
  });

  test.skipIf(!hasShell(shell))('FWD-6 where nothing can be kept, it is delivered all the same', async () => {
    writeFileSync(path.join(home, 'spool'), 'in the way');
    const server = await serve(() => accepted);
    expect(await runHook({ home, shell, input: call, env: terminal, cwd: folder.dir })).toEqual(quiet);
    const { _meta, ...payload } = bodyOf(server);
    expect([server.received.length, payload]).toEqual([1, JSON.parse(call)]);
    expect(_meta).toMatchObject({ provider: 'claude', event: 'PreToolUse', project_dir: terminal.CLAUDE_PROJECT_DIR });
  });

  test.skipIf(!hasShell(shell) || !isRoot || process.platform !== 'linux')(
    'FWD-6 on a disk without any room it is delivered, and nothing of it gets to the agent (as root)',
    async () => {
      const server = await serve(() => accepted);
      await onSmallDisk(async (spool) => {
        fillUp(path.join(spool, 'filler'));
        expect(await runHook({ home, shell, input: call })).toEqual(quiet);
        expect([server.received.length, readdirSync(spool)]).toEqual([1, ['filler']]);
      });
    },
  );

  test.skipIf(!hasShell(shell))('HKI-9 in an excluded project, or below one, nothing is kept', async () => {
    const at = (project: string) => ({ CLAUDE_PROJECT_DIR: project });
    const list = (...projects: string[]) => `${JSON.stringify({ version: 1, projects }, null, 2)}\n`;
    writeFileSync(path.join(home, 'excluded.json'), list('/p/first', '/p/a b*'));
    writeFileSync(path.join(home, 'excluded-setting.json'), list('/q'));
    for (const project of ['/p/first', '/p/a b*/below', '/q/very/far/below', '/p', '/p/first-two', '/p/a bc', ''])
      expect(await runHook({ home, shell, input: call, env: at(project), cwd: folder.dir })).toEqual(quiet);
    const kept = leftIn(home).map(({ handOver }) => handOver?.head?.['CLAUDE_PROJECT_DIR'] ?? '');
    expect(kept.toSorted()).toEqual(['', '/p', '/p/a bc', '/p/first-two']);
  });

  test.skipIf(!hasShell(shell))(
    'GRD-4 HKI-9 a folder that is excluded, or named so, does not silence the guard, and nothing of what it asked is kept',
    async () => {
      writeFileSync(path.join(home, 'guard.on'), '');
      writeFileSync(path.join(home, 'excluded.json'), JSON.stringify({ version: 1, projects: ['/p', folder.dir] }));
      const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
      const server = await serve((request) => provenReply(request, { output }));
      const run = { home, shell, guards: true, input: call };
      const denied = { ...quiet, stdout: `${JSON.stringify(output)}\n` };
      expect(await runHook({ ...run, env: { CLAUDE_PROJECT_DIR: '/p/sub' } })).toEqual(denied);
      expect(await runHook({ ...run, cwd: folder.dir })).toEqual(denied);
      await server.close();
      expect(await runHook({ ...run, cwd: folder.dir })).toEqual(quiet);
      expect([server.received.length, leftIn(home)]).toEqual([2, []]);
    },
  );

  test.skipIf(!hasShell(shell))('HKI-9 a word of the list that is no project excludes nothing', async () => {
    writeFileSync(path.join(home, 'excluded.json'), JSON.stringify({ version: 1, projects: ['/p'] }));
    for (const word of ['projects', 'version'])
      expect(await runHook({ home, shell, input: call, env: { CLAUDE_PROJECT_DIR: word } })).toEqual(quiet);
    expect(leftIn(home)).toHaveLength(2);
  });

  test.skipIf(!hasShell(shell) || !isRoot || process.platform !== 'linux')(
    'FWD-6 run as root in the home of somebody else, the file is theirs (as root)',
    async () => {
      const theirs = { uid: 12_345, gid: 12_346 };
      chownSync(home, theirs.uid, theirs.gid);
      expect(await runHook({ home, shell, input: call })).toEqual(quiet);
      const spool = path.join(home, 'spool');
      const owners = [spool, ...readdirSync(spool).map((name) => path.join(spool, name))].map((file) => statSync(file));
      expect(owners.map(({ uid, gid }) => ({ uid, gid }))).toEqual([theirs, theirs]);
    },
  );

  test.skipIf(!hasShell(shell))('SEC-6 FWD-11 what the agent put into its project is not run', async () => {
    const project = path.join(folder.dir, 'a: project');
    const ran = path.join(folder.dir, 'ran');
    const bin = path.join(project, '.venv', 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['cat', 'mkdir', 'mv', 'rm', 'env', 'node', 'printf', 'sh', 'command', 'ls'])
      writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >>'${ran}'\n`, { mode: 0o755 });
    const link = path.join(folder.dir, 'link');
    symlinkSync(bin, link);
    // A folder's name may hold what the PATH is cut at; the link to it does not.
    const PATH = `${link}:${process.env['PATH']}`;
    for (const [cwd, env] of [
      [project, {}],
      [folder.dir, { CLAUDE_PROJECT_DIR: project }],
      [path.join(project, '.venv'), { CLAUDE_PROJECT_DIR: project }],
      [path.join(project, '.venv'), { GEMINI_PROJECT_DIR: project }],
    ] as const) {
      const run = { home, shell, env: { ...env, PATH }, cwd };
      expect(await runHook({ ...run, input: call })).toEqual(quiet);
      expect(await runHook({ ...run, event: 'SessionStart', input: start })).toEqual(quiet);
    }
    const server = await serve((request) => provenReply(request, { output: context('by Node') }));
    const answered = await runHook({ home, shell, event: 'SessionStart', input: start, env: { PATH }, cwd: project });
    expect(answered).toEqual({ ...quiet, stdout: printed(context('by Node')) });
    expect([existsSync(ran), server.received.length, leftIn(home).length]).toEqual([false, 1, 8]);
  });

  test.skipIf(!hasShell(shell))(
    'FWD-8 SEC-6 what chooses Node by the folder at hand is not led by the project, and the agent’s folder is told',
    async () => {
      const project = path.join(folder.dir, 'a project');
      const ran = path.join(folder.dir, 'ran');
      const PATH = choosingNode(path.join(folder.dir, 'shims'));
      mkdirSync(path.join(project, '.chosen', 'sub'), { recursive: true });
      writeFileSync(path.join(project, '.chosen', 'node'), `#!/bin/sh\necho "$PWD" >>'${ran}'\n`, { mode: 0o755 });
      const server = await serve((request) => provenReply(request, { output: context('hi') }));
      const run = { home, shell, env: { PATH, CHOSEN: path.join(project, '.chosen') }, cwd: project };
      const answered = { ...quiet, stdout: printed(context('hi')) };
      const noFolder = JSON.stringify({ session_id: 's', source: 'startup' });
      expect(await runHook({ ...run, event: 'SessionStart', input: noFolder })).toEqual(answered);
      writeFileSync(path.join(home, 'guard.on'), '');
      expect(await runHook({ ...run, guards: true, input: noFolder })).toEqual(answered);
      rmSync(path.join(home, 'spool'), { recursive: true });
      writeFileSync(path.join(home, 'spool'), 'in the way');
      expect(await runHook({ ...run, input: noFolder })).toEqual(answered);
      expect(existsSync(ran)).toBe(false);
      const told = server.received.map((_, index) => bodyOf(server, index)._meta);
      expect(told.map(({ workspace_id, cwd }) => [workspace_id, cwd])).toEqual(told.map(() => ['a project', project]));
      expect(told).toHaveLength(3);
    },
  );

  test.skipIf(!hasShell(shell))(
    'FWD-8 SEC-6 Node gets no variable that leads into the project, and each other one as it is',
    async () => {
      const project = path.join(folder.dir, `it's "a" $project \\`);
      const link = path.join(folder.dir, 'link');
      const elsewhere = path.join(folder.dir, 'elsewhere');
      for (const dir of [path.join(project, 'sub'), elsewhere]) mkdirSync(dir, { recursive: true });
      symlinkSync(project, link);
      const inside = {
        ITSELF: project,
        BASH_ENV: `${project}/startup`,
        IN_A_LIST: `/usr/share:${project}/x:/y`,
        WITH_WORDS: `-r ${project}/x.js -v`,
        NODE_VERSION: `path:${project}/sub`,
        lower_case: `a line\nand ${project}/one`,
      };
      const outside = {
        BESIDE: `${project}-2/x`,
        ABOVE: folder.dir,
        MANY_LINES: 'a\nexport LC_ALL=x\nexport 9=1',
        ODD: `'"$(id)\\ü`,
        EMPTY: '',
        // What Node judges by itself, or must be told of.
        MASCOT_APP_PATH: `${project}/code`,
        CLAUDE_ENV_FILE: `${project}/env`,
        GEMINI_PROJECT_DIR: '/',
      };
      const noted = path.join(folder.dir, 'noted');
      const node = `exec '${process.execPath}' -e 'require("fs").writeFileSync(process.argv[1], JSON.stringify(process.env))' '${noted}'`;
      const PATH = programs(path.join(folder.dir, 'bin'), node);
      for (const [cwd, own, more] of [
        [project, {}, {}],
        [elsewhere, { CLAUDE_PROJECT_DIR: `${link}/` }, { BY_THE_LINK: `${link}/x` }],
      ] as const) {
        const env = { ...inside, ...more, ...outside, ...own, PATH };
        expect(await runHook({ home, shell, event: 'SessionStart', input: start, env, cwd })).toEqual(quiet);
        const told = JSON.parse(readFileSync(noted, 'utf8')) as Record<string, string>;
        rmSync(noted);
        expect(Object.keys(told).filter((name) => name in inside || name in more)).toEqual([]);
        expect(told).toMatchObject({ ...outside, ...own, HOME: folder.dir, AGENT_MASCOT_HOME: home, NODE_OPTIONS: '' });
      }
    },
  );

  test.skipIf(!hasShell(shell))('HKI-3 a guard that is off looks at one file and ends', async () => {
    const env = { PATH: programs(path.join(folder.dir, 'bin'), 'echo started >&2') };
    expect(await runHook({ home, shell, guards: true, input: call, env })).toEqual(quiet);
    expect(existsSync(path.join(home, 'spool'))).toBe(false);
  });
});

test('FWD-12 the entry names the variables that may be told, and no others', () => {
  const text = readFileSync(path.join(home, 'bin', 'hook'), 'utf8');
  const told = Array.from(text.matchAll(/"([A-Z_]+)=\$\{([A-Z_]+)-\}"/g), ([, name, value]) => [name, value]);
  expect(told.toSorted()).toEqual(toldNames.map((name) => [name, name]).toSorted());
});

describe('FWD-11 whatever a hook meets', () => {
  test('FWD-9 8 MB on a socket come whole', async () => {
    const input = JSON.stringify({ tool_response: 'y'.repeat(8 * 1024 * 1024) });
    expect(await runHook({ home, input })).toEqual(quiet);
    expect(leftIn(home).map(({ handOver }) => handOver?.payload === input)).toEqual([true]);
  });

  test('FWD-6 50 at once leave 50', async () => {
    const inputs = Array.from({ length: 50 }, (_, n) => `{"n":${n}}`);
    await Promise.all(inputs.map((input) => runHook({ home, input })));
    expect(
      leftIn(home)
        .map(({ handOver }) => handOver?.payload)
        .toSorted(),
    ).toEqual(inputs.toSorted());
  });

  test('FWD-6 SIGTERM, SIGHUP and SIGINT to its group come too late to matter', async () => {
    const hook = startHook({ home });
    hook.child.stdin?.write(call.slice(0, 10));
    await until(() => leftIn(home).some(({ text }) => text.endsWith(call.slice(0, 10))));
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(-hook.child.pid!, signal);
    hook.child.stdin?.end(call.slice(10));
    expect(await hook.ended).toEqual(quiet);
    expect(leftIn(home).map(({ handOver }) => [handOver?.whole, handOver?.payload])).toEqual([[true, call]]);
  });

  test('FWD-6 SIGKILL leaves what can be told from a whole one', async () => {
    const hook = startHook({ home });
    hook.child.stdin?.write(call.slice(0, 10));
    await until(() => leftIn(home).some(({ text }) => text.endsWith(call.slice(0, 10))));
    process.kill(-hook.child.pid!, 'SIGKILL');
    await hook.ended;
    expect(leftIn(home).map(({ handOver }) => [handOver?.whole, handOver?.payload])).toEqual([
      [false, call.slice(0, 10)],
    ]);
  });

  test('FWD-6 a spool that can’t be written to is nobody’s problem', async () => {
    writeFileSync(path.join(home, 'spool'), 'in the way');
    expect(await runHook({ home, input: call })).toEqual(quiet);
    expect(await runHook({ home, event: 'SessionStart', input: start })).toEqual(quiet);
    const said = readFileSync(path.join(home, 'hooks.log'), 'utf8').trimEnd().split('\n');
    // Once for both: it is one trouble.
    expect(said.map((line) => line.includes('could not be kept'))).toEqual([true]);
  });

  test.skipIf(isRoot)('FWD-6 neither is one that is read-only (not as root, whom nothing stops)', async () => {
    mkdirSync(path.join(home, 'spool'));
    chmodSync(path.join(home, 'spool'), 0o500);
    expect(await runHook({ home, input: call })).toEqual(quiet);
    expect(leftIn(home)).toEqual([]);
  });

  test.skipIf(!isRoot || process.platform !== 'linux')(
    'FWD-6 what does not fit on the disk leaves nothing, is counted and told in the log (as root, who can make one)',
    async () => {
      await onSmallDisk(async (spool) => {
        for (const event of ['PreToolUse', 'SessionStart'])
          expect(await runHook({ home, event, input: `{"a":"${'x'.repeat(500_000)}"}` })).toEqual(quiet);
        expect(readdirSync(spool)).toEqual(['dropped.count']);
        expect(readFileSync(path.join(spool, 'dropped.count'), 'utf8')).toBe('1\n1\n');
        const said = readFileSync(path.join(home, 'hooks.log'), 'utf8').trimEnd().split('\n');
        expect(
          said.map((line) => /an event \((\w+)\) could not be written whole to .+ and is lost/.exec(line)?.[1]),
        ).toEqual(['PreToolUse', 'SessionStart']);
        expect(await runHook({ home, input: call })).toEqual(quiet);
        expect(leftIn(home).flatMap(({ handOver }) => handOver?.payload ?? [])).toEqual([call]);
      });
    },
  );

  test.skipIf(!hasShell(['bash']))(
    'FWD-11 neither the person’s shell options nor their functions reach it',
    async () => {
      // Under its own name it would read the person's startup files for a socket as standard input.
      const sh = path.join(folder.dir, 'sh');
      symlinkSync(findProgram('bash') ?? '', sh);
      const startup = path.join(folder.dir, 'startup');
      writeFileSync(startup, 'echo from the startup file\n');
      const env = {
        SHELLOPTS: 'errexit:nounset:noclobber:noglob',
        ENV: startup,
        BASH_ENV: startup,
        'BASH_FUNC_cat%%': '() { echo mine; }',
        CDPATH: '/',
        IFS: '/',
      };
      expect(await runHook({ home, shell: [sh], input: call, env })).toEqual(quiet);
      expect(leftIn(home).map(({ handOver }) => handOver?.payload)).toEqual([call]);
    },
  );

  test.each(['with space', `quote's "double"`, '$HOME `id` \\x', 'ünïcödé 日本', 'x'.repeat(200), '-n'])(
    'HKI-4 a home called %s',
    async (name) => {
      const odd = prepareHome(path.join(folder.dir, name), bundles.forwarder);
      usualPort(odd, await unusedPort());
      expect(await runHook({ home: odd, input: call })).toEqual(quiet);
      expect(await runHook({ home: odd, event: 'SessionStart', input: start })).toEqual(quiet);
      expect(leftIn(odd).map(({ handOver }) => handOver?.payload)).toHaveLength(2);
    },
  );

  test('HKI-4 a home that is moved takes the entry with it, and one that is gone is silent', async () => {
    rmSync(home, { recursive: true });
    expect(await runHook({ home, input: call })).toEqual(quiet);
    expect(existsSync(home)).toBe(false);
  });
});

describe('FWD-11 where an answer is needed', () => {
  const ask = (env: Readonly<Record<string, string>>) => runHook({ home, event: 'SessionStart', input: start, env });
  const kept = () => leftIn(home).map(({ name, handOver }) => [name.startsWith('.'), handOver?.payload]);

  test.each([
    ['fails at once', 'exit 1'],
    ['is too old for our words', 'echo "SyntaxError: Unexpected token" >&2; exit 1'],
    ['prints what is no reply', 'echo garbage; exit 0'],
    ['prints a broken reply', 'printf "{\\"a\\":"; exit 1'],
    ['prints a whole reply and fails', 'echo "{}"; exit 1'],
    ['dies', 'kill -9 $$'],
  ])('FWD-8 a Node that %s loses nothing and says nothing', async (_what, script) => {
    expect(await ask({ PATH: programs(path.join(folder.dir, 'bin'), script) })).toEqual(quiet);
    expect(kept()).toEqual([[false, start]]);
  });

  test('FWD-8 SEC-6 a Node of the folder at hand does not speak for us', async () => {
    const project = path.join(folder.dir, 'project');
    mkdirSync(path.join(project, 'bin'), { recursive: true });
    writeFileSync(path.join(project, 'bin', 'node'), '#!/bin/sh\necho "{}"\n', { mode: 0o755 });
    const PATH = `bin:${programs(path.join(folder.dir, 'bin'))}`;
    expect(await runHook({ home, event: 'SessionStart', input: start, env: { PATH }, cwd: project })).toEqual(quiet);
    expect(kept()).toEqual([[false, start]]);
  });

  test('FWD-8 without Node the editor’s runtime answers', async () => {
    const server = await serve((request) => provenReply(request, { output: context('hello') }));
    const editor = path.join(folder.dir, 'an editor');
    writeFileSync(editor, `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] && exec "${process.execPath}" "$@"\n`);
    chmodSync(editor, 0o755);
    writeFileSync(path.join(home, 'bin', 'runtime'), `${editor}\n`);
    for (const [at, node] of [undefined, 'exit 1'].entries()) {
      const PATH = programs(path.join(folder.dir, `bin${at}`), node);
      expect(await ask({ PATH })).toEqual({ ...quiet, stdout: printed(context('hello')) });
      expect([server.received.length, kept()]).toEqual([at + 1, []]);
    }
  });

  test('FWD-6 a Node that hangs until the agent ends the hook loses nothing', async () => {
    const PATH = programs(path.join(folder.dir, 'bin'), 'exec sleep 30');
    const hook = startHook({ home, event: 'SessionStart', input: start, env: { PATH } });
    await until(() => kept().some(([held, payload]) => held === true && payload === start));
    process.kill(-hook.child.pid!, 'SIGKILL');
    await hook.ended;
    expect(kept()).toEqual([[true, start]]);
  });

  test('FWD-5 FWD-6 a collector that never answers costs a second, and nothing is lost', async () => {
    await serve(() => () => undefined);
    const since = performance.now();
    expect(await ask({})).toEqual(quiet);
    expect(performance.now() - since).toBeLessThan(2_500);
    expect(kept()).toEqual([[false, start]]);
    const log = readFileSync(path.join(home, 'hooks.log'), 'utf8');
    expect([log.includes('did not answer in time'), log.includes('startup')]).toEqual([true, false]);
    expect(statSync(path.join(home, 'hooks.log')).mode & 0o777).toBe(0o600);
  });

  test('FWD-5 what a collector refuses is not kept, and its words are not logged', async () => {
    await serve(() => jsonReply(400, { ok: false, error: 'planted-words' }));
    expect(await ask({})).toEqual(quiet);
    expect(kept()).toEqual([]);
    expect(readFileSync(path.join(home, 'hooks.log'), 'utf8')).toMatch(
      /^\S+Z the collector at \S+ refused the payload\n$/,
    );
  });

  test('FWD-11 the agent’s options for Node are not for ours', async () => {
    const server = await serve(() => accepted);
    expect(await ask({ NODE_OPTIONS: '--require /nowhere.js' })).toEqual(quiet);
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['gemini', 'SessionStart'],
    ['copilot', 'sessionStart'],
  ] as const)('FWD-6 with each session of %s the spool is held to its size', async (provider, event) => {
    mkdirSync(path.join(home, 'spool'), { recursive: true });
    const old = path.join(home, 'spool', '1-1-old.hook');
    writeFileSync(old, '');
    truncateSync(old, 65 * 1024 * 1024);
    utimesSync(old, 1, 1);
    expect(await runHook({ home, provider, event, input: start })).toEqual(quiet);
    const told = kept().filter(([, payload]) => payload !== undefined);
    expect([existsSync(old), told]).toEqual([false, [[false, start]]]);
  });

  test('FWD-3 with MASCOT_COLLECTOR_URL every hook goes where the person says', async () => {
    const server = await startServer(() => accepted);
    servers.push(server);
    const env = { MASCOT_COLLECTOR_URL: server.url, MASCOT_TOKEN: 'theirs' };
    expect(await runHook({ home, input: call, env })).toEqual(quiet);
    expect([server.received[0]?.headers.get('authorization'), leftIn(home)]).toEqual(['Bearer theirs', []]);
  });

  test('FWD-3 with MASCOT_COLLECTOR_URL and no Node nothing is lost either', async () => {
    const env = { MASCOT_COLLECTOR_URL: 'http://127.0.0.1:1', PATH: programs(path.join(folder.dir, 'bin')) };
    expect(await runHook({ home, input: call, env })).toEqual(quiet);
    expect(leftIn(home).map(({ name, handOver }) => [name.startsWith('.'), handOver?.payload])).toEqual([
      [false, call],
    ]);
  });

  test.each(shells.filter(hasShell).map((shell) => [shell] as const))(
    'SEC-8 in %s a variable that names another machine costs and changes nothing',
    async (shell) => {
      const env = { MASCOT_COLLECTOR_URL: 'https://evil.example', MASCOT_TOKEN: 't' };
      expect(
        await runHook({ home, shell, input: call, env: { ...env, PATH: programs(path.join(folder.dir, 'bin')) } }),
      ).toEqual(quiet);
      expect(kept()).toEqual([[false, call]]);
      const server = await serve(() => accepted);
      expect(await runHook({ home, shell, event: 'SessionStart', input: start, env })).toEqual(quiet);
      expect(server.received).toHaveLength(1);
      expect(readFileSync(path.join(home, 'hooks.log'), 'utf8')).toMatch(
        / MASCOT_COLLECTOR_URL is ignored: .*remote\.json\)\n$/,
      );
    },
  );

  test('SEC-8 with remote.json every hook is sent masked, and waits in the spool if remote.mjs is missing', async () => {
    const server = await startServer(() => accepted);
    servers.push(server);
    writeFileSync(path.join(home, 'remote.json'), JSON.stringify({ url: server.url, token: 'theirs' }), {
      mode: 0o600,
    });
    const secret = `sk-ant-api03-${'aB3dE6gH9'.repeat(10)}AA`;
    const told = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: secret });
    expect(await runHook({ home, event: 'UserPromptSubmit', input: told })).toEqual(quiet);
    expect([server.connections(), kept()]).toEqual([0, [[false, told]]]);
    copyFileSync(path.join(bundles.folder, 'remote.mjs'), path.join(home, 'bin', 'remote.mjs'));
    expect(await runHook({ home, event: 'UserPromptSubmit', input: told })).toEqual(quiet);
    expect(server.received[0]?.headers.get('authorization')).toBe('Bearer theirs');
    expect(server.received[0]?.body).toMatch(/"prompt":"«masked:/);
    expect(server.received[0]?.body).not.toContain(secret);
  });

  test('FWD-11 Codex, whose hooks run in the person’s own shell, is the parent all the same', async () => {
    const server = await serve(() => accepted);
    const codex = { home, provider: 'codex', shell: ['bash'] } as const;
    expect(await runHook({ ...codex, event: 'SessionStart', input: start })).toEqual(quiet);
    expect(bodyOf(server)._meta).toMatchObject({
      provider: 'codex',
      ancestors: expect.arrayContaining([process.pid]) as number[],
    });
    expect(await runHook({ ...codex, event: 'Stop', input: call })).toEqual(quiet);
    expect(leftIn(home).map(({ handOver }) => [handOver?.head['provider'], handOver?.head['ppid']])).toEqual([
      ['codex', String(process.pid)],
    ]);
  });

  test('OUT-2 the agent’s shells learn their session and where mascot is, once, after what stands there', async () => {
    await serve(() => accepted);
    const file = path.join(folder.dir, 'env');
    writeFileSync(file, 'export THEIRS=1');
    for (let i = 0; i < 2; i++) await ask({ CLAUDE_ENV_FILE: file });
    const script = `. "${file}"; . "${file}"; echo "$THEIRS $MASCOT_SESSION_ID $PATH"`;
    const said = execFileSync('sh', ['-c', script], { env: { PATH: '/bin' }, encoding: 'utf8' });
    expect(said).toBe(`1 s /bin:${home}/bin\n`);
  });

  test('HKI-3 GRD-3 a guard that is on asks, lets go after two seconds, and keeps that it asked in vain', async () => {
    writeFileSync(path.join(home, 'guard.on'), '');
    const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
    const server = await serve((request, index) => (index === 0 ? provenReply(request, { output }) : () => undefined));
    const guard = () => runHook({ home, guards: true, input: call });
    expect(await guard()).toEqual({ ...quiet, stdout: `${JSON.stringify(output)}\n` });
    expect(bodyOf(server)._meta).toMatchObject({ provider: 'claude', event: 'PreToolUse' });
    expect(leftIn(home)).toEqual([]);
    const since = performance.now();
    expect(await guard()).toEqual(quiet);
    expect(performance.now() - since).toBeLessThan(3_500);
    const kept = leftIn(home).map(({ text, mode }) => [mode, (JSON.parse(text) as Kept)._meta.guard]);
    expect(kept).toEqual([[0o600, 'asks']]);
  });

  test('GRD-3 a guard that finds nobody lets go at once, and keeps that too', async () => {
    writeFileSync(path.join(home, 'guard.on'), '');
    const since = performance.now();
    expect(await runHook({ home, guards: true, input: call })).toEqual(quiet);
    expect(performance.now() - since).toBeLessThan(1_500);
    expect(leftIn(home).map(({ text }) => (JSON.parse(text) as Kept)._meta.guard)).toEqual(['asks']);
    expect(existsSync(path.join(home, 'hooks.log'))).toBe(false);
  });
});

interface Kept {
  readonly _meta: { readonly guard?: string };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
