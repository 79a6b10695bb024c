import { storedSession } from '../domain/restore.ts';
import type { Sighting } from '../domain/sighting.ts';
import {
  beganUnlogged,
  isMarked,
  isPrivate,
  isSummary,
  isUnlogged,
  isWithin,
  type Known,
  spansAfter,
  withoutContent,
  withoutTitle,
} from '../domain/unlogged.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { Hub } from './hub.ts';
import type { EventStore, LoggingRules, Place } from './ports.ts';

/** CNV-4: what people and agents say is not kept where the person wants it so; that something happened is. */
export interface Unlogging {
  /** For events that come one after the other, each of which may decide about the next. */
  begin(): UnloggingBatch;
  /** What is only shown, without what may not even be shown. */
  sighted(sighting: Sighting): Sighting;
}

export interface UnloggingBatch {
  /** The events of one hook or observation as they may be kept. */
  kept(events: readonly AgentEvent[], places: readonly Place[]): readonly AgentEvent[];
  /** These will be stored, and decide about what comes after them. */
  took(events: readonly AgentEvent[]): void;
}

export interface UnloggingParts {
  readonly rules: LoggingRules;
  readonly hub: Pick<Hub, 'state'>;
  readonly store: Pick<EventStore, 'session' | 'erasedAt'>;
}

const nobody: Known = { agents: [] };

export function createUnlogging({ rules, hub, store }: UnloggingParts): Unlogging {
  function stateOf(id: string): SessionState | undefined {
    const live = hub.state(id);
    const row = live ? undefined : store.session(id);
    return live ?? (row && storedSession(row));
  }

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

  function begin(): UnloggingBatch {
    const spans = new Map<string, SessionState['unlogged']>();
    const known = (id: string): SessionState | undefined => {
      const state = stateOf(id);
      return state && spans.has(id) ? { ...state, unlogged: spans.get(id) } : state;
    };
    const knownOf = (id: string): Known => known(id) ?? { ...nobody, unlogged: spans.get(id) };

    function keptOf(event: AgentEvent, isSilent: boolean, ofPrivate: boolean): AgentEvent {
      const { unlogged } = knownOf(event.session_id);
      if (event.payload['notification_type'] === 'usage') {
        if (isSilent)
          return { ...withoutTitle(event, false), payload: { ...withoutTitle(event, false).payload, unlogged: true } };
        const isTouched = unlogged !== undefined || store.erasedAt(event.session_id) !== undefined;
        const isAsked = isMarked(event.payload['first_prompt'], rules.marker());
        return isTouched || isAsked ? withoutTitle(event, store.erasedAt(event.session_id) === undefined) : event;
      }
      if (isSilent) return withoutContent(event, ofPrivate);
      if (unlogged === undefined || !isSummary(event)) return event;
      // Of a time that was kept, but it tells of another as well.
      const emptied = withoutContent(event, false);
      const { unlogged: _own, ...payload } = emptied.payload;
      return { ...emptied, payload };
    }

    return {
      kept(events, places) {
        const [first] = events;
        if (!first) return events;
        const state = knownOf(first.session_id);
        const off = isOff(known(first.session_id), places);
        const isUsage = first.payload['notification_type'] === 'usage';
        const isSilent = off || (!isUsage && events.some((event) => isUnlogged(event, state, rules.marker())));
        const ofPrivate = !isUsage && events.some((event) => isPrivate(event, state, rules.marker()));
        return events.map((event) => keptOf(event, isSilent, ofPrivate));
      },
      took(events) {
        for (const event of events) {
          const id = event.session_id;
          const after = spansAfter(knownOf(id).unlogged, event);
          if (after !== undefined) spans.set(id, after);
        }
      },
    };
  }

  function sighted(sighting: Sighting): Sighting {
    const { says, measures, sessionId } = sighting;
    if (!says && !measures) return sighting;
    const state = hub.state(sessionId);
    const off = isOff(state, []);
    const erasedAt = store.erasedAt(sessionId);
    const isSaid =
      says !== undefined &&
      !off &&
      (erasedAt === undefined || says.at > erasedAt) &&
      !isWithin(state?.unlogged, says.at) &&
      !(state && beganUnlogged(says.agentId, state));
    return {
      ...sighting,
      says: isSaid ? says : undefined,
      measures: measures && (off ? untitled(measures, false) : shownMeasures(measures, state, erasedAt)),
    };
  }

  function shownMeasures(
    measures: NonNullable<Sighting['measures']>,
    state: SessionState | undefined,
    erasedAt: string | undefined,
  ): NonNullable<Sighting['measures']> {
    const isTouched = state?.unlogged !== undefined || erasedAt !== undefined;
    if (!isTouched && !isMarked(measures.firstPrompt, rules.marker())) return measures;
    return untitled(measures, erasedAt === undefined);
  }

  return { begin, sighted };
}

function untitled(
  measures: NonNullable<Sighting['measures']>,
  keepsPersons: boolean,
): NonNullable<Sighting['measures']> {
  const { title, firstPrompt: _prompt, ...rest } = measures;
  return keepsPersons && measures.titleByPerson ? { ...rest, title } : rest;
}
