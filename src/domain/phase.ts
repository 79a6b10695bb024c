import type { AgentEvent } from '../protocol/event.ts';
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
      return startSignal(event.payload['source']);
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
      return byMain && event.payload['inferred'] !== true ? 'worked' : 'nothing';
    case 'tool_succeeded':
    case 'tool_failed':
      return byMain ? 'resulted' : 'helped';
    case 'notification':
      return byMain ? noticeSignal(event) : 'nothing';
    case 'agent_stopped':
      if (!byMain) return 'helped';
      return event.payload['reason'] === 'process_gone' ? 'closed' : 'nothing';
    case 'agent_started':
      return byMain ? 'nothing' : 'helped';
    case 'agent_unblocked':
    case 'task_created':
    case 'task_started':
    case 'task_progress':
    case 'task_completed':
    case 'task_failed':
    case 'heartbeat':
    case 'schema_error':
      return 'nothing';
  }
}

/** The agent itself ended the turn, for whatever reason; `over`: we only saw that the turn is over. */
export function isTurnDone({ event_type: type, source, payload: { reason } }: AgentEvent): boolean {
  if (type !== 'turn_ended') return false;
  return reason === 'completed' || (source === 'hook' && reason !== 'failed' && reason !== 'interrupted');
}

function startSignal(source: unknown): TurnSignal {
  if (source === 'compact') return 'compacted';
  // TRN-4: a transcript alone does not tell what its agent waits for.
  return source === 'seen' ? 'nothing' : 'started';
}

function noticeSignal({ payload, source }: AgentEvent): TurnSignal {
  switch (payload['notification_type']) {
    case 'idle_prompt':
      return 'leftIdle';
    case 'model_call':
      return 'worked';
    case 'tool_batch':
      return 'resulted';
    case 'compacting':
      // Only somebody who sits at an idle prompt can ask for it: whatever was going on before is over, and this goes on.
      return payload['trigger'] === 'manual' ? 'worked' : 'helped';
    case 'message_display':
      return 'helped';
    default:
      return source === 'hook' ? 'appeared' : 'nothing';
  }
}
