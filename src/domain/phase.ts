import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Phase } from '../protocol/state.ts';

/** What an event means for the phase of the main agent's turn. Waits of single requests are kept apart, per agent. */
export const turnSignals = [
  'started',
  'compacted',
  'prompted',
  'worked',
  'resulted',
  'ended',
  'leftIdle',
  'closed',
  'appeared',
  'helped',
  'nothing',
] as const;
export type TurnSignal = (typeof turnSignals)[number];

/** `none` stands for a null phase; the keys are what the turn can be in, waits aside. */
export const turnPhases = ['none', 'busy', 'interactable', 'waiting_question'] as const;
type TurnPhase = (typeof turnPhases)[number];

/**
 * STA-2, total over phase and signal. A result never begins a turn (a late one may follow its end), a compaction happens
 * inside one, and a call does begin one: a Stop hook can send the agent back to work without a new prompt. `appeared` and
 * `helped` (a sub-agent works) say something only of a session that is met in the middle.
 */
export const turnTable = {
  none: {
    started: 'interactable',
    compacted: 'interactable',
    prompted: 'busy',
    worked: 'busy',
    resulted: 'busy',
    ended: 'interactable',
    leftIdle: 'waiting_question',
    closed: 'none',
    appeared: 'interactable',
    helped: 'busy',
    nothing: 'none',
  },
  busy: {
    started: 'interactable',
    compacted: 'busy',
    prompted: 'busy',
    worked: 'busy',
    resulted: 'busy',
    ended: 'interactable',
    leftIdle: 'waiting_question',
    closed: 'none',
    appeared: 'busy',
    helped: 'busy',
    nothing: 'busy',
  },
  interactable: {
    started: 'interactable',
    compacted: 'interactable',
    prompted: 'busy',
    worked: 'busy',
    resulted: 'interactable',
    ended: 'interactable',
    leftIdle: 'waiting_question',
    closed: 'none',
    appeared: 'interactable',
    helped: 'interactable',
    nothing: 'interactable',
  },
  waiting_question: {
    started: 'interactable',
    compacted: 'waiting_question',
    prompted: 'busy',
    worked: 'busy',
    resulted: 'waiting_question',
    ended: 'interactable',
    leftIdle: 'waiting_question',
    closed: 'none',
    appeared: 'waiting_question',
    helped: 'waiting_question',
    nothing: 'waiting_question',
  },
} as const satisfies Record<TurnPhase, Record<TurnSignal, TurnPhase>>;

export function nextTurnPhase(phase: Phase | null, signal: TurnSignal): Phase | null {
  const row = phase === null || phase === 'waiting_permission' ? 'none' : phase;
  const next: TurnPhase = turnTable[row][signal];
  return next === 'none' ? null : next;
}

/** A sub-agent's events say nothing about its parent's turn, except that the session exists. */
export function turnSignal(event: AgentEvent, byMain: boolean): TurnSignal {
  switch (event.event_type) {
    case 'session_started':
      return startSignal(event.payload.source);
    case 'session_ended':
      return 'closed';
    case 'user_prompt':
      return 'prompted';
    case 'turn_ended':
      return byMain ? 'ended' : 'nothing';
    case 'tool_started':
      return byMain ? 'worked' : 'helped';
    case 'agent_blocked':
      // Who only infers a wait does not know whose it is.
      return byMain && event.payload.inferred !== true ? 'worked' : 'nothing';
    case 'tool_succeeded':
    case 'tool_failed':
      return byMain ? 'resulted' : 'helped';
    case 'agent_stopped':
      if (!byMain) return 'helped';
      return event.payload.reason === 'process_gone' ? 'closed' : 'nothing';
    case 'agent_started':
      return byMain ? 'nothing' : 'helped';
    case 'model_called':
      return byMain ? 'worked' : 'nothing';
    case 'tool_batch_ended':
      return byMain ? 'resulted' : 'nothing';
    case 'compaction_started':
      if (!byMain) return 'nothing';
      // Only somebody who sits at an idle prompt can ask for it: whatever was going on before is over, and this goes on.
      return event.payload.trigger === 'manual' ? 'worked' : 'helped';
    case 'notification':
      return byMain ? noticeSignal(event) : 'nothing';
    case 'compaction_ended':
    case 'instructions_loaded':
      return byMain ? 'appeared' : 'nothing';
    case 'agent_unblocked':
    case 'task_created':
    case 'task_started':
    case 'task_progress':
    case 'task_completed':
    case 'task_failed':
    case 'heartbeat':
    case 'schema_error':
      return 'nothing';
    case 'usage_reported':
    case 'context_loaded':
    case 'prompt_found':
    case 'reply_found':
    case 'last_reply_found':
    case 'session_continued':
    case 'surface_detected':
    case 'agent_described':
    case 'work_started':
    case 'work_ended':
    case 'dependency_resolved':
    case 'untracked_edit':
    case 'guard_gap':
    case 'decision':
    case 'escalation':
      return 'nothing';
  }
}

/** Did the agent itself complete the turn? Not if it failed, was interrupted, or was only seen to be over. */
export function isTurnDone(event: AgentEvent): boolean {
  if (event.event_type !== 'turn_ended') return false;
  const { reason } = event.payload;
  return reason === 'completed' || (event.source === 'hook' && reason !== 'failed' && reason !== 'interrupted');
}

function startSignal(source: string | undefined): TurnSignal {
  if (source === 'compact') return 'compacted';
  // TRN-4: a transcript alone does not tell what its agent waits for.
  return source === 'seen' ? 'nothing' : 'started';
}

function noticeSignal({ payload, source }: EventOf<'notification'>): TurnSignal {
  switch (payload.notification_type) {
    case 'idle_prompt':
      return 'leftIdle';
    case 'message_display':
      return 'helped';
    default:
      return source === 'hook' ? 'appeared' : 'nothing';
  }
}
