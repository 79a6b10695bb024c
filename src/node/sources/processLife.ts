import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Processes, ProcessRef } from '../../app/sourcePorts.ts';
import { listingOf } from '../../../forwarder/listedProcesses.ts';
import { isProvenDead, ownProcess } from '../machine/processes.ts';

/** As the system's listing shows it: the start to the second. */
const START_TOLERANCE_MS = 2_000;

const PS_DEADLINE_MS = 2_000;
const PS_MAX_BYTES = 1024 * 1024;

/** PowerShell costs most of a second of CPU time, so a process is checked when it is first seen, and then at this interval. */
const WINDOWS_LOOKS_MS = 5 * 60_000;

/** More agents than this run on no machine; the rest counts as alive. */
const LISTED_MAX = 1_000;

const PID_MAX = 2 ** 31 - 1;

export type Platform = NodeJS.Platform;
/** The listing's text; empty when there is none. */
export type List = (pids: readonly number[]) => Promise<string>;

interface Listed {
  readonly zombie: boolean;
  readonly startedMs: number;
}

/**
 * SES-4: finds out which processes live, by the same rules as the claim. Linux needs no extra process for it, macOS one for each look,
 * Windows one if a process was not checked for some minutes. `now`: milliseconds of a clock that only goes forward.
 */
export async function createProcesses(
  platform: Platform = process.platform,
  list: List = platform === 'win32' ? runPowerShell : runPs,
  now: () => number = () => performance.now(),
): Promise<Processes> {
  const bootId = (await ownProcess()).kernelStart?.split(':')[0];
  const lookedAt = new Map<string, number>();

  /** The processes to check now on Windows. */
  function due(ids: readonly ProcessRef[]): readonly ProcessRef[] {
    const at = now();
    for (const [key, before] of lookedAt) if (at - before >= WINDOWS_LOOKS_MS) lookedAt.delete(key);
    const found = ids.filter((id) => id.startedAt !== undefined && !lookedAt.has(keyOf(id)));
    for (const id of found) lookedAt.set(keyOf(id), at);
    return found;
  }

  return {
    host: hostname(),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(() => undefined),
    async gone(ids) {
      const dead = await Promise.all(ids.map((id) => isGone(id, bootId)));
      if (platform === 'linux') return dead;
      const doubtful = ids.filter((id, index) => !dead[index] && isPid(id.pid)).slice(0, LISTED_MAX);
      const asked = platform === 'win32' ? due(doubtful) : doubtful;
      if (asked.length === 0) return dead;
      const text = await list([...new Set(asked.map(({ pid }) => pid))]);
      const listed = platform === 'win32' ? parseCim(text) : parsePs(text);
      return ids.map((id, index) => dead[index] === true || (isPid(id.pid) && isAnother(id, listed.get(id.pid))));
    },
  };
}

function keyOf({ pid, startedAt }: ProcessRef): string {
  return `${pid} ${startedAt}`;
}

/** Zero and below mean groups of processes to the system, larger ones nobody. */
function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid <= PID_MAX;
}

async function isGone({ pid, startedAt = '', startTicks }: ProcessRef, bootId: string | undefined): Promise<boolean> {
  if (!isPid(pid)) return false;
  const known = bootId !== undefined && startTicks !== undefined;
  return isProvenDead({ pid, startedAt, kernelStart: known ? `${bootId}:${startTicks}` : undefined });
}

function isAnother({ startedAt = '' }: ProcessRef, listed: Listed | undefined): boolean {
  if (!listed) return false;
  return listed.zombie || Math.abs(listed.startedMs - Date.parse(startedAt)) > START_TOLERANCE_MS;
}

/** Rows of `pid= stat= lstart=`: `  812 Ss   Wed Nov 18 14:20:20 2026`, in UTC. */
export function parsePs(text: string): ReadonlyMap<number, Listed> {
  const row = /^\s*(\d+)\s+(\S+)\s+\w+\s+(\w+)\s+(\d+)\s+([\d:]+)\s+(\d+)\s*$/;
  return new Map(
    text.split('\n').flatMap((line): [number, Listed][] => {
      const [, pid, state = '', month, day, time, year] = row.exec(line) ?? [];
      if (pid === undefined) return [];
      const startedMs = Date.parse(`${day} ${month} ${year} ${time} UTC`);
      return [[Number(pid), { zombie: state.startsWith('Z'), startedMs }]];
    }),
  );
}

/** Rows of `812 2026-11-18T14:20:20.1234567Z`. */
export function parseCim(text: string): ReadonlyMap<number, Listed> {
  return new Map(
    text.split('\n').flatMap((line): [number, Listed][] => {
      const [, pid, time = ''] = /^(\d+) (\d{4}-\d\d-\d\dT\S+Z)\s*$/.exec(line) ?? [];
      const startedMs = Date.parse(time);
      return Number.isNaN(startedMs) ? [] : [[Number(pid), { zombie: false, startedMs }]];
    }),
  );
}

/** Lists these processes with the forwarder's program. */
function runPowerShell(pids: readonly number[]): Promise<string> {
  const [cwd, program] = listingOf('win32', process.env);
  const filter = pids.map((pid) => `ProcessId=${pid}`).join(' or ');
  const row = `"$($_.ProcessId) $($_.CreationDate.ToUniversalTime().ToString('o'))"`;
  const args = [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    `Get-CimInstance Win32_Process -Filter '${filter}'|%{${row}}`,
  ];
  const env = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };
  const options = { timeout: PS_DEADLINE_MS, maxBuffer: PS_MAX_BYTES, windowsHide: true, env, cwd };
  return new Promise((resolve) => void execFile(program, args, options, (_error, stdout) => resolve(stdout)));
}

/** The system's own program; in UTC, for an hour of autumn comes twice in local time. */
function runPs(pids: readonly number[]): Promise<string> {
  const args = ['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')];
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const options = { timeout: PS_DEADLINE_MS, maxBuffer: PS_MAX_BYTES, env, cwd: '/' };
  // It ends with 1 when one of the processes is not there, and still lists the others.
  return new Promise((resolve) => void execFile('/bin/ps', args, options, (_error, stdout) => resolve(stdout)));
}
