import type { Page } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { SessionFilter } from '../../domain/sessionFilter.ts';
import type { Session } from '../../protocol/state.ts';

/** A screenful of a long list, which takes the owner some milliseconds. */
const PAGE = 100;

/** `silent`: no collector responded to the last request. */
export type HistoryProgress = 'unread' | 'reading' | 'read' | 'silent';

export interface SessionHistoryParts {
  readonly collector: Pick<Collector, 'sessions'>;
  readonly filter: () => SessionFilter;
  /** Called after each page, and after each request without an answer. */
  readonly onRead: () => void;
}

/** The stored sessions as far as they have been read: page by page, from the newest on. One request is under way at a time. */
export class SessionHistory {
  readonly #parts: SessionHistoryParts;
  #sessions: readonly Session[] = [];
  #next: string | null = null;
  #progress: HistoryProgress = 'unread';
  /** Rises with `forget`, so that the answer to an earlier request is dropped. */
  #round = 0;
  #reading: Promise<void> | undefined;

  constructor(parts: SessionHistoryParts) {
    this.#parts = parts;
  }

  sessions(): readonly Session[] {
    return this.#sessions;
  }

  progress(): HistoryProgress {
    return this.#progress;
  }

  hasMore(): boolean {
    return this.#next !== null;
  }

  /** Reads the newest page, again if it was read before. What was read of the older ones stays. */
  refresh(): Promise<void> {
    return this.#once(() => this.#read(undefined, (page) => this.#takeNewest(page)));
  }

  /** Reads the next older page. */
  more(): Promise<void> {
    return this.#once(() => {
      if (this.#next === null) return this.#read(undefined, (page) => this.#takeNewest(page));
      return this.#read(this.#next, (page) => this.#takeOlder(page));
    });
  }

  /** Drops what was read. Called for another filter, and after something was deleted. */
  forget(): void {
    this.#round += 1;
    this.#reading = undefined;
    this.#sessions = [];
    this.#next = null;
    this.#progress = 'unread';
  }

  /** A request during another one gets the other one's answer. */
  #once(run: () => Promise<void>): Promise<void> {
    const mine = (this.#reading ??= run().finally(() => {
      if (this.#reading === mine) this.#reading = undefined;
    }));
    return mine;
  }

  async #read(cursor: string | undefined, take: (page: Page<Session>) => void): Promise<void> {
    const round = this.#round;
    if (this.#progress !== 'read') this.#progress = 'reading';
    const page = await this.#parts.collector.sessions({ limit: PAGE, cursor, ...this.#parts.filter() });
    if (round !== this.#round) return;
    this.#progress = page === undefined ? 'silent' : 'read';
    if (page !== undefined) take(page);
    this.#parts.onRead();
  }

  /**
   * The page replaces what was read of its span of time: a session that it does not have is gone. If the page does not reach down to
   * what was read, the older sessions are dropped, because some may lie between.
   */
  #takeNewest(page: Page<Session>): void {
    const fresh = new Set(page.items.map(({ id }) => id));
    const oldest = page.items.at(-1)?.lastEventAt;
    const meets = page.next !== null && this.#sessions.some(({ id }) => fresh.has(id));
    const older =
      meets && oldest !== undefined
        ? this.#sessions.filter(({ id, lastEventAt }) => !fresh.has(id) && lastEventAt < oldest)
        : [];
    if (older.length === 0) this.#next = page.next;
    this.#sessions = [...page.items, ...older];
  }

  #takeOlder(page: Page<Session>): void {
    const fresh = new Set(page.items.map(({ id }) => id));
    this.#sessions = [...this.#sessions.filter(({ id }) => !fresh.has(id)), ...page.items];
    this.#next = page.next;
  }
}
