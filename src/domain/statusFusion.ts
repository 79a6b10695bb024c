import type { EventType } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';

/** What the agent itself writes about its session. */
export interface OwnStatus {
  readonly status: 'busy' | 'idle' | 'waiting' | 'shell';
  readonly waitingFor?: string | undefined;
  /** ms since the epoch. */
  readonly at: number;
}

export interface StatusCorrection {
  readonly type: EventType;
  readonly payload: JsonObject;
}

/** Hooks and status file are written side by side within this; what is that close to a hook says nothing against it. */
const SAME_MOMENT_MS = 100;

/**
 * SES-5: what the status file corrects, if anything. It never overrules a fresher hook, for a hook says what happened and
 * the file only what it came to.
 */
export function correctionByStatus(
  state: SessionState,
  { status, waitingFor, at }: OwnStatus,
): StatusCorrection | undefined {
  const { session, main } = state;
  if (session.state !== 'active' || session.surface === 'headless') return undefined;
  if (at <= lastWordOfHooks(state) + SAME_MOMENT_MS) return undefined;
  const by = { by: 'status_file' } as const;
  const waits = state.agents.some(({ agent }) => agent.present && agent.wait !== null);
  switch (status) {
    case 'waiting':
      if (waits) return undefined;
      return {
        type: 'agent_blocked',
        payload: { wait: /permission/i.test(waitingFor ?? '') ? 'permission' : 'question', inferred: true, ...by },
      };
    case 'busy':
      if (waits) return { type: 'agent_unblocked', payload: { everyone: true, answer: 'given in the agent', ...by } };
      return begins(state) ? { type: 'notification', payload: { notification_type: 'model_call', ...by } } : undefined;
    case 'idle':
    case 'shell':
      // TRN-4: of a session without hooks nobody else says that it is the person's move.
      if (!waits && main.phase !== 'busy' && !helpersAreOut(state) && !isUntold(state)) return undefined;
      // It stays busy while a background agent works: idle means that nobody does.
      return { type: 'turn_ended', payload: { reason: 'over', alone: status === 'idle', ...by } };
  }
}

function lastWordOfHooks({ session, agents }: SessionState): number {
  const seen = agents.map(({ seenAt }) => Date.parse(seenAt));
  return Math.max(Date.parse(session.lastEventAt), ...seen);
}

/** The file stays busy after the main turn for background agents; without one, busy means a turn that no hook told of. */
function begins(state: SessionState): boolean {
  const { phase } = state.main;
  return phase !== 'busy' && !helpersAreOut(state);
}

function isUntold({ session, main }: SessionState): boolean {
  return session.seenIn === 'transcript' && main.phase === null;
}

function helpersAreOut({ agents }: SessionState): boolean {
  return agents.some(({ agent }) => agent.kind === 'subagent' && agent.present);
}
