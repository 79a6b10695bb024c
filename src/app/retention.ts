import { LIVE_STATE_HOURS } from '../protocol/limits.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { PlannedRetention } from '../protocol/reading.ts';
import type { WorkItem } from '../protocol/work.ts';
import { DAY_MS, type ObservedTime } from './observedTime.ts';
import type { Clock, Disposable, EventStore, Log, SessionAge } from './ports.ts';

export interface RetentionLimits {
  readonly days: number;
  readonly megabytes: number;
}

export interface RetentionParts {
  readonly store: Pick<
    EventStore,
    'usedBytes' | 'oldestSessions' | 'session' | 'sessions' | 'eventIds' | 'trim' | 'work' | 'shelf'
  >;
  readonly clock: Pick<Clock, 'after'>;
  readonly time: Pick<ObservedTime, 'now' | 'uptime' | 'arrivedLate'>;
  readonly log: Log;
  /** The settings `retention.days` and `retention.megabytes`, as they are now. */
  readonly limits: () => RetentionLimits;
  /** These are on the stage: nothing of them goes but raw payloads of yesterday. */
  readonly isLive: (sessionId: string) => boolean;
}

export interface Retention extends Disposable {
  /** One round; resolves when it is done. Rounds do not overlap. */
  run(): Promise<void>;
  /** Announced deletions, which the person can still prevent. */
  planned(): readonly PlannedRetention[];
}

/** Not while an editor starts, and then as often as a day's work may matter. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;

/** This many hold up the editor for some 5 ms; between two steps, others have their turn. */
const STRIPPED_AT_ONCE = 100;
const PAUSE_MS = 25;
const SESSIONS_AT_ONCE = 50;

const MEGABYTE = 1_000_000;
const HOUR_MS = 3_600_000;

/** So far below the limit that not every round has something to do. */
const TARGET_SHARE = 0.9;

/**
 * STO-5: a run that would delete more than this share of the sessions only announces it, and deletes them after another day of
 * uptime. With fewer than ten sessions every deletion is announced.
 */
const SHARE_AT_ONCE = 1 / 10;

/** An announced deletion. It is stored, so that the next owner carries it out. */
interface Plan extends Omit<PlannedRetention, 'inHours'> {
  /** The uptime from which the sessions may be deleted. */
  readonly due: number;
  /** Deletes only sessions whose last event is older than this. */
  readonly before: string;
}

/** STO-4: what is too old goes; then, where it is too much, raw payloads, then tool calls, conversations last; oldest first. */
export function startRetention({ store, clock, time, log, limits, isLive }: RetentionParts): Retention {
  let stopped = false;
  let timer: Disposable | undefined = clock.after(FIRST_AFTER_MS, again);
  let running: Promise<void> | undefined;
  /** Sessions without raw payloads, as of their last event: looking at every event again would cost more than it gives. */
  const stripped = new Map<string, string>();
  const shelf = store.shelf('retention');

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
    const newest = newestActivity();
    const recent = new Date(newest - LIVE_STATE_HOURS * HOUR_MS).toISOString();
    const before = store.usedBytes();
    const aged = await dropAged(new Date(newest - days * DAY_MS).toISOString());
    await dropBeyond(megabytes * MEGABYTE, recent);
    const freed = before - store.usedBytes();
    if (aged > 0 || freed > 0)
      log.info(`Retention: ${aged} sessions older than ${days} days are gone, ${Math.round(freed / 1000)} kB in all.`);
    if (store.usedBytes() > megabytes * MEGABYTE && !planOf('size'))
      log.warn(`The store is larger than ${megabytes} MB: what is left is of the last ${LIVE_STATE_HOURS} hours.`);
  }

  /** STO-5: ages are measured from here: the newest event, or now if that is in the future. */
  function newestActivity(): number {
    const newest = Date.parse(store.sessions({ limit: 1 }).items[0]?.lastEventAt ?? '');
    return Number.isNaN(newest) ? time.now() : Math.min(newest, time.now());
  }

  function isBefore({ id, lastEventAt }: SessionAge, moment: string): boolean {
    return lastEventAt < moment && (time.arrivedLate(id) ?? 0) < Date.parse(moment);
  }

  async function dropAged(oldest: string): Promise<number> {
    const plan = planOf('age');
    const before = plan !== undefined && plan.before < oldest ? plan.before : oldest;
    const old: SessionAge[] = [];
    await sweep(
      (session) => session.lastEventAt < before,
      (session) => Promise.resolve(isBefore(session, before) && !isLive(session.id) && old.push(session) > 0),
    );
    // The sweep was interrupted, so its result must not change an announcement.
    if (stopped) return 0;
    if (plan === undefined && (await isTooManyAtOnce(old.length))) await announce('age', old.length, before);
    if (old.length === 0 && plan) await cancel('age');
    if (old.length > 0 && !isDue('age')) return 0;
    let count = 0;
    for (const session of old) if (!stopped && isBefore(session, before) && (await drop(session))) count++;
    await forgetWork(before);
    if (!stopped) await cancel('age');
    return count;
  }

  /** What goes on stays, however long ago it began. */
  async function forgetWork(oldest: string): Promise<void> {
    const isOld = ({ finishedAt }: WorkItem) => finishedAt !== undefined && finishedAt < oldest;
    if (!store.work.items().some(isOld)) return;
    await store.work.change((present) => ({ save: [], remove: present.filter(isOld).map(({ key }) => key) }));
  }

  async function dropBeyond(most: number, recent: string): Promise<void> {
    if (store.usedBytes() > most) await shrinkTo(most * TARGET_SHARE, recent);
    else await cancel('size');
  }

  async function shrinkTo(target: number, recent: string): Promise<void> {
    const isTooLarge = () => store.usedBytes() > target;
    await sweep(isTooLarge, (session) => strip(session, recent, isTooLarge));
    await sweep(isTooLarge, async (session) => isBefore(session, recent) && thin(session));
    const old: SessionAge[] = [];
    await sweep(isTooLarge, (session) =>
      Promise.resolve(isBefore(session, recent) && !isLive(session.id) && old.push(session) > 0),
    );
    const isPlanned = planOf('size') !== undefined;
    const most = isDue('size') ? (isPlanned ? Infinity : (await countSessions(Infinity)) * SHARE_AT_ONCE) : 0;
    let count = 0;
    for (const session of old) {
      if (stopped || !isTooLarge()) break;
      if (count + 1 > most) {
        if (!isPlanned) await announce('size', old.length - count, recent);
        return;
      }
      if (isBefore(session, recent) && (await drop(session))) count++;
    }
    if (!stopped) await cancel('size');
  }

  /** May sessions be deleted for this reason now? True without an announcement, or when one is due. */
  function isDue(why: Plan['why']): boolean {
    const plan = planOf(why);
    return plan === undefined || time.uptime() >= plan.due;
  }

  function planOf(why: Plan['why']): Plan | undefined {
    const value = shelf.get(`plan/${why}`)?.value;
    return isJsonObject(value) ? (value as unknown as Plan) : undefined;
  }

  async function announce(why: Plan['why'], sessions: number, before: string): Promise<void> {
    const of = await countSessions(Infinity);
    const since = new Date(time.now()).toISOString();
    const plan = { why, since, sessions, of, due: time.uptime() + DAY_MS, before };
    await shelf.put([{ key: `plan/${why}`, value: plan }]);
    const setting = why === 'age' ? 'retention.days' : 'retention.megabytes';
    log.warn(
      `Retention: ${sessions} of ${of} sessions are to be deleted after another day of running. Raise ${setting} to keep them.`,
    );
  }

  async function cancel(why: Plan['why']): Promise<void> {
    if (planOf(why)) await shelf.put([], [`plan/${why}`]);
  }

  async function isTooManyAtOnce(count: number): Promise<boolean> {
    return count > 0 && count > (await countSessions(count / SHARE_AT_ONCE)) * SHARE_AT_ONCE;
  }

  /** Counts the sessions, and stops at `upTo`. */
  async function countSessions(upTo: number): Promise<number> {
    let count = 0;
    for (let page = store.oldestSessions(undefined, SESSIONS_AT_ONCE); page.length > 0 && count < upTo;) {
      count += page.length;
      page = store.oldestSessions(page.at(-1), SESSIONS_AT_ONCE);
      await pause(0);
    }
    return count;
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

  /** Raw payloads are large, and what is left of their events is written anew: step by step, with pauses. */
  async function strip({ id, lastEventAt }: SessionAge, before: string, goesOn: () => boolean): Promise<boolean> {
    if (stripped.get(id) === lastEventAt || (time.arrivedLate(id) ?? 0) >= Date.parse(before)) return false;
    const ids = store.eventIds(id, { kind: 'raw', before }, Infinity);
    for (let from = 0; from < ids.length; from += STRIPPED_AT_ONCE) {
      if (stopped || !goesOn()) return true;
      await store.trim({ sessionId: id, strip: ids.slice(from, from + STRIPPED_AT_ONCE) });
      await pause(PAUSE_MS);
    }
    if (lastEventAt < before) stripped.set(id, lastEventAt);
    return true;
  }

  /** Its row is kept as it is: what is left of its events tells less. */
  async function thin({ id, lastEventAt: upTo }: SessionAge): Promise<boolean> {
    const ids = isLive(id) ? [] : store.eventIds(id, { kind: 'unsaid', upTo }, Infinity);
    if (ids.length > 0) await store.trim({ sessionId: id, keepRow: true, remove: ids });
    return ids.length > 0;
  }

  /** False if the session goes on: what came for it meanwhile stays, and its row too. */
  async function drop({ id, lastEventAt: upTo }: SessionAge): Promise<boolean> {
    if (isLive(id)) return false;
    const remove = store.eventIds(id, { kind: 'all', upTo }, Infinity);
    await store.trim({ sessionId: id, keepRow: true, remove, forget: true });
    stripped.delete(id);
    return store.session(id) === undefined;
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => void clock.after(ms, resolve));
  }

  return {
    run,
    planned: () =>
      (['age', 'size'] as const).flatMap((why) => {
        const plan = planOf(why);
        if (!plan) return [];
        const { since, sessions, of, due } = plan;
        return [{ why, since, sessions, of, inHours: Math.max(0, Math.ceil((due - time.uptime()) / HOUR_MS)) }];
      }),
    dispose() {
      stopped = true;
      timer?.dispose();
    },
  };
}
