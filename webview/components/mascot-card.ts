import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Agent, Session } from '../../src/protocol/state.ts';
import { icon } from '../icons.ts';
import { plainWords } from '../plainText.ts';
import { activityWords, isSleepTold, isUntold, jobWords, kindWords, shownMood, waitWords } from '../sentences.ts';
import { say, type SentencePart, type Strings } from '../words.ts';
import { lineStyles, renderTook, renderWords } from './doing-line.ts';
import { cardStyles } from './mascot-card.styles.ts';
import './mascot-avatar.ts';

/** A session changes with every event of any of its agents; of its parts a card shows only these. */
function looksDifferent(now: Session | undefined, before: Session | undefined): boolean {
  if (now === undefined || before === undefined) return now !== before;
  return (
    now.cwd !== before.cwd ||
    now.project !== before.project ||
    isUntold(now) !== isUntold(before) ||
    now.state !== before.state
  );
}

/** One agent: its picture, its name, what it does, what it says. Role, name and focus belong to the list around it. */
export class MascotCard extends LitElement {
  static override properties: PropertyDeclarations = {
    agent: { attribute: false },
    session: { attribute: false, hasChanged: looksDifferent },
    strings: { attribute: false },
    size: { reflect: true },
    took: {},
    timed: { type: Boolean },
    writesTo: {},
    rails: {},
    lively: { type: Boolean, reflect: true },
    arriving: { type: Boolean, reflect: true },
    departing: { type: Boolean, reflect: true },
  };
  static override styles = [lineStyles, cardStyles];

  declare agent: Agent | undefined;
  declare session: Session | undefined;
  declare strings: Strings;
  declare size: 'small' | 'medium' | 'large';
  /** For how long it has been at it, in words. */
  declare took: string;
  /** It will be told for how long, so that the place is kept. */
  declare timed: boolean;
  /** The name of the one it has just written to. */
  declare writesTo: string;
  /** How many steps to the left lines of the tree go past it, such as "1 2". */
  declare rails: string;
  declare lively: boolean;
  declare arriving: boolean;
  declare departing: boolean;

  constructor() {
    super();
    this.strings = {};
    this.size = 'large';
    this.took = '';
    this.timed = false;
    this.writesTo = '';
    this.rails = '';
    this.lively = false;
    this.arriving = false;
    this.departing = false;
  }

  /** Where its picture is on the screen. */
  pictureBox(): DOMRect | undefined {
    return this.renderRoot.querySelector('mascot-avatar')?.getBoundingClientRect();
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
          <span class="name" title=${agent.ownName ?? nothing}>${agent.name}</span
          >${this.renderMarks(agent)}${kind === '' ? nothing : html`<span class="kind" title=${kind}>${kind}</span>`}
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

  private renderMarks(agent: Agent): TemplateResult {
    const pinned = say(this.strings, 'mark.pinned');
    return html`${
      agent.pinnedAt === undefined
        ? nothing
        : html`<span class="pinned" role="img" aria-label=${pinned} title=${pinned}>${icon('pin')}</span>`
    }${agent.hidden === true ? html`<span class="veiled">${say(this.strings, 'mark.hidden')}</span>` : nothing}`;
  }

  private renderDoing(agent: Agent, session: Session): TemplateResult | typeof nothing {
    const small = this.size === 'small';
    const job = small ? jobWords(this.strings, agent) : '';
    const title = [agent.activity?.target ?? agent.wait?.target ?? '', job].filter((part) => part !== '').join('\n');
    const words = this.doingWords(agent, session, small);
    if (words.length === 0 && this.writesTo === '') return nothing;
    return html`<div class="line">
      <div class="doing ${agent.wait === null ? '' : 'waits'}" title=${title || nothing}>${renderWords(words)}</div>
      ${renderTook(this.took, this.timed)}
      ${
        this.writesTo === ''
          ? nothing
          : html`<span class="writes">${icon('letter')}${say(this.strings, 'talk.to', { name: this.writesTo })}</span>`
      }
    </div>`;
  }

  /** What is asked for stands in the bubble, where there is one. */
  private doingWords(agent: Agent, session: Session, small: boolean): readonly SentencePart[] {
    if (isSleepTold(agent, session)) return [];
    const words = activityWords(this.strings, agent, session);
    if (agent.wait === null) return words;
    if (!small) return [{ text: say(this.strings, 'wait.short') }];
    const named = agent.wait.kind === 'permission' && agent.wait.tool !== undefined;
    const asks = named ? undefined : waitWords(this.strings, agent, session);
    return asks === undefined ? words : [{ text: `${asks.text} ` }, { text: asks.target, place: 'target' }];
  }

  private renderBubble(agent: Agent, session: Session): TemplateResult | typeof nothing {
    const asks = waitWords(this.strings, agent, session);
    if (asks) {
      const { kind, message, target } = agent.wait ?? {};
      return html`<div class="bubble asks ${kind ?? ''}">
        <span class="said" title=${message ?? nothing}>${asks.text}</span
        >${asks.target === '' ? nothing : html`<code class="said" title=${target ?? nothing}>${asks.target}</code>`}
      </div>`;
    }
    const says = plainWords(agent.says ?? '');
    return says === ''
      ? nothing
      : html`<div class="bubble"><span class="said" title=${agent.says ?? ''}>${says}</span></div>`;
  }
}

customElements.define('mascot-card', MascotCard);
