import type { Page } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { SessionFilter } from '../../domain/sessionFilter.ts';
import type { Session } from '../../protocol/state.ts';

/** A screenful of a long list, and no more than takes the owner some milliseconds. */
const PAGE = 100;

/** `silent`: nobody could be asked when it was tried last. */
export type HistoryStanding = 'unread' | 'reading' | 'read' | 'silent';

/** The sessions that are kept, as far as they have been read: from the newest on, page by page. */
export interface History {
  readonly sessions: () => readonly Session[];
  readonly standing: () => HistoryStanding;
  readonly hasMore: () => boolean;
  /** Reads the newest page, again where it was read before; what was read below it stays. */
  refresh(): Promise<void>;
  more(): Promise<void>;
  /** What was read counts no more: another filter, or something was erased. */
  forget(): void;
}

export interface HistoryParts {
  readonly collector: Pick<Collector, 'sessions'>;
  readonly filter: () => SessionFilter;
  readonly changed: () => void;
}

export function createHistory({ collector, filter, changed }: HistoryParts): History {
  let sessions: readonly Session[] = [];
  let next: string | null = null;
  let standing: HistoryStanding = 'unread';
  /** Rises when what is on its way no longer counts. */
  let round = 0;
  let reading: Promise<void> | undefined;

  async function read(cursor: string | undefined, take: (page: Page<Session>) => void): Promise<void> {
    const begun = round;
    if (standing !== 'read') standing = 'reading';
    const page = await collector.sessions({ limit: PAGE, cursor, ...filter() });
    if (begun !== round) return;
    standing = page === undefined ? 'silent' : 'read';
    if (page !== undefined) take(page);
    changed();
  }

  /** One at a time: what is asked for meanwhile is answered by what is on its way. */
  function once(run: () => Promise<void>): Promise<void> {
    const mine = (reading ??= run().finally(() => {
      if (reading === mine) reading = undefined;
    }));
    return mine;
  }

  function takeNewest(page: Page<Session>): void {
    const fresh = new Set(page.items.map(({ id }) => id));
    const oldest = page.items.at(-1)?.lastEventAt;
    // Within what the page tells of, whoever is not in it is gone; where it does not reach what was read, there is a gap.
    const meets = page.next !== null && sessions.some(({ id }) => fresh.has(id));
    const below =
      meets && oldest !== undefined
        ? sessions.filter(({ id, lastEventAt }) => !fresh.has(id) && lastEventAt < oldest)
        : [];
    if (below.length === 0) next = page.next;
    sessions = [...page.items, ...below];
  }

  return {
    sessions: () => sessions,
    standing: () => standing,
    hasMore: () => next !== null,
    refresh: () => once(() => read(undefined, takeNewest)),
    more: () =>
      once(async () => {
        if (next === null) return read(undefined, takeNewest);
        await read(next, (page) => {
          const known = new Set(page.items.map(({ id }) => id));
          sessions = [...sessions.filter(({ id }) => !known.has(id)), ...page.items];
          next = page.next;
        });
      }),
    forget() {
      round += 1;
      reading = undefined;
      sessions = [];
      next = null;
      standing = 'unread';
    },
  };
}
