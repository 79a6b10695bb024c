import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Agent, Session } from '../../src/protocol/state.ts';
import { activityWords, kindWords, waitWords } from '../sentences.ts';
import type { Strings } from '../words.ts';
import { cardStyles } from './mascot-card.styles.ts';
import './mascot-avatar.ts';

/** One agent: its picture, its name, what it does, what it says. Role, name and focus belong to the list around it. */
export class MascotCard extends LitElement {
  static override properties: PropertyDeclarations = {
    agent: { attribute: false },
    session: { attribute: false },
    strings: { attribute: false },
    size: { reflect: true },
    lively: { type: Boolean, reflect: true },
    departing: { type: Boolean, reflect: true },
  };
  static override styles = cardStyles;

  declare agent: Agent | undefined;
  declare session: Session | undefined;
  declare strings: Strings;
  declare size: 'small' | 'medium' | 'large';
  declare lively: boolean;
  declare departing: boolean;

  constructor() {
    super();
    this.strings = {};
    this.size = 'large';
    this.lively = false;
    this.departing = false;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { agent, session } = this;
    if (agent === undefined || session === undefined) return nothing;
    const kind = kindWords(this.strings, agent);
    // In a crowd only those who wait for the person move: the eye goes where it is needed, and the rest costs nothing.
    return html`
      <mascot-avatar
        .seed=${agent.avatarSeed}
        .mood=${this.departing ? 'leaving' : agent.mood}
        .size=${this.size === 'large' ? 'medium' : 'small'}
        .lively=${this.lively && (this.size !== 'small' || agent.wait !== null)}
      ></mascot-avatar>
      <div class="words">
        <div class="who">
          <span class="name">${agent.name}</span>${kind === '' ? nothing : html`<span class="kind">${kind}</span>`}
        </div>
        ${this.renderDoing(agent, session)}
      </div>
      ${this.size === 'small' ? nothing : this.renderBubble(agent, session)}
    `;
  }

  private renderDoing(agent: Agent, session: Session): TemplateResult {
    const asks = this.size === 'small' ? waitWords(this.strings, agent, session) : undefined;
    const parts = asks
      ? [{ text: `${asks.text} ` }, { text: asks.target, place: 'target' }]
      : activityWords(this.strings, agent, session);
    const title = agent.activity?.target ?? agent.wait?.target ?? '';
    return html`<div class="doing" title=${title || nothing}>
      ${parts.map((part) => (part.place === 'target' ? html`<span class="target">${part.text}</span>` : part.text))}
    </div>`;
  }

  private renderBubble(agent: Agent, session: Session): TemplateResult | typeof nothing {
    const asks = waitWords(this.strings, agent, session);
    if (asks) {
      return html`<div class="bubble asks ${agent.wait?.kind ?? ''}">
        <span class="said">${asks.text}</span
        >${asks.target === '' ? nothing : html`<code class="said">${asks.target}</code>`}
      </div>`;
    }
    const says = agent.says?.trim() ?? '';
    return says === '' ? nothing : html`<div class="bubble"><span class="said">${says}</span></div>`;
  }
}

customElements.define('mascot-card', MascotCard);
