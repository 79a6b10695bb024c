import type { Session } from '../protocol/state.ts';
import { isOver } from './life.ts';

/** This machine, and the number space of the processes that we see. */
export interface Here {
  readonly host: string;
  readonly pidNamespace: string | undefined;
}

/** Where a session's process is, as far as it is known. Only one that is `near` has a pid that means anything here. */
export type Whereabouts = { readonly place: 'over' | 'container' | 'unknown' } | Far | Near;

export interface Far {
  readonly place: 'far';
  readonly host: string;
  /** A Mac's name changes with its networks: it is here all the same if this process began when it is said to have. */
  readonly unless: Near | undefined;
}

export interface Near {
  readonly place: 'near';
  readonly pid: number;
  readonly startedAt: string | undefined;
}

export function whereaboutsOf(session: Session, here: Here): Whereabouts {
  const { state, host, pidNamespace, agentPid: pid, agentStartedAt: startedAt } = session;
  // A pid that its process has left belongs to whoever comes next.
  if (isOver(state)) return { place: 'over' };
  const otherSpace =
    pidNamespace !== undefined && here.pidNamespace !== undefined && pidNamespace !== here.pidNamespace;
  const near = pid === undefined ? undefined : ({ place: 'near', pid, startedAt } as const);
  if (host !== undefined && host !== here.host) {
    // The first number space of every Linux machine has the same name, so only the process itself tells.
    return { place: 'far', host, unless: otherSpace || startedAt === undefined ? undefined : near };
  }
  return otherSpace ? { place: 'container' } : (near ?? { place: 'unknown' });
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
