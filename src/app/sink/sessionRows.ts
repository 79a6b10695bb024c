import { interactionOf } from '../../domain/interactions.ts';
import { type CallsSoFar, noCallsYet, type ObservationReader, readObservations } from '../../domain/observations.ts';
import { compareKeys, orderKey } from '../../domain/order.ts';
import { callRow, eventRow, saidRow } from '../../domain/postgres/rows.ts';
import { sessionEventOf } from '../../domain/sessionEvents.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { OrderKey } from '../../protocol/stored.ts';
import type { EventStore } from '../ports.ts';
import type { Outgoing } from './outgoing.ts';

/** Reading these takes some milliseconds; what they become is made with breaths between. */
const EVENTS_AT_ONCE = 100;
/** A session of which something comes late is read again from the last of these before it. */
const PAUSES_KEPT = 8;
/** The least lately read sessions are forgotten; each takes some kilobytes. */
const SESSIONS_KEPT = 1_000;

/** A place in a session where no call was open: from there on it can be read without what came before. */
interface Pause {
  readonly key: OrderKey;
  readonly calls: CallsSoFar;
}

/** The tool calls of a session, as far as they were read. */
interface Reading {
  readonly reader: ObservationReader;
  key: OrderKey | undefined;
  pauses: readonly Pause[];
}

/** Events of one session that are to be told, and what is known of the database. */
export interface ToldEvents {
  readonly session: string;
  readonly events: readonly AgentEvent[];
  /** The store is read up to this number alone: what came later is told later. */
  readonly upTo: number;
  /** May the database have had rows of this event before? */
  readonly mayBeThere: (event: AgentEvent) => boolean;
  readonly isAgent: (id: string) => boolean;
  /** The person may exclude a project while a long session of it is read. */
  readonly isExcluded: () => boolean;
}

export interface SessionRowsParts {
  readonly store: Pick<EventStore, 'eventsAfter' | 'session'>;
  readonly user: () => string;
  readonly breathe: () => Promise<void>;
}

/**
 * Makes of stored events the rows of the team's database. What an event says is a row by itself; a tool call is one row of two or
 * more events, so each session's calls are read on from where they stood, and again from further back if something comes late.
 */
export class SessionRows {
  readonly #parts: SessionRowsParts;
  readonly #readings = new Map<string, Reading>();

  constructor(parts: SessionRowsParts) {
    this.#parts = parts;
  }

  async add(told: ToldEvents, to: Outgoing): Promise<void> {
    const events = told.events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)));
    for (const event of events) {
      this.#addOwnRows(event, told, to);
      await this.#parts.breathe();
    }
    const [first] = events;
    if (!first) return;
    const reading = this.#readings.get(told.session);
    const isNext = reading !== undefined && (!reading.key || compareKeys(reading.key, orderKey(first)) < 0);
    if (!isNext || !(await this.#readOn(reading, events, told, to))) await this.#readAgain(first, told, to);
  }

  /** All that is stored of a session, whatever was told of it before. */
  async addWhole(told: Omit<ToldEvents, 'events'>, to: Outgoing): Promise<void> {
    this.forget(told.session);
    await this.#readFrom([], undefined, { ...told, events: [] }, to);
  }

  forget(session: string): void {
    this.#readings.delete(session);
  }

  forgetAll(): void {
    this.#readings.clear();
  }

  /** Prompts, replies, and what the session's story tells. */
  #addOwnRows(event: AgentEvent, { mayBeThere, isAgent }: ToldEvents, to: Outgoing): void {
    const user = this.#parts.user();
    const isTakenBack = event.payload.unlogged === true;
    const said = interactionOf(event);
    if (isTakenBack || (!said && !isOfCall(event) && mayBeThere(event))) to.remove('interactions', [event.id]);
    if (said) to.add('interactions', saidRow(said, user));
    const story = sessionEventOf(event, isAgent);
    if (story) to.add('session_events', eventRow(story, user));
    // The state forgets agents that are long gone: without them their story would not be told again.
    else if ((isTakenBack || mayBeThere(event)) && !isOfAgent(event)) to.remove('session_events', [event.id]);
  }

  /** False if these events tell of a call that is not known any more. */
  async #readOn(reading: Reading, events: readonly AgentEvent[], told: ToldEvents, to: Outgoing): Promise<boolean> {
    for (const event of events) {
      reading.reader.take(event, !this.#mayLackBeginning(event, told));
      if (reading.reader.missed !== undefined) return false;
      await this.#parts.breathe();
    }
    this.#addCalls(reading, events, told, to);
    this.#moveTo(reading, events.at(-1));
    this.#keep(told.session, reading);
    return true;
  }

  /** Reads the session's calls from the last pause before `first`, or from its beginning, and tells them anew from `first` on. */
  async #readAgain(first: AgentEvent, told: ToldEvents, to: Outgoing): Promise<void> {
    const from = orderKey(first);
    const pauses = this.#readings.get(told.session)?.pauses.filter(({ key }) => compareKeys(key, from) < 0) ?? [];
    this.#readings.delete(told.session);
    if (!(await this.#readFrom(pauses, from, told, to))) await this.#readFrom([], from, told, to);
  }

  /** Tells the calls from `from` on; without it all that the session's events say. */
  async #readFrom(
    pauses: readonly Pause[],
    from: OrderKey | undefined,
    told: ToldEvents,
    to: Outgoing,
  ): Promise<boolean> {
    const { store, breathe } = this.#parts;
    const pause = pauses.at(-1);
    const reading: Reading = { reader: readObservations(pause?.calls ?? noCallsYet), key: pause?.key, pauses };
    const news = new Set(told.events.map(({ id }) => id));
    const known: ToldEvents = { ...told, mayBeThere: (event) => !news.has(event.id) || told.mayBeThere(event) };
    for (let more = true; more && !told.isExcluded();) {
      const page = store.eventsAfter(told.session, reading.key, EVENTS_AT_ONCE, told.upTo);
      const later = page.events.filter((event) => !from || compareKeys(orderKey(event), from) >= 0);
      for (const event of page.events) {
        // What earlier events make of their calls was told before.
        if (event === later[0]) this.#pass(reading);
        if (!from) this.#addOwnRows(event, told, to);
        reading.reader.take(event, !this.#mayLackBeginning(event, known));
        // Read from its beginning, nothing can be found that is further back.
        if (reading.reader.missed !== undefined && pause) return false;
        await breathe();
      }
      if (later.length === 0) this.#pass(reading);
      this.#addCalls(reading, later, known, to);
      this.#moveTo(reading, page.events.at(-1));
      more = page.more;
      await to.sendIfFull();
    }
    this.#keep(told.session, reading);
    return true;
  }

  #pass({ reader }: Reading): void {
    reader.news();
    reader.takenBack();
  }

  /** The rows of calls that these events told something of. An event that was a row and is part of another call now is none any more. */
  #addCalls({ reader }: Reading, events: readonly AgentEvent[], told: ToldEvents, to: Outgoing): void {
    const calls = reader.news();
    const ids = new Set(calls.map(({ id }) => id));
    const isNoRow = (event: AgentEvent) =>
      isOfCall(event) && told.mayBeThere(event) && !ids.has(event.id) && !this.#mayLackBeginning(event, told);
    to.remove('interactions', [...reader.takenBack(), ...events.filter(isNoRow).map(({ id }) => id)]);
    for (const call of calls) to.add('interactions', callRow(call, this.#parts.user()));
  }

  #moveTo(reading: Reading, last: AgentEvent | undefined): void {
    if (!last) return;
    const { reader, pauses } = reading;
    reading.key = orderKey(last);
    if (!reader.waits) reading.pauses = [...pauses, { key: reading.key, calls: reader.soFar() }].slice(-PAUSES_KEPT);
  }

  #keep(session: string, reading: Reading): void {
    reading.reader.letGo();
    this.#readings.delete(session);
    this.#readings.set(session, reading);
    const oldest = this.#readings.size > SESSIONS_KEPT ? this.#readings.keys().next().value : undefined;
    if (oldest !== undefined) this.#readings.delete(oldest);
  }

  /** Its row there has the id of a beginning that retention may have taken here: without it, it would be another row. */
  #mayLackBeginning(event: AgentEvent, { session, mayBeThere }: ToldEvents): boolean {
    return endsCall(event) && mayBeThere(event) && this.#parts.store.session(session)?.trimmed === true;
  }
}

function isOfAgent({ event_type: type }: AgentEvent): boolean {
  return type === 'agent_started' || type === 'agent_stopped';
}

function isOfCall(event: AgentEvent): boolean {
  return event.event_type === 'tool_started' || endsCall(event);
}

function endsCall({ event_type: type }: AgentEvent): boolean {
  return type === 'tool_succeeded' || type === 'tool_failed';
}
