import { describe, expect, it } from 'vitest';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './forwarder.testkit.ts';
import { listingOf, listProcesses, parseListing } from './listedProcesses.ts';
import { parseStat, readBootTime, readProcess, startedAt, ttyName } from './linuxProcesses.ts';
import { agentProcess, ancestorsOf } from './processes.ts';
import type { Process } from './processes.ts';

/** From the hook's parent upwards: `name` or `name script`. */
function chainOf(names: readonly string[]): readonly Process[] {
  return names.map((words, index) => {
    const [name = '', ...args] = words.split(' ');
    return { pid: 100 - index, parent: 99 - index, name, readArguments: () => [name, ...args] };
  });
}

describe('FWD-2 agent_pid', () => {
  const chains: readonly (readonly [string, readonly string[], number | undefined, string | undefined])[] = [
    ['through sh -c', ['sh', 'claude', 'bash', 'tmux: server'], undefined, 'claude'],
    ['without a shell', ['claude', 'zsh'], undefined, 'claude'],
    ['through a shell script', ['dash', 'sh', 'codex', 'node codex.js', 'fish'], undefined, 'codex'],
    ['through launchers', ['timeout', 'nice', 'env', 'setsid', 'claude'], undefined, 'claude'],
    ['through npx', ['sh', 'node /usr/bin/npx', 'claude'], undefined, 'claude'],
    [
      'through npm exec',
      ['sh', 'node --no-warnings /usr/lib/node_modules/npm/bin/npm-cli.js', 'claude'],
      undefined,
      'claude',
    ],
    ['an agent that is a Node program', ['sh', 'node /usr/bin/gemini', 'bash'], undefined, 'node'],
    ['an agent under Node 24', ['sh', 'node-MainThread /opt/claude/cli.js', 'bash'], undefined, 'node-MainThread'],
    ['on Windows', ['cmd.exe', 'powershell.exe', 'claude.exe', 'pwsh.exe'], undefined, 'claude.exe'],
    ['a login shell', ['-zsh', 'claude'], undefined, 'claude'],
    ['the named pid, if it is an ancestor', ['sh', 'wrapper', 'claude'], 98, 'claude'],
    ['not an inherited pid of another agent', ['sh', 'codex', 'bash'], 4242, 'codex'],
    ['nobody, under shells alone', ['sh', 'bash'], undefined, undefined],
    ['nobody, when its own is gone', ['sh', 'systemd'], undefined, undefined],
    ['nobody, in an empty chain', [], 7, undefined],
  ];
  it.each(chains)('FWD-2 finds the agent %s', (_title, names, claimed, expected) => {
    expect(agentProcess(chainOf(names), claimed)?.name).toBe(expected);
  });

  it('FWD-2 follows parents up to the first process, and stops in a loop', () => {
    const table = new Map<number, Process>([
      [9, { pid: 9, parent: 5, name: 'sh' }],
      [5, { pid: 5, parent: 1, name: 'claude' }],
      [1, { pid: 1, parent: 0, name: 'init' }],
      [20, { pid: 20, parent: 21, name: 'a' }],
      [21, { pid: 21, parent: 20, name: 'b' }],
    ]);
    const pids = (from: number) => ancestorsOf(from, (pid) => table.get(pid)).map(({ pid }) => pid);
    expect([pids(9), pids(20), pids(77), pids(0)]).toEqual([[9, 5, 1], [20, 21], [], []]);
  });
});

describe('FWD-2 process table', () => {
  it.each([
    [34817, 'pts/1'],
    [34816, 'pts/0'],
    [136 * 256 + 255, 'pts/255'],
    [(137 << 8) | 3, 'pts/259'],
    [(4 << 8) | 2, 'tty2'],
    [(4 << 8) | 65, 'ttyS1'],
    [0, undefined],
    [(5 << 8) | 1, undefined],
  ])('FWD-2 device %i is %s', (device, name) => {
    expect(ttyName(device)).toBe(name);
  });

  const rest = '1 2 3 34817 5 6 7 8 9 10 11 12 13 14 15 16 17 18 12345 21';
  it.each([
    ['a plain name', `7 (claude) S ${rest}`, 'claude'],
    ['brackets and spaces in the name', `7 (tmux: (x) server) S ${rest}`, 'tmux: (x) server'],
    ['nothing', '', undefined],
    ['a cut line', '7 (claude) S 1', undefined],
    ['words for numbers', '7 (claude) S a b c d', undefined],
  ])('FWD-2 reads a stat line with %s', (_title, text, name) => {
    const expected = name === undefined ? undefined : { name, parent: 1, ttyNumber: 34817, startTicks: 12345 };
    expect(parseStat(text)).toEqual(expected);
  });

  it('SES-1 adds the kernel ticks to the boot time', () => {
    expect(startedAt(1_700_000_000, 12_345)).toBe('2023-11-14T22:15:23.450Z');
  });

  it.runIf(process.platform === 'linux')('FWD-2 reads this very process', () => {
    const self = readProcess(process.pid, readBootTime());
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid });
    const age = Date.now() - Date.parse(self?.startedAt ?? '');
    expect(Math.abs(age - process.uptime() * 1000)).toBeLessThan(2_000);
  });

  it.runIf(process.platform === 'linux')('FWD-2 reads this very process’s arguments when asked', () => {
    expect(readProcess(process.pid, undefined)?.readArguments?.()[0]).toBe(process.argv0);
  });

  it('FWD-2 reads a listing of ps and of PowerShell, and skips what is neither', () => {
    const listing = [
      '    1     0 ??       Wed Nov 18 14:20:20 2026 /sbin/launchd',
      '  812     1 ttys003  Mon Nov  2 09:01:02 2026 /Applications/My App/claude',
      '4188 812 ? 2026-11-18T14:20:20.1234567Z claude.exe',
      'PID PPID TTY STARTED COMMAND',
      '7 1 pts/1 sometime sh',
      '',
    ].join('\r\n');
    const local = (text: string) => new Date(text).toISOString();
    expect(parseListing(listing)).toEqual([
      { pid: 1, parent: 0, name: '/sbin/launchd', tty: undefined, startedAt: local('2026-11-18T14:20:20') },
      {
        pid: 812,
        parent: 1,
        name: '/Applications/My App/claude',
        tty: 'ttys003',
        startedAt: local('2026-11-02T09:01:02'),
      },
      { pid: 4188, parent: 812, name: 'claude.exe', tty: undefined, startedAt: '2026-11-18T14:20:20.123Z' },
    ]);
  });
});

describe('FWD-2 the program that lists processes', () => {
  const powershell = 'System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  it.each([
    ['darwin', undefined, '/', '/bin/ps'],
    ['freebsd', 'C:\\Windows', '/', '/bin/ps'],
    ['win32', 'D:\\WinNT', 'D:\\WinNT\\System32', `D:\\WinNT\\${powershell}`],
    ['win32', undefined, 'C:\\Windows\\System32', `C:\\Windows\\${powershell}`],
    ['win32', 'Windows', 'C:\\Windows\\System32', `C:\\Windows\\${powershell}`],
    ['win32', '.\\tools', 'C:\\Windows\\System32', `C:\\Windows\\${powershell}`],
  ])('FWD-2 on %s with SystemRoot %s is the system’s own', (platform, SystemRoot, folder, program) => {
    expect(listingOf(platform, SystemRoot === undefined ? {} : { SystemRoot }).slice(0, 2)).toEqual([folder, program]);
  });

  it.runIf(existsSync('/bin/ps'))('FWD-2 is not one of that name on the way to programs', async () => {
    const folder = temporaryFolder('path');
    const marker = path.join(folder, 'was-run');
    writeFileSync(path.join(folder, 'ps'), `#!/bin/sh\n: > '${marker}'\n`, { mode: 0o755 });
    const listed = await listProcesses('darwin', { PATH: `${folder}:/usr/bin:/bin` });
    const wasRun = existsSync(marker);
    rmSync(folder, { recursive: true });
    expect(wasRun).toBe(false);
    expect(listed.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
  });
});
