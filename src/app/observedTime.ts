import type { AgentEvent } from '../protocol/event.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import type { Clock, Disposable, EventStore, Log } from './ports.ts';

/**
 * STO-5: the time that retention uses, which a wrong clock can't move. It follows a jump of the clock only after the clock has kept
 * it for a day of uptime (time in which owners of this store ran). Nights and sleep are jumps too, so this time is behind real time by
 * the breaks within the last day of uptime, and data is deleted that much later. It never goes back; the next owner continues it.
 */
export interface ObservedTime extends Disposable {
  /** In milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that owners of this store have run so far. */
  uptime(): number;
  /**
   * Await this before storing events. If an event's time is long past (a clock that is behind, a hook from the spool), it notes the
   * arrival, so that its session counts as no older than that.
   */
  arriving(events: readonly Pick<AgentEvent, 'session_id' | 'ts'>[]): Promise<void>;
  /** When the last late event of this session arrived; undefined if none did. */
  arrivedLate(sessionId: string): number | undefined;
}

export interface ObservedTimeParts {
  readonly store: Pick<EventStore, 'shelf' | 'sessions'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const LOOK_EVERY_MS = 10 * MINUTE_MS;
/** Not while an editor starts. */
const FIRST_LOOK_MS = MINUTE_MS;

/** A longer gap between two looks means that the machine slept (some systems count sleep in the steady clock). */
const MOST_BETWEEN_LOOKS_MS = 2 * LOOK_EVERY_MS;

const LATE_MS = HOUR_MS;

/** One reading of the clock: the uptime, and clock minus uptime. */
type Reading = readonly [uptime: number, ahead: number];

const KEY = 'time';

export function openObservedTime({ store, clock, log }: ObservedTimeParts): ObservedTime {
  const shelf = store.shelf('retention');
  const late = store.shelf('late');
  const saved = savedIn(shelf.get(KEY)?.value);
  let uptime = saved?.uptime ?? 0;
  let ahead = saved?.ahead ?? firstMoment();
  /** The lowest reading of each hour of uptime, for the last day of uptime. */
  let readings: readonly Reading[] = saved?.readings ?? [];
  let seenAt = clock.monotonic();
  let timer = clock.after(FIRST_LOOK_MS, look);

  /** The start for a store without saved time: its newest event. If the clock is later, that is a jump like any other. */
  function firstMoment(): number {
    const newest = Date.parse(store.sessions({ limit: 1 }).items[0]?.lastEventAt ?? '');
    return Number.isNaN(newest) ? clock.now() : Math.min(newest, clock.now());
  }

  function advance(): void {
    const seen = clock.monotonic();
    uptime += Math.max(0, Math.min(seen - seenAt, MOST_BETWEEN_LOOKS_MS));
    seenAt = seen;
  }

  function read(): void {
    advance();
    const reading = clock.now() - uptime;
    const [begun, lowest] = readings.at(-1) ?? [-Infinity, 0];
    readings =
      uptime - begun < HOUR_MS
        ? [...readings.slice(0, -1), [begun, Math.min(lowest, reading)]]
        : [...readings, [uptime, reading]];
    const dayAgo = readings.findLastIndex(([at]) => at <= uptime - DAY_MS);
    if (dayAgo < 0) return;
    readings = readings.slice(dayAgo);
    ahead = Math.max(ahead, Math.min(...readings.map(([, each]) => each)));
  }

  function look(): void {
    timer = clock.after(LOOK_EVERY_MS, look);
    read();
    const value = { uptime, ahead, readings: readings.map((each) => [...each]) };
    shelf
      .put([{ key: KEY, value }])
      .catch((error: unknown) => log.debug(`Observed time could not be kept: ${String(error)}`));
  }

  function now(): number {
    advance();
    return uptime + ahead;
  }

  function arrivedLate(sessionId: string): number | undefined {
    const at = late.get(sessionId)?.value;
    return typeof at === 'number' ? at : undefined;
  }

  return {
    now,
    uptime() {
      advance();
      return uptime;
    },
    arrivedLate,
    async arriving(events) {
      const at = now();
      const before = new Date(at - LATE_MS).toISOString();
      const sessions = new Set(events.filter(({ ts }) => ts < before).map(({ session_id: id }) => id));
      const unnoted = [...sessions].filter((id) => (arrivedLate(id) ?? 0) < at - LATE_MS);
      if (unnoted.length > 0) await late.put(unnoted.map((id) => ({ key: id, session: id, value: at })));
    },
    dispose: () => timer.dispose(),
  };
}

function savedIn(value: Json | undefined) {
  if (!isJsonObject(value)) return undefined;
  const { uptime, ahead, readings } = value;
  if (typeof uptime !== 'number' || typeof ahead !== 'number' || !Array.isArray(readings)) return undefined;
  return { uptime, ahead, readings: readings as unknown as readonly Reading[] };
}
