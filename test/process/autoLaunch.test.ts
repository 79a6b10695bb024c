import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  buildForwarder,
  type Bundles,
  type Run,
  runScript,
  unusedPort,
  writePortFile,
} from '../../forwarder/forwarder.testkit.ts';
import { launchEditor } from '../../forwarder/launch.ts';
import { findProgram } from '../../scripts/lib/findProgram.mjs';
import { hookCommand } from '../../src/domain/hooks/command.ts';
import { portFileAt } from '../portFileAt.testkit.ts';
import { standInEditor, type StandIn, until } from './autoLaunch.testkit.ts';
import { temporaryFolder } from './headless.testkit.ts';
import { hasShell, leftIn, prepareHome, programs, quiet, runHook, shells } from './hookEntry.testkit.ts';

const start = (session = 's', source = 'startup') =>
  JSON.stringify({ hook_event_name: 'SessionStart', session_id: session, source, cwd: '/p' });
const subagent = JSON.stringify({ hook_event_name: 'SubagentStart', session_id: 's', agent_id: 'a', cwd: '/p' });

let folder: ReturnType<typeof temporaryFolder>;
let bundles: Bundles;
let home = '';
const editors: StandIn[] = [];
beforeAll(async () => {
  bundles = await buildForwarder();
});
afterAll(() => bundles.remove());
beforeEach(async () => {
  folder = temporaryFolder();
  home = prepareHome(path.join(folder.dir, 'home'), bundles.forwarder);
  await setting();
});
afterEach(() => {
  for (const editor of editors.splice(0)) editor.end();
  folder.remove();
});

/** Also a port at which no collector of this machine listens. */
async function setting(autoLaunch?: string): Promise<void> {
  const content = { version: 1, collectorPort: await unusedPort(), ...(autoLaunch && { autoLaunch }) };
  writeFileSync(path.join(home, 'settings.json'), JSON.stringify(content), { mode: 0o600 });
}
function editor(then: Parameters<typeof standInEditor>[1], name?: string): StandIn {
  const made = standInEditor(folder.dir, then, name);
  editors.push(made);
  return made;
}
/** A person at a terminal with a screen, and whose editor this is. */
const person = (of: StandIn) => ({
  CI: '',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  DISPLAY: ':9',
  MASCOT_APP_PATH: of.program,
});
const log = () => {
  const file = path.join(home, 'hooks.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
/** Those that are there, for nobody knows who may make the others. */
const foldersOf = (list = '') =>
  list
    .split(':')
    .filter((dir) => path.isAbsolute(dir) && existsSync(dir))
    .join(':');
const rights = () => readdirSync(home).filter((name) => name.startsWith('launch-'));
/** A project without the editor in it. */
const elsewhere = () => {
  const project = path.join(folder.dir, 'elsewhere');
  mkdirSync(project, { recursive: true });
  return project;
};
const direct = (env: Readonly<Record<string, string>>, input = start()): Promise<Run> =>
  runScript(bundles.forwarder, { input, env: { AGENT_MASCOT_HOME: home, ...env }, cwd: elsewhere() });

describe.skipIf(process.platform !== 'linux')('FWD-7 nobody runs and an agent starts', () => {
  test('FWD-7 FWD-6 20 agents at once: none waits, one editor, and it shows them all', async () => {
    const its = editor('collector');
    const project = path.join(folder.dir, 'project');
    const bin = path.join(project, '.venv', 'bin');
    mkdirSync(bin, { recursive: true });
    const planted = {
      PATH: `${bin}:${process.env['PATH']}`,
      SHELL: path.join(bin, 'sh'),
      XDG_CONFIG_HOME: path.join(project, 'config'),
      DBUS_SESSION_BUS_ADDRESS: `unixexec:path=${bin}/evil`,
    };
    const sessions = Array.from({ length: 20 }, (_, n) => `session-${n}`);
    const portFile = path.join(home, 'collector.json');
    const told: { readonly said: unknown; readonly wasUp: boolean }[] = [];
    const secrets = {
      ANTHROPIC_API_KEY: 'planted-1',
      CLAUDE_CODE_MESSAGING_TOKEN: 'planted-2',
      MASCOT_TOKEN: 'planted-3',
      CLAUDECODE: '1',
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--no-warnings',
      VSCODE_IPC_HOOK_CLI: '/planted-4',
      LC_ALL: 'C.UTF-8',
      ...planted,
    };
    const hook = async (session: string) => {
      const env = { ...person(its), ...secrets };
      const said = await runHook({ home, event: 'SessionStart', input: start(session), env, cwd: project });
      told.push({ said, wasUp: existsSync(portFile) });
    };
    await Promise.all(sessions.map(hook));
    await until(() => portFileAt(portFile) !== undefined);
    // Those that came after the collector was up were answered by it, and their reply is theirs.
    const early = told.filter(({ wasUp }) => !wasUp);
    expect(early.length).toBeGreaterThan(0);
    expect(early.map(({ said }) => said)).toEqual(early.map(() => quiet));
    await until(() => leftIn(home).length === 0);
    const { url = '', token = '' } = portFileAt(portFile) ?? {};
    const state = await fetch(`${url}/api/state`, { headers: { authorization: `Bearer ${token}` } });
    const shown = (await state.json()) as { sessions: { id: string }[] };
    expect(shown.sessions.map(({ id }) => id).toSorted()).toEqual(sessions.toSorted());

    const [only, ...others] = its.starts();
    expect([others, rights().length <= 2, log()]).toEqual([[], true, '']);
    // Of its own session, in the person's folder, and with no word of the agent's.
    expect([only?.session, only?.folder, only?.args]).toEqual([only?.pid, folder.dir, '']);
    const { PWD: _pwd, _: _word, OLDPWD: _before, SHLVL: _depth, ...variables } = only?.variables ?? {};
    expect(variables).toEqual({
      PATH: foldersOf(process.env['PATH']),
      HOME: folder.dir,
      DISPLAY: ':9',
      LC_ALL: 'C.UTF-8',
      AGENT_MASCOT_HOME: home,
    });
  });

  test('FWD-7 the agent is killed, with all its group: the editor comes up and lives on', async () => {
    const its = editor('collector');
    const hook = hookCommand({ system: 'posix', home }, 'claude', 'SessionStart');
    const env = { PATH: process.env['PATH'], HOME: folder.dir, ...person(its) };
    const agent = spawn('sh', ['-c', `(${hook}\n)\nexec sleep 60`], {
      detached: true,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const gone = once(agent, 'exit');
    agent.stdin.end(start());
    try {
      await until(() => its.starts().length === 1);
    } finally {
      process.kill(-agent.pid!, 'SIGKILL');
    }
    expect(await gone).toEqual([null, 'SIGKILL']);
    await until(() => portFileAt(path.join(home, 'collector.json')) !== undefined);
    const [only] = its.starts();
    expect([only?.session, its.lives(only?.pid ?? 0)]).toEqual([only?.pid, true]);
    await until(() => leftIn(home).length === 0);
  });

  test('FWD-7 within a minute it is not started again, though it did not come up', async () => {
    const its = editor('idle');
    const env = person(its);
    await runHook({ home, event: 'SessionStart', input: start('a'), env });
    await until(() => its.starts().length === 1);
    // Run directly it would wait for the editor; it ends as one does whose turn it is not.
    const ran = await direct(env, start('b'));
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      0,
      '',
      'agent-mascot: VS Code with Agent Mascot is not running; the event is kept and shown when it starts.\n',
    ]);
    expect([its.starts().length, leftIn(home).length]).toEqual([1, 2]);
    // The copy that was started apart says what came of it, five seconds later.
    await until(() => log() !== '');
    expect(log()).toMatch(
      /^\S+Z \S+\/an editor\/code was started, but no Agent Mascot came up in it within 5 s: see that the extension is installed and turned on there\n$/,
    );
  });

  test('FWD-7 the editor that last ran the extension is started, if no other is named', async () => {
    const [older, last] = [editor('idle', 'older'), editor('collector', 'last')];
    const copies = [last, older].map(({ program }, n) => ({ app: 'E', extension: `/e${n}`, execPath: '/x', program }));
    const content = { version: 1, editors: copies.map((copy) => ({ ...copy, version: '1.0.0', at: 'now' })) };
    writeFileSync(path.join(home, 'editors.json'), JSON.stringify(content), { mode: 0o600 });
    const { MASCOT_APP_PATH: _, ...env } = person(last);
    await runHook({ home, event: 'SessionStart', input: start(), env });
    await until(() => leftIn(home).length === 0);
    expect([last.starts().length, older.starts().length]).toEqual([1, 0]);
  });

  test('FWD-7 FWD-5 run directly it waits for the editor, and says nothing more when that came up', async () => {
    const its = editor('collector');
    const ran = await direct(person(its));
    expect([ran.code, ran.stdout, ran.stderr.split('\n').length, its.starts().length]).toEqual([0, '', 2, 1]);
    expect(ran.stderr).toMatch(/kept and shown when it starts\.\n$/);
    expect(portFileAt(path.join(home, 'collector.json'))?.pid).toBe(its.starts()[0]?.pid);
  });

  test.skipIf(findProgram('script') === undefined)(
    'A11a2 by hand at a terminal with a display, it starts the editor that MASCOT_APP_PATH names',
    async () => {
      const its = editor('collector');
      const file = path.join(folder.dir, 'by-hand.json');
      writeFileSync(file, '{"hook_type":"SubagentStart","session_id":"test","agent_name":"test-agent"}\n');
      const { CLAUDE_CODE_ENTRYPOINT: _, ...env } = person(its);
      const typed = `"${process.execPath}" "${bundles.forwarder}" <"${file}"; exit`;
      const terminal = spawn('script', ['-qec', `sh -c '${typed}'`, '/dev/null'], {
        cwd: elsewhere(),
        env: { PATH: process.env['PATH'] ?? '', HOME: folder.dir, AGENT_MASCOT_HOME: home, ...env },
        stdio: 'ignore',
      });
      await once(terminal, 'exit');
      expect(its.starts()).toHaveLength(1);
    },
  );

  test('FWD-6 FWD-7 a signal while it waits for the editor ends it, and the event is kept once', async () => {
    const its = editor('idle');
    const stopped = runScript(bundles.forwarder, {
      input: start(),
      env: { AGENT_MASCOT_HOME: home, ...person(its) },
      cwd: elsewhere(),
      onStart: (pid) => void until(() => its.starts().length === 1).then(() => process.kill(pid, 'SIGTERM')),
    });
    const { code, stdout, stderr, elapsedMs } = await stopped;
    expect([code, stdout, stderr.split('\n').length, elapsedMs < 4_500]).toEqual([0, '', 2, true]);
    expect(stderr).toContain('stopped by the agent');
    expect(leftIn(home)).toHaveLength(1);
  });
});

describe.skipIf(process.platform !== 'linux')('FWD-7 when none is started', () => {
  interface Case {
    readonly when: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly autoLaunch?: string;
    readonly input?: string;
  }
  const cases: readonly Case[] = [
    { when: 'in CI', env: { CI: 'true' } },
    { when: 'for a headless run', env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } },
    { when: 'without a display', env: { DISPLAY: '' } },
    { when: 'over SSH without a display', env: { DISPLAY: '', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' } },
    { when: 'with the setting never', autoLaunch: 'never' },
    { when: 'for a session that goes on', input: start('s', 'compact') },
    { when: 'for another event', input: JSON.stringify({ hook_event_name: 'Stop', session_id: 's' }) },
  ];
  test.each(cases)('FWD-7 $when', async ({ env, autoLaunch, input }) => {
    const its = editor('idle');
    await setting(autoLaunch);
    const ran = await direct({ ...person(its), ...env }, input);
    expect([ran.code, ran.stdout, ran.stderr.split('\n').length]).toEqual([0, '', 2]);
    // A11a2: an agent's start says why nothing was started, and names the setting.
    expect(ran.stderr.includes('agentMascot.autoLaunch')).toBe(input === undefined);
    expect([its.starts(), rights(), leftIn(home).length]).toEqual([[], [], 1]);
  });

  test('FWD-7 always: even headless, in CI and without a display', async () => {
    const its = editor('collector');
    await setting('always');
    await direct({ MASCOT_APP_PATH: its.program, CI: 'true', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' });
    expect(its.starts()).toHaveLength(1);
  });

  test('FWD-7 in the terminal of an editor that runs already: a line says so, once in a minute', async () => {
    const its = editor('idle');
    const env = { ...person(its), TERM_PROGRAM: 'vscode' };
    for (const session of ['a', 'b'])
      expect(await runHook({ home, event: 'SessionStart', input: start(session), env })).toEqual(quiet);
    expect(log()).toMatch(/^\S+Z Agent Mascot is not running in the editor whose terminal .+ enable it there\n$/);
    expect([its.starts(), leftIn(home).length]).toEqual([[], 2]);
  });

  test('FWD-7 SEC-6 with settings that anybody can write: that is no yes', async () => {
    const its = editor('idle');
    chmodSync(path.join(home, 'settings.json'), 0o666);
    const { stderr } = await direct(person(its));
    expect([its.starts(), /the editor is not started: .+ can be written by others/.test(stderr)]).toEqual([[], true]);
  });

  test('FWD-7 SEC-6 a program in the session’s project is not started: the log says so', async () => {
    const its = editor('idle');
    const run = { home, event: 'SessionStart', input: start(), env: person(its), cwd: path.dirname(its.program) };
    expect(await runHook(run)).toEqual(quiet);
    await until(() => log() !== '');
    expect([its.starts(), log().replace(/^\S+/, '')]).toEqual([
      [],
      ` MASCOT_APP_PATH names ${its.program}, which lies in the session’s project, so it is not started\n`,
    ]);
  });

  test('FWD-7 a program that is not there: the log says what to do', async () => {
    const its = editor('idle');
    const env = { ...person(its), MASCOT_APP_PATH: path.join(folder.dir, 'gone') };
    expect(await runHook({ home, event: 'SessionStart', input: start(), env })).toEqual(quiet);
    await until(() => log() !== '');
    expect(log()).toMatch(/^\S+Z MASCOT_APP_PATH names \S+\/gone, which is no program that can be run\n$/);
    expect(leftIn(home)).toHaveLength(1);
  });

  test('FWD-7 an editor that ends at once, or can’t be run at all: what it ended with is told', async () => {
    const its = editor('fails');
    expect(await launchEditor(home, person(its), [], 300)).toMatch(
      /within 0\.3 s \(it ended with 3\): see that the extension/,
    );
    for (const name of rights()) rmSync(path.join(home, name));
    writeFileSync(its.program, '#!/nowhere/sh\n');
    expect(await launchEditor(home, person(its), [], 300)).toMatch(/could not be started \(ENOENT\): name another/);
  });
});

describe.skipIf(process.platform !== 'linux')('FWD-7 FWD-11 a sub-agent starts', () => {
  const began = { event: 'SubagentStart', input: subagent } as const;
  /** A Node that only notes what it was asked. */
  const notingNode = () => {
    const asked = path.join(folder.dir, 'asked');
    return { PATH: programs(path.join(folder.dir, 'bin'), `printf '%s\\n' "$*" >>'${asked}'`), asked };
  };

  describe.each(shells.map((shell) => ({ shell, name: shell.join(' ') })))('as $name', ({ shell }) => {
    test.skipIf(!hasShell(shell))('FWD-7 nobody runs, so the editor is started behind the agent’s back', async () => {
      const its = editor('idle');
      expect(await runHook({ home, shell, ...began, env: person(its) })).toEqual(quiet);
      expect(leftIn(home).map(({ handOver }) => handOver?.payload)).toEqual([subagent]);
      await until(() => its.starts().length === 1);
    });
  });

  test('FWD-7 FWD-11 the agent does not wait for Node', async () => {
    const PATH = programs(path.join(folder.dir, 'bin'), 'exec sleep 3');
    const since = performance.now();
    expect(await runHook({ home, ...began, env: { PATH } })).toEqual(quiet);
    expect(performance.now() - since).toBeLessThan(1_500);
  });

  test('FWD-7 SEC-6 Node starts elsewhere, and knows the agent’s folder: a program there is not started', async () => {
    const its = editor('idle');
    const cwd = path.dirname(its.program);
    expect(await runHook({ home, ...began, env: person(its), cwd })).toEqual(quiet);
    await until(() => log() !== '');
    expect([its.starts(), log().includes(`${its.program}, which lies in the session’s project`)]).toEqual([[], true]);
  });

  test('FWD-7 what was left by a collector that is dead counts as nobody', async () => {
    const its = editor('idle');
    const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    writePortFile(home, await unusedPort(), { pid });
    await runHook({ home, ...began, env: person(its) });
    await until(() => its.starts().length === 1);
  });

  test.each([
    ['while a collector lives', 'SubagentStart', () => writePortFile(home, 1)],
    ['with the setting never', 'SubagentStart', () => setting('never')],
    ['for other events', 'PostToolUse', () => undefined],
  ])('FWD-11 %s no Node is started', async (_title, event, prepare) => {
    await prepare();
    const { PATH, asked } = notingNode();
    expect(await runHook({ home, ...began, event, env: { PATH }, cwd: elsewhere() })).toEqual(quiet);
    // A second hook that does start it is later than the first one could be.
    writeFileSync(path.join(home, 'collector.json'), '');
    await setting();
    await runHook({ home, ...began, env: { PATH }, cwd: elsewhere() });
    await until(() => existsSync(asked) && readFileSync(asked, 'utf8').includes('--launch'));
    const launches = readFileSync(asked, 'utf8')
      .split('\n')
      .filter((line) => line.includes('--launch'));
    expect(launches).toEqual([
      `${home}/bin/forward-to-mascot.mjs --installed --cwd=${elsewhere()} --launch=decide --provider claude --parent ${process.pid}`,
    ]);
  });
});
