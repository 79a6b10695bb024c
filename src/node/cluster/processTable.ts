import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { ProcessId } from '../machine/processes.ts';

export interface ProcessTable {
  readonly host?: string | undefined;
  /** Linux: what this link says is the same for two processes that see the same pids. */
  readonly pidNamespace?: string | undefined;
}

export async function ownTable(): Promise<ProcessTable> {
  return { host: hostname(), pidNamespace: await readlink('/proc/self/ns/pid').catch(() => undefined) };
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

function bootOf({ kernelStart }: Placed): string | undefined {
  return kernelStart?.split(':')[0];
}
