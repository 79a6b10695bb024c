import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import type { ProcessId } from '../machine/processes.ts';

export interface ProcessTable {
  readonly host?: string | undefined;
  /** Linux: what this link says is the same for two processes that see the same pids. */
  readonly pidNamespace?: string | undefined;
  /** macOS, where a process's start does not tell the boot. */
  readonly bootSession?: string | undefined;
}

/** Asked once for each membership; a Mac that does not answer is known by its name alone. */
const SYSCTL_TIMEOUT_MS = 1_000;

export async function ownTable(): Promise<ProcessTable> {
  const [pidNamespace, boot] = await Promise.all([
    readlink('/proc/self/ns/pid').catch(() => undefined),
    process.platform === 'darwin' ? bootSession() : undefined,
  ]);
  return { host: hostname(), pidNamespace, bootSession: boot };
}

/** A Mac takes its name from the network it is in. */
async function bootSession(): Promise<string | undefined> {
  const asked = promisify(execFile)('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { timeout: SYSCTL_TIMEOUT_MS });
  const text = await asked.then(({ stdout }) => stdout.trim()).catch(() => '');
  return text === '' ? undefined : text;
}

type Placed = ProcessTable & Pick<ProcessId, 'kernelStart'>;

/**
 * Whether a pid of the one means the same process to the other. Not so between a container and its host, or between two
 * machines that share a home. What an older version wrote says nothing of it and is judged as it always was.
 */
export function isSameTable(found: Placed, own: Placed): boolean {
  if (found.host === undefined) return true;
  // An answer where one side does not know: the other's file is from another kind of system.
  if (found.pidNamespace !== own.pidNamespace) return false;
  // The name of a machine may change while it runs, its boot can't.
  if (bootOf(found) !== undefined && bootOf(found) === bootOf(own)) return true;
  return found.host === own.host;
}

function bootOf({ kernelStart, bootSession }: Placed): string | undefined {
  return kernelStart?.split(':')[0] ?? bootSession;
}
