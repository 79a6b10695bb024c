import type { Statistics } from '../protocol/reading.ts';
import type { Session } from '../protocol/state.ts';
import { isOver } from './life.ts';
import { lastWorkOf } from './work.ts';

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
    final: isOver(session.state),
  };
}

/** Who closes right after the last word was there until then. */
const CLOSING_MS = 5 * 60_000;

/** A session that is left open for days has not worked for days, however its end came. */
function durationOf(session: Session): number {
  const { state, startedAt, endedAt } = session;
  const worked = lastWorkOf(session);
  const closing = Date.parse(endedAt ?? '') - Date.parse(worked);
  // Late news may come after the end.
  const end = state === 'completed' && endedAt !== undefined && closing <= CLOSING_MS ? endedAt : worked;
  const ms = Date.parse(end) - Date.parse(startedAt);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
