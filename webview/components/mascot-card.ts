import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Agent, Session } from '../../src/protocol/state.ts';
import { activityWords, isUntold, jobWords, kindWords, shownMood, waitWords } from '../sentences.ts';
import type { Strings } from '../words.ts';
import { cardStyles } from './mascot-card.styles.ts';
import './mascot-avatar.ts';

/** A session changes with every event of any of its agents; of its parts a card shows only these. */
function looksDifferent(now: Session | undefined, before: Session | undefined): boolean {
  if (now === undefined || before === undefined) return now !== before;
  return now.cwd !== before.cwd || now.project !== before.project || isUntold(now) !== isUntold(before);
}

/** One agent: its picture, its name, what it does, what it says. Role, name and focus belong to the list around it. */
export class MascotCard extends LitElement {
  static override properties: PropertyDeclarations = {
    agent: { attribute: false },
    session: { attribute: false, hasChanged: looksDifferent },
    strings: { attribute: false },
    size: { reflect: true },
    rails: {},
    lively: { type: Boolean, reflect: true },
    departing: { type: Boolean, reflect: true },
  };
  static override styles = cardStyles;

  declare agent: Agent | undefined;
  declare session: Session | undefined;
  declare strings: Strings;
  declare size: 'small' | 'medium' | 'large';
  /** How many steps to the left lines of the tree go past it, such as "1 2". */
  declare rails: string;
  declare lively: boolean;
  declare departing: boolean;

  constructor() {
    super();
    this.strings = {};
    this.size = 'large';
    this.rails = '';
    this.lively = false;
    this.departing = false;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { agent, session } = this;
    if (agent === undefined || session === undefined) return nothing;
    const kind = kindWords(this.strings, agent);
    // In a crowd only those who wait for the person move: the eye goes where it is needed, and the rest costs nothing.
    const rails = this.rails === '' ? [] : this.rails.split(' ');
    return html`
      ${rails.map((steps) => html`<i class="rail steps-${steps}"></i>`)}
      <mascot-avatar
        .seed=${agent.avatarSeed}
        .mood=${this.departing ? 'leaving' : shownMood(agent, session)}
        .size=${this.size === 'large' ? 'medium' : 'small'}
        .lively=${this.lively && (this.size !== 'small' || agent.wait !== null)}
      ></mascot-avatar>
      <div class="words">
        <div class="who">
          <span class="name">${agent.name}</span
          >${kind === '' ? nothing : html`<span class="kind" title=${kind}>${kind}</span>`}
        </div>
        ${this.renderJob(agent)} ${this.renderDoing(agent, session)}
      </div>
      ${this.size === 'small' ? nothing : this.renderBubble(agent, session)}
    `;
  }

  private renderJob(agent: Agent): TemplateResult | typeof nothing {
    const task = agent.task?.trim() ?? '';
    return task === '' || this.size === 'small'
      ? nothing
      : html`<div class="job" title=${jobWords(this.strings, agent)}>${task}</div>`;
  }

  private renderDoing(agent: Agent, session: Session): TemplateResult {
    const asks = this.size === 'small' ? waitWords(this.strings, agent, session) : undefined;
    const parts = asks
      ? [{ text: `${asks.text} ` }, { text: asks.target, place: 'target' }]
      : activityWords(this.strings, agent, session);
    const job = this.size === 'small' ? jobWords(this.strings, agent) : '';
    const title = [agent.activity?.target ?? agent.wait?.target ?? '', job].filter((part) => part !== '').join('\n');
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
