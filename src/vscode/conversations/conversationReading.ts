import type { Page } from '../../app/ports.ts';
import type { Collector, ListName, PageAfter, SessionLists } from '../../app/windowPorts.ts';
import type { Interaction, SessionWithAgents, Statistics, ToolObservation } from '../../protocol/reading.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';

export type ConversationSource = Pick<Collector, 'list' | 'session' | 'statistics' | 'deliveries'>;

/** A session with what is shown of it. */
export interface Conversation {
  readonly session: SessionWithAgents;
  readonly statistics: Statistics | undefined;
  readonly interactions: readonly Interaction[];
  readonly observations: readonly ToolObservation[];
  readonly events: readonly SessionEvent[];
  /** What was sent of it to a chat: the newest deliveries, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Whether the session has more before, or after, what is in these lists. */
  readonly cut: { readonly before: boolean; readonly after: boolean };
}

/** `erased` if the session is not stored any more, `undefined` if no collector responds. */
export type ReadConversation = Conversation | 'erased' | undefined;

const PAGE = 200;
/** The editor lays out a document at once. Only an export has all of a longer session. */
const ITEMS_MAX = 2_000;

interface ReadPage<T> {
  readonly cursor: string | undefined;
  readonly items: readonly T[];
}

/** A run of pages from a longer list, and whether the list has more before or after them. */
interface ListPart<T> {
  readonly pages: readonly ReadPage<T>[];
  readonly before: boolean;
  readonly after: boolean;
}

type ReadListPart<T> = ListPart<T> | 'unknown' | undefined;
type AskPage<T> = (page: PageAfter) => Promise<Page<T> | 'unknown' | undefined>;
type Timed = { readonly ts: string } | { readonly created_at: string };

/** `context_loaded` says what an agent was told of earlier sessions. It stays in view however long the session is. */
const NEVER_CUT = 'context_loaded';

/** Reads the newest part of a session, or the part around one interaction. Each read continues where the last one stopped. */
export class ConversationReader {
  readonly #source: ConversationSource;
  readonly #sessionId: string;
  readonly #interactions: () => Promise<ReadListPart<Interaction>>;
  readonly #observations: NewestPart<ToolObservation>;
  readonly #events: NewestPart<SessionEvent>;

  /** `place`: the id of the interaction to read around; without it, the newest part is read. */
  constructor(source: ConversationSource, sessionId: string, place?: string) {
    this.#source = source;
    this.#sessionId = sessionId;
    const newest = new NewestPart(this.#asking('interactions'));
    this.#interactions =
      place === undefined ? () => newest.read() : () => readAround(this.#asking('interactions'), place);
    this.#observations = new NewestPart(this.#asking('observations'));
    this.#events = new NewestPart(this.#asking('session-events'));
  }

  async read(): Promise<ReadConversation> {
    const [session, statistics, deliveries, lists] = await Promise.all([
      this.#source.session(this.#sessionId),
      this.#source.statistics(this.#sessionId),
      this.#source.deliveries(this.#sessionId),
      this.#readLists(),
    ]);
    if (lists === 'unknown') return 'erased';
    if (session === undefined || lists === undefined) return undefined;
    const { interactions, observations, events } = lists;
    // Each list is cut by itself. All are shown from the latest of their beginnings on.
    const from = [interactions, observations].flatMap((list) => (list.before ? [beginOf(list)] : [])).reduce(later, '');
    return {
      session,
      statistics,
      interactions: itemsOf(interactions).filter(({ ts }) => ts >= from),
      observations: itemsOf(observations).filter(({ ts }) => ts >= from),
      events: itemsOf(events).filter((event) => event.created_at >= from || event.event_type === NEVER_CUT),
      deliveries: deliveries ?? [],
      cut: { before: interactions.before || observations.before, after: interactions.after },
    };
  }

  async #readLists() {
    const interactions = await this.#interactions();
    if (interactions === undefined || interactions === 'unknown') return interactions;
    // Any number of tool calls may follow the part around a place; they are not read.
    const until = interactions.after ? interactions.pages.at(-1)?.items.at(-1)?.ts : undefined;
    const [observations, events] = await Promise.all([this.#observations.read(until), this.#events.read(until)]);
    return { interactions, observations: orEmpty(observations), events: orEmpty(events) };
  }

  #asking<Name extends ListName>(name: Name): AskPage<SessionLists[Name]> {
    return (page) => this.#source.list(this.#sessionId, name, page);
  }
}

/** The newest part of a list that grows. Reading again asks only for its last two pages and what came after them. */
class NewestPart<T extends Timed> {
  readonly #ask: AskPage<T>;
  #kept: ListPart<T> = empty;

  constructor(ask: AskPage<T>) {
    this.#ask = ask;
  }

  /** `until`: the newest time that is wanted. */
  async read(until?: string): Promise<ReadListPart<T>> {
    // The last page may have grown, and a call of the page before it may have ended.
    const pages = this.#kept.pages.slice(0, -2);
    let before = this.#kept.before;
    let cursor = this.#kept.pages.at(-2)?.cursor;
    for (;;) {
      const page = await this.#ask({ limit: PAGE, cursor });
      if (page === undefined || page === 'unknown') return page;
      const items = until === undefined ? page.items : page.items.filter((item) => timeOf(item) <= until);
      pages.push({ cursor, items });
      if (dropOldest(pages)) before = true;
      if (page.next === null || items.length < page.items.length) {
        this.#kept = { pages, before, after: false };
        return this.#kept;
      }
      cursor = page.next;
    }
  }
}

/** The part of a long list around one interaction, with as much after it as before. */
async function readAround(ask: AskPage<Interaction>, place: string): Promise<ReadListPart<Interaction>> {
  const pages: ReadPage<Interaction>[] = [];
  let before = false;
  let after = 0;
  let cursor: string | undefined;
  do {
    const page: Page<Interaction> | 'unknown' | undefined = await ask({ limit: PAGE, cursor });
    if (page === undefined || page === 'unknown') return page;
    pages.push({ cursor, items: page.items });
    if (after > 0 || page.items.some(({ id }) => id === place)) after += page.items.length;
    else if (dropOldest(pages, ITEMS_MAX / 2)) before = true;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && after < ITEMS_MAX / 2);
  return { pages, before, after: cursor !== undefined };
}

const empty = { pages: [], before: false, after: false } as const;

/** An owner of an older version does not know every list; the conversation is shown without it. */
function orEmpty<T>(list: ReadListPart<T>): ListPart<T> {
  return list === undefined || list === 'unknown' ? empty : list;
}

function itemsOf<T>({ pages }: ListPart<T>): readonly T[] {
  return pages.flatMap(({ items }) => items);
}

function beginOf({ pages }: ListPart<{ readonly ts: string }>): string {
  return pages.find(({ items }) => items.length > 0)?.items[0]?.ts ?? '';
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

function timeOf(item: Timed): string {
  return 'ts' in item ? item.ts : item.created_at;
}

/** Drops whole pages from the beginning while at least `max` items remain; whether it dropped any. */
function dropOldest<T>(pages: ReadPage<T>[], max = ITEMS_MAX): boolean {
  let count = pages.reduce((sum, { items }) => sum + items.length, 0);
  let dropped = false;
  for (;;) {
    const first = pages[0];
    if (first === undefined || count - first.items.length < max) return dropped;
    count -= first.items.length;
    pages.shift();
    dropped = true;
  }
}
