import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findProgram } from '../../../scripts/lib/findProgram.mjs';
import { hookedIds } from '../../protocol/providers.ts';
import { homeOfCommand, hookCommand, isGuardCommand, isOurCommand } from './command.ts';

const shells: readonly (readonly [string, string, readonly string[]])[] = [
  ['sh', 'sh', ['-c']],
  // Called by the name `bash`, it reads ~/.bashrc where standard input is a socket and no shell is above it.
  ['bash as sh', 'bash', ['--posix', '-c']],
  ['dash', 'dash', ['-c']],
  ['zsh as sh', 'zsh', ['-c']],
  ['busybox sh', 'busybox', ['sh', '-c']],
];
const present = shells.filter(([, file]) => spawnSync(file, ['--help']).error === undefined);
const folder = mkdtempSync(join(tmpdir(), 'mascot-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Ended {
  readonly status: number | null;
  readonly said: string;
}

function run([, shell, args]: (typeof shells)[number], command: string, env: Record<string, string>): Ended {
  const { status, stdout, stderr } = spawnSync(findProgram(shell) ?? shell, [...args, command], {
    argv0: shell === 'busybox' ? shell : 'sh',
    env: { PATH: process.env['PATH'] ?? '', ...env },
    input: '{"hook_event_name":"Stop"}',
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

let made = 0;
function homeWith(name: string, entry: string | undefined, mode = 0o600): string {
  const home = join(folder, String(made++), name);
  mkdirSync(join(home, 'bin'), { recursive: true });
  if (entry !== undefined) writeFileSync(join(home, 'bin', 'hook'), entry, { mode });
  return home;
}

const silence = { status: 0, said: '' };
const isRoot = process.getuid?.() === 0;

test.each(present)('HKI-4 whatever is wrong with the entry, %s ends in silence with 0', (...shell) => {
  const unreadable = homeWith('x', 'echo read >&2; exit 3', 0o000);
  const isFolder = homeWith('x', undefined);
  mkdirSync(join(isFolder, 'bin', 'hook'));
  const notSearchable = homeWith('x', 'exit 0');
  chmodSync(notSearchable, 0o600);
  const homes = [
    join(folder, 'missing'),
    homeWith('x', undefined),
    homeWith('x', 'if ((; fi }'),
    homeWith('x', 'exit 7'),
    homeWith('x', 'no-such-program-here; cd /no/such/folder; echo "$unset" >&2; false'),
    // zsh keeps the status of a shell that dies of an error, whatever its trap says; our entry does not die that way.
    ...(shell[1] === 'zsh' ? [] : ['echo noise >&2; set -e; set -u; echo "$unset"', '. /no/such/file; exit 4']).map(
      (entry) => homeWith('x', entry),
    ),
    homeWith('x', '\0\x01\xff'),
    isFolder,
    notSearchable,
    ...(isRoot ? [] : [unreadable]),
  ];
  const ends = homes.flatMap((home) =>
    hookedIds.flatMap((provider) =>
      [false, true].map((guards) => run(shell, hookCommand({ system: 'posix', home }, provider, 'Stop', guards), {})),
    ),
  );
  expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set([JSON.stringify(silence)]));
  chmodSync(notSearchable, 0o700);
});

test.each(present)('HKI-4 %s without HOME, or with one that is not there, ends in silence', (...shell) => {
  const command = hookCommand({ system: 'posix', home: '$HOME/.agent-mascot' }, 'claude', 'Stop');
  const ends = [{}, { HOME: '' }, { HOME: '/no/such' }, { HOME: 'relative' }].map((env) => run(shell, command, env));
  expect(ends).toEqual([silence, silence, silence, silence]);
});

const odd = [
  'plain',
  'a b',
  `it's`,
  'say "hi"',
  '$HOME $(date) ${x}',
  '`date`',
  'back\\slash\\',
  '한글 é',
  'new\nline',
  '#x;y&z|*?!',
  'x'.repeat(200),
];

test.each(present)(
  'HKI-4 %s finds its entry in a home of any name, and hands over what the entry needs',
  (...shell) => {
    const entry = 'printf "%s|" "$m" "$@"; cat';
    const ends = odd.flatMap((name) => {
      const home = homeWith(name, entry);
      return hookedIds.map((provider) => {
        const said = run(shell, hookCommand({ system: 'posix', home }, provider, 'Stop', true), {});
        return { name, provider, ...said, wanted: `${home}|${provider}|Stop|guard|{"hook_event_name":"Stop"}` };
      });
    });
    expect(ends.filter(({ status, said, wanted }) => status !== 0 || said !== wanted)).toEqual([]);
  },
);

test.each(present)('HKI-4 %s finds a home below any $HOME', (...shell) => {
  const ends = odd.map((name) => {
    const home = homeWith(name, 'printf %s "$m"');
    const end = run(shell, hookCommand({ system: 'posix', home: '$HOME/a "b" $c' }, 'codex', 'Stop'), { HOME: home });
    mkdirSync(join(home, 'a "b" $c', 'bin'), { recursive: true });
    writeFileSync(join(home, 'a "b" $c', 'bin', 'hook'), 'printf %s "$m"');
    const found = run(shell, hookCommand({ system: 'posix', home: '$HOME/a "b" $c' }, 'codex', 'Stop'), { HOME: home });
    return { missing: end, found, wanted: { status: 0, said: join(home, 'a "b" $c') } };
  });
  expect(ends.map(({ missing, found }) => [missing, found])).toEqual(ends.map(({ wanted }) => [silence, wanted]));
});

test.each(present)('SEC-8 %s reads its entry where the whole path says, whatever HOME is', (...shell) => {
  const prepared = homeWith('prepared', 'printf planted');
  const home = homeWith(`it's "a" $home \\ 한`, 'printf "%s|%s" "$m" "$1"');
  const command = hookCommand({ system: 'posix', home }, 'claude', 'Stop');
  const ends = [{ HOME: prepared }, { HOME: join(prepared, '..') }, { m: prepared }, {}].map((env) => {
    return run(shell, command, env);
  });
  expect(ends).toEqual(ends.map(() => ({ status: 0, said: `${home}|claude` })));
});

test.each(['claude', 'codex'] as const)(
  'HKI-8 SEC-6 no program of the agent’s PATH reads what %s runs at a hook',
  (provider) => {
    const planted = join(folder, 'planted');
    mkdirSync(planted, { recursive: true });
    for (const name of ['sh', 'env', 'test', '[', 'printf', 'trap'])
      writeFileSync(join(planted, name), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const command = hookCommand({ system: 'posix', home: homeWith('x', 'printf "%s" "$1"') }, provider, 'Stop');
    const ends = present.map((shell) => run(shell, command, { PATH: `${planted}:${process.env['PATH']}` }));
    expect(ends).toEqual(present.map(() => ({ status: 0, said: provider })));
  },
);

test('HKI-2 every command that we write, on any system and with any home, is known as ours', () => {
  const commands = [...odd, '$HOME/.agent-mascot'].flatMap((home) =>
    hookedIds.flatMap((provider) =>
      [false, true].flatMap((guards) => [
        {
          guards,
          text: hookCommand(
            { system: 'posix', home: home.startsWith('$HOME/') ? home : `/${home}` },
            provider,
            'PreToolUse',
            guards,
          ),
        },
        {
          guards,
          text: hookCommand(
            { system: 'windows', home: `C:/${home.replace(/["$`%]/g, '')}` },
            provider,
            'PreToolUse',
            guards,
          ),
        },
      ]),
    ),
  );
  expect(commands.filter(({ text, guards }) => !isOurCommand(text) || isGuardCommand(text) !== guards)).toEqual([]);
});

const ours = hookCommand({ system: 'posix', home: '$HOME/.agent-mascot' }, 'claude', 'Stop');
const wrapped = hookCommand({ system: 'posix', home: '$HOME/.agent-mascot' }, 'codex', 'Stop');
const windows = hookCommand({ system: 'windows', home: 'C:/m' }, 'claude', 'Stop');
const wrappedBefore = wrapped.replace('exec /bin/sh', 'exec sh');

function pastedFrom(bin: string): string {
  const script = `"${bin}/forward-to-mascot.mjs"`;
  return `[ -f ${script} ] && command -v node >/dev/null && exec node ${script} --provider claude; exit 0`;
}

test.each([
  [ours, '$HOME/.agent-mascot'],
  [wrapped, '$HOME/.agent-mascot'],
  [wrappedBefore, '$HOME/.agent-mascot'],
  [windows, 'C:/m'],
  [hookCommand({ system: 'posix', home: '/o\'s "$x" `y`' }, 'codex', 'Stop', true), '/o\'s "$x" `y`'],
  [pastedFrom('$HOME/.agent-mascot/bin'), '$HOME/.agent-mascot'],
  [pastedFrom('/home/u/my mascot/bin'), '/home/u/my mascot'],
  ['node ~/.agent-mascot/bin/forward-to-mascot.mjs --provider codex', '$HOME/.agent-mascot'],
  ['node "$HOME/.agent-mascot/bin/forward-to-mascot.mjs" --provider copilot --event agentStop', '$HOME/.agent-mascot'],
])('HKI-2 a command of ours names its home: %s', (command, home) => {
  expect(homeOfCommand(command)).toBe(home);
});

test.each([
  ['nothing', ''],
  ['a mention of us', 'echo agent-mascot'],
  ['a line before it', `date; ${ours}`],
  ['a line after it', `${ours}; date`],
  ['a comment after it', `${ours} mine`],
  ['a line below it', `${ours}\n`],
  ['another shell around it', `bash -c '${ours.replaceAll("'", "'\\''")}'`],
  ['a program around it', `timeout 5 ${wrapped}`],
  ['a shell of their own around it', wrapped.replace('/bin/sh', '/opt/bin/sh')],
  ['no shell around what has its quotes', wrapped.replace('/bin/sh', '')],
  ['something beside it in the same shell', wrapped.replace('exec 2>', 'date; exec 2>')],
  ['another entry', ours.replaceAll('bin/hook', 'bin/mine')],
  ['another agent', ours.replace('-- claude', '-- cursor')],
  ['a further word', ours.replace('claude Stop', 'claude Stop mine')],
  ['a home that runs something', ours.replace('$HOME/.agent-mascot"', '$HOME/x";date;n="y"')],
  [
    'a wrapper of their own that starts the forwarder',
    'node ~/mine.mjs && node "$HOME/.agent-mascot/bin/forward-to-mascot.mjs"',
  ],
  ['a home that a shell would make', ours.replace('$HOME/.agent-mascot', '$(date)')],
  ['a home of backticks', ours.replace('$HOME/.agent-mascot', '/x/`date`')],
  ['a home from a variable', ours.replace('$HOME/.agent-mascot', '/x/$X')],
  ['a home of the project at hand', ours.replace('$HOME/.agent-mascot', './.x')],
  ['the same for another shell', wrapped.replace('$HOME/.agent-mascot', '$(date)')],
  ['the same on Windows', windows.replace('C:/m', 'C:/$(date)')],
  ['the same with percent signs', windows.replace('C:/m', 'C:/%X%')],
  ['the same on Windows, at hand', windows.replace('C:/m', './m')],
  ['the first release’s with a home that a shell would make', pastedFrom('$(date)/x')],
  ['the forwarder without our word', windows.replace(' --installed', '')],
  ['the forwarder with more', `${windows} && date`],
  ['the forwarder from elsewhere', windows.replace('/bin/', '/src/')],
])('HKI-2 a person’s own command is not ours: %s', (_, command) => {
  expect(isOurCommand(command)).toBe(false);
});

test('HKI-2 a command of a megabyte is told in no time', () => {
  const hostile = ['"', '\\', "'\\''", 'a', ';set -- a b ', '/forward-to-mascot.mjs'].flatMap((part) => [
    `exec /bin/sh -c '${part.repeat(200_000)}'`,
    `exec sh -c '${part.repeat(200_000)}'`,
    `exec 2>/dev/null;m="${part.repeat(200_000)}`,
    `[ -f "${part.repeat(200_000)}`,
    `node "${part.repeat(200_000)}`,
  ]);
  expect(hostile.filter(isOurCommand)).toEqual([]);
});
