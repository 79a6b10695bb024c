import { LIVE_STATE_HOURS } from '../protocol/limits.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { Clock, Disposable, EventSelection, EventStore, Log, SessionAge } from './ports.ts';

export interface RetentionLimits {
  readonly days: number;
  readonly megabytes: number;
}

export interface RetentionParts {
  readonly store: Pick<EventStore, 'usedBytes' | 'oldestSessions' | 'eventIds' | 'trim' | 'work'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The settings `retention.days` and `retention.megabytes`, as they are now. */
  readonly limits: () => RetentionLimits;
  /** These are on the stage: nothing of them goes but raw payloads of yesterday. */
  readonly isLive: (sessionId: string) => boolean;
}

export interface Retention extends Disposable {
  /** One round; resolves when it is done. Rounds do not overlap. */
  run(): Promise<void>;
}

/** Not while an editor starts, and then as often as a day's work may matter. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Taking this many away holds up the editor for some 5 ms; between two, others have their turn. */
const EVENTS_PER_STEP = 100;
const PAUSE_MS = 25;
const SESSIONS_AT_ONCE = 50;

const MEGABYTE = 1_000_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** So far below the limit that not every round has something to do. */
const TARGET_SHARE = 0.9;

/** STO-4: what is too old goes; then, where it is too much, raw payloads, then tool calls, conversations last; oldest first. */
export function startRetention({ store, clock, log, limits, isLive }: RetentionParts): Retention {
  let stopped = false;
  let timer: Disposable | undefined = clock.after(FIRST_AFTER_MS, again);
  let running: Promise<void> | undefined;
  /** Sessions without raw payloads, as of their last event: looking at every event again would cost more than it gives. */
  const stripped = new Map<string, string>();

  function again(): void {
    void run().finally(() => {
      if (!stopped) timer = clock.after(EVERY_MS, again);
    });
  }

  function run(): Promise<void> {
    running ??= round()
      .catch((error: unknown) => log.warn(`Old events stay for now: ${String(error)}`))
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function round(): Promise<void> {
    const { days, megabytes } = limits();
    const recent = new Date(clock.now() - LIVE_STATE_HOURS * HOUR_MS).toISOString();
    const oldest = new Date(clock.now() - days * DAY_MS).toISOString();
    const before = store.usedBytes();
    const aged = await sweep((session) => session.lastEventAt < oldest, drop);
    await forgetWork(oldest);
    if (store.usedBytes() > megabytes * MEGABYTE) await shrinkTo(megabytes * MEGABYTE * TARGET_SHARE, recent);
    const freed = before - store.usedBytes();
    if (aged > 0 || freed > 0)
      log.info(`Retention: ${aged} sessions older than ${days} days are gone, ${Math.round(freed / 1000)} kB in all.`);
    if (store.usedBytes() > megabytes * MEGABYTE)
      log.warn(`The store is larger than ${megabytes} MB: what is left is of the last ${LIVE_STATE_HOURS} hours.`);
  }

  /** What goes on stays, however long ago it began. */
  async function forgetWork(oldest: string): Promise<void> {
    const isOld = ({ finishedAt }: WorkItem) => finishedAt !== undefined && finishedAt < oldest;
    if (!store.work.items().some(isOld)) return;
    await store.work.change((present) => ({ save: [], remove: present.filter(isOld).map(({ key }) => key) }));
  }

  async function shrinkTo(target: number, recent: string): Promise<void> {
    const isTooLarge = () => store.usedBytes() > target;
    const isOld = ({ lastEventAt }: SessionAge) => lastEventAt < recent;
    await sweep(isTooLarge, (session) => strip(session, recent, isTooLarge));
    await sweep(
      (session) => isTooLarge() && isOld(session),
      (session) => thin(session, isTooLarge),
    );
    await sweep((session) => isTooLarge() && isOld(session), drop);
  }

  /** Sessions, the oldest first, as long as they are wanted. Gives how many `treat` had to do with. */
  async function sweep(
    wanted: (session: SessionAge) => boolean,
    treat: (session: SessionAge) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    let after: SessionAge | undefined;
    for (;;) {
      const sessions = store.oldestSessions(after, SESSIONS_AT_ONCE);
      for (const session of sessions) {
        if (stopped || !wanted(session)) return count;
        if (await treat(session)) count++;
        // Also looking costs, and there may be thousands in which there is nothing to do.
        await pause(0);
      }
      after = sessions.at(-1);
      if (!after) return count;
    }
  }

  async function strip({ id, lastEventAt }: SessionAge, before: string, goesOn: () => boolean): Promise<boolean> {
    if (stripped.get(id) === lastEventAt) return false;
    const done = await takeAway(id, { kind: 'raw', before }, 'strip', goesOn);
    if (done && lastEventAt < before) stripped.set(id, lastEventAt);
    return true;
  }

  /** Its row is kept as it is: what is left of its events tells less. */
  async function thin({ id, lastEventAt: upTo }: SessionAge, isTooLarge: () => boolean): Promise<boolean> {
    const unsaid: EventSelection = { kind: 'unsaid', upTo };
    if (isLive(id) || store.eventIds(id, unsaid, 1).length === 0) return false;
    await store.trim({ keepRows: [id] });
    await takeAway(id, unsaid, 'remove', () => isTooLarge() && !isLive(id));
    return true;
  }

  /** What came for it meanwhile stays, and then the session does too. */
  async function drop({ id, lastEventAt: upTo }: SessionAge): Promise<boolean> {
    const isLeft = () => !isLive(id);
    if (!isLeft()) return false;
    await store.trim({ keepRows: [id] });
    if (!(await takeAway(id, { kind: 'all', upTo }, 'remove', isLeft))) return false;
    stripped.delete(id);
    await store.trim({ forget: [id] });
    return true;
  }

  /** Whether nothing of that is left. */
  async function takeAway(
    sessionId: string,
    selection: EventSelection,
    how: 'remove' | 'strip',
    goesOn: () => boolean,
  ): Promise<boolean> {
    while (!stopped && goesOn()) {
      const ids = store.eventIds(sessionId, selection, EVENTS_PER_STEP);
      if (ids.length === 0) return true;
      await store.trim({ [how]: ids });
      await pause(PAUSE_MS);
    }
    return false;
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => void clock.after(ms, resolve));
  }

  return {
    run,
    dispose() {
      stopped = true;
      timer?.dispose();
    },
  };
}
