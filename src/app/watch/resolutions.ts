import type { Agent, Wait } from '../../protocol/state.ts';
import type { Found } from './record.ts';
import type { SessionState } from '../../protocol/stored.ts';

/**
 * NRM-4: every wait that ends is an event of its own for those who read the stream. It changes nothing: what ended the wait
 * has done so already.
 */
export function createResolutions(): { ended(state: SessionState): readonly Found[]; forget(sessionId: string): void } {
  const open = new Map<string, Map<string, Wait>>();
  return {
    ended(state) {
      const before = open.get(state.session.id);
      const now = new Map(waits(state.agents.map(({ agent }) => agent)));
      open.set(state.session.id, now);
      return [...(before ?? [])].filter(([id, wait]) => now.get(id)?.since !== wait.since).map(resolution(state));
    },
    forget: (sessionId) => void open.delete(sessionId),
  };
}

function waits(agents: readonly Agent[]): (readonly [string, Wait])[] {
  return agents.flatMap(({ id, wait }) => (wait === null ? [] : [[id, wait] as const]));
}

function resolution(state: SessionState) {
  return ([agentId, wait]: readonly [string, Wait]): Found => ({
    key: `resolved:${agentId}:${wait.since}`,
    ts: state.last.ts,
    agentId,
    source: 'synthetic',
    type: 'agent_unblocked',
    payload: {
      derived: true,
      wait: wait.kind,
      since: wait.since,
      ...(wait.tool === undefined ? {} : { tool_name: wait.tool }),
      ...(wait.toolUseId === undefined ? {} : { tool_use_id: wait.toolUseId }),
    },
  });
}
