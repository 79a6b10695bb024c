import type { EventContent } from './observed.ts';
import { compareText } from './order.ts';
import type { SessionState } from '../protocol/stored.ts';

/** What the agent itself writes about its session. */
export interface OwnStatus {
  readonly status: 'busy' | 'idle' | 'waiting' | 'shell';
  readonly waitingFor?: string | undefined;
  /** ms since the epoch. */
  readonly at: number;
}

export type StatusCorrection = EventContent & {
  /** Whose request is answered; absent: it is the main agent's event. */
  readonly agentId?: string;
};

/** Hooks and status file are written side by side; what is that close to a hook says nothing against it, until it has stood. */
const SAME_MOMENT_MS = 100;
export const STANDS_MS = 3_000;

/**
 * SES-5: what the status file corrects, if anything. It never overrules a fresher hook, for a hook says what happened and the
 * file only what it came to. Fresher than what the status contradicts, that is: a neighbour that works on says nothing about it.
 */
export function correctionByStatus(state: SessionState, own: OwnStatus, now: number): StatusCorrection | undefined {
  const { session } = state;
  if (session.state !== 'active' || session.surface === 'headless') return undefined;
  const since = own.at + (now - own.at >= STANDS_MS ? SAME_MOMENT_MS : -SAME_MOMENT_MS);
  switch (own.status) {
    case 'waiting':
      return waiting(state, own, since);
    case 'busy':
      return busy(state, since);
    case 'idle':
    case 'shell':
      return idle(state, own.status, since);
  }
}

const by = { by: 'status_file' } as const;

function waiting(state: SessionState, own: OwnStatus, since: number): StatusCorrection | undefined {
  if (openWaits(state).length > 0 || since <= Date.parse(state.answered ?? '1970') || since <= worked(state))
    return undefined;
  const wait = /permission/i.test(own.waitingFor ?? '') ? 'permission' : 'question';
  return { type: 'agent_blocked', payload: { wait, inferred: true, ...by } };
}

/** Dialogs stand in line: of several requests the answer is to the oldest, and each answer to one. */
function busy(state: SessionState, since: number): StatusCorrection | undefined {
  const [oldest] = openWaits(state).toSorted((a, b) => compareText(a.since, b.since));
  if (!oldest) return begins(state, since) ? { type: 'model_called', payload: by } : undefined;
  if (since <= Date.parse(oldest.since)) return undefined;
  return { type: 'agent_unblocked', agentId: oldest.agentId, payload: { answer: 'given in the agent', ...by } };
}

/** It stays busy while a background agent works: idle means that nobody does, and that nobody is asked. */
function idle(state: SessionState, status: 'idle' | 'shell', since: number): StatusCorrection | undefined {
  const waits = openWaits(state);
  const helpers = state.agents.filter(({ agent }) => agent.kind === 'subagent' && agent.present);
  // TRN-4: of a session without hooks nobody else says that it is the person's move.
  const untold = state.main.phase === null;
  if (waits.length === 0 && state.main.phase !== 'busy' && helpers.length === 0 && !untold) return undefined;
  const contradicted = [...waits.map((wait) => wait.since), ...helpers.map(({ seenAt }) => seenAt)].map((ts) =>
    Date.parse(ts),
  );
  if (since <= Math.max(worked(state), ...contradicted)) return undefined;
  return { type: 'turn_ended', payload: { reason: 'over', alone: status === 'idle', ...by } };
}

function openWaits({ agents }: SessionState) {
  return agents.flatMap(({ agent }) =>
    agent.present && agent.wait !== null ? [{ agentId: agent.id, since: agent.wait.since }] : [],
  );
}

/** When the main agent was last known to work. */
function worked(state: SessionState): number {
  return state.worked === undefined ? 0 : Date.parse(state.worked);
}

/** The file stays busy after the main turn for background agents; without one, busy means a turn that no hook told of. */
function begins(state: SessionState, since: number): boolean {
  // A team-mate that works keeps it busy too.
  const helpersAreOut = state.agents.some(({ agent }) => agent.kind !== 'main' && agent.present);
  const rests = state.main.since === null ? 0 : Date.parse(state.main.since);
  return state.main.phase !== 'busy' && !helpersAreOut && since > rests + SAME_MOMENT_MS;
}
