import { providerFor } from '../../domain/providers/registry.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Found } from './record.ts';

const successors = new Set(['clear', 'resume', 'fork']);

/**
 * SES-4: a process that runs another session now has left this one, though the hook that says so was lost. Not so for an agent
 * whose sessions share one background process.
 */
export function replacedBy(before: SessionState, next: SessionState): Found | undefined {
  const [old, now] = [before.session, next.session];
  if (old.id === now.id || old.provider !== now.provider || providerFor(old.provider).sharesProcess) return undefined;
  if (old.agentPid === undefined || old.agentPid !== now.agentPid || old.host !== now.host) return undefined;
  // What starts anew below an agent may have inherited its name for its process; a successor in it is never a start.
  if (!successors.has(now.source) || next.begun === undefined) return undefined;
  if (old.pidNamespace !== now.pidNamespace) return undefined;
  if (old.agentStartedAt !== now.agentStartedAt || old.lastEventAt >= next.begun) return undefined;
  return ended(next.session.id, next.begun, {});
}

export function ended(by: string, ts: string, more: { readonly by?: 'status_file' }): Found {
  return {
    key: `replaced:${by}`,
    ts,
    source: 'synthetic',
    type: 'session_ended',
    payload: { reason: 'replaced', ...more },
  };
}
