import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { ownProcess } from '../machine/processes.ts';
import { createProcesses, parseCim, parsePs } from './processLife.ts';

const onLinux = test.skipIf(process.platform !== 'linux');
const onPosix = test.skipIf(!existsSync('/bin/ps'));
const HOUR_MS = 3_600_000;

const shifted = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid!;
}

test('SES-4 only what is proven counts as gone: an ended process, or another one under its number', async () => {
  const { startedAt } = await ownProcess();
  const { gone } = await createProcesses();
  const ids = [
    { pid: await deadPid() },
    { pid: process.pid },
    { pid: process.pid, startedAt },
    { pid: process.pid, startedAt: '2001-01-01T00:00:00.000Z' },
    { pid: process.pid, startedAt: 'nonsense' },
    { pid: 1 },
  ];
  expect(await gone(ids)).toEqual([true, false, false, true, false, false]);
  expect(await gone([])).toEqual([]);
});

onLinux('SES-4 the kernel’s count decides alone where it is known', async () => {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const { gone } = await createProcesses();
  const { pid } = process;
  const startedAt = '2001-01-01T00:00:00.000Z';
  expect(
    await gone([
      { pid, startTicks },
      { pid, startTicks, startedAt },
      { pid, startTicks: startTicks + 1 },
    ]),
  ).toEqual([false, false, true]);
});

test.each(['linux', 'darwin', 'win32'] as const)(
  'SES-4 numbers that are no process are never judged (%s)',
  async (on) => {
    const asked: (readonly number[])[] = [];
    const { gone } = await createProcesses(on, async (pids) => (asked.push(pids), ''));
    const ids = [0, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 53].map((pid) => ({
      pid,
      startedAt: '2001-01-01T00:00:00Z',
    }));
    expect(await gone(ids)).toEqual(ids.map(() => false));
    expect(asked).toEqual([]);
  },
);

test('SES-4 on a Mac one listing tells of all', async () => {
  const asked: (readonly number[])[] = [];
  const listing = (state: string) => async (pids: readonly number[]) => {
    asked.push(pids);
    return `${process.pid} ${state}   Wed Nov 18 14:20:20 2026\n`;
  };
  const { pid } = process;
  // Where even the machine's start proves nothing, only the listing can tell these two apart.
  const started = new Date(Date.UTC(2026, 10, 18, 14, 20, 21)).toISOString();
  const later = shifted(started, HOUR_MS * 24 * 365 * 100);
  const ids = [{ pid }, { pid, startedAt: later }, { pid: await deadPid() }];
  const alive = await createProcesses('darwin', listing('Ss'));
  expect(await alive.gone(ids)).toEqual([false, true, true]);
  const zombie = await createProcesses('darwin', listing('Z+'));
  expect(await zombie.gone([{ pid }])).toEqual([true]);
  const silent = await createProcesses('darwin', async () => '');
  expect(await silent.gone([{ pid }])).toEqual([false]);
  expect(asked).toEqual([[pid], [pid]]);
});

test('SES-4 on Windows another process under the number is gone, and each is looked at once in five minutes', async () => {
  const asked: (readonly number[])[] = [];
  const { pid, startedAt } = await ownProcess();
  let [now, listedAt] = [0, startedAt];
  const list = async (pids: readonly number[]) => {
    asked.push(pids);
    return `${pid} ${listedAt.replace('Z', '4567Z')}\r\n`;
  };
  const { gone } = await createProcesses('win32', list, () => now);
  const ids = [{ pid, startedAt }, { pid }, { pid: await deadPid(), startedAt }];
  expect([await gone(ids), await gone(ids)]).toEqual([
    [false, false, true],
    [false, false, true],
  ]);
  listedAt = shifted(startedAt, HOUR_MS);
  now = 299_000;
  expect(await gone(ids)).toEqual([false, false, true]);
  expect(asked).toEqual([[pid]]);
  now = 300_000;
  expect(await gone(ids)).toEqual([true, false, true]);
  expect(asked).toEqual([[pid], [pid]]);
});

test('SES-4 a listing of PowerShell, and what is no row of it', () => {
  const text = '4 \r\n812 2026-11-18T14:20:20.1234567Z\r\nGet-CimInstance : no\r\n7 nonsense\r\n';
  expect([...parseCim(text)]).toEqual([[812, { zombie: false, startedMs: Date.UTC(2026, 10, 18, 14, 20, 20, 123) }]]);
});

test('SES-4 a listing’s rows, and what is none', () => {
  const text = '    1 Ss   Wed Nov 18 14:20:20 2026\n99999 Z+   Sun Jan  4 03:02:01 2026    \n\nerror: what\n7 S\n';
  expect([...parsePs(text)]).toEqual([
    [1, { zombie: false, startedMs: Date.UTC(2026, 10, 18, 14, 20, 20) }],
    [99999, { zombie: true, startedMs: Date.UTC(2026, 0, 4, 3, 2, 1) }],
  ]);
});

onPosix('SES-4 the system’s own listing agrees with what a process knows of itself', async () => {
  const { startedAt } = await ownProcess();
  // As on a Mac, though the listing is this system's.
  const { gone } = await createProcesses('darwin');
  expect(await gone([{ pid: process.pid, startedAt }])).toEqual([false]);
});

test('SES-4 the machine is named as forwarders name it', async () => {
  const { host, pidNamespace } = await createProcesses();
  const namespace = process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : undefined;
  expect({ host, pidNamespace }).toEqual({ host: hostname(), pidNamespace: namespace });
});
