import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Faster than this and a screen reader cuts off its own sentences. */
const PAUSE_MS = 2_500;
/** A burst tells its newest lines only: nobody listens to forty. */
const LINES_MAX = 3;

/** What the one live region says. The host draws `text`; lines that come too fast wait and are told together. */
export class Announcer implements ReactiveController {
  text = '';
  private readonly host: ReactiveControllerHost;
  private waiting: string[] = [];
  private pause: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
    host.addController(this);
  }

  tell(lines: readonly string[]): void {
    // A hidden panel is not read out, and old news is no news when it shows again.
    if (lines.length === 0 || document.visibilityState !== 'visible') return;
    this.waiting = [...this.waiting, ...lines].slice(-LINES_MAX);
    if (this.pause === undefined) this.speak();
  }

  hostDisconnected(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.waiting = [];
  }

  private speak(): void {
    const line = this.waiting.join('. ');
    this.waiting = [];
    // The same words again are a change to the person, but not to the screen reader without a change of text.
    this.text = line === this.text ? `${line}\u00a0` : line;
    this.host.requestUpdate();
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (this.waiting.length > 0) this.speak();
    }, PAUSE_MS);
  }
}
