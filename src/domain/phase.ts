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
  'nothing',
] as const;
export type TurnSignal = (typeof turnSignals)[number];

/** `none` stands for a null phase; the keys are what the turn can be in, waits aside. */
export const turnPhases = ['none', 'busy', 'interactable', 'waiting_question'] as const;
type TurnPhase = (typeof turnPhases)[number];

/**
 * STA-2, total over phase and signal. A result never begins a turn (a late one may follow its end), a compaction happens
 * inside one, and a call does begin one: a Stop hook can send the agent back to work without a new prompt.
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
      return event.payload['source'] === 'compact' ? 'compacted' : 'started';
    case 'session_ended':
      return 'closed';
    case 'user_prompt':
      return 'prompted';
    case 'turn_ended':
      return byMain ? 'ended' : 'nothing';
    case 'tool_started':
    case 'agent_blocked':
      return byMain ? 'worked' : 'nothing';
    case 'tool_succeeded':
    case 'tool_failed':
      return byMain ? 'resulted' : 'nothing';
    case 'notification':
      return event.payload['notification_type'] === 'idle_prompt' ? 'leftIdle' : 'nothing';
    case 'agent_started':
    case 'agent_stopped':
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
