import type { Clock, Disposable, Log, StateSource } from '../../app/ports.ts';
import type { Windows } from '../../app/windowPorts.ts';
import { type Notice, noticeKinds, type NoticeTrack, trackNotices } from '../../domain/notices.ts';
import type { Session } from '../../protocol/state.ts';
import type { EditorSettings } from '../settings.ts';
import type { Nearness } from '../thisWindow.ts';
import type { NoticeView } from './noticeView.ts';

export interface NoticesParts {
  readonly source: StateSource;
  readonly settings: Pick<EditorSettings, 'current'>;
  readonly windows: Pick<Windows, 'claim'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly nearnessTo: (session: Session) => Promise<Nearness>;
  readonly view: Pick<NoticeView, 'show' | 'showMany'>;
}

/** A request that is answered within this time needs no notice, nor does a turn that a Stop hook makes go on. */
const DEBOUNCE_MS = 1_000;
/** A window has this long to find out how near it is: a second for its terminals to answer, the rest for the process table. */
const NEARNESS_MS = 2_000;
/** Longer than a window takes to see that another one has claimed a notice. */
const RANK_MS = 700;
/** Up to this many notices at once are shown one by one. */
const BURST_MAX = 3;
const BURST_MS = 2_000;
/** The editor keeps a message in sight for this long. A later notice of the same session is shown beside it after that. */
const IN_SIGHT_MS = 20_000;
/** How many notices are remembered as shown; more than there are sessions. */
const HANDLED_MAX = 1_000;

interface Pending {
  timer: Disposable | undefined;
}

interface InSight {
  /** The latest notice of the same session. It is shown when this one is gone, if it still holds. */
  next: Notice | undefined;
  readonly timer: Disposable;
}

/**
 * UI-5: shows notices to the person. Each is shown once, in the window that is nearest to its session, a moment after it began, and
 * only if it began while this window was there.
 */
export class Notices implements Disposable {
  readonly #parts: NoticesParts;
  readonly #began: number;
  readonly #changes: Disposable;
  /** The keys of notices that this or another window has handled. */
  readonly #handled = new Set<string>();
  /** By session: a notice that may be shown soon. */
  readonly #pending = new Map<string, Pending>();
  /** By session: the notice that the person can see now. */
  readonly #inSight = new Map<string, InSight>();
  #shownAt: readonly number[] = [];
  /** Notices of a burst, which are shown together. */
  #burst: readonly Notice[] = [];
  #burstTimer: Disposable | undefined;
  #track: NoticeTrack | undefined;
  #isDisposed = false;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.#began = parts.clock.now();
    this.#changes = parts.source.onChange(() => this.#follow());
    this.#follow();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#changes.dispose();
    this.#stop();
  }

  /** Takes up what the state says now. */
  #follow(): void {
    const { source } = this.#parts;
    if (source.status() === 'off') return this.#stop();
    // Until then nothing is known, and what becomes known at that moment is older.
    if (source.status() !== 'live') return;
    const seen = trackNotices(this.#track, source.snapshot());
    this.#track = seen.track;
    for (const { sessionId } of seen.over) this.#drop(sessionId);
    for (const notice of seen.begun) {
      if (Date.parse(notice.since) < this.#began || this.#handled.has(notice.key)) continue;
      this.#drop(notice.sessionId);
      this.#begin(notice);
    }
  }

  #begin(notice: Notice): void {
    const pending: Pending = { timer: undefined };
    this.#pending.set(notice.sessionId, pending);
    void this.#consider(notice, pending)
      .catch((error: unknown) => this.#parts.log.warn(String(error)))
      .finally(() => {
        if (this.#pending.get(notice.sessionId) === pending) this.#pending.delete(notice.sessionId);
      });
  }

  #drop(sessionId: string): void {
    this.#pending.get(sessionId)?.timer?.dispose();
    this.#pending.delete(sessionId);
    const sight = this.#inSight.get(sessionId);
    if (sight) sight.next = undefined;
  }

  #stop(): void {
    this.#track = undefined;
    this.#burstTimer?.dispose();
    for (const { timer } of [...this.#pending.values(), ...this.#inSight.values()]) timer?.dispose();
  }

  #isOpen({ key, sessionId }: Notice): boolean {
    return this.#track?.open.get(sessionId)?.key === key;
  }

  #isWanted(notice: Notice): boolean {
    const now = this.#parts.settings.current();
    return !this.#isDisposed && this.#isOpen(notice) && !now.doNotDisturb && now[`notices.${notice.kind}`];
  }

  /** Waits until it is this window's turn, and shows the notice if it still holds and no nearer window has claimed it. */
  async #consider(notice: Notice, pending: Pending): Promise<void> {
    const { source, clock, windows } = this.#parts;
    const pause = (ms: number) => new Promise<void>((resolve) => (pending.timer = clock.after(ms, resolve)));
    await pause(DEBOUNCE_MS);
    const session = source.snapshot().sessions.find(({ id }) => id === notice.sessionId);
    if (session === undefined || !this.#isWanted(notice)) return;
    const since = clock.now();
    const { rank, inView } = await this.#parts.nearnessTo(session);
    // A window that knows its rank at once leaves the nearer ones the time to find out theirs.
    const spent = Math.min(NEARNESS_MS, Math.max(0, clock.now() - since));
    if (rank > 0) await pause(NEARNESS_MS - spent + rank * RANK_MS);
    if (!this.#isWanted(notice)) return;
    // A notice that is in view is claimed too, so that no other window shows it.
    const isOurs = await windows.claim(notice.key);
    this.#remember(notice.key);
    if (this.#pending.get(notice.sessionId) !== pending) return;
    this.#pending.delete(notice.sessionId);
    if (isOurs && !inView && this.#isWanted(notice)) this.#showInTurn(notice);
  }

  #remember(key: string): void {
    this.#handled.add(key);
    const [oldest] = this.#handled;
    if (this.#handled.size > HANDLED_MAX && oldest !== undefined) this.#handled.delete(oldest);
  }

  /** Shows a notice now, after the one of the same session that is in sight, or together with others. */
  #showInTurn(notice: Notice): void {
    const sight = this.#inSight.get(notice.sessionId);
    if (sight !== undefined) {
      sight.next = notice;
      return;
    }
    const { clock } = this.#parts;
    const now = clock.now();
    this.#shownAt = this.#shownAt.filter((at) => now - at < BURST_MS);
    if (this.#shownAt.length + this.#burst.length + this.#pending.size < BURST_MAX) return this.#show(notice);
    this.#burst = [...this.#burst, notice];
    this.#burstTimer ??= clock.after(BURST_MS, () => this.#showBurst());
  }

  #showBurst(): void {
    const wanted = this.#burst.filter((notice) => this.#isWanted(notice));
    const many = wanted.toSorted((a, b) => noticeKinds.indexOf(a.kind) - noticeKinds.indexOf(b.kind));
    this.#burst = [];
    this.#burstTimer = undefined;
    if (many.length > 1) this.#parts.view.showMany(many);
    else many.forEach((notice) => this.#show(notice));
  }

  #show(notice: Notice): void {
    const { clock, view, log } = this.#parts;
    const { sessionId } = notice;
    this.#shownAt = [...this.#shownAt, clock.now()];
    const sight: InSight = { next: undefined, timer: clock.after(IN_SIGHT_MS, () => this.#end(sessionId, sight)) };
    this.#inSight.set(sessionId, sight);
    view
      .show(notice, () => !this.#isOpen(notice))
      .catch((error: unknown) => log.warn(String(error)))
      .finally(() => this.#end(sessionId, sight));
  }

  /** The notice is out of sight: the session's latest one is shown, if it still holds. */
  #end(sessionId: string, sight: InSight): void {
    sight.timer.dispose();
    if (this.#inSight.get(sessionId) !== sight) return;
    this.#inSight.delete(sessionId);
    if (sight.next !== undefined && this.#isWanted(sight.next)) this.#showInTurn(sight.next);
  }
}
