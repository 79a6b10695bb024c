import { LitElement, html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { HostMessage, PanelMessage } from '../../src/protocol/view.ts';
import { announcements } from '../announce.ts';
import { directionOf } from '../direction.ts';
import { formatsOf } from '../formats.ts';
import { lettersWritten } from '../letters.ts';
import { nextChangeAt } from '../pace.ts';
import type { Port } from '../port.ts';
import { rosterOf, type Roster, type SessionGroup, waits } from '../roster.ts';
import { emptyPanel, receive, type PanelState, type StateMessage } from '../store.ts';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say } from '../words.ts';
import { Announcer } from './announcer.ts';
import type { CardEvent } from './card-actions.ts';
import { chime } from './chime.ts';
import { Comings } from './comings.ts';
import { agentItem, sessionItem } from './items.ts';
import { FocusKeeper } from './focus-keeper.ts';
import { ListKeys, reveal } from './list-keys.ts';
import { appStyles } from './mascot-app.styles.ts';
import type { MascotCard } from './mascot-card.ts';
import { menuContext } from './menu-context.ts';
import { OpenCard } from './open-card.ts';
import { renderHooksHint, renderNobodyDrawn, renderRest, renderWaiting, renderWelcome } from './panel-rest.ts';
import { OutOfView } from './out-of-view.ts';
import { Post } from './post.ts';
import type { SessionDetails } from './session-details.ts';
import { chosenAgent, type Drawing, renderSession, twinsIn } from './session-group.ts';
import { headStyles, meterStyles } from './session-head.styles.ts';
import { Ticker } from './ticker.ts';
import './empty-state.ts';
import './mascot-card.ts';
import './source-notice.ts';

/** With more agents than this each gets one line: the list has to be taken in at a glance. */
const CROWD = 10;

/** The whole panel: takes what the host says, keeps order and focus, and owns the one live region. */
export class MascotApp extends LitElement {
  static override styles = [focusRing, buttonStyles, meterStyles, headStyles, appStyles];

  private port: Port | undefined;
  private panel: PanelState = emptyPanel;
  private roster: Roster = { groups: [], elsewhere: 0, waitElsewhere: [], hidden: 0 };
  private formats = formatsOf(emptyPanel.config.locale);
  private pointed = false;
  private wished: Wish | undefined;
  /** A session that was asked for by name: drawn, wherever it is. */
  private guest: string | undefined;
  private met = false;
  private isTakeOverSpoken = false;
  private frame: number | undefined;
  private readonly send = (message: PanelMessage): void => this.port?.post(message);
  private readonly announcer = new Announcer(this);
  private readonly ticker = new Ticker(this);
  private readonly comings = new Comings(this);
  private readonly letters = new Post();
  private readonly card = new OpenCard(this, this.send);
  private readonly keys = new ListKeys(this, this.card);
  private readonly outOfView = new OutOfView(this);
  private readonly focusKeeper = new FocusKeeper(this);
  private readonly bodyClass = new MutationObserver(() => this.requestUpdate());

  override connectedCallback(): void {
    super.connectedCallback();
    this.bodyClass.observe(document.body, { attributeFilter: ['class'] });
  }

  /** Once per page, when it can hear. */
  start(port: Port): void {
    this.port = port;
    this.card.remember(port);
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
    switch (message.type) {
      case 'chime':
        return chime();
      case 'select':
        this.wished = { agentId: message.agentId, open: message.open === true };
        break;
      case 'story':
        this.card.take(message);
        break;
      case 'config':
      case 'snapshot':
      case 'patch':
      case 'elsewhere':
        this.takeState(message);
    }
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
    if (ask) this.send({ type: ask });
    if (state.config !== before.config) this.speakIn(state.config.locale);
    if (state.known && message.type !== 'elsewhere') this.card.keepTo(state);
    if (!before.known) return;
    const animated = this.canAnimate;
    this.comings.follow(before.agents, state.agents, animated, message.type !== 'snapshot');
    if (animated && message.type === 'patch')
      this.letters.take(lettersWritten(before.agents, state.agents, Date.now()));
    this.announcer.tell([
      ...this.takeOverBegun(before),
      ...announcements(state.config.strings, before.sessions, state.sessions),
    ]);
  }

  /** STO-6: spoken once, when it begins; the progress is only read where it stands. */
  private takeOverBegun(before: PanelState): readonly string[] {
    const { takeOver, config } = this.panel;
    if (takeOver === undefined || before.takeOver !== undefined || this.isTakeOverSpoken) return [];
    this.isTakeOverSpoken = true;
    return [say(config.strings, 'announce.takeOver')];
  }

  private speakIn(locale: string): void {
    this.formats = formatsOf(locale);
    document.documentElement.lang = locale;
    document.documentElement.dir = directionOf(locale);
  }

  private get lively(): boolean {
    return this.panel.config.motion !== 'off' && !document.body.classList.contains('vscode-reduce-motion');
  }

  private get canAnimate(): boolean {
    const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return this.lively && !reduced && document.visibilityState === 'visible';
  }

  protected override render(): TemplateResult {
    const { config, source, known, takeOver } = this.panel;
    const moved = takeOver ? this.formats.percent(Math.floor((takeOver.done / takeOver.of) * 100) / 100) : '';
    this.receiveGuest();
    this.roster = this.rosterNow();
    const { groups } = this.roster;
    return html`
      <div class="page">
        ${
          (source === 'live' && moved === '') || (!known && source === 'connecting')
            ? nothing
            : html`<source-notice
                .strings=${config.strings}
                .source=${source}
                .moved=${moved}
                @show-log=${() => this.send({ type: 'showLog' })}
              ></source-notice>`
        }
        ${groups.length > 0 ? this.renderList(groups) : this.renderNobody()}
        ${
          known && source !== 'off'
            ? renderRest(this.roster, config, this.formats, this.send, (id) => {
                this.send({ type: 'filter', filter: 'all' });
                this.show(id);
              })
            : nothing
        }
        ${renderWaiting(this.outOfView.sessionIds, this.outOfView.above ? '↑' : '↓', config, this.formats, (id) =>
          this.show(id),
        )}
      </div>
      <div class="spoken" role="status" aria-live="polite">${this.announcer.text}</div>
    `;
  }

  /** Who was asked for is to be seen, though its session be elsewhere. */
  private receiveGuest(): void {
    const wanted = this.wishedSession();
    if (wanted !== undefined) this.guest = wanted;
  }

  private wishedSession(): string | undefined {
    const { agentId, sessionId } = this.wished ?? {};
    return sessionId ?? (agentId === undefined ? undefined : this.panel.agents.get(agentId)?.sessionId);
  }

  private show(sessionId: string): void {
    this.wished = { sessionId, open: false };
    this.requestUpdate();
  }

  /** What is told once stands below, while somebody waits. */
  private renderList(groups: readonly SessionGroup[]): TemplateResult {
    const hints = this.renderHints(groups);
    const list = this.renderSessions(groups);
    return groups.some(({ session }) => waits(session)) ? html`${list}${hints}` : html`${hints}${list}`;
  }

  private rosterNow(): Roster {
    const { agents, sessions, elsewhere, config } = this.panel;
    const { going } = this.comings;
    const busyWithIt = this.pointed || this.keys.hasFocusInside();
    return rosterOf(
      { sessions, agents: going.size === 0 ? agents : new Map([...agents, ...going]) },
      {
        departing: new Set(going.keys()),
        held: busyWithIt ? this.roster.groups.map(({ session }) => session.id) : undefined,
        now: Date.now(),
        elsewhere: new Set([...elsewhere].filter((id) => id !== this.guest)),
        showHidden: config.showHidden === true,
      },
    );
  }

  private renderHints(groups: readonly SessionGroup[]): TemplateResult {
    const { config } = this.panel;
    const first = groups.flatMap(({ rows }) => rows).find(({ agent }) => agent.hidden !== true)?.agent;
    const untold = config.installed === false && groups.some(({ session }) => session.seenIn === 'transcript');
    return html`${config.welcome === true && !this.met && first ? renderWelcome(first.name, config, this.meet) : nothing}
    ${untold ? renderHooksHint(config, this.send) : nothing}`;
  }

  private readonly meet = (): void => {
    if (this.met || this.panel.config.welcome !== true) return;
    this.met = true;
    this.send({ type: 'met' });
    this.requestUpdate();
  };

  private renderSessions(groups: readonly SessionGroup[]): TemplateResult {
    const { config, agents, workItems } = this.panel;
    const drawn = groups.reduce((sum, { rows }) => sum + rows.length, 0);
    if (!isItemOf(groups, this.keys.tabStop)) this.keys.tabStop = groups[0] && sessionItem(groups[0].session.id);
    const drawing: Drawing = {
      config,
      formats: this.formats,
      now: Date.now(),
      lively: this.lively,
      crowd: drawn > CROWD,
      tabStop: this.keys.tabStop,
      opened: this.card.opened,
      story: this.card.story,
      agents,
      workItems,
      coming: this.comings.coming,
      departing: new Set(this.comings.going.keys()),
      twins: twinsIn(groups),
    };
    return html`<div
      class="sessions ${drawing.crowd ? 'crowd' : ''}"
      role="list"
      aria-label=${say(config.strings, 'list.label')}
      @keydown=${this.keys.onKeydown}
      @click=${this.keys.onClick}
      @contextmenu=${this.onContextmenu}
      @card=${this.onCard}
      @focusin=${this.keys.onFocusin}
      @focusout=${this.onFocusout}
      @pointerenter=${this.onPointerenter}
      @pointerleave=${this.onPointerleave}
      @animationend=${(event: AnimationEvent) => this.comings.ended(event)}
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
    if (this.roster.elsewhere > 0 || this.roster.hidden > 0) return renderNobodyDrawn(this.roster, config, this.lively);
    return html`<empty-state
      data-testid="empty-state"
      .strings=${config.strings}
      .lively=${this.lively}
      .installed=${config.installed === true}
      .restricted=${config.restricted === true}
      @install=${() => this.send({ type: 'installHooks' })}
      @check=${() => this.send({ type: 'checkHooks' })}
    ></empty-state>`;
  }

  protected override updated(): void {
    this.ticker.wantAt(this.nextChangeAt());
    const cards = this.cards();
    if (this.card.justUnfolded()) {
      this.meet();
      void this.showCard();
    }
    this.comings.settle(cards);
    this.letters.deliver(this.canAnimate && cards.length <= CROWD ? cards : []);
    this.grantWish(cards);
  }

  private nextChangeAt(): number | undefined {
    const { groups } = this.roster;
    const { opened, story } = this.card;
    const group = opened && groups.find(({ session }) => session.id === opened.sessionId);
    const agent = group && opened && chosenAgent(group, opened, this.panel.agents);
    const crowd = groups.reduce((sum, { rows }) => sum + rows.length, 0) > CROWD;
    const chosen = group && agent ? { agent, session: group.session } : undefined;
    return nextChangeAt(Date.now(), { groups, crowd, story: group && story, chosen });
  }

  private async showCard(): Promise<void> {
    const details = this.renderRoot.querySelector<SessionDetails>('session-details');
    if (!details) return;
    await details.updateComplete;
    // As much of the card as there is room for, but first its head, and before that whose it is.
    details.scrollIntoView({ block: 'nearest' });
    details.head?.scrollIntoView({ block: 'nearest' });
    const row = details.previousElementSibling ?? details;
    row.scrollIntoView({ block: 'nearest' });
  }

  private grantWish(cards: readonly MascotCard[]): void {
    if (this.wished === undefined) return;
    const { agentId, open } = this.wished;
    const card = cards.find(({ dataset }) => agentId !== undefined && dataset['agentId'] === agentId);
    // A hidden mascot has no card, but its session may be there.
    const session = this.wishedSession();
    const item = card ?? this.keys.items().find(({ dataset }) => dataset['sessionId'] === session);
    if (!item) return;
    this.wished = undefined;
    reveal(item);
    const { sessionId } = item.dataset;
    if (open && sessionId !== undefined) this.card.open({ sessionId, agentId: item.dataset['agentId'] });
  }

  private cards(): readonly MascotCard[] {
    return [...this.renderRoot.querySelectorAll('mascot-card')] as MascotCard[];
  }

  /** The editor looks for the context of its menu outside of components only. */
  private readonly onContextmenu = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : null;
    this.dataset['vscodeContext'] = JSON.stringify(menuContext(target, this.panel, this.card.opened));
  };

  private readonly onCard = ({ what }: CardEvent): void => {
    const { opened } = this.card;
    const group = opened && this.roster.groups.find(({ session }) => session.id === opened.sessionId);
    if (!opened || !group) return;
    const { sessionId } = opened;
    if (what === 'install') return this.send({ type: 'installHooks' });
    if (what === 'explain') return this.send({ type: 'explain', sessionId });
    // What is done with a session whose agents are all gone is done with the session.
    const agentId = chosenAgent(group, opened, this.panel.agents)?.id ?? sessionId;
    this.send({ type: 'act', action: what, sessionId, agentId });
  };

  private readonly onFocusout = (): void => this.requestUpdate();

  private readonly onPointerenter = (): void => {
    this.pointed = true;
  };

  private readonly onPointerleave = (): void => {
    this.pointed = false;
    this.requestUpdate();
  };
}

interface Wish {
  readonly agentId?: string;
  readonly sessionId?: string;
  /** With its card. */
  readonly open: boolean;
}

function isItemOf(groups: readonly SessionGroup[], item: string | undefined): boolean {
  return groups.some(
    ({ session, rows }) => sessionItem(session.id) === item || rows.some(({ agent }) => agentItem(agent.id) === item),
  );
}

customElements.define('mascot-app', MascotApp);
