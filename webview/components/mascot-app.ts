import { LitElement, html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Agent, Session } from '../../src/protocol/state.ts';
import type { HostMessage } from '../../src/protocol/view.ts';
import { announcements } from '../announce.ts';
import type { Port } from '../port.ts';
import { groupsToShow, type SessionGroup } from '../roster.ts';
import { placeAfterKey } from '../roving.ts';
import { isGone } from '../sentences.ts';
import { emptyPanel, receive, type PanelState, type StateMessage } from '../store.ts';
import { focusRing } from '../styles/shared.ts';
import { say } from '../words.ts';
import { Announcer } from './announcer.ts';
import { departing } from './departures.ts';
import { agentItem, sessionItem } from './items.ts';
import { appStyles } from './mascot-app.styles.ts';
import type { MascotCard } from './mascot-card.ts';
import { type Drawing, type Opened, renderSession } from './session-group.ts';
import { headStyles, meterStyles } from './session-head.styles.ts';
import { Ticker } from './ticker.ts';
import './empty-state.ts';
import './mascot-card.ts';
import './source-notice.ts';

/** With more agents than this each gets one line: the list has to be taken in at a glance. */
const CROWD = 10;

/** The whole panel: takes what the host says, keeps order and focus, and owns the one live region. */
export class MascotApp extends LitElement {
  static override styles = [focusRing, meterStyles, headStyles, appStyles];

  private port: Port | undefined;
  private panel: PanelState = emptyPanel;
  private going: ReadonlyMap<string, Agent> = new Map();
  private order: readonly string[] = [];
  private pointed = false;
  private tabStop: string | undefined;
  private opened: Opened | undefined;
  private unfolded = false;
  private wished: string | undefined;
  private frame: number | undefined;
  private readonly announcer = new Announcer(this);
  private readonly ticker = new Ticker(this);
  private readonly bodyClass = new MutationObserver(() => this.requestUpdate());

  override connectedCallback(): void {
    super.connectedCallback();
    this.bodyClass.observe(document.body, { attributeFilter: ['class'] });
  }

  /** Once per page, when it can hear. */
  start(port: Port): void {
    this.port = port;
    port.onMessage((message) => this.take(message));
    port.post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.bodyClass.disconnect();
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
  }

  private take(message: HostMessage): void {
    if (message.type === 'select') this.wished = message.agentId;
    else if (message.type === 'config' || message.type === 'snapshot' || message.type === 'patch')
      this.takeState(message);
    // All patches of one frame are one drawing, and a hidden panel draws when it shows again.
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.requestUpdate();
    });
  }

  private takeState(message: StateMessage): void {
    const before = this.panel;
    const { state, ask } = receive(before, message);
    this.panel = state;
    if (ask) this.port?.post({ type: ask });
    if (state.config !== before.config) document.documentElement.lang = state.config.locale;
    if (!before.known) return;
    this.going = this.canAnimate ? departing(this.going, before.agents, state.agents) : new Map();
    this.announcer.tell(announcements(state.config.strings, before.sessions, state.sessions));
  }

  private get lively(): boolean {
    return this.panel.config.motion !== 'off' && !document.body.classList.contains('vscode-reduce-motion');
  }

  private get canAnimate(): boolean {
    const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return this.lively && !reduced && document.visibilityState === 'visible';
  }

  protected override render(): TemplateResult {
    const { config, source, known } = this.panel;
    const groups = this.groups();
    return html`
      <div class="page">
        ${
          source === 'live' || (!known && source === 'connecting')
            ? nothing
            : html`<source-notice
                .strings=${config.strings}
                .source=${source}
                @show-log=${() => this.port?.post({ type: 'showLog' })}
              ></source-notice>`
        }
        ${groups.length > 0 ? this.renderSessions(groups) : this.renderNobody()}
      </div>
      <div class="spoken" role="status" aria-live="polite">${this.announcer.text}</div>
    `;
  }

  private groups(): readonly SessionGroup[] {
    const { agents, sessions } = this.panel;
    const shown = { sessions, agents: this.going.size === 0 ? agents : new Map([...agents, ...this.going]) };
    const busyWithIt = this.pointed || this.hasFocusInside();
    const held = busyWithIt ? this.order : undefined;
    const groups = groupsToShow(shown, new Set(this.going.keys()), held, Date.now());
    this.order = groups.map(({ session }) => session.id);
    return groups;
  }

  private renderSessions(groups: readonly SessionGroup[]): TemplateResult {
    const agents = groups.reduce((sum, { rows }) => sum + rows.length, 0);
    if (!isItemOf(groups, this.tabStop)) this.tabStop = groups[0] && sessionItem(groups[0].session.id);
    const drawing: Drawing = {
      config: this.panel.config,
      now: Date.now(),
      lively: this.lively,
      crowd: agents > CROWD,
      tabStop: this.tabStop,
      opened: this.opened,
      departing: new Set(this.going.keys()),
    };
    return html`<div
      class="sessions ${drawing.crowd ? 'crowd' : ''}"
      role="list"
      aria-label=${say(this.panel.config.strings, 'list.label')}
      @keydown=${this.onKeydown}
      @click=${this.onClick}
      @contextmenu=${this.onContextmenu}
      @explain=${this.onExplain}
      @install=${() => this.port?.post({ type: 'installHooks' })}
      @focusin=${this.onFocusin}
      @focusout=${this.onFocusout}
      @pointerenter=${this.onPointerenter}
      @pointerleave=${this.onPointerleave}
      @animationend=${this.onAnimationend}
    >
      ${repeat(
        groups,
        ({ session }) => session.id,
        (group) => renderSession(group, drawing),
      )}
    </div>`;
  }

  private renderNobody(): TemplateResult {
    const { config, known, source } = this.panel;
    // Before the host has sent the texts there is nothing to say anything with.
    if (config === emptyPanel.config) return html``;
    // What is off can't be begun with: the notice says how it comes back.
    if (source === 'off') return html``;
    if (!known) {
      return source === 'connecting' ? html`<p class="loading">${say(config.strings, 'loading.title')}</p>` : html``;
    }
    return html`<empty-state
      data-testid="empty-state"
      .strings=${config.strings}
      .lively=${this.lively}
      .installed=${config.installed === true}
      @install=${() => this.port?.post({ type: 'installHooks' })}
      @check=${() => this.port?.post({ type: 'checkHooks' })}
    ></empty-state>`;
  }

  protected override updated(): void {
    const groupsShown = this.order.length > 0;
    this.ticker.want(groupsShown && [...this.panel.sessions.values()].some(changesByTime));
    if (this.unfolded) this.renderRoot.querySelector('session-details')?.scrollIntoView({ block: 'nearest' });
    this.unfolded = false;
    this.endDepartures();
    this.grantWish();
  }

  /** Who can't be seen going (no card, or no animation on it) has gone. */
  private endDepartures(): void {
    if (this.going.size === 0) return;
    const animated = this.cards().filter((card) => card.departing);
    void Promise.all(animated.map((card) => card.updateComplete)).then(() => {
      const still = animated.filter((card) => card.getAnimations().length > 0).map(agentIdOf);
      const left = [...this.going].filter(([id]) => still.includes(id));
      if (left.length === this.going.size) return;
      this.going = new Map(left);
      this.requestUpdate();
    });
  }

  private grantWish(): void {
    const card = this.wished === undefined ? undefined : this.cards().find((one) => agentIdOf(one) === this.wished);
    if (!card) return;
    this.wished = undefined;
    reveal(card);
  }

  private cards(): readonly MascotCard[] {
    return [...this.renderRoot.querySelectorAll('mascot-card')] as MascotCard[];
  }

  private items(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('[data-item]:not([departing])')];
  }

  private hasFocusInside(): boolean {
    const active = this.shadowRoot?.activeElement;
    return document.hasFocus() && active?.closest('.sessions') instanceof Element;
  }

  private readonly onKeydown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'Escape' && this.opened) return this.fold(event);
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
      return this.toggle(focused);
    }
    const items = this.items();
    const levels = items.map((item) => Number(item.ariaLevel));
    const item = items[placeAfterKey(event.key, items.indexOf(focused), levels) ?? -1];
    if (!item) return;
    event.preventDefault();
    reveal(item);
  };

  private fold(event: KeyboardEvent): void {
    event.preventDefault();
    const session = this.opened && sessionItem(this.opened.sessionId);
    this.opened = undefined;
    this.requestUpdate();
    const item = this.items().find(({ dataset }) => dataset['item'] === session);
    // The button that had the focus goes with the details.
    if (this.shadowRoot?.activeElement?.localName === 'session-details' && item) reveal(item);
  }

  /** Unfolds the details of a session, for an agent of it where one was chosen; the same again folds them. */
  private toggle({ dataset }: HTMLElement): void {
    const { sessionId, agentId } = dataset;
    if (sessionId === undefined) return;
    const same = this.opened?.sessionId === sessionId && this.opened.agentId === agentId;
    this.opened = same ? undefined : { sessionId, agentId };
    this.unfolded = !same;
    this.requestUpdate();
  }

  private readonly onClick = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof Element) || target.localName === 'session-details') return;
    const button = target.closest('[data-toggle]');
    const item = target.closest<HTMLElement>('[data-item]');
    // Who marks words with the pointer wants to copy them.
    const marks = getSelection()?.isCollapsed === false;
    if (!item || (!button && (marks || !target.closest('header, mascot-card')))) return;
    if (button && this.opened?.sessionId === item.dataset['sessionId']) this.opened = undefined;
    else return this.toggle(item);
    this.requestUpdate();
  };

  /** The editor looks for the context of its menu outside of components only. */
  private readonly onContextmenu = (event: Event): void => {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-session-id]') : null;
    const sessionId = item?.dataset['sessionId'];
    this.dataset['vscodeContext'] = JSON.stringify(
      sessionId === undefined ? {} : { mascotSection: 'session', sessionId, preventDefaultContextMenuItems: true },
    );
  };

  private readonly onExplain = (): void => {
    if (this.opened) this.port?.post({ type: 'explain', sessionId: this.opened.sessionId });
  };

  private readonly onFocusin = (event: FocusEvent): void => {
    const item = event.target instanceof HTMLElement ? event.target.dataset['item'] : undefined;
    if (item === undefined || item === this.tabStop) return;
    this.tabStop = item;
    this.requestUpdate();
  };

  private readonly onFocusout = (): void => this.requestUpdate();

  private readonly onPointerenter = (): void => {
    this.pointed = true;
  };

  private readonly onPointerleave = (): void => {
    this.pointed = false;
    this.requestUpdate();
  };

  private readonly onAnimationend = (event: AnimationEvent): void => {
    if (event.animationName !== 'depart' || !(event.target instanceof HTMLElement)) return;
    const id = event.target.dataset['agentId'];
    this.going = new Map([...this.going].filter(([goingId]) => goingId !== id));
    this.requestUpdate();
  };
}

/** A duration is told of it, or it goes out of view by itself. */
function changesByTime(session: Session): boolean {
  return session.phaseSince !== null || isGone(session);
}

function isItemOf(groups: readonly SessionGroup[], item: string | undefined): boolean {
  return groups.some(
    ({ session, rows }) => sessionItem(session.id) === item || rows.some(({ agent }) => agentItem(agent.id) === item),
  );
}

/** Twice, because groups out of view have a guessed height until they come near. */
function reveal(item: HTMLElement): void {
  const view = item.localName === 'section' ? (item.querySelector('header') ?? item) : item;
  item.focus({ preventScroll: true });
  view.scrollIntoView({ block: 'nearest' });
  requestAnimationFrame(() => view.scrollIntoView({ block: 'nearest' }));
}

function agentIdOf(card: MascotCard): string | undefined {
  return card.dataset['agentId'];
}

customElements.define('mascot-app', MascotApp);
