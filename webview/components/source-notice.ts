import { LitElement, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { ViewSource } from '../../src/protocol/view.ts';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say, type Strings } from '../words.ts';

/** Tells that what is shown may not be the present. Fires `show-log`. */
export class SourceNotice extends LitElement {
  static override properties: PropertyDeclarations = { strings: { attribute: false }, source: {} };
  static override styles = [
    buttonStyles,
    focusRing,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 6px;
        padding: 5px 6px 5px 10px;
        border-radius: 8px;
        border: 1px solid var(--tone-edge);
        background: var(--tone-surface);
        color: var(--tone-text);
      }
      svg {
        inline-size: 14px;
        block-size: 14px;
        flex: none;
        fill: none;
        stroke: var(--tone-permission);
        stroke-width: 1.6;
        stroke-linecap: round;
        stroke-linejoin: round;
      }
      svg.connecting {
        stroke: var(--tone-busy);
      }
      span {
        flex: 1 1 12ch;
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare strings: Strings;
  declare source: ViewSource;

  constructor() {
    super();
    this.strings = {};
    this.source = 'live';
  }

  protected override render(): TemplateResult | typeof nothing {
    switch (this.source) {
      case 'live':
        return nothing;
      case 'connecting':
        return html`<svg class="connecting" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M1.500 8H4M6.750 8H9.250M12 8H14.500"></path></svg
          ><span>${say(this.strings, 'notice.connecting')}</span>`;
      case 'off':
        return html`<svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 2V8M4.500 4.200A5.500 5.500 0 1 0 11.500 4.200"></path></svg
          ><span>${say(this.strings, 'notice.off')}</span>`;
      case 'stopped':
        return html`<svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 1.800L15 14H1ZM8 6.500V9.500M8 11.800V11.900"></path></svg
          ><span>${say(this.strings, 'notice.stopped')}</span
          ><button class="plain" type="button" @click=${() => this.dispatchEvent(new Event('show-log'))}>
            ${say(this.strings, 'notice.showLog')}
          </button>`;
    }
  }
}

customElements.define('source-notice', SourceNotice);
