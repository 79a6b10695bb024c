import type { ReactiveController, ReactiveControllerHost } from 'lit';

type Host = ReactiveControllerHost & Pick<HTMLElement, 'shadowRoot'>;

/** Sessions that wait for the person and whose heads are scrolled out of view. Only these few heads are watched. */
export class OutOfView implements ReactiveController {
  sessionIds: readonly string[] = [];
  /** Whether the first of them is above what is seen. */
  above = false;
  private readonly host: Host;
  private readonly watched = new Map<Element, boolean>();
  private observer: IntersectionObserver | undefined;

  constructor(host: Host) {
    this.host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries)
        if (this.watched.has(target)) this.watched.set(target, isIntersecting);
      this.tell();
    });
  }

  hostDisconnected(): void {
    this.observer?.disconnect();
    this.watched.clear();
  }

  hostUpdated(): void {
    const heads = [...(this.host.shadowRoot?.querySelectorAll('[data-waits] > .head') ?? [])];
    for (const head of this.watched.keys())
      if (!heads.includes(head)) {
        this.watched.delete(head);
        this.observer?.unobserve(head);
      }
    // Until it is known, it is taken for seen.
    for (const head of heads)
      if (!this.watched.has(head)) {
        this.watched.set(head, true);
        this.observer?.observe(head);
      }
    if (this.watched.size > 0 || this.sessionIds.length > 0) this.tell();
  }

  private tell(): void {
    const hidden = [...this.watched].filter(([, seen]) => !seen).map(([head]) => head.parentElement as HTMLElement);
    const ids = hidden.map(({ dataset }) => dataset['sessionId'] ?? '');
    if (ids.join() === this.sessionIds.join()) return;
    this.sessionIds = ids;
    this.above = (hidden[0]?.getBoundingClientRect().top ?? 0) < 0;
    this.host.requestUpdate();
  }
}
