import { mainIdOf } from './agentIds.ts';
import type { Explanation } from '../protocol/explanation.ts';
import type { Session } from '../protocol/state.ts';
import type { SessionState } from '../protocol/stored.ts';

/** `shown` is the session as people see it: what time alone changed is the last step. */
export function explain(state: SessionState, shown: Session): Explanation {
  const { id, title, state: life, phase, phaseBecause, phaseSince } = shown;
  const { session, trail, agents } = state;
  const passed =
    life === session.state
      ? []
      : [
          {
            ts: phaseSince ?? session.lastEventAt,
            event: life,
            source: 'synthetic' as const,
            by: 'silence' as const,
            agentId: mainIdOf(id, agents),
            from: { life: session.state, phase: session.phase },
            to: { life, phase },
            correction: true,
          },
        ];
  return {
    sessionId: id,
    title,
    state: life,
    phase,
    because: phaseBecause,
    since: phaseSince,
    agents: agents.map(({ agent }) => ({ id: agent.id, name: agent.name, type: agent.type, kind: agent.kind })),
    steps: [...trail, ...passed],
  };
}
