import type { Clock, Disposable, Log, StateSource } from '../../app/ports.ts';
import type { Windows } from '../../app/windowPorts.ts';
import { type Notice, noticeKinds, type NoticeTrack, trackNotices } from '../../domain/notices.ts';
import type { Session } from '../../protocol/state.ts';
import type { EditorSettings } from '../settings.ts';
import type { Standing } from './standing.ts';

export interface NoticesParts {
  readonly source: StateSource;
  readonly settings: Pick<EditorSettings, 'current'>;
  readonly windows: Pick<Windows, 'claim'>;
  readonly clock: Clock;
  readonly log: Log;
  standingTo(session: Session): Promise<Standing>;
  /** Resolves when the notice is gone, whatever the person did with it. */
  show(notice: Notice, isOver: () => boolean): Promise<void>;
  /** Of many at once, the most important first. */
  showMany(notices: readonly Notice[]): void;
}

/** What is answered within that time was no wait, and an end that is taken back (a Stop hook does that) none either. */
const DEBOUNCE_MS = 1_000;
/** A window has so long to find out how near it is: its terminals have a second of that to answer, and the process table the rest. */
const STANDING_MS = 2_000;
/** Longer than a window takes to see that another one has told. */
const RANK_MS = 700;
/** So many at once are read one by one. */
const BURST_MAX = 3;
const BURST_MS = 2_000;
/** As long as the editor keeps a notice in sight; later it lies among the past ones and hinders no new one. */
const IN_SIGHT_MS = 20_000;
/** More sessions than anybody runs. */
const TOLD_MAX = 1_000;

/** UI-5: tells the person, in one window, once for each wait, and only of what begins while this window is there. */
export function createNotices(parts: NoticesParts): Disposable {
  const { source, settings, windows, clock, log } = parts;
  const began = clock.now();
  const told = new Set<string>();
  /** By session: what may come to be told. */
  const pending = new Map<string, Pending>();
  const inSight = new Map<string, InSight>();
  let shownAt: readonly number[] = [];
  let heap: readonly Notice[] = [];
  let heapTimer: Disposable | undefined;
  let track: NoticeTrack | undefined;
  let disposed = false;

  const isOpen = ({ key, sessionId }: Notice) => track?.open.get(sessionId)?.key === key;

  function isWanted(notice: Notice): boolean {
    const now = settings.current();
    return !disposed && isOpen(notice) && !now.doNotDisturb && now[`notices.${notice.kind}`];
  }

  function look(): void {
    if (source.status() === 'off') return forgetAll();
    // Before that nothing is known, and what is known then was there before.
    if (source.status() !== 'live') return;
    const seen = trackNotices(track, source.snapshot());
    track = seen.track;
    for (const { sessionId } of seen.over) drop(sessionId);
    for (const notice of seen.begun) {
      if (Date.parse(notice.since) < began || told.has(notice.key)) continue;
      drop(notice.sessionId);
      const entry: Pending = { timer: undefined };
      pending.set(notice.sessionId, entry);
      void consider(notice, entry)
        .catch((error: unknown) => log.warn(String(error)))
        .finally(() => {
          if (pending.get(notice.sessionId) === entry) pending.delete(notice.sessionId);
        });
    }
  }

  function drop(sessionId: string): void {
    pending.get(sessionId)?.timer?.dispose();
    pending.delete(sessionId);
    const next = inSight.get(sessionId);
    if (next) next.next = undefined;
  }

  function forgetAll(): void {
    track = undefined;
    heapTimer?.dispose();
    for (const { timer } of [...pending.values(), ...inSight.values()]) timer?.dispose();
  }

  async function consider(notice: Notice, entry: Pending): Promise<void> {
    const pause = (ms: number) => new Promise<void>((resolve) => (entry.timer = clock.after(ms, resolve)));
    await pause(DEBOUNCE_MS);
    const session = source.snapshot().sessions.find(({ id }) => id === notice.sessionId);
    if (session === undefined || !isWanted(notice)) return;
    const since = clock.now();
    const { rank, inView } = await parts.standingTo(session);
    // Whoever knows at once gives the nearer ones, which may be slower, their time.
    const spent = Math.min(STANDING_MS, Math.max(0, clock.now() - since));
    if (rank > 0) await pause(STANDING_MS - spent + rank * RANK_MS);
    if (!isWanted(notice)) return;
    // Also where it is in view: then no other window shall tell of it.
    const isOurs = await windows.claim(notice.key);
    note(notice.key);
    if (pending.get(notice.sessionId) !== entry) return;
    pending.delete(notice.sessionId);
    if (isOurs && !inView && isWanted(notice)) tell(notice);
  }

  function note(key: string): void {
    told.add(key);
    const [oldest] = told;
    if (told.size > TOLD_MAX && oldest !== undefined) told.delete(oldest);
  }

  function tell(notice: Notice): void {
    const sight = inSight.get(notice.sessionId);
    if (sight !== undefined) {
      sight.next = notice;
      return;
    }
    const now = clock.now();
    shownAt = shownAt.filter((at) => now - at < BURST_MS);
    if (shownAt.length + heap.length + pending.size < BURST_MAX) return show(notice);
    heap = [...heap, notice];
    heapTimer ??= clock.after(BURST_MS, tellHeap);
  }

  function tellHeap(): void {
    const many = heap.filter(isWanted).toSorted((a, b) => noticeKinds.indexOf(a.kind) - noticeKinds.indexOf(b.kind));
    heap = [];
    heapTimer = undefined;
    if (many.length > 1) parts.showMany(many);
    else many.forEach(show);
  }

  function show(notice: Notice): void {
    const { sessionId } = notice;
    shownAt = [...shownAt, clock.now()];
    const sight: InSight = { next: undefined, timer: clock.after(IN_SIGHT_MS, gone) };
    inSight.set(sessionId, sight);

    function gone(): void {
      sight.timer.dispose();
      if (inSight.get(sessionId) !== sight) return;
      inSight.delete(sessionId);
      if (sight.next !== undefined && isWanted(sight.next)) tell(sight.next);
    }

    parts
      .show(notice, () => !isOpen(notice))
      .catch((error: unknown) => log.warn(String(error)))
      .finally(gone);
  }

  const changes = source.onChange(look);
  look();
  return {
    dispose() {
      disposed = true;
      changes.dispose();
      forgetAll();
    },
  };
}

interface Pending {
  timer: Disposable | undefined;
}

interface InSight {
  /** Of the same session: told when this one is gone, if it still means anything. */
  next: Notice | undefined;
  readonly timer: Disposable;
}
