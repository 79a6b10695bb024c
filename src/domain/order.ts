import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { OrderKey } from '../protocol/stored.ts';

/**
 * COL-8: within one millisecond a cause stands before its effect. Events of unlike kinds that could not have caused each
 * other share a rank and fall back to their id.
 */
const causalRank = {
  session_started: 0,
  schema_error: 1,
  user_prompt: 1,
  notification: 2,
  heartbeat: 2,
  usage_reported: 2,
  model_called: 2,
  tool_batch_ended: 2,
  compaction_started: 2,
  compaction_ended: 2,
  context_loaded: 2,
  prompt_found: 2,
  reply_found: 2,
  last_reply_found: 2,
  instructions_loaded: 2,
  session_continued: 2,
  surface_detected: 2,
  agent_described: 2,
  work_started: 2,
  work_ended: 2,
  dependency_resolved: 2,
  untracked_edit: 2,
  guard_gap: 2,
  decision: 2,
  escalation: 2,
  task_created: 2,
  task_started: 3,
  tool_started: 3,
  agent_started: 4,
  agent_blocked: 5,
  agent_unblocked: 6,
  task_progress: 6,
  agent_stopped: 7,
  tool_succeeded: 8,
  tool_failed: 8,
  task_completed: 9,
  task_failed: 9,
  turn_ended: 10,
  session_ended: 11,
} as const satisfies Record<EventType, number>;

export function rankOf(type: EventType): number {
  return causalRank[type];
}

export function orderKey(event: AgentEvent): OrderKey {
  return { ts: event.ts, rank: rankOf(event.event_type), id: event.id };
}

/** Negative when `a` comes first. Plain comparison of code units: `ts` is always UTC with milliseconds. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  return compareText(a.ts, b.ts) || a.rank - b.rank || compareText(a.id, b.id);
}

/** By code units; 0 for equal ones, so that what came first stays first. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
