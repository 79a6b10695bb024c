import { LitElement, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon, type IconName } from '../icons.ts';
import type { BadgeKind } from '../sentences.ts';

/** Every kind has a form of its own; colour only repeats what form and word say. */
const signs: Readonly<Record<BadgeKind, IconName>> = {
  permission: 'halt',
  question: 'asked',
  busy: 'turning',
  yourMove: 'returned',
  failed: 'alarm',
  interrupted: 'pause',
  gone: 'cross',
  seen: 'page',
  asleep: 'moon',
  none: 'dash',
};

/** What a session needs of the person, as a sign and a word. The word is its content, so that it is the element's text for everybody. */
export class PhaseBadge extends LitElement {
  static override properties: PropertyDeclarations = {
    kind: { reflect: true },
    lively: { type: Boolean, reflect: true },
  };
  static override styles = css`
    :host {
      display: inline-flex;
      align-items: center;
      gap: 5px;
      flex: 0 1 auto;
      min-inline-size: 0;
      box-sizing: border-box;
      max-inline-size: 100%;
      padding: 1px 8px 1px 6px;
      border-radius: 10px;
      border: 1px solid var(--vscode-contrastBorder, transparent);
      background: color-mix(in srgb, var(--tone) 15%, transparent);
      color: var(--tone-text);
      font-size: 0.92em;
      line-height: 17px;
      --tone: var(--tone-quiet);
    }
    :host([kind='permission']) {
      --tone: var(--tone-permission);
      font-weight: 600;
    }
    :host([kind='question']) {
      --tone: var(--tone-question);
      font-weight: 600;
    }
    :host([kind='busy']) {
      --tone: var(--tone-busy);
    }
    :host([kind='failed']),
    :host([kind='gone']) {
      --tone: var(--tone-failed);
    }
    :host([kind='yourMove']),
    :host([kind='interrupted']) {
      --tone: var(--tone-your-move);
    }
    svg {
      inline-size: 13px;
      block-size: 13px;
      flex: none;
      fill: none;
      stroke: var(--tone);
      stroke-width: 1.7;
      stroke-linecap: round;
      stroke-linejoin: round;
    }
    span {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    @container (max-width: 189px) {
      :host {
        gap: 4px;
        padding-inline: 5px 6px;
      }
      span {
        overflow-wrap: anywhere;
        white-space: normal;
      }
    }
    @media (prefers-reduced-motion: no-preference) {
      :host([lively][kind='busy']) svg {
        animation: turn 2.4s linear infinite;
      }
    }
    @keyframes turn {
      to {
        transform: rotate(360deg);
      }
    }
  `;

  declare kind: BadgeKind;
  declare lively: boolean;

  constructor() {
    super();
    this.kind = 'none';
    this.lively = false;
  }

  protected override render(): TemplateResult {
    return html`${icon(signs[this.kind])}<span><slot></slot></span>`;
  }
}

customElements.define('phase-badge', PhaseBadge);
