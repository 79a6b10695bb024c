import { LitElement, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { Agent, Session } from '../../src/protocol/state.ts';
import type { Story } from '../../src/protocol/story.ts';
import { projectName } from '../sentences.ts';
import type { Speech } from '../sessionSentences.ts';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say } from '../words.ts';
import { CardEvent, renderActions } from './card-actions.ts';
import { renderFace, renderFacts, renderTasks, renderWhy } from './card-facts.ts';
import { renderStory } from './card-story.ts';
import { lineStyles } from './doing-line.ts';
import { detailsStyles } from './session-details.styles.ts';
import { meterStyles } from './session-head.styles.ts';

/** The card of a mascot: who it is, why it is shown so, what can be done, what its session runs on, and what came to pass. */
export class SessionDetails extends LitElement {
  static override properties: PropertyDeclarations = {
    session: { attribute: false },
    agent: { attribute: false },
    agents: { attribute: false },
    story: { attribute: false },
    speech: { attribute: false },
    lively: { type: Boolean, reflect: true },
    allSteps: { state: true },
    allFiles: { state: true },
  };
  static override styles = [buttonStyles, focusRing, meterStyles, lineStyles, detailsStyles];

  declare session: Session | undefined;
  /** The chosen one, or the session's main agent. */
  declare agent: Agent | undefined;
  declare agents: ReadonlyMap<string, Agent>;
  declare story: Story | null | undefined;
  declare speech: Speech | undefined;
  declare lively: boolean;
  declare allSteps: boolean;
  declare allFiles: boolean;

  constructor() {
    super();
    this.agents = new Map();
    this.lively = false;
    this.allSteps = false;
    this.allFiles = false;
  }

  /** What of it is to be seen at once. */
  get head(): Element | null {
    return this.renderRoot.querySelector('.face, .why');
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('agent');
    if (before === undefined || before.id === this.agent?.id) return;
    this.allSteps = false;
    this.allFiles = false;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { session, agent, speech } = this;
    if (session === undefined || speech === undefined) return nothing;
    const { strings } = speech;
    return html`<div role="group" aria-label=${this.label(session, agent, speech)}>
      ${agent === undefined ? nothing : renderFace(agent, session, speech, this.lively)}
      ${renderWhy(session, agent, speech)} ${session.seenIn === 'transcript' ? this.renderOffer(speech) : nothing}
      ${renderActions(session, agent, strings, (what) => this.dispatchEvent(new CardEvent(what)))}
      ${renderFacts(session, speech)} ${renderTasks(session.tasks, speech)}
      ${renderStory(this.story, {
        session,
        of: agent === undefined || agent.kind === 'main' ? undefined : agent,
        agents: this.agents,
        speech,
        steps: { whole: this.allSteps, unfold: () => this.unfold('steps') },
        files: { whole: this.allFiles, unfold: () => this.unfold('files') },
      })}
    </div>`;
  }

  private label(session: Session, agent: Agent | undefined, { strings }: Speech): string {
    const project = projectName(session);
    return agent === undefined
      ? say(strings, 'details.label', { project })
      : say(strings, 'details.ofAgent', { name: agent.name, project });
  }

  private renderOffer({ strings }: Speech): TemplateResult {
    return html`<p class="offer">${say(strings, 'seen.offer')}</p>
      <p>
        <button type="button" @click=${() => this.dispatchEvent(new CardEvent('install'))}>
          ${say(strings, 'seen.install')}
        </button>
      </p>`;
  }

  /** The button that had the focus goes; the first of what it brought takes it over. */
  private unfold(list: 'steps' | 'files'): void {
    const shown = this.renderRoot.querySelectorAll(`.${list} > li`).length;
    if (list === 'steps') this.allSteps = true;
    else this.allFiles = true;
    void this.updateComplete.then(() => {
      const first = this.renderRoot.querySelectorAll<HTMLElement>(`.${list} > li`)[shown];
      if (first === undefined) return;
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    });
  }
}

customElements.define('session-details', SessionDetails);
