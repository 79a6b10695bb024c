import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Durations are told in minutes, so this is as late as one may be wrong. */
const TICK_MS = 20_000;

/** The panel's only repeating timer: it runs while somebody can see a duration, and at no other time. */
export class Ticker implements ReactiveController {
  private readonly host: ReactiveControllerHost;
  private timer: ReturnType<typeof setInterval> | undefined;
  private wanted = false;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
    host.addController(this);
  }

  want(wanted: boolean): void {
    this.wanted = wanted;
    this.startOrStop();
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.onVisibility);
    this.startOrStop();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.onVisibility);
    this.wanted = false;
    this.startOrStop();
  }

  private readonly onVisibility = (): void => {
    this.startOrStop();
    if (this.timer !== undefined) this.host.requestUpdate();
  };

  private startOrStop(): void {
    const runs = this.wanted && document.visibilityState === 'visible';
    if (runs && this.timer === undefined) {
      this.timer = setInterval(() => this.host.requestUpdate(), TICK_MS);
    } else if (!runs && this.timer !== undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
