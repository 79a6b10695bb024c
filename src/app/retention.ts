import { LIVE_STATE_HOURS } from '../protocol/limits.ts';
import type { Clock, Disposable, EventSelection, EventStore, Log, SessionAge } from './ports.ts';

export interface RetentionLimits {
  readonly days: number;
  readonly megabytes: number;
}

export interface RetentionParts {
  readonly store: Pick<EventStore, 'usedBytes' | 'oldestSessions' | 'eventIds' | 'trim'>;
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
    if (store.usedBytes() > megabytes * MEGABYTE) await shrinkTo(megabytes * MEGABYTE * TARGET_SHARE, recent);
    const freed = before - store.usedBytes();
    if (aged > 0 || freed > 0)
      log.info(`Retention: ${aged} sessions older than ${days} days are gone, ${Math.round(freed / 1000)} kB in all.`);
    if (store.usedBytes() > megabytes * MEGABYTE)
      log.warn(`The store is larger than ${megabytes} MB: what is left is of the last ${LIVE_STATE_HOURS} hours.`);
  }

  async function shrinkTo(target: number, recent: string): Promise<void> {
    const isTooLarge = () => store.usedBytes() > target;
    const isOld = ({ lastEventAt }: SessionAge) => lastEventAt < recent;
    await sweep(isTooLarge, ({ id }) => takeAway('strip', id, { kind: 'raw', before: recent }, isTooLarge));
    await sweep(
      (session) => isTooLarge() && isOld(session),
      ({ id }) => (isLive(id) ? undefined : takeAway('remove', id, { kind: 'unsaid' }, isTooLarge)),
    );
    await sweep((session) => isTooLarge() && isOld(session), drop);
  }

  /** Sessions, the oldest first, as long as they are wanted. */
  async function sweep(
    wanted: (session: SessionAge) => boolean,
    treat: (session: SessionAge) => Promise<void> | undefined,
  ): Promise<number> {
    let count = 0;
    let after: SessionAge | undefined;
    for (;;) {
      const sessions = store.oldestSessions(after, SESSIONS_AT_ONCE);
      for (const session of sessions) {
        if (stopped || !wanted(session)) return count;
        const treated = treat(session);
        if (treated) count++;
        await treated;
      }
      after = sessions.at(-1);
      if (!after) return count;
    }
  }

  function drop({ id }: SessionAge): Promise<void> | undefined {
    if (isLive(id)) return undefined;
    return takeAway('remove', id, { kind: 'all' }, () => true).then(() =>
      stopped ? undefined : store.trim({ forget: [id] }),
    );
  }

  async function takeAway(
    how: 'remove' | 'strip',
    sessionId: string,
    selection: EventSelection,
    goesOn: () => boolean,
  ): Promise<void> {
    while (!stopped && goesOn()) {
      const ids = store.eventIds(sessionId, selection, EVENTS_PER_STEP);
      if (ids.length === 0) return;
      await store.trim({ [how]: ids });
      await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
    }
  }

  return {
    run,
    dispose() {
      stopped = true;
      timer?.dispose();
    },
  };
}
