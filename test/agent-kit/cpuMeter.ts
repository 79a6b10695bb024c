/** The CPU time of a program and of everything that it starts. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface CpuMeter {
  readonly how: string;
  /** Words before a program's own. */
  readonly under: readonly string[];
  /** Milliseconds since it was asked last; call it when the program is over. */
  sinceLastMs(): Promise<number>;
  close(): void;
}

const LOOK_MS = 500;

/** The part of all its cores, in percent, that this machine spends on others at this moment. */
export async function busyElsewhere(): Promise<number> {
  const times = () => cpus().map(({ times: { idle, ...busy } }) => [sum(Object.values(busy)), idle] as const);
  const before = times();
  await pause(LOOK_MS);
  const spent = times().map(([busy, idle], core) => [busy - (before[core]?.[0] ?? 0), idle - (before[core]?.[1] ?? 0)]);
  const busy = sum(spent.map(([part = 0]) => part));
  return (100 * busy) / Math.max(1, busy + sum(spent.map(([, idle = 0]) => idle)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

const GROUP = 'agent-mascot-lab-';
const LAST_CHILD_MS = 15_000;

/** By a control group, which counts those too that outlive the program; else by the shell's own count, which does not. */
export function cpuMeter(folder: string): CpuMeter {
  return groupMeter() ?? shellMeter(folder);
}

function groupMeter(): CpuMeter | undefined {
  const name = `${GROUP}${process.pid}`;
  const kinds = [
    {
      group: path.join('/sys/fs/cgroup/cpuacct', name),
      file: 'cpuacct.usage',
      read: (text: string) => Number(text) / 1e6,
    },
    {
      group: path.join('/sys/fs/cgroup', name),
      file: 'cpu.stat',
      read: (text: string) => Number(/^usage_usec (\d+)/m.exec(text)?.[1]) / 1e3,
    },
  ];
  for (const { group, file, read } of kinds) {
    const members = path.join(group, 'cgroup.procs');
    sweep(path.dirname(group));
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    if (!existsSync(path.join(group, file))) {
      rmdirSync(group);
      continue;
    }
    const used = () => read(readFileSync(path.join(group, file), 'utf8'));
    let last = used();
    return {
      how: `control group ${path.dirname(group)}, detached children included`,
      under: ['sh', '-c', `echo 0 >${members}; exec "$@"`, 'metered'],
      async sinceLastMs() {
        const deadline = Date.now() + LAST_CHILD_MS;
        // A group tells nobody that its last process is gone.
        while (readFileSync(members, 'utf8') !== '' && Date.now() < deadline) await pause(20);
        const since = used() - last;
        last += since;
        return since;
      },
      close: () => rmdirSync(group),
    };
  }
  return undefined;
}

/** Removes what was left by one that was killed; the kernel keeps a group that somebody is in. */
function sweep(groups: string): void {
  const left = existsSync(groups) ? readdirSync(groups).filter((name) => name.startsWith(GROUP)) : [];
  for (const name of left)
    try {
      rmdirSync(path.join(groups, name));
    } catch {
      continue;
    }
}

function shellMeter(folder: string): CpuMeter {
  const file = path.join(folder, 'cpu-times.txt');
  return {
    how: 'the shell’s count of children, detached ones not included',
    under: ['sh', '-c', `"$@"; code=$?; times >'${file}'; exit $code`, 'metered'],
    sinceLastMs() {
      const [, children = ''] = readFileSync(file, 'utf8').split('\n');
      const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
      return Promise.resolve(
        parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60e3 + Number(seconds) * 1e3, 0),
      );
    },
    close: () => undefined,
  };
}
