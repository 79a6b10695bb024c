import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Processes, ProcessRef } from '../../app/sourcePorts.ts';
import { isProvenDead, ownProcess } from '../machine/processes.ts';

/** As the system's listing shows it: the start to the second. */
const START_TOLERANCE_MS = 2_000;

const PS_DEADLINE_MS = 2_000;
const PS_MAX_BYTES = 1024 * 1024;

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

/** SES-4, over the one judgement that the claim uses too. No process is started for it on Linux and Windows, one in all on a Mac. */
export async function createProcesses(platform: Platform = process.platform, list: List = runPs): Promise<Processes> {
  const bootId = (await ownProcess()).kernelStart?.split(':')[0];
  return {
    host: hostname(),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(() => undefined),
    async gone(ids) {
      const dead = await Promise.all(ids.map((id) => isGone(id, bootId)));
      if (platform === 'linux' || platform === 'win32') return dead;
      const doubtful = ids.filter((id, index) => !dead[index] && isPid(id.pid)).slice(0, LISTED_MAX);
      if (doubtful.length === 0) return dead;
      const listed = parsePs(await list([...new Set(doubtful.map(({ pid }) => pid))]));
      return ids.map((id, index) => dead[index] === true || isAnother(id, listed.get(id.pid)));
    },
  };
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

/** The system's own program; in UTC, for an hour of autumn comes twice in local time. */
function runPs(pids: readonly number[]): Promise<string> {
  const args = ['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')];
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const options = { timeout: PS_DEADLINE_MS, maxBuffer: PS_MAX_BYTES, env, cwd: '/' };
  // It ends with 1 when one of the processes is not there, and still lists the others.
  return new Promise((resolve) => void execFile('/bin/ps', args, options, (_error, stdout) => resolve(stdout)));
}
