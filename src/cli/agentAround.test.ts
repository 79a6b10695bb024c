import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Process } from '../../forwarder/processes.ts';
import { agentAround } from './agentAround.ts';
import { createScene } from './cli.testkit.ts';
import { type FakeCollector, fakeCollector } from './fakeCollector.testkit.ts';

/** Ancestors with made-up pids, nearest first: a name, or a name with its arguments. */
function above(...chain: readonly (string | readonly string[])[]): readonly Process[] {
  return chain.map((each, index) => {
    const [name = '', ...args] = typeof each === 'string' ? [each] : each;
    return { pid: 5_000_001 + index, parent: 0, name, readArguments: () => [name, ...args] };
  });
}

const terminal = ['zsh', 'tmux: server', 'systemd'];

describe('SEC-7 recognises an agent by its process, whatever the variables say', () => {
  test.each<readonly [string, readonly (string | readonly string[])[]]>([
    ['Claude Code', ['bash', 'claude', ...terminal]],
    ['Claude Code, through a script of its shell', [['node', '/work/build.mjs'], 'sh', 'zsh', 'claude', ...terminal]],
    ['Claude Code on macOS', ['/bin/zsh', '/Users/me/.local/bin/claude', '-zsh', '/sbin/launchd']],
    ['Claude Code on Windows', ['bash.exe', 'claude.exe', 'pwsh.exe', 'WindowsTerminal.exe']],
    ['Claude Code as a Node package', ['sh', ['node', '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js']]],
    ['Codex', ['bash', 'codex', ['node', '/home/dev/node_modules/.bin/codex', 'exec'], ...terminal]],
    ['Codex in its sandbox, as the kernel cuts its name', ['bash', 'codex-linux-san', 'codex', ...terminal]],
    ['Codex’s daemon', ['bash', 'codex', 'systemd']],
    ['Gemini CLI', ['bash', ['node', '--max-old-space-size=12052', '/home/dev/node_modules/.bin/gemini', '-m', 'x']]],
    ['Gemini CLI, as Node names its thread', [['node-MainThread', '/x/node_modules/@google/gemini-cli/dist/index.js']]],
    ['Copilot CLI', ['bash', 'copilot', ['node', '/home/dev/node_modules/.bin/copilot'], 'tmux: server']],
    ['OpenCode', ['bash', 'opencode', ...terminal]],
    ['Qwen Code', ['sh', ['node', '--expose-gc', '/home/dev/node_modules/@qwen-code/qwen-code/cli.js', '--yolo']]],
    ['pi', ['bash', 'pi', ...terminal]],
    ['Droid', ['sh', 'droid', ...terminal]],
    ['Kimi Code', ['sh', ['python3.13', '/home/dev/.local/bin/kimi'], ...terminal]],
    ['Cursor’s CLI', ['bash', 'cursor-agent', ...terminal]],
  ])('SEC-7 %s', (_name, chain) => {
    expect(agentAround({}, above(...chain), '/p')?.sign).toMatch(/ runs above it$/);
  });

  test.each<readonly [string, readonly (string | readonly string[])[]]>([
    ['a terminal', terminal],
    ['the editor’s terminal', ['bash', 'code', 'code', 'systemd']],
    [
      'the editor’s terminal on a server',
      [['node', '/home/dev/.vscode-server/bin/x/out/bootstrap-fork'], 'sh', 'sshd'],
    ],
    [
      'a script of npm in a project called gemini',
      [
        ['node', '/usr/bin/npm', 'run', 'x'],
        ['node', '/p/gemini/run.mjs'],
      ],
    ],
    [
      'a file that is named like an agent',
      [
        ['bash', '/p/claude'],
        ['vim', 'codex'],
        ['node', '-e', 'claude()'],
      ],
    ],
    ['programs whose names begin alike', ['claudette', 'pip', 'ampd', 'pi-hole', 'droidcam', 'geminid']],
    ['no process at all', []],
  ])('SEC-7 %s is none', (_name, chain) => {
    expect(
      agentAround({ TERM_PROGRAM: 'vscode', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/c' }, above(...chain), '/p'),
    ).toBe(undefined);
  });
});

test.each([
  ...['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'AI_AGENT', 'MASCOT_SESSION_ID', 'CODEX_SANDBOX', 'CODEX_THREAD_ID'],
  ...['GEMINI_CLI', 'GEMINI_SESSION_ID', 'QWEN_CODE_SESSION_ID', 'COPILOT_CLI', 'OPENCODE', 'PI_CODING_AGENT'],
  ...['DROID_PROJECT_DIR', 'CURSOR_AGENT'],
])('SEC-7 an agent is known by %s, whatever runs above; an empty one is none', (name) => {
  expect(agentAround({ [name]: '1' }, above(...terminal), '/p')?.sign).toBe(`${name} is set`);
  expect(agentAround({ [name]: '' }, above(...terminal), '/p')).toBe(undefined);
});

test('SEC-7 the claim holds the session, the processes nearest first, and the folder', () => {
  const told = agentAround({ MASCOT_SESSION_ID: 's 1&folder=/x' }, above('bash', 'claude'), '/p/ü');
  const parts = [...new URLSearchParams(told?.claim)];
  expect(parts.filter(([name]) => name !== 'namespace')).toEqual([
    ['session', 's 1&folder=/x'],
    ['processes', '5000001,5000002'],
    ['folder', '/p/ü'],
  ]);
  expect(told?.claim).toMatch(/^[\x21-\x7e]+$/);
});

test.runIf(process.platform === 'linux')(
  'SEC-7 the folder is that of the agent’s process, wherever its shell has gone',
  () => {
    const agent = { pid: process.pid, parent: 0, name: 'claude' };
    expect(new URLSearchParams(agentAround({}, [agent], '/elsewhere')?.claim).get('folder')).toBe(process.cwd());
  },
);

const refused = [
  ...['install', 'uninstall', 'repair', 'exclude', 'include'].map((name) => ['hooks', name]),
  ['hooks', 'doctor', '--fix'],
  ['remove-everything'],
];
describe.each([
  ['a variable', { CLAUDECODE: '1' }, terminal, 'CLAUDECODE is set'],
  ['the processes above', {}, ['bash', 'codex', ...terminal], 'codex runs above it'],
])('SEC-7 inside an agent that %s shows', (_how, env, chain, sign) => {
  test.each(refused)(
    'SEC-7 HKI-9 %s %s is refused with any flags, changes nothing, and says who can',
    async (...words) => {
      for (const flags of [[], ['--yes'], ['--yes', '--json'], ['--yes', '--no-such-flag']]) {
        // The agent is refused before unknown flags are reported.
        if (words.includes('--fix') && flags.includes('--yes')) continue;
        const scene = createScene([]).in(env);
        scene.processes = above(...chain);
        scene.excluded.push('/p');
        scene.answers = ['yes', 'remove', 'y'];
        const { code, out, complaints, questions } = await scene.run(...words.filter(Boolean), ...flags);
        expect([code, out, questions, scene.done, scene.excluded]).toEqual([1, '', [], [], ['/p']]);
        expect(complaints).toBe(
          `mascot: agents can’t run "mascot ${words.filter(Boolean).join(' ')}" (an agent runs this: ${sign}): run it in a terminal without an agent, or use the editor`,
        );
      }
    },
  );
});

test('SEC-7 a person’s terminal may do everything, and an agent may read the help', async () => {
  const person = createScene([]);
  person.processes = above(...terminal);
  expect((await person.run('remove-everything', '--yes')).out).toContain('Removed: the home');
  const agent = createScene([]).in({ CLAUDECODE: '1' });
  expect((await agent.run('remove-everything', '--help')).out).toContain('Not available to agents.');
});

test('SEC-7 does not list other excluded projects to an agent', async () => {
  const scene = createScene([]).in({ CLAUDECODE: '1' });
  scene.excluded.push('/secret');
  expect((await scene.run('hooks', 'excluded')).out).toBe('This project is not excluded.');
  expect((await scene.run('hooks', 'excluded', '--json')).out).not.toContain('secret');
});

describe('SEC-7 requests of an agent to the collector', () => {
  let there: FakeCollector;
  beforeEach(() => (there = fakeCollector()));
  afterEach(() => there.end());

  test.each([[['status']], [['sessions']], [['search', 'x']], [['work', 'list', '--all']]])(
    'SEC-7 %j tells the collector so, and the reader that only this project is shown',
    async (args) => {
      await there.serve(() => ({ items: [], next: null }));
      const agent = there.scene({ MASCOT_SESSION_ID: 's-1' });
      const text = await agent.run(...args);
      expect([text.code, text.out.split('\n').at(-1)]).toEqual([
        0,
        'Only this project is shown: an agent runs this command. For the others ask the person.',
      ]);
      const json = await agent.run(...args, '--json');
      expect(JSON.parse(json.out)).toMatchObject({ note: expect.stringMatching(/^Only this project/) });
      const sessions = there.claims.map((claim) => new URLSearchParams(claim).get('session'));
      expect(new Set(sessions)).toEqual(new Set(['s-1']));

      there.claims.length = 0;
      const person = await there.scene().run(...args);
      expect(person.out).not.toContain('agent runs');
      expect(new Set(there.claims)).toEqual(new Set([undefined]));
    },
  );

  test('SEC-7 prints the collector’s own words when it refuses an agent', async () => {
    await there.serve(() => [403, { error: 'this belongs to another project' }]);
    const { code, complaints } = await there.scene({ CLAUDECODE: '1' }).run('report', 'other');
    expect([code, complaints]).toEqual([1, 'mascot: this belongs to another project']);
  });
});
