import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** A timer may fire a moment before its time by the other clock. */
const SLACK_MS = 20;

/** The longest that a timer can wait is 24 days; this is enough for who sleeps in between. */
const WAIT_MAX_MS = 3_600_000;

/** The panel's only timer: it waits for the next moment at which something that is seen changes by time alone, and for no other. */
export class Ticker implements ReactiveController {
  private readonly host: ReactiveControllerHost;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private dueAt: number | undefined;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
    host.addController(this);
  }

  wantAt(moment: number | undefined): void {
    if (moment === this.dueAt && (this.timer !== undefined || moment === undefined)) return;
    this.dueAt = moment;
    this.setTimer();
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.onVisibility);
    this.setTimer();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.onVisibility);
    this.dueAt = undefined;
    this.setTimer();
  }

  private readonly onVisibility = (): void => {
    this.setTimer();
    if (this.timer !== undefined) this.host.requestUpdate();
  };

  private setTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.dueAt === undefined || document.visibilityState !== 'visible') return;
    const wait = Math.min(Math.max(0, this.dueAt - Date.now()) + SLACK_MS, WAIT_MAX_MS);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.host.requestUpdate();
    }, wait);
  }
}
