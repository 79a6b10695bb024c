import type { TakeOverProgress } from '../protocol/state.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Clock, Disposable, Log } from './ports.ts';

/** A take-over that is done within this time is not reported. */
const QUIET_MS = 1_000;
/** The reported progress changes at most this often. */
const STEP_MS = 1_000;

/**
 * STO-6: reports how far the store of an earlier release is taken over. It has no timer: the progress changes only while events are
 * taken over.
 */
export class TakeOverWatch {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #listeners: Listeners<TakeOverProgress | undefined>;
  #beganAt: number | undefined;
  #reportedAt = 0;
  #progress: TakeOverProgress | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, log: Log) {
    this.#clock = clock;
    this.#listeners = createListeners(log);
  }

  /** `undefined` before the first second of a take-over, after it, and if there is none. */
  get progress(): TakeOverProgress | undefined {
    return this.#progress;
  }

  /** Calls back with the progress whenever its whole per cent has changed, and with `undefined` at the end. */
  onChange(listener: (progress: TakeOverProgress | undefined) => void): Disposable {
    return this.#listeners.add(listener);
  }

  /** Events were taken over. */
  advance(progress: TakeOverProgress): void {
    if (progress.of === 0) return;
    const now = this.#clock.monotonic();
    this.#beganAt ??= now;
    if (now - this.#beganAt < QUIET_MS) return;
    if (this.#progress && (now - this.#reportedAt < STEP_MS || percent(progress) === percent(this.#progress))) return;
    this.#reportedAt = now;
    this.#report(progress);
  }

  /** The take-over is done, or goes on at the next start. */
  end(): void {
    if (this.#progress) this.#report(undefined);
  }

  #report(progress: TakeOverProgress | undefined): void {
    this.#progress = progress;
    this.#listeners.tell(progress);
  }
}

function percent({ done, of }: TakeOverProgress): number {
  return Math.floor((done / of) * 100);
}
