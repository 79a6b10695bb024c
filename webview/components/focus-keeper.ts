import type { ReactiveController, ReactiveControllerHost } from 'lit';

type Host = ReactiveControllerHost & Pick<HTMLElement, 'shadowRoot'>;

interface Held {
  /** The item that has the focus, or the card. */
  readonly element: HTMLElement;
  /** What has it inside of the card. */
  readonly inner: HTMLElement | undefined;
  /** All items before the drawing, and the place of the focus among them. */
  readonly items: readonly HTMLElement[];
  readonly place: number;
}

/** Where what has the focus goes with a drawing, the nearest item takes it over: the keyboard never starts again at the top. */
export class FocusKeeper implements ReactiveController {
  private readonly host: Host;
  private held: Held | undefined;

  constructor(host: Host) {
    this.host = host;
    host.addController(this);
  }

  hostUpdate(): void {
    this.held = undefined;
    const root = this.host.shadowRoot;
    const element = root?.activeElement;
    if (!(element instanceof HTMLElement) || !element.closest('.sessions')) return;
    const items = [...(root?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    // A card stands behind the one that it belongs to, and what is in a head inside of its session.
    const place = items.findLastIndex(
      (item) => item.contains(element) || (item.compareDocumentPosition(element) & FOLLOWING) !== 0,
    );
    const inner = element.shadowRoot?.activeElement;
    this.held = { element, inner: inner instanceof HTMLElement ? inner : undefined, items, place };
  }

  hostUpdated(): void {
    const { held } = this;
    const root = this.host.shadowRoot;
    this.held = undefined;
    if (!held) return;
    const isThere = (item: HTMLElement) => item.isConnected && !item.hasAttribute('departing');
    if (isThere(held.element)) {
      // What is moved in the list loses the focus on its way.
      if (root?.activeElement === null) (held.inner ?? held.element).focus({ preventScroll: true });
      return;
    }
    const { items, place } = held;
    const mate = items[place + 1];
    const near = mate?.dataset['sessionId'] === items[place]?.dataset['sessionId'] ? [mate] : [];
    const order = [items[place], ...near, ...items.slice(0, place).reverse(), ...items.slice(place + 1)];
    const next = order.find((item) => item !== undefined && isThere(item)) ?? root?.querySelector<HTMLElement>('.page');
    if (!next) return;
    if (next.dataset['item'] === undefined) next.tabIndex = -1;
    next.focus();
  }
}

const FOLLOWING = Node.DOCUMENT_POSITION_FOLLOWING;
