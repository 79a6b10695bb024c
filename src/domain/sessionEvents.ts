import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { SessionEvent, SessionEventType } from '../protocol/sessionEvent.ts';
import { LABEL_MAX, oneLine, textIn } from './text.ts';

/** A line of a log on a wide screen. */
const SUMMARY_MAX = 200;

/** A request that is longer is read where it is stored whole; this is what a screen shows of it. */
const PROMPT_MAX = 2_000;

interface Telling {
  readonly type: SessionEventType;
  readonly summary: (event: AgentEvent) => string;
  /** Fields of the payload that are worth telling, with the most that is told of each. */
  readonly details: Readonly<Record<string, number>>;
  /** It is of an agent: told only if that one is somebody, for warm-ups and compaction start and stop nobody. */
  readonly ofAgent?: true;
}

const ownWords = (event: AgentEvent, field: string) => oneLine(textIn(event, field, PROMPT_MAX) ?? '', SUMMARY_MAX);
const because = (event: AgentEvent, field: string) => {
  const word = ownWords(event, field);
  return word === '' ? '' : ` (${word})`;
};
const called = (event: AgentEvent) => ownWords(event, 'agent_type') || 'agent';

/** EVT-1: which normalised events are events of the session's own story. Those of the rest are nobody's news. */
const tellings: Readonly<Partial<Record<EventType, Telling>>> = {
  session_started: {
    type: 'session_start',
    summary: (event) => `Session started${because(event, 'source')}`,
    details: { source: LABEL_MAX, model: LABEL_MAX },
  },
  session_ended: {
    type: 'session_end',
    summary: (event) => `Session ended${because(event, 'reason')}`,
    details: { reason: LABEL_MAX },
  },
  user_prompt: {
    type: 'user_request',
    summary: (event) => ownWords(event, 'prompt') || 'A request without words',
    details: { prompt: PROMPT_MAX },
  },
  agent_started: {
    type: 'agent_activated',
    summary: (event) => `${called(event)} began`,
    details: { agent_type: LABEL_MAX },
    ofAgent: true,
  },
  agent_stopped: {
    type: 'agent_deactivated',
    summary: (event) => `${called(event)} ended${because(event, 'reason')}`,
    details: { agent_type: LABEL_MAX, reason: LABEL_MAX },
    ofAgent: true,
  },
};

/** Undefined: not of the story. `isAgent` tells whether somebody of this id was ever there. */
export function sessionEventOf(event: AgentEvent, isAgent: (id: string) => boolean): SessionEvent | undefined {
  const telling = tellings[event.event_type];
  // Nobody typed it: the agent program reports the end of background work that way.
  if (!telling || event.payload['synthetic'] === true) return undefined;
  if (telling.ofAgent && !isAgent(event.agent_id)) return undefined;
  const told = Object.entries(telling.details).flatMap(([field, max]) => {
    const text = textIn(event, field, max);
    return text === undefined ? [] : [[field, text] as const];
  });
  return {
    id: event.id,
    session_id: event.session_id,
    event_type: telling.type,
    summary: telling.summary(event),
    details: { ...(telling.ofAgent ? { agent_id: event.agent_id } : {}), ...Object.fromEntries(told) },
    severity: event.severity,
    created_at: event.ts,
  };
}
