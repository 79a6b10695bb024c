import { type EventType, eventTypes } from '../protocol/event.ts';
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
