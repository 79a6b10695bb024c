import {
  LitElement,
  css,
  html,
  svg,
  type PropertyDeclarations,
  type SVGTemplateResult,
  type TemplateResult,
} from 'lit';
import type { BadgeKind } from '../sentences.ts';

/** Every kind has a form of its own; colour only repeats what form and word say. */
const icons: Readonly<Record<BadgeKind, SVGTemplateResult>> = {
  permission: svg`<path d="M5.300 1.500H10.700L14.500 5.300V10.700L10.700 14.500H5.300L1.500 10.700V5.300Z"></path><path d="M8 4.500V8.500M8 11.200V11.300"></path>`,
  question: svg`<path d="M3.500 1.800H12.500A2 2 0 0 1 14.500 3.800V9.800A2 2 0 0 1 12.500 11.800H8.500L5 14.600V11.800H3.500A2 2 0 0 1 1.500 9.800V3.800A2 2 0 0 1 3.500 1.800Z"></path>
    <path d="M6.300 5.400Q6.400 4 8 4Q9.700 4 9.700 5.400Q9.700 6.300 8 7.200M8 9.400V9.500"></path>`,
  busy: svg`<path class="turning" d="M8 1.800A6.200 6.200 0 1 1 1.800 8"></path><circle class="solid" cx="8" cy="8" r="1.700"></circle>`,
  yourMove: svg`<path d="M6 4.500L2 8.500L6 12.500M2.500 8.500H10.500A3.500 3.500 0 0 0 14 5V3"></path>`,
  failed: svg`<path d="M8 1.800L14.800 13.600H1.200Z"></path><path d="M8 6V9.400M8 11.500V11.600"></path>`,
  interrupted: svg`<path d="M5.300 1.500H10.700L14.500 5.300V10.700L10.700 14.500H5.300L1.500 10.700V5.300Z"></path><path d="M6.500 6V10M9.500 6V10"></path>`,
  gone: svg`<path d="M4.500 4.500L11.500 11.500M11.500 4.500L4.500 11.500"></path>`,
  seen: svg`<path d="M3.500 1.800H9.500L12.500 4.800V14.200H3.500ZM6 8H10M6 11H10"></path>`,
  asleep: svg`<path d="M13.500 9.800A6 6 0 1 1 6.500 2.300A5 5 0 0 0 13.500 9.800Z"></path>`,
  none: svg`<path d="M3.500 8H12.500"></path>`,
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
      flex: none;
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
    .solid {
      fill: var(--tone);
      stroke: none;
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
    return html`<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">${icons[this.kind]}</svg
      ><span><slot></slot></span>`;
  }
}

customElements.define('phase-badge', PhaseBadge);
