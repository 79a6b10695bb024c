import { isMain } from '../../domain/agentIds.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { threadName } from '../../domain/relay/chatText.ts';
import { type Draft, eventDraft, isToldOf, phaseDraft, startedDraft, waitDrafts } from '../../domain/relay/drafts.ts';
import type { RelaySession } from '../../domain/relay/records.ts';
import { isRepeated, withPrompt, withReply } from '../../domain/relay/replies.ts';
import { isInSpan } from '../../domain/unlogged.ts';
import { type AgentEvent, isOfType } from '../../protocol/event.ts';
import type { Phase, Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Change } from '../changePorts.ts';
import type { OutletParts } from '../outletPorts.ts';
import type { Disposable } from '../ports.ts';
import type { RelayQueue } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';
import type { Place } from './target.ts';

/** What a spool kept over night is no news any more. */
const FRESH_MS = 5 * 60_000;

/** Pages of the log that are heard before others get their turn: some 8 ms. */
const PAGES_AT_ONCE = 8;

/** Of the sessions that were heard last it is known what was heard of their state. */
const SESSIONS_MAX = 1_000;

/** Discord does not notify us of a permission that the person has fixed; the next message tries again after this time. */
const REOPEN_MS = 5 * 60_000;

/** Each of these may have begun a thread: two in a row are enough for a while. */
const REOPEN_UNANSWERED_MS = 3_600_000;

export interface HearingParts extends Pick<OutletParts, 'store' | 'state' | 'clock' | 'log'> {
  readonly queue: RelayQueue;
  readonly world: Pick<RelayWorld, 'rules' | 'word'>;
  readonly placeOf: (project: string) => Place | undefined;
  /** Some of the log was heard: there may be something to send, or less than before. */
  readonly onHeard: () => void;
}

type EventChange = Extract<Change, { kind: 'event' }>;

/** What of a session's state was heard last. */
interface HeardState {
  readonly phase: Phase | null;
  /** Ids of drafts about waits that were considered already. */
  readonly waits: ReadonlySet<string>;
}

/**
 * Follows the store's log and makes of it what is to be said, each message once. The queue notes up to which number of the log this was
 * done, in the same write as what came of it. So a start goes on where the last owner ended, however it ended.
 *
 * Messages of an event are made from the log. Waits and phases are made from the live state, which may be ahead of what is heard.
 */
export class Hearing {
  readonly #parts: HearingParts;
  readonly #states = new Map<string, HeardState>();
  #isOn = false;
  /** Every record up to this number was heard. */
  #seq: number;
  /** The live state tells of everything up to this number. */
  #target: number;
  /** Up to this number nothing is news: the relay was off. It is heard for what takes messages back. */
  #newsAfter = 0;
  #rest: Disposable | undefined;

  constructor(parts: HearingParts) {
    this.#parts = parts;
    this.#target = parts.store.changes.lastSeq();
    this.#seq = Math.min(parts.queue.heard?.seq ?? this.#target, this.#target);
  }

  /** Is there something in the log that was not heard yet, though the live state tells of it? */
  get isBehind(): boolean {
    return this.#isOn && this.#seq < this.#target;
  }

  /** At a start, where the relay is on or off. */
  begin(isOn: boolean): void {
    const { queue } = this.#parts;
    const { heard } = queue;
    if (isOn) {
      this.#isOn = true;
      // Without a number all is old. An earlier release kept none, and taking over its store has stored anew what it had told of.
      if (heard === undefined || heard.off === true) this.#newsAfter = this.#target;
      this.#hearOn();
    } else if (heard) {
      // What waits is left to another editor (STO-1), which has to hear what is taken back of it meanwhile.
      void queue.noteHeard(queue.messages().length > 0 ? { ...heard, off: true } : undefined);
    }
  }

  /** Nothing that was stored before is news. */
  turnOn(): void {
    this.#isOn = true;
    this.#newsAfter = this.#parts.store.changes.lastSeq();
    this.follow();
  }

  turnOff(): void {
    this.#rest?.dispose();
    this.#isOn = false;
    this.#states.clear();
    void this.#parts.queue.noteHeard(undefined);
  }

  /** To be called when the live state tells of everything that the log has. */
  follow(): void {
    if (!this.#isOn) return;
    this.#target = this.#parts.store.changes.lastSeq();
    this.#hearOn();
  }

  /** Resolves when the number is durable, or can't be written. */
  async close(): Promise<void> {
    this.#rest?.dispose();
    if (this.#isOn) await this.#note(true).catch(() => undefined);
    this.#isOn = false;
  }

  #note(isDue: boolean): Promise<void> {
    const seq = this.#seq;
    return this.#parts.queue.noteHeard(seq < this.#newsAfter ? { seq, off: true } : { seq }, isDue);
  }

  #hearOn(): void {
    const { clock, log, onHeard } = this.#parts;
    this.#rest?.dispose();
    try {
      for (const [id, changes] of this.#read()) this.#hearSession(id, changes);
    } catch (error) {
      // The next event asks for it again.
      log.warn(`The chat relay can't read what was stored: ${String(error)}`);
      return;
    }
    void this.#note(false);
    if (this.isBehind) this.#rest = clock.after(0, () => this.#hearOn());
    onHeard();
  }

  /** The next events of the log, by session. Erasures among them are carried out. */
  #read(): ReadonlyMap<string, readonly EventChange[]> {
    const { changes } = this.#parts.store;
    const events = new Map<string, EventChange[]>();
    let seq = this.#seq;
    for (let pages = 0; seq < this.#target && pages < PAGES_AT_ONCE; pages++) {
      const page = changes.after(seq);
      for (const change of page.changes) if (change.seq <= this.#target) this.#sort(change, events);
      seq = Math.min(page.upTo, this.#target);
    }
    this.#seq = seq;
    return events;
  }

  #sort(change: Change, events: Map<string, EventChange[]>): void {
    if (change.kind === 'event') {
      const id = change.event.session_id;
      const own = events.get(id);
      if (own) own.push(change);
      else events.set(id, [change]);
    } else if (change.kind === 'erased') {
      const ids = change.sessions === 'all' ? [...events.keys(), ...this.#states.keys()] : change.sessions;
      for (const id of ids) {
        events.delete(id);
        this.#states.delete(id);
      }
      this.#parts.queue.forget(change.sessions);
    }
  }

  #hearSession(id: string, changes: readonly EventChange[]): void {
    try {
      this.#takeBack(id, changes);
      const news = changes.flatMap(({ seq, event }) => (seq > this.#newsAfter ? event : []));
      if (news.length > 0) this.#hear(id, news);
    } catch (error) {
      // One session that can't be heard must not keep the others back for ever.
      this.#parts.log.warn(`The chat relay could not hear what came of session ${id}: ${String(error)}`);
    }
  }

  /**
   * RLY-3, CNV-4: recalls what waits of words that the person took back: by the event that told it, by who asks, and by its moment. What a
   * private turn began may go on after it.
   */
  #takeBack(id: string, changes: readonly EventChange[]): void {
    const { queue, state } = this.#parts;
    const unlogged = new Set(changes.flatMap(({ event }) => (event.payload.unlogged === true ? event.id : [])));
    if (unlogged.size === 0) return;
    const now = state(id);
    const agents = new Set(now?.agents.flatMap(({ agent, unlogged }) => (unlogged ? agent.id : [])));
    for (const message of queue.messagesOf(id)) {
      const isHidden = unlogged.has(message.id) || agents.has(message.wait?.agentId ?? '');
      // Notes are the person's own.
      if (message.kind !== 'note' && (!now || isHidden || isInSpan(now.unlogged, message.at)))
        queue.recall(message, 'remade');
    }
  }

  #hear(id: string, events: readonly AgentEvent[]): void {
    const { world, state } = this.#parts;
    const now = state(id);
    if (!now) return;
    const before = this.#states.get(id);
    this.#keepState(id, { phase: now.session.phase, waits: before?.waits ?? new Set() });
    const fresh = events
      .filter(({ ts }) => this.#isFresh(ts))
      .toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
    if (fresh.length === 0 || isHidden(now, fresh) || !this.#known(now.session)) return;
    const said = fresh.flatMap((event) => this.#hearEvent(id, event) ?? []);
    const waits = waitDrafts(now, world.word);
    this.#keepState(id, { phase: now.session.phase, waits: new Set(waits.map((draft) => draft.id)) });
    for (const draft of waits)
      if (before?.waits.has(draft.id) !== true && this.#isFresh(draft.at) && !this.#isSameWait(id, draft))
        this.#say(id, draft);
    const phase = before === undefined ? undefined : phaseDraft(now.session, before.phase, world.word);
    const isTold = said.some(({ kind }) => kind === 'reply' || kind === 'failed' || kind === 'ended');
    if (phase && !isTold) this.#say(id, phase);
  }

  #hearEvent(id: string, event: AgentEvent): Draft | undefined {
    if (isMain(event) && isOfType(event, 'user_prompt', 'prompt_found')) this.#hearPrompt(id, event.ts);
    const draft = eventDraft(event, this.#parts.world.word);
    if (draft) this.#say(id, draft);
    return draft;
  }

  #keepState(id: string, state: HeardState): void {
    this.#states.delete(id);
    this.#states.set(id, state);
    const oldest = this.#states.size > SESSIONS_MAX ? this.#states.keys().next().value : undefined;
    if (oldest !== undefined) this.#states.delete(oldest);
  }

  #isFresh(ts: string): boolean {
    return this.#parts.clock.now() - Date.parse(ts) < FRESH_MS;
  }

  /** At first sight a session gets its thread, if its project has a channel. */
  #known(session: Session): RelaySession | undefined {
    const { queue, world, clock, placeOf } = this.#parts;
    const place = placeOf(session.project || session.cwd);
    if (!place) return undefined;
    const before = queue.session(session.id);
    if (before?.place === place.place) return before;
    const started = startedDraft(session, world.word);
    const { id, project, cwd, provider } = session;
    const { receipts = [], replies, promptAt } = before ?? {};
    const fresh: RelaySession = {
      ...{ session: id, ...place, agent: provider },
      project: maskText(project || cwd),
      folders: [project || cwd, cwd],
      name: threadName({ ...session, project: project || cwd }),
      startedText: started.text,
      seenAt: clock.now(),
      // What was said elsewhere was said.
      ...{ receipts, ...(replies && { replies }), ...(promptAt && { promptAt }) },
    };
    queue.recallAllOf(id, 'turnedOff');
    void queue.keepSession(fresh);
    this.#say(id, started);
    return fresh;
  }

  #say(id: string, draft: Draft): void {
    const { queue, world, clock, log } = this.#parts;
    const session = this.#opened(queue.session(id));
    if (!session || queue.knows(id, draft.id) || !world.rules.current().send[draft.kind]) return;
    const isReply = draft.kind === 'reply';
    if (isReply && isRepeated(session, draft)) return;
    const after: RelaySession = isReply ? { ...withReply(session, draft), seenAt: clock.now() } : session;
    if (after.closed !== undefined) {
      // Nobody hears of a phase that nobody is told.
      if (draft.kind === 'phase') return;
      log.warn(`Chat relay: gave up a message (${draft.kind}) of session ${id} (${after.closed}).`);
      return queue.refuse(draft, after, after.closed);
    }
    // One line about the phase is enough, and none where more is said.
    if (draft.kind !== 'started')
      for (const message of queue.messagesOf(id))
        if (message.kind === 'phase' && message.state === 'queued') queue.recall(message, 'overtaken');
    if (isReply) void queue.keepSession(after);
    void queue.add(id, draft);
  }

  #opened(session: RelaySession | undefined): RelaySession | undefined {
    if (session?.closed === undefined) return session;
    const { queue, clock } = this.#parts;
    const ms = session.closed === 'unanswered' ? REOPEN_UNANSWERED_MS : REOPEN_MS;
    const ago = clock.now() - (session.closedAt ?? 0);
    if (ago >= 0 && ago < ms) return session;
    queue.reopen(session);
    return queue.session(session.session);
  }

  /** A reply after it is another, though it may say the same. */
  #hearPrompt(id: string, at: string): void {
    const { queue, clock } = this.#parts;
    const session = queue.session(id);
    const after = session?.replies && withPrompt(session, at, new Date(clock.now()).toISOString());
    if (after) void queue.changeSession(id, after);
  }

  #isSameWait(id: string, draft: Draft): boolean {
    const { queue } = this.#parts;
    return [...queue.messagesOf(id), ...(queue.session(id)?.receipts ?? [])].some((told) => isToldOf(draft, told));
  }
}

/** RLY-3: nothing is told of what the person wants not kept, nor of what runs without a person. */
function isHidden({ session, unlogged }: SessionState, events: readonly AgentEvent[]): boolean {
  if (session.surface === 'headless') return true;
  return events.every(({ ts, payload }) => payload.unlogged === true || isInSpan(unlogged, ts));
}
