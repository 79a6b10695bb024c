import { LitElement, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say, type Strings } from '../words.ts';
import './mascot-avatar.ts';

/** A trio that differs in every form, chosen by eye. */
const greeters = [
  { seed: 30, mood: 'resting' },
  { seed: 7, mood: 'arriving' },
  { seed: 12, mood: 'sleeping' },
] as const;

/** Shown when no agent is there: what to do next. Fires `install`, or `check` where hooks are installed. */
export class EmptyState extends LitElement {
  static override properties: PropertyDeclarations = {
    strings: { attribute: false },
    lively: { type: Boolean, reflect: true },
    installed: { type: Boolean },
    restricted: { type: Boolean },
  };
  static override styles = [
    buttonStyles,
    focusRing,
    css`
      :host {
        display: flex;
        flex-direction: column;
        align-items: center;
        gap: 10px;
        padding: 28px 14px 20px;
        text-align: center;
        line-height: 1.5;
        overflow-wrap: anywhere;
      }
      .greeters {
        display: flex;
        align-items: end;
        gap: 6px;
        margin-block-end: 4px;
      }
      .greeters mascot-avatar {
        --avatar-size: 54px;
      }
      .greeters mascot-avatar:nth-child(2) {
        --avatar-size: 88px;
      }
      @container (max-width: 229px) {
        .greeters mascot-avatar:not(:nth-child(2)) {
          display: none;
        }
      }
      h2 {
        margin: 0;
        font-size: 1.15em;
        font-weight: 600;
        color: var(--tone-text);
      }
      p {
        margin: 0;
        max-inline-size: 34ch;
        color: var(--tone-soft);
        text-wrap: pretty;
      }
      button {
        margin-block: 4px;
      }
      .hint {
        font-size: 0.92em;
      }
    `,
  ];

  declare strings: Strings;
  declare lively: boolean;
  declare installed: boolean;
  declare restricted: boolean;

  constructor() {
    super();
    this.strings = {};
    this.lively = false;
    this.installed = false;
    this.restricted = false;
  }

  protected override render(): TemplateResult {
    return html`
      <div class="greeters">
        ${greeters.map(
          ({ seed, mood }) => html`<mascot-avatar .seed=${seed} .mood=${mood} .lively=${this.lively}></mascot-avatar>`,
        )}
      </div>
      <h2>${say(this.strings, 'empty.title')}</h2>
      ${this.installed ? this.renderNext() : this.renderOffer()}
      ${this.restricted ? html`<p class="hint">${say(this.strings, 'hint.restricted')}</p>` : nothing}
    `;
  }

  private renderOffer(): TemplateResult {
    return html`<p>${say(this.strings, 'empty.body')}</p>
      <button type="button" @click=${() => this.dispatchEvent(new Event('install'))}>
        ${say(this.strings, 'empty.button')}
      </button>
      <p class="hint">${say(this.strings, 'empty.hint')}</p>`;
  }

  private renderNext(): TemplateResult {
    return html`<p>${say(this.strings, 'empty.installed')}</p>
      <p class="hint">${say(this.strings, 'empty.running')}</p>
      <button class="plain" type="button" @click=${() => this.dispatchEvent(new Event('check'))}>
        ${say(this.strings, 'empty.check')}
      </button>`;
  }
}

customElements.define('empty-state', EmptyState);
