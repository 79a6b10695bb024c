import { hookOf } from '../domain/normalize.ts';
import { reduceSession } from '../domain/reduce.ts';
import type { Sighting } from '../domain/sighting.ts';
import {
  beganUnlogged,
  isDoubtful,
  isLeftOver,
  isMarked,
  isPrivate,
  isSummary,
  isUnlogged,
  isInSpan,
  type Known,
  withoutContent,
  withoutGoingOn,
  withoutTitle,
} from '../domain/unlogged.ts';
import { type AgentEvent, type EventOf, eventOf, withWords } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { Ahead } from './ahead.ts';
import type { Hub } from './hub.ts';
import type { EventStore, LoggingRules, Place } from './ports.ts';

/** CNV-4: what people and agents say is not kept where the person wants it so; that something happened is. */
export interface Unlogging {
  /** The events of one hook or observation as they may be kept; `ahead` knows what came before them. */
  kept(events: readonly AgentEvent[], places: readonly Place[], ahead: Pick<Ahead, 'state'>): readonly AgentEvent[];
  /** Of a whole session's events, in order, those from a moment on that would be kept otherwise had they come in this order. */
  overtaken(events: readonly AgentEvent[], from: string): Overtaken;
  /** What is only shown, without what may not even be shown. */
  sighted(sighting: Sighting): Sighting;
  /** Whether the person asks with this prompt that its turn is not kept. */
  isMarked(prompt: string): boolean;
}

export interface Overtaken {
  /** As they are to be kept. */
  readonly events: readonly AgentEvent[];
  readonly state: SessionState | undefined;
}

export interface UnloggingParts {
  readonly rules: LoggingRules;
  readonly hub: Pick<Hub, 'state'>;
  readonly store: Pick<EventStore, 'erased'>;
}

const nobody: Known = { agents: [] };

export function createUnlogging({ rules, hub, store }: UnloggingParts): Unlogging {
  function isOff(state: SessionState | undefined, places: readonly Place[]): boolean {
    if (!rules.enabled()) return true;
    const folders = [
      places[0]?.path,
      ...places.map(({ folder }) => folder),
      state?.session.project,
      state?.session.cwd,
    ];
    return folders.some((folder) => folder !== undefined && folder !== '' && rules.excludes(folder));
  }

  /** Does this session continue one that was erased? A session that started afresh since the erasure does not. */
  function goesOnErased(id: string, state: SessionState | undefined): boolean {
    const { source } = state?.session ?? {};
    return store.erased.had(id) && source !== 'startup' && source !== 'clear';
  }

  function kept(
    events: readonly AgentEvent[],
    places: readonly Place[],
    ahead: Pick<Ahead, 'state'>,
  ): readonly AgentEvent[] {
    const [first] = events;
    if (!first) return events;
    const state = ahead.state(first.session_id);
    return sifted(events, state, isOff(state, places));
  }

  function sifted(events: readonly AgentEvent[], state: SessionState | undefined, off: boolean): readonly AgentEvent[] {
    const [first] = events;
    if (!first) return events;
    if (first.event_type === 'usage_reported') return [keptUsage(first, state, off)];
    const known = state ?? nobody;
    const marker = rules.marker();
    const isErased = goesOnErased(first.session_id, state);
    const isSilent =
      off || events.some((event) => isUnlogged(event, known, marker) || (isErased && isLeftOver(event, state)));
    const hasGaps = isErased || known.unlogged !== undefined;
    const isLate = !isSilent && hasGaps && events.some((event) => isDoubtful(event, known));
    if (isSilent) {
      const ofPrivate = events.some((event) => isPrivate(event, known, marker));
      return events.map((event) => withoutContent(event, ofPrivate));
    }
    if (isLate) {
      const ofPrivate = isErased || known.unlogged?.some((span) => span.isPrivate) === true;
      return events.map((event) => late(withoutContent(event, ofPrivate)));
    }
    return hasGaps ? events.map(withoutOtherTurns) : events;
  }

  /** The settings may have been others then, so only what people and agents asked for themselves counts. */
  function overtaken(ordered: readonly AgentEvent[], from: string): Overtaken {
    const ofHook = new Map<string, AgentEvent[]>();
    for (const event of ordered) ofHook.set(hookOf(event.id), [...(ofHook.get(hookOf(event.id)) ?? []), event]);
    const changed: AgentEvent[] = [];
    let state: SessionState | undefined;
    for (const event of ordered) {
      let now: AgentEvent | undefined;
      if (event.ts >= from && event.payload.unlogged !== true) {
        const together = ofHook.get(hookOf(event.id)) ?? [event];
        now = sifted(together, state, false)[together.indexOf(event)];
      }
      if (now && !isSame(now, event)) changed.push(now);
      state = reduceSession(state, now ?? event);
    }
    return { events: changed, state };
  }

  function keptUsage(event: EventOf<'usage_reported'>, state: SessionState | undefined, off: boolean): AgentEvent {
    if (off) return withWords(withoutTitle(event, false), { unlogged: true });
    const { payload, session_id: id } = event;
    const isErased = goesOnErased(id, state);
    const isAsked = payload.private_turns === true || isMarked(payload.first_prompt, rules.marker());
    return isErased || isAsked || state?.unlogged !== undefined ? withoutTitle(event, !isErased) : event;
  }

  function sighted(sighting: Sighting): Sighting {
    const { says, measures, sessionId } = sighting;
    if (!says && !measures) return sighting;
    const state = hub.state(sessionId);
    const off = isOff(state, []);
    return {
      ...sighting,
      says: says && !off && maySay(says, state) ? says : undefined,
      measures: measures && (off ? untitled(measures, false) : shownMeasures(sessionId, measures, state)),
    };
  }

  function shownMeasures(id: string, measures: Measures, state: SessionState | undefined): Measures {
    const isErased = goesOnErased(id, state);
    const isAsked = measures.privateTurns === true || isMarked(measures.firstPrompt, rules.marker());
    return isErased || isAsked || state?.unlogged !== undefined ? untitled(measures, !isErased) : measures;
  }

  return { kept, overtaken, sighted, isMarked: (prompt) => isMarked(prompt, rules.marker()) };
}

type Measures = NonNullable<Sighting['measures']>;

function isSame(a: AgentEvent, b: AgentEvent): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function late(event: AgentEvent): AgentEvent {
  return withWords(event, { late: true });
}

/** Of a time that is kept, where it tells of another as well. */
function withoutOtherTurns(event: AgentEvent): AgentEvent {
  if (!isSummary(event)) return withoutGoingOn(event);
  const { payload, ...fields } = withoutContent(event, false);
  const { unlogged: _own, ...words } = payload;
  return eventOf(fields, event.event_type, words);
}

function maySay({ agentId, at }: NonNullable<Sighting['says']>, state: SessionState | undefined): boolean {
  if (!state) return true;
  const { source, startedAt } = state.session;
  // Under a new id they begin with what was said under the old one.
  if ((source === 'fork' || source === 'resume') && at < startedAt) return false;
  return !isInSpan(state.unlogged, at) && !beganUnlogged(agentId, state);
}

function untitled(measures: Measures, keepsPersons: boolean): Measures {
  const { title, firstPrompt: _prompt, ...rest } = measures;
  return keepsPersons && measures.titleByPerson ? { ...rest, title } : rest;
}
