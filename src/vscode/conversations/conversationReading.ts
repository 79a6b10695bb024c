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
  /** What a chat was told of it: the last of it, the oldest first. */
  readonly deliveries: readonly Delivery[];
  /** There is more before it, after it. */
  readonly cut: { readonly before: boolean; readonly after: boolean };
}

/** `erased`: it is there no more. Undefined: nobody can be asked now. */
export type ReadConversation = Conversation | 'erased' | undefined;

/** Reads on where it stopped, so that what grows by a line costs a page. */
export interface ConversationReader {
  read(): Promise<ReadConversation>;
}

const PAGE = 200;
/** A document that the editor lays out at once; all of a longer session is in what is exported. */
const ITEMS_MAX = 2_000;

interface ReadPage<T> {
  readonly cursor: string | undefined;
  readonly items: readonly T[];
}

interface Window<T> {
  readonly pages: readonly ReadPage<T>[];
  readonly before: boolean;
  readonly after: boolean;
}

type AskPage<T> = (page: PageAfter) => Promise<Page<T> | 'unknown' | undefined>;

/** The newest part of a session, or the part around one of its interactions. */
export function createConversationReader(
  source: ConversationSource,
  sessionId: string,
  place?: string,
): ConversationReader {
  const asking =
    <Name extends ListName>(name: Name): AskPage<SessionLists[Name]> =>
    (page) =>
      source.list(sessionId, name, page);
  const interactions = placed(asking('interactions'), place);
  const observations = windowed(asking('observations'));
  const events = windowed(asking('session-events'));

  async function parts() {
    const said = await interactions();
    if (said === undefined || said === 'unknown') return said;
    // What is around a place may be followed by any number of tool calls that nobody looks at.
    const last = said.after ? said.pages.at(-1)?.items.at(-1)?.ts : undefined;
    const [calls, story] = await Promise.all([observations(last), events(last)]);
    return { said, calls: listed(calls), story: listed(story) };
  }

  return {
    async read() {
      const [session, statistics, told, all] = await Promise.all([
        source.session(sessionId),
        source.statistics(sessionId),
        source.deliveries(sessionId),
        parts(),
      ]);
      if (all === 'unknown') return 'erased';
      if (session === undefined || all === undefined) return undefined;
      const { said, calls, story } = all;
      // Each list is cut for itself: where one begins late, nothing is told of what came before.
      const from = [said, calls].flatMap((list) => (list.before ? [momentOf(list)] : [])).reduce(later, '');
      return {
        session,
        statistics,
        interactions: itemsOf(said).filter(({ ts }) => ts >= from),
        observations: itemsOf(calls).filter(({ ts }) => ts >= from),
        events: itemsOf(story).filter(({ event_type, created_at }) => created_at >= from || event_type === TOLD),
        deliveries: told ?? [],
        cut: { before: said.before || calls.before, after: said.after },
      };
    },
  };
}

/** What an agent was told of earlier sessions stays in view however long the session is. */
const TOLD = 'context_loaded';

const nothing = { pages: [], before: false, after: false } as const;

/** A list that can't be had leaves the rest as it is: an owner of an older version does not know each of them. */
function listed<T>(list: Window<T> | 'unknown' | undefined): Window<T> {
  return list === undefined || list === 'unknown' ? nothing : list;
}

function itemsOf<T>({ pages }: Window<T>): readonly T[] {
  return pages.flatMap(({ items }) => items);
}

function momentOf({ pages }: Window<{ readonly ts: string }>): string {
  return pages.find(({ items }) => items.length > 0)?.items[0]?.ts ?? '';
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** The newest part of a list. Its last two pages are read again: the one may have grown, and a call of the other ended. */
function windowed<T extends { readonly ts: string } | { readonly created_at: string }>(ask: AskPage<T>) {
  let kept: Window<T> = nothing;
  return async (until?: string) => {
    const pages = kept.pages.slice(0, -2);
    let before = kept.before;
    let cursor = kept.pages.at(-2)?.cursor;
    for (;;) {
      const page = await ask({ limit: PAGE, cursor });
      if (page === undefined || page === 'unknown') return page;
      const items = until === undefined ? page.items : page.items.filter((item) => timeOf(item) <= until);
      pages.push({ cursor, items });
      if (drop(pages)) before = true;
      if (page.next === null || items.length < page.items.length) {
        kept = { pages, before, after: false };
        return kept;
      }
      cursor = page.next;
    }
  };
}

function timeOf(item: { readonly ts: string } | { readonly created_at: string }): string {
  return 'ts' in item ? item.ts : item.created_at;
}

/** The same; of a long list around the place, with as much after it as before. */
function placed(ask: AskPage<Interaction>, place: string | undefined) {
  const newest = windowed(ask);
  if (place === undefined) return () => newest();
  return async (): Promise<Window<Interaction> | 'unknown' | undefined> => {
    const pages: ReadPage<Interaction>[] = [];
    let before = false;
    let after = 0;
    let cursor: string | undefined;
    do {
      const page: Page<Interaction> | 'unknown' | undefined = await ask({ limit: PAGE, cursor });
      if (page === undefined || page === 'unknown') return page;
      pages.push({ cursor, items: page.items });
      if (after > 0 || page.items.some(({ id }) => id === place)) after += page.items.length;
      else if (drop(pages, ITEMS_MAX / 2)) before = true;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && after < ITEMS_MAX / 2);
    return { pages, before, after: cursor !== undefined };
  };
}

/** Lets go of whole pages at the beginning. */
function drop<T>(pages: ReadPage<T>[], max = ITEMS_MAX): boolean {
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
