import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';

/** Clock ticks a second in /proc; fixed at 100 on every Linux that Node runs on. */
const TICKS = 100;

/** The kernel counts from boot in ticks and rounds; two readings of one process stay well within this. */
const START_TOLERANCE_MS = 2_000;

/** Uptime and time of day are read one after the other, and the clock may have been set since the start of the machine. */
const BOOT_TOLERANCE_MS = 60_000;

export interface ProcessId {
  readonly pid: number;
  /** ISO-8601; empty when it could not be found out. */
  readonly startedAt: string;
  /** Boot and ticks since then, as the kernel counts them: unlike a time of day it does not move when the clock is set. */
  readonly kernelStart?: string | undefined;
}

/**
 * Named for its bias: true only when the process can't be the one meant (no such pid, or another start time). Where nothing
 * can be proven the process counts as alive, for what is swept by mistake is lost.
 */
export async function isProvenDead({ pid, startedAt, kernelStart }: ProcessId): Promise<boolean> {
  if (!exists(pid)) return true;
  const seen = await look(pid);
  // A killed process keeps its pid until its parent takes notice, which may be never.
  if (seen?.zombie) return true;
  if (seen !== undefined && kernelStart !== undefined) return seen.kernelStart !== kernelStart;
  if (startedAt === '') return false;
  // After a restart of the machine its pids belong to others; where no more can be told, this much can.
  if (seen === undefined) return Date.parse(startedAt) < Date.now() - uptime() * 1000 - BOOT_TOLERANCE_MS;
  return Math.abs(seen.startedMs - Date.parse(startedAt)) > START_TOLERANCE_MS;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface Seen {
  readonly startedMs: number;
  readonly kernelStart: string;
  readonly zombie: boolean;
}

/** What the system tells of a process without starting another one: on Linux all, elsewhere nothing. */
async function look(pid: number): Promise<Seen | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const files = [`/proc/${pid}/stat`, '/proc/stat', '/proc/sys/kernel/random/boot_id'];
    const [stat = '', system = '', bootId = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    // The name, in parentheses, may hold spaces and parentheses itself. After it: the state, and the start as the 20th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[19]);
    const boot = Number(/^btime (\d+)$/m.exec(system)?.[1]);
    if (!Number.isFinite(ticks) || !Number.isFinite(boot)) return undefined;
    const startedMs = boot * 1000 + (ticks / TICKS) * 1000;
    return { startedMs, kernelStart: `${bootId.trim()}:${ticks}`, zombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}

export async function ownProcess(): Promise<ProcessId> {
  const seen = await look(process.pid);
  const startedMs = seen?.startedMs ?? Date.now() - process.uptime() * 1000;
  return { pid: process.pid, startedAt: new Date(startedMs).toISOString(), kernelStart: seen?.kernelStart };
}
