import type { AgentEvent } from '../protocol/event.ts';
import { type EventType, eventTypes } from '../protocol/eventPayloads.ts';
import { isMain } from './agentIds.ts';
import type { SessionLife } from '../protocol/state.ts';

const alive = Object.fromEntries(eventTypes.map((type) => [type, 'active'])) as Record<EventType, SessionLife>;
const over = Object.fromEntries(eventTypes.map((type) => [type, 'completed'])) as Record<EventType, SessionLife>;

/**
 * SES-3, total over state and event. After its end only a new start or a prompt brings a session back: a sub-agent's late
 * stop does not. After `stale` any live event does, for then it was our guess that was wrong.
 */
export const lifeTable: Readonly<Record<SessionLife, Readonly<Record<EventType, SessionLife>>>> = {
  active: { ...alive, session_ended: 'completed' },
  idle: { ...alive, session_ended: 'completed' },
  stale: { ...alive, session_ended: 'completed' },
  completed: { ...over, session_started: 'active', user_prompt: 'active' },
};

/** Nothing more is expected of it: it ended, or broke off without an end. */
export function isOver(state: SessionLife): boolean {
  return state === 'completed' || state === 'stale';
}

/** The end of the agent's process without a word ends a session as well, but only as far as we know. */
export function nextLife(before: SessionLife, event: AgentEvent): SessionLife {
  const processGone = event.event_type === 'agent_stopped' && event.payload.reason === 'process_gone' && isMain(event);
  if (processGone) return before === 'completed' ? 'completed' : 'stale';
  // What is only found out about the past brings nobody back.
  if (before === 'stale' && event.source !== 'hook' && !revivingTypes.has(event.event_type)) return 'stale';
  // What reports the end of background work brings no ended session back.
  if (before === 'completed' && event.event_type === 'user_prompt' && event.payload.synthetic === true)
    return 'completed';
  return lifeTable[before][event.event_type];
}

/** Of what is found in transcripts, only a new beginning or work itself is a sign of life. */
const revivingTypes = new Set<EventType>(['session_started', 'user_prompt', 'session_ended', 'heartbeat']);
