import { type AgentEvent, withWords } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import { compareKeys, orderKey } from './order.ts';
import { reduceSession } from './reduce.ts';

/** Hooks overtake each other by milliseconds; a spool taken in late is rare enough to be read from the store. */
const REMEMBERED = 64;

interface Step {
  readonly event: AgentEvent;
  readonly before: SessionState | undefined;
}

/** A session's present state, and enough of the way to it that an event which comes late can be put in its place. */
export interface Timeline {
  readonly state: SessionState | undefined;
  readonly recent: readonly Step[];
}

export function timelineFrom(state: SessionState | undefined): Timeline {
  return { state, recent: [] };
}

/** COL-8. Undefined: it belongs before everything remembered, so the state must be made from all of the session's events. */
export function insert(timeline: Timeline, event: AgentEvent): Timeline | undefined {
  const key = orderKey(event);
  if (!timeline.state || compareKeys(timeline.state.last, key) < 0) return replay(timeline, [event]);
  if (timeline.recent.some((step) => step.event.id === event.id)) return timeline;
  const place = timeline.recent.findIndex((step) => compareKeys(key, orderKey(step.event)) < 0);
  const step = timeline.recent[place];
  // At the first remembered step the event may belong even further back, unless that step is the session's very first.
  if (!step || (place === 0 && step.before !== undefined && compareKeys(key, step.before.last) < 0)) return undefined;
  const after = timeline.recent.slice(place).map((later) => later.event);
  return replay({ state: step.before, recent: timeline.recent.slice(0, place) }, [event, ...after]);
}

function replay(from: Timeline, events: readonly AgentEvent[]): Timeline {
  const recent = [...from.recent];
  let state = from.state;
  for (const event of events) {
    recent.push({ event: slim(event), before: state });
    state = reduceSession(state, event);
  }
  return { state, recent: recent.slice(-REMEMBERED) };
}

/** Long texts are cut in every state, so what is remembered for a replay needs no more of them, and no raw payload. */
const TEXT_KEPT = 2_000;

function slim(event: AgentEvent): AgentEvent {
  const cut = Object.entries(event.payload).flatMap(([word, value]) =>
    typeof value === 'string' && value.length > TEXT_KEPT ? [[word, value.slice(0, TEXT_KEPT)]] : [],
  );
  const { thinking_text: thinking } = event;
  return {
    ...withWords(event, Object.fromEntries(cut) as AgentEvent['payload']),
    raw: {},
    ...(thinking === undefined ? {} : { thinking_text: thinking.slice(0, TEXT_KEPT) }),
  };
}
