import { type AgentEvent, withWords } from '../protocol/event.ts';
import type { Usage } from '../protocol/state.ts';
import { usageIn } from './sessionStep.ts';

/**
 * Agents make room by themselves before the last token: Claude Code is reported to from 83 % of a window of 200,000, Codex does
 * at 95 % of the one that it tells. Told at four fifths it comes before either, while there is still something to be done.
 */
const FULL_SHARE = 0.8;

/** EVT-1: whether the model's context has just become as good as full. It is told once, until a compaction makes room. */
export function overflows(before: Usage | null, now: Usage, budget = 0): boolean {
  return isFull(now, budget) && !(before !== null && isFull(before, budget));
}

/** The measure that is the first to tell of it says so: which one it is only the state before it shows. */
export function withOverflow(event: AgentEvent, before: Usage | null, budget: number): AgentEvent {
  if (event.event_type !== 'usage_reported') return event;
  const now = usageIn(event);
  return now && overflows(before, now, budget) ? withWords(event, { overflow: true }) : event;
}

/** Where nobody tells the window, it is full at what the person said is enough; 0: never. */
function isFull({ contextUsed, contextWindow }: Usage, budget: number): boolean {
  if (contextWindow === null) return budget > 0 && contextUsed >= budget;
  return contextWindow > 0 && contextUsed >= contextWindow * FULL_SHARE;
}
