import { uptime } from 'node:os';
import type { PortFile } from '../src/protocol/discovery.ts';
import { readBootTime, readKernelStart, readProcess } from './linuxProcesses.ts';

/** What the machine is asked where it has no /proc. */
export interface Machine {
  readonly platform: string;
  /** As `process.kill`. */
  readonly kill: (pid: number, signal: 0) => boolean;
  /** Milliseconds since the epoch. */
  readonly bootedAt: () => number;
}

const thisMachine: Machine = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  bootedAt: () => Date.now() - uptime() * 1000,
};

/** The kernel counts a start in hundredths and the boot in whole seconds, and the clock may have been set since. */
const START_TOLERANCE_MS = 2_000;

/** A pid alone proves nothing: it may be someone else's by now, and so may the port. */
export function ownerLives(
  { pid, startedAt, kernelStart }: Pick<PortFile, 'pid' | 'startedAt' | 'kernelStart'>,
  { platform, kill, bootedAt }: Machine = thisMachine,
): boolean {
  if (platform === 'linux') {
    if (kernelStart !== undefined) return readKernelStart(pid) === kernelStart;
    const owner = readProcess(pid, readBootTime());
    const apart = Date.parse(owner?.startedAt ?? '') - Date.parse(startedAt);
    return Math.abs(apart) <= START_TOLERANCE_MS;
  }
  const hasStartedSinceBoot = Date.parse(startedAt) >= bootedAt() - START_TOLERANCE_MS;
  return hasStartedSinceBoot && answersToUs(pid, kill);
}

/** Our owner runs as this user, so a process that we may not signal (EPERM) is someone else's. */
function answersToUs(pid: number, kill: Machine['kill']): boolean {
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}
