import type { Json } from '../../protocol/json.ts';
import type { Draft } from '../../domain/relay/drafts.ts';
import {
  messageKey,
  type QueuedMessage,
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
  /** Whether it is in the queue, or was settled not long ago. */
  knows(session: string, id: string): boolean;
  /** Each resolves when it is durable. */
  keepSession(session: RelaySession): Promise<void>;
  add(session: string, draft: Draft): Promise<void>;
  keep(message: QueuedMessage): Promise<void>;
  settle(message: QueuedMessage, state: ReceiptState, why?: Why): Promise<void>;
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
  for (const { value } of all(shelf, 'm/')) {
    const message = readMessage(value);
    if (message) messages.set(message.key, message);
  }
  for (const { value } of all(shelf, 's/')) {
    const session = readSession(value);
    if (session) sessions.set(session.session, session);
  }
  let count = 0;

  const inOrder = () => [...messages.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
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
    const session = sessions.get(message.session);
    const { id, kind, at } = message;
    const receipt: Receipt = {
      id,
      kind,
      at,
      state,
      when: new Date(clock.now()).toISOString(),
      ...(why ? { why } : {}),
    };
    // That a phase passed by is no news to anybody.
    const isTold = !(kind === 'phase' && state === 'withdrawn');
    const after = session && isTold && { ...session, receipts: [...session.receipts, receipt].slice(-RECEIPTS_MAX) };
    if (after) sessions.set(after.session, after);
    onSettled({ message, state, why });
    await put(after ? [keptSession(after)] : [], [message.key]);
  }

  return {
    session: (id) => sessions.get(id),
    sessions: () => [...sessions.values()],
    messages: inOrder,
    messagesOf,
    knows: (session, id) =>
      messagesOf(session).some((message) => message.id === id) ||
      (sessions.get(session)?.receipts.some((receipt) => receipt.id === id) ?? false),
    keepSession,
    async add(session, draft) {
      const mine = messagesOf(session);
      const tooMany = messages.size >= MESSAGES_MAX ? inOrder() : mine.length >= SESSION_MESSAGES_MAX ? mine : [];
      // What is on its way can't be taken back.
      const oldest = tooMany.find(({ state }) => state === 'queued');
      const queuedAt = clock.now();
      const key = messageKey(queuedAt, count++ % 1_000_000);
      const message: QueuedMessage = { ...draft, session, key, queuedAt, state: 'queued' };
      messages.set(key, message);
      await Promise.all([oldest && settle(oldest, 'givenUp', 'full'), put([keptMessage(message)])]);
    },
    keep,
    settle,
    forget(ids) {
      for (const id of ids) sessions.delete(id);
      for (const { key, session } of messages.values()) if (ids.includes(session)) messages.delete(key);
    },
  };
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
