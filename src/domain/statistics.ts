import type { Statistics } from '../protocol/reading.ts';
import type { Session } from '../protocol/state.ts';

/** CNV-2: what a session adds up to. Nothing of it is kept beside the session: it is right whenever the session is. */
export function statisticsOf(session: Session): Statistics {
  const { prompts, replies, toolCalls, failures, subagents, tokensIn, tokensOut } = session.counts;
  return {
    prompts,
    replies,
    toolCalls,
    failures,
    subagents,
    tokensIn,
    tokensOut,
    durationMs: durationOf(session),
    endReason: session.endReason ?? null,
    final: session.state === 'completed' || session.state === 'stale',
  };
}

/** When a lost end was noticed says when somebody looked, not how long the session was. */
function durationOf({ state, startedAt, endedAt, lastEventAt }: Session): number {
  const end = state === 'completed' ? (endedAt ?? lastEventAt) : lastEventAt;
  const ms = Date.parse(end) - Date.parse(startedAt);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
