import { LitElement, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Mood } from '../../src/protocol/state.ts';
import { drawMascot } from '../avatar/draw.ts';
import { tempoOf } from '../avatar/tempo.ts';
import { traitsOf } from '../avatar/traits.ts';
import { avatarMotion } from './mascot-avatar.motion.ts';
import { avatarStyles } from './mascot-avatar.styles.ts';

/** The picture of one agent. It says nothing to a screen reader: the card around it has the words. */
export class MascotAvatar extends LitElement {
  static override properties: PropertyDeclarations = {
    seed: { type: Number },
    mood: {},
    size: { reflect: true },
    lively: { type: Boolean, reflect: true },
  };
  static override styles = [avatarStyles, avatarMotion];

  declare seed: number;
  declare mood: Mood;
  declare size: 'small' | 'medium' | 'large';
  declare lively: boolean;

  constructor() {
    super();
    this.seed = 0;
    this.mood = 'resting';
    this.size = 'medium';
    this.lively = false;
  }

  protected override render(): TemplateResult {
    const traits = traitsOf(this.seed);
    return html`<svg
      class="${traits.colour} on-${traits.accent} mood-${this.mood} ${tempoOf(this.seed)}"
      viewBox="0 0 96 96"
      aria-hidden="true"
      focusable="false"
    >
      ${drawMascot(traits, this.mood)}
    </svg>`;
  }
}

customElements.define('mascot-avatar', MascotAvatar);
