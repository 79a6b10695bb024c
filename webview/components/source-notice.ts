import { LitElement, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { ViewSource } from '../../src/protocol/view.ts';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say, type Strings } from '../words.ts';

/** A line at the panel's head: what is shown may not be the present, or history is still being moved. Fires `show-log`. */
export class SourceNotice extends LitElement {
  static override properties: PropertyDeclarations = { strings: { attribute: false }, source: {}, moved: {} };
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
      svg.going {
        stroke: var(--tone-busy);
      }
      span {
        flex: 1 1 12ch;
        min-inline-size: 0;
        overflow-wrap: anywhere;
        text-wrap: pretty;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  declare strings: Strings;
  declare source: ViewSource;
  /** How much of the history is in the new format, as people read it; empty while nothing is moved. */
  declare moved: string;

  constructor() {
    super();
    this.strings = {};
    this.source = 'live';
    this.moved = '';
  }

  protected override render(): TemplateResult | typeof nothing {
    switch (this.source) {
      case 'live':
        if (this.moved === '') return nothing;
        return html`<svg class="going" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 2V9.500M5 6.500L8 9.500L11 6.500M2 10.500V13.500H14V10.500"></path></svg
          ><span>${say(this.strings, 'notice.takeOver', { share: this.moved })}</span>`;
      case 'connecting':
        return html`<svg class="going" viewBox="0 0 16 16" aria-hidden="true">
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
