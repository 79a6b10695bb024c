import type { Json } from '../../protocol/json.ts';
import type { Draft } from '../../domain/relay/drafts.ts';
import {
  FRESH_RECEIPTS_MAX,
  type Held,
  HELD_KEY,
  isOfEvent,
  messageKey,
  type QueuedMessage,
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
export const MESSAGES_MAX = 500;

/** One session alone must not take the room of all. */
export const SESSION_MESSAGES_MAX = 100;

/** Threads and receipts of sessions that nothing was said of since are forgotten. */
const SESSIONS_MAX = 500;

/** What a spool kept over night is no news any more. */
export const FRESH_MS = 5 * 60_000;

const PAGE = 200;

export interface Settled {
  readonly message: QueuedMessage;
  readonly state: ReceiptState;
  readonly why?: Why | undefined;
}

/** What waits to be said, and what became of the rest, as durable as the events. What is read is in memory. */
export interface Queue {
  session(id: string): RelaySession | undefined;
  sessions(): readonly RelaySession[];
  /** Of all sessions, in their order. */
  messages(): readonly QueuedMessage[];
  messagesOf(session: string): readonly QueuedMessage[];
  holds(message: QueuedMessage): boolean;
  /** Whether it is in the queue, or was settled not long ago. */
  knows(session: string, id: string): boolean;
  /** Each resolves when it is durable. */
  keepSession(session: RelaySession): Promise<void>;
  /** With the session as it is from now on, all or nothing: that a reply was said must not be known without the reply. */
  add(session: string, draft: Draft, changed?: RelaySession): Promise<void>;
  keep(message: QueuedMessage): Promise<void>;
  /** What is said of all that waits. */
  hold(why: Held | undefined): void;
  /** It is never queued; that it was not said is kept. */
  refuse(draft: Draft, session: RelaySession, why: Why): Promise<void>;
  settle(message: QueuedMessage, state: ReceiptState, why?: Why): Promise<void>;
  /** It is not to be sent. What is on its way can't be taken back, but is not repeated. */
  recall(message: QueuedMessage, why: Why): void;
  recalled(message: QueuedMessage): Why | undefined;
  /** These are gone from the shelf already. */
  forget(sessions: readonly string[]): void;
}

export interface QueueParts {
  readonly store: Shelves;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Told of each that is settled, whatever for. */
  readonly onSettled: (settled: Settled) => void;
}

export function openQueue({ store, clock, log, onSettled }: QueueParts): Queue {
  const shelf = store.shelf(RELAY_SHELF);
  const messages = new Map<string, QueuedMessage>();
  const sessions = new Map<string, RelaySession>();
  for (const { value } of all(shelf, 's/')) {
    const session = readSession(value);
    if (session) sessions.set(session.session, session);
  }
  for (const { key, value } of all(shelf, 'm/')) {
    const message = readMessage(value);
    if (!message) continue;
    const { receipts = [] } = sessions.get(message.session) ?? {};
    // Its receipt was written, and that it is done was not: a disk that was full between them.
    if (receipts.some(({ id }) => id === message.id)) void put([], [key]).catch(() => undefined);
    else messages.set(message.key, message);
  }
  let held = readHeld(shelf.get(HELD_KEY)?.value);
  const recalls = new Map<string, Why>();
  let last = keyParts([...messages.keys()].at(-1));

  // Each new key is the greatest, also after the clock was set back.
  const inOrder = () => [...messages.values()];
  const messagesOf = (session: string) => inOrder().filter((message) => message.session === session);

  async function put(save: readonly Kept[], remove: readonly string[] = []): Promise<void> {
    try {
      await shelf.put(save, remove);
    } catch (error) {
      log.warn(`The chat relay could not keep what it has to do: ${String(error)}`);
      throw error;
    }
  }

  async function keepSession(session: RelaySession): Promise<void> {
    sessions.set(session.session, session);
    const gone = oldestBeyond();
    for (const { session: id } of gone) sessions.delete(id);
    await put(
      [keptSession(session)],
      gone.map(({ session: id }) => sessionKey(id)),
    );
  }

  function oldestBeyond(): readonly RelaySession[] {
    if (sessions.size <= SESSIONS_MAX) return [];
    const waiting = new Set([...messages.values()].map(({ session }) => session));
    const idle = [...sessions.values()].filter(({ session }) => !waiting.has(session));
    return idle.sort((a, b) => a.seenAt - b.seenAt).slice(0, sessions.size - SESSIONS_MAX);
  }

  async function keep(message: QueuedMessage): Promise<void> {
    // What was erased or settled meanwhile does not come back.
    if (!messages.has(message.key)) return;
    messages.set(message.key, message);
    await put([keptMessage(message)]);
  }

  async function settle(message: QueuedMessage, state: ReceiptState, why?: Why): Promise<void> {
    if (!messages.delete(message.key)) return;
    recalls.delete(message.key);
    const session = sessions.get(message.session);
    // That a phase passed by is no news to anybody.
    const isTold = !(message.kind === 'phase' && state === 'withdrawn');
    const after = session && isTold ? withReceipt(session, message, state, why) : undefined;
    if (after) sessions.set(after.session, after);
    onSettled({ message, state, why });
    await put(after ? [keptSession(after)] : [], [message.key]);
  }

  function withReceipt(session: RelaySession, draft: Draft, state: ReceiptState, why?: Why): RelaySession {
    const { id, kind, at } = draft;
    const when = new Date(clock.now()).toISOString();
    const receipt: Receipt = { id, kind, at, state, when, ...(why ? { why } : {}) };
    const heard = isOfEvent(draft) && at > (session.heardTo ?? '') ? { heardTo: at } : {};
    return { ...session, receipts: keptReceipts([...session.receipts, receipt]), ...heard };
  }

  function keptReceipts(receipts: readonly Receipt[]): readonly Receipt[] {
    const isFresh = ({ at, when }: Receipt) => clock.now() - Math.max(Date.parse(at), Date.parse(when)) < FRESH_MS;
    const from = receipts.length - RECEIPTS_MAX;
    return receipts.filter((receipt, index) => index >= from || isFresh(receipt)).slice(-FRESH_RECEIPTS_MAX);
  }

  function nextKey(): string {
    const now = clock.now();
    last = now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
    return messageKey(last.at, last.count);
  }

  return {
    session: (id) => sessions.get(id),
    sessions: () => [...sessions.values()],
    messages: inOrder,
    messagesOf,
    holds: ({ key }) => messages.has(key),
    knows: (session, id) =>
      messagesOf(session).some((message) => message.id === id) ||
      (sessions.get(session)?.receipts.some((receipt) => receipt.id === id) ?? false),
    keepSession,
    async add(session, draft, changed) {
      if (changed) sessions.set(session, changed);
      const mine = messagesOf(session);
      const tooMany = messages.size >= MESSAGES_MAX ? inOrder() : mine.length >= SESSION_MESSAGES_MAX ? mine : [];
      // What is on its way can't be taken back.
      const oldest = tooMany.find(({ state }) => state === 'queued');
      const key = nextKey();
      const message: QueuedMessage = { ...draft, session, key, queuedAt: clock.now(), state: 'queued' };
      messages.set(key, message);
      const settling = oldest && settle(oldest, 'givenUp', 'full');
      const now = changed && sessions.get(session);
      await Promise.all([settling, put([keptMessage(message), ...(now ? [keptSession(now)] : [])])]);
    },
    keep,
    hold(why) {
      if (why === held) return;
      const before = held;
      held = why;
      // What could not be written is written the next time.
      put(why ? [{ key: HELD_KEY, value: why }] : [], why ? [] : [HELD_KEY]).catch(() => void (held = before));
    },
    refuse: (draft, session, why) => keepSession(withReceipt(session, draft, 'givenUp', why)),
    settle,
    recall(message, why) {
      if (message.state === 'queued') void settle(message, 'withdrawn', why).catch(() => undefined);
      else recalls.set(message.key, why);
    },
    recalled: ({ key }) => recalls.get(key),
    forget(ids) {
      for (const id of ids) sessions.delete(id);
      for (const { key, session } of messages.values()) {
        if (!ids.includes(session)) continue;
        messages.delete(key);
        recalls.delete(key);
      }
    },
  };
}

function keyParts(key: string | undefined): { readonly at: number; readonly count: number } {
  const [, at = 0, count = 0] = key?.split('/').map(Number) ?? [];
  return { at, count };
}

function keptMessage(message: QueuedMessage): Kept {
  return { key: message.key, session: message.session, value: message as unknown as Json };
}

function keptSession(session: RelaySession): Kept {
  return { key: sessionKey(session.session), session: session.session, value: session as unknown as Json };
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
