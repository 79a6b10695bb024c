import type { Session } from '../protocol/state.ts';

/** This machine, and the number space of the processes that we see. */
export interface Here {
  readonly host: string;
  readonly pidNamespace: string | undefined;
}

/** Where a session's process is, as far as it is known. Only one that is `near` has a pid that means anything here. */
export type Whereabouts =
  { readonly place: 'over' | 'container' | 'unknown' } | { readonly place: 'far'; readonly host: string } | Near;

export interface Near {
  readonly place: 'near';
  readonly pid: number;
}

export function whereaboutsOf(session: Session, here: Here): Whereabouts {
  const { state, endReason, host, pidNamespace, agentPid: pid } = session;
  // A pid that its process has left belongs to whoever comes next.
  if (state === 'completed' || (state === 'stale' && endReason === 'process_gone')) return { place: 'over' };
  if (host !== undefined && host !== here.host) return { place: 'far', host };
  const otherSpace =
    pidNamespace !== undefined && here.pidNamespace !== undefined && pidNamespace !== here.pidNamespace;
  if (otherSpace) return { place: 'container' };
  return pid === undefined ? { place: 'unknown' } : { place: 'near', pid };
}

/**
 * The index of the shell that stands nearest above a process, or is it. Each terminal inside a terminal's shell is nearer than that
 * one, so no two can be meant.
 */
export function nearestAncestor(
  ancestry: readonly number[],
  shells: readonly (number | undefined)[],
): number | undefined {
  for (const pid of ancestry) {
    const index = shells.indexOf(pid);
    if (index !== -1) return index;
  }
  return undefined;
}
