import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
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

type Undecided = 'session_started' | 'agent_blocked' | 'agent_stopped' | 'compaction_started' | 'notification';

/** What the main agent's event and a sub-agent's say, where the type alone decides it. */
const signalsByType: Readonly<Record<Exclude<EventType, Undecided>, readonly [TurnSignal, TurnSignal]>> = {
  session_ended: ['closed', 'closed'],
  user_prompt: ['prompted', 'prompted'],
  turn_ended: ['ended', 'nothing'],
  tool_started: ['worked', 'helped'],
  tool_succeeded: ['resulted', 'helped'],
  tool_failed: ['resulted', 'helped'],
  agent_started: ['nothing', 'helped'],
  agent_unblocked: ['nothing', 'nothing'],
  task_created: ['nothing', 'nothing'],
  task_started: ['nothing', 'nothing'],
  task_progress: ['nothing', 'nothing'],
  task_completed: ['nothing', 'nothing'],
  task_failed: ['nothing', 'nothing'],
  heartbeat: ['nothing', 'nothing'],
  schema_error: ['nothing', 'nothing'],
  usage_reported: ['nothing', 'nothing'],
  model_called: ['worked', 'nothing'],
  tool_batch_ended: ['resulted', 'nothing'],
  compaction_ended: ['appeared', 'nothing'],
  context_loaded: ['nothing', 'nothing'],
  prompt_found: ['nothing', 'nothing'],
  reply_found: ['nothing', 'nothing'],
  last_reply_found: ['nothing', 'nothing'],
  instructions_loaded: ['appeared', 'nothing'],
  session_continued: ['nothing', 'nothing'],
  surface_detected: ['nothing', 'nothing'],
  agent_described: ['nothing', 'nothing'],
  work_started: ['nothing', 'nothing'],
  work_ended: ['nothing', 'nothing'],
  dependency_resolved: ['nothing', 'nothing'],
  untracked_edit: ['nothing', 'nothing'],
  guard_gap: ['nothing', 'nothing'],
  decision: ['nothing', 'nothing'],
  escalation: ['nothing', 'nothing'],
};

/** A sub-agent's events say nothing about its parent's turn, except that the session exists. */
export function turnSignal(event: AgentEvent, byMain: boolean): TurnSignal {
  switch (event.event_type) {
    case 'session_started':
      return startSignal(event.payload.source);
    case 'agent_blocked':
      // Who only infers a wait does not know whose it is.
      return byMain && event.payload.inferred !== true ? 'worked' : 'nothing';
    case 'agent_stopped':
      if (!byMain) return 'helped';
      return event.payload.reason === 'process_gone' ? 'closed' : 'nothing';
    case 'compaction_started':
      if (!byMain) return 'nothing';
      // Only somebody who sits at an idle prompt can ask for it: whatever was going on before is over, and this goes on.
      return event.payload.trigger === 'manual' ? 'worked' : 'helped';
    case 'notification':
      return byMain ? noticeSignal(event) : 'nothing';
    default:
      return signalsByType[event.event_type][byMain ? 0 : 1];
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
