import type { Json } from '../../protocol/json.ts';
import type { Draft } from '../../domain/relay/drafts.ts';
import {
  HEARD_KEY,
  type HeardNote,
  type Held,
  HELD_KEY,
  messageKey,
  type QueuedMessage,
  readHeard,
  readHeld,
  readMessage,
  readSession,
  type Receipt,
  RECEIPTS_MAX,
  type ReceiptState,
  RELAY_SHELF,
  type RelaySession,
  sessionKey,
  type Why,
} from '../../domain/relay/records.ts';
import type { Clock, Log } from '../ports.ts';
import type { Kept, Shelf, Shelves } from '../shelfPorts.ts';

/** Hours of a busy team without a network; what comes then pushes the oldest out. */
const MESSAGES_MAX = 500;

/** One session alone must not take the room of all. */
const SESSION_MESSAGES_MAX = 100;

/** Threads and receipts of sessions that nothing was said of since are forgotten. */
const SESSIONS_MAX = 500;

/** A number that moves without anything else to write is written this seldom; a start reads about as many records again. */
const WRITE_NUMBER_AFTER = 1_000;

const PAGE = 200;

export interface Settled {
  readonly message: QueuedMessage;
  readonly state: ReceiptState;
  readonly why?: Why | undefined;
}

export interface QueueParts {
  readonly store: Shelves;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Called for each message that is settled, whatever became of it. */
  readonly onSettled: (settled: Settled) => void;
}

/**
 * What waits to be said, what became of the rest, and how far the log was heard. All of it is in memory and on a shelf of the store.
 *
 * Whatever changes in one turn of the event loop is written in one `put`, all or nothing, and one `put` follows the other: so the number
 * of the log never gets to the disk before what came of the log up to there. A `put` that fails is made up for by the next one. The
 * promises of the methods resolve when their change is durable, and reject if its `put` fails; nobody has to await them.
 */
export class RelayQueue {
  readonly #shelf: Shelf;
  readonly #parts: QueueParts;
  /** Each new key is the greatest, also after the clock was set back: the order of the map is that of the keys. */
  readonly #messages = new Map<string, QueuedMessage>();
  readonly #sessions = new Map<string, RelaySession>();
  readonly #recalls = new Map<string, Why>();
  #heard: HeardNote | undefined;
  #held: string | undefined;
  #lastKey: { readonly at: number; readonly count: number };
  /** Keys whose documents on the shelf are not as they are here. */
  readonly #changed = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #nextWrite: Promise<void> | undefined;
  #written: HeardNote | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#shelf = parts.store.shelf(RELAY_SHELF);
    for (const { value } of all(this.#shelf, 's/')) {
      const session = readSession(value);
      if (session) this.#sessions.set(session.session, session);
    }
    for (const { value } of all(this.#shelf, 'm/')) {
      const message = readMessage(value);
      // What was on its way when an owner ended may have been taken.
      if (message) this.#messages.set(message.key, message.state === 'trying' ? { ...message, unsure: true } : message);
    }
    this.#held = readHeld(this.#shelf.get(HELD_KEY)?.value);
    this.#heard = readHeard(this.#shelf.get(HEARD_KEY)?.value);
    this.#written = this.#heard;
    this.#lastKey = keyParts([...this.#messages.keys()].at(-1));
  }

  session(id: string): RelaySession | undefined {
    return this.#sessions.get(id);
  }

  sessions(): readonly RelaySession[] {
    return [...this.#sessions.values()];
  }

  /** Of all sessions, in their order. */
  messages(): readonly QueuedMessage[] {
    return [...this.#messages.values()];
  }

  messagesOf(session: string): readonly QueuedMessage[] {
    return this.messages().filter((message) => message.session === session);
  }

  holds({ key }: QueuedMessage): boolean {
    return this.#messages.has(key);
  }

  /** Is it in the queue, or among the session's last receipts? */
  knows(session: string, id: string): boolean {
    const receipts = this.#sessions.get(session)?.receipts ?? [];
    return [...this.messagesOf(session), ...receipts].some((each) => each.id === id);
  }

  keepSession(session: RelaySession): Promise<void> {
    this.#sessions.set(session.session, session);
    const gone = this.#oldestBeyond();
    for (const { session: id } of gone) this.#sessions.delete(id);
    return this.#write(...[session, ...gone].map(({ session: id }) => sessionKey(id)));
  }

  #oldestBeyond(): readonly RelaySession[] {
    if (this.#sessions.size <= SESSIONS_MAX) return [];
    const waiting = new Set(this.messages().map(({ session }) => session));
    const idle = this.sessions().filter(({ session }) => !waiting.has(session));
    return idle.toSorted((a, b) => a.seenAt - b.seenAt).slice(0, this.#sessions.size - SESSIONS_MAX);
  }

  /** Does nothing for a session that was erased meanwhile. */
  changeSession(id: string, changes: Partial<RelaySession>): Promise<void> {
    const session = this.#sessions.get(id);
    return session ? this.keepSession({ ...session, ...changes }) : Promise.resolve();
  }

  /** The session may be said something again, unless a person has deleted or locked its thread. */
  reopen({ session, closed }: RelaySession): void {
    if (closed !== 'threadGone' && closed !== 'locked')
      void this.changeSession(session, { closed: undefined, closedAt: undefined, starts: undefined });
  }

  add(session: string, draft: Draft): Promise<void> {
    const mine = this.messagesOf(session);
    const tooMany =
      this.#messages.size >= MESSAGES_MAX ? this.messages() : mine.length >= SESSION_MESSAGES_MAX ? mine : [];
    // What is on its way can't be taken back.
    const oldest = tooMany.find(({ state }) => state === 'queued');
    const key = this.#nextKey();
    this.#messages.set(key, { ...draft, session, key, queuedAt: this.#parts.clock.now(), state: 'queued' });
    if (oldest) void this.settle(oldest, 'givenUp', 'full');
    return this.#write(key);
  }

  #nextKey(): string {
    const now = this.#parts.clock.now();
    const { at, count } = this.#lastKey;
    this.#lastKey = now > at ? { at: now, count: 0 } : { at, count: count + 1 };
    return messageKey(this.#lastKey.at, this.#lastKey.count);
  }

  /** Does nothing for a message that was erased or settled meanwhile. */
  keep(message: QueuedMessage): Promise<void> {
    if (!this.holds(message)) return Promise.resolve();
    this.#messages.set(message.key, message);
    return this.#write(message.key);
  }

  /** Notes why nothing that waits is sent now. */
  hold(why: Held | undefined): void {
    if (why === this.#held) return;
    this.#held = why;
    void this.#write(HELD_KEY);
  }

  /** Notes that this was not said. It never gets into the queue. */
  refuse(draft: Draft, session: RelaySession, why: Why): void {
    void this.keepSession(this.#withReceipt(session, draft, 'givenUp', why));
  }

  settle(message: QueuedMessage, state: ReceiptState, why?: Why): Promise<void> {
    if (!this.#messages.delete(message.key)) return Promise.resolve();
    this.#recalls.delete(message.key);
    const session = this.#sessions.get(message.session);
    // That a phase passed by is no news to anybody.
    const isShown = session !== undefined && !(message.kind === 'phase' && state === 'withdrawn');
    if (isShown) this.#sessions.set(session.session, this.#withReceipt(session, message, state, why));
    this.#parts.onSettled({ message, state, why });
    return this.#write(message.key, ...(isShown ? [sessionKey(session.session)] : []));
  }

  #withReceipt(session: RelaySession, { id, kind, at }: Draft, state: ReceiptState, why?: Why): RelaySession {
    const when = new Date(this.#parts.clock.now()).toISOString();
    const receipt: Receipt = { id, kind, at, state, when, ...(why ? { why } : {}) };
    return { ...session, receipts: [...session.receipts, receipt].slice(-RECEIPTS_MAX) };
  }

  /** The message is not to be sent. What is on its way can't be taken back, but is not repeated. */
  recall(message: QueuedMessage, why: Why): void {
    if (message.state === 'queued') void this.settle(message, 'withdrawn', why);
    else this.#recalls.set(message.key, why);
  }

  recallAllOf(session: string, why: Why): void {
    for (const message of this.messagesOf(session)) this.recall(message, why);
  }

  recalled({ key }: QueuedMessage): Why | undefined {
    return this.#recalls.get(key);
  }

  /** Drops all that is known of erased sessions (CNV-4). The number of the log stays. */
  forget(erased: readonly string[] | 'all'): void {
    const isErased = (id: string) => erased === 'all' || erased.includes(id);
    const sessions = [...this.#sessions.keys()].filter(isErased);
    const messages = this.messages().filter(({ session }) => isErased(session));
    for (const id of sessions) this.#sessions.delete(id);
    for (const { key } of messages) {
      this.#messages.delete(key);
      this.#recalls.delete(key);
    }
    // The store has removed the documents that lay there. What was put there just after that goes, too.
    void this.#write(...sessions.map(sessionKey), ...messages.map(({ key }) => key), HEARD_KEY, HELD_KEY);
  }

  /** How far the log was heard. */
  get heard(): HeardNote | undefined {
    return this.#heard;
  }

  /**
   * Notes how far the log was heard, and writes it with whatever else is to be written. A number alone is written when it is far ahead
   * of the one that was written last, or once it `isDue`.
   */
  noteHeard(heard: HeardNote | undefined, isDue = false): Promise<void> {
    this.#heard = heard;
    const written = this.#written;
    const isOther = heard?.off !== written?.off || (heard === undefined) !== (written === undefined);
    const ahead = (heard?.seq ?? 0) - (written?.seq ?? 0);
    const mustWrite = isOther || ahead >= WRITE_NUMBER_AFTER || (isDue && ahead !== 0) || this.#changed.size > 0;
    return mustWrite ? this.#write(HEARD_KEY) : Promise.resolve();
  }

  #write(...keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#changed.add(key);
    this.#nextWrite ??= this.#writeAfter(this.#writing);
    return this.#nextWrite;
  }

  #writeAfter(before: Promise<void>): Promise<void> {
    const write = before.then(() => {
      this.#nextWrite = undefined;
      return this.#put();
    });
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #put(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    const heard = this.#heard;
    const kept = new Map(changed.map((key) => [key, this.#document(key)]));
    const save = [...kept.values()].filter((document) => document !== undefined);
    try {
      await this.#shelf.put(
        save,
        changed.filter((key) => kept.get(key) === undefined),
      );
      if (kept.has(HEARD_KEY)) this.#written = heard;
    } catch (error) {
      for (const key of changed) this.#changed.add(key);
      this.#parts.log.warn(`The chat relay could not keep what it has to do: ${String(error)}`);
      throw error;
    }
  }

  /** The document as it is to be kept; undefined if there is to be none. */
  #document(key: string): Kept | undefined {
    if (key === HELD_KEY) return this.#held === undefined ? undefined : { key, value: this.#held };
    if (key === HEARD_KEY) return this.#heard && { key, value: { ...this.#heard } };
    const prefix = sessionKey('');
    const value = key.startsWith(prefix) ? this.#sessions.get(key.slice(prefix.length)) : this.#messages.get(key);
    return value && { key, session: value.session, value: value as unknown as Json };
  }
}

function keyParts(key: string | undefined): { readonly at: number; readonly count: number } {
  const [, at = 0, count = 0] = key?.split('/').map(Number) ?? [];
  return { at, count };
}

function* all(shelf: Shelf, prefix: string): Generator<Kept> {
  let after = prefix;
  for (;;) {
    const page = shelf.after(after, PAGE);
    for (const kept of page) {
      if (!kept.key.startsWith(prefix)) return;
      yield kept;
    }
    const last = page.at(-1);
    if (!last) return;
    after = last.key;
  }
}
