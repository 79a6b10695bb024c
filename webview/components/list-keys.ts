import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { placeAfterKey } from '../roving.ts';
import { sessionItem } from './items.ts';
import type { OpenCard } from './open-card.ts';

type Host = ReactiveControllerHost & Pick<HTMLElement, 'shadowRoot'>;

/** How the list is walked and its items are chosen, by keyboard and by pointer. One item of it can be reached by Tab. */
export class ListKeys implements ReactiveController {
  tabStop: string | undefined;
  private readonly host: Host;
  private readonly card: OpenCard;

  constructor(host: Host, card: OpenCard) {
    this.host = host;
    this.card = card;
    host.addController(this);
  }

  hostConnected(): void {
    this.tabStop = undefined;
  }

  items(): readonly HTMLElement[] {
    return [...(this.host.shadowRoot?.querySelectorAll<HTMLElement>('[data-item]:not([departing])') ?? [])];
  }

  hasFocusInside(): boolean {
    return document.hasFocus() && this.host.shadowRoot?.activeElement?.closest('.sessions') instanceof Element;
  }

  readonly onKeydown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'Escape' && this.card.opened) return this.fold(event);
    const focused = event.target;
    // Keys in a button of an item are that button's.
    if (
      !(focused instanceof HTMLElement) ||
      focused.dataset['item'] === undefined ||
      event.composedPath()[0] !== focused
    )
      return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return this.choose(focused);
    }
    const items = this.items();
    const levels = items.map((item) => Number(item.ariaLevel));
    const rightToLeft = getComputedStyle(focused).direction === 'rtl';
    const key = rightToLeft ? (mirrored.get(event.key) ?? event.key) : event.key;
    const item = items[placeAfterKey(key, items.indexOf(focused), levels) ?? -1];
    if (!item) return;
    event.preventDefault();
    reveal(item);
  };

  readonly onClick = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof Element) || target.localName === 'session-details') return;
    const button = target.closest('[data-toggle]');
    const item = target.closest<HTMLElement>('[data-item]');
    // Who marks words with the pointer wants to copy them.
    const marks = getSelection()?.isCollapsed === false;
    if (!item || (!button && (marks || !target.closest('.head, mascot-card')))) return;
    if (button && this.card.opened?.sessionId === item.dataset['sessionId']) this.card.close();
    else this.choose(item);
  };

  readonly onFocusin = (event: FocusEvent): void => {
    const item = event.target instanceof HTMLElement ? event.target.dataset['item'] : undefined;
    if (item === undefined || item === this.tabStop) return;
    this.tabStop = item;
    this.host.requestUpdate();
  };

  private choose({ dataset }: HTMLElement): void {
    const { sessionId, agentId } = dataset;
    if (sessionId !== undefined) this.card.toggle({ sessionId, agentId });
  }

  private fold(event: KeyboardEvent): void {
    event.preventDefault();
    const { opened } = this.card;
    if (!opened) return;
    const items = this.items();
    const chosen =
      items.find(({ dataset }) => dataset['agentId'] !== undefined && dataset['agentId'] === opened.agentId) ??
      items.find(({ dataset }) => dataset['item'] === sessionItem(opened.sessionId));
    // The button that had the focus goes with the card.
    const inside = this.host.shadowRoot?.activeElement?.localName === 'session-details';
    const focused = items.find((item) => item === this.host.shadowRoot?.activeElement);
    this.card.close();
    const goal = inside ? chosen : focused;
    if (goal) reveal(goal);
  }
}

const mirrored: ReadonlyMap<string, string> = new Map([
  ['ArrowLeft', 'ArrowRight'],
  ['ArrowRight', 'ArrowLeft'],
]);

/** Twice, because groups out of view have a guessed height until they come near. */
export function reveal(item: HTMLElement): void {
  const view = item.localName === 'section' ? (item.querySelector('.head') ?? item) : item;
  item.focus({ preventScroll: true });
  view.scrollIntoView({ block: 'nearest' });
  requestAnimationFrame(() => view.scrollIntoView({ block: 'nearest' }));
}
