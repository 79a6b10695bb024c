import { LitElement, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Agent, Session, Task } from '../../src/protocol/state.ts';
import { causeWords, jobWords, kindWords, phaseWords, projectName } from '../sentences.ts';
import { contextUse, sinceWords, sourceWords, type Speech, surfaceWords, tokenWords } from '../sessionSentences.ts';
import { buttonStyles, focusRing } from '../styles/shared.ts';
import { say } from '../words.ts';
import { meterStyles } from './session-head.styles.ts';
import { renderMeter } from './session-head.ts';

/** What `session-details` asks of the app; both events bubble out of it. */
export type DetailsEvent = 'explain' | 'install';

const marks: Readonly<Record<Task['status'], string>> = {
  pending: 'M4 8H4.010M8 8H8.010M12 8H12.010',
  in_progress: 'M5.500 3.500L12 8L5.500 12.500Z',
  completed: 'M3 8.500L6.500 12L13 4.500',
  failed: 'M4 4L12 12M12 4L4 12',
};

/** A session's card: why it is shown so, what it runs on, its tasks, and what can be done. */
export class SessionDetails extends LitElement {
  static override properties: PropertyDeclarations = {
    session: { attribute: false },
    agent: { attribute: false },
    speech: { attribute: false },
  };
  static override styles = [
    buttonStyles,
    focusRing,
    meterStyles,
    css`
      :host {
        display: block;
        margin: 6px 6px 2px;
        padding: 8px 10px 9px;
        border: 1px solid var(--tone-edge);
        border-radius: 8px;
        background: var(--tone-ground);
        overflow-wrap: anywhere;
      }
      .why,
      .offer {
        margin: 0;
      }
      .why span {
        color: var(--tone-soft);
      }
      code {
        font-family: var(--vscode-editor-font-family, monospace);
        font-size: 0.95em;
        unicode-bidi: isolate;
      }
      .offer {
        margin-block-start: 6px;
        color: var(--tone-soft);
        text-wrap: pretty;
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 2px 12px;
        margin: 7px 0 0;
      }
      dt {
        color: var(--tone-soft);
      }
      dd {
        margin: 0;
        unicode-bidi: plaintext;
      }
      .context {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 8px;
      }
      h3 {
        margin: 8px 0 2px;
        font-size: 1em;
        font-weight: 600;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        align-items: baseline;
        gap: 6px;
        unicode-bidi: plaintext;
      }
      li svg {
        flex: none;
        inline-size: 11px;
        block-size: 11px;
        align-self: center;
        fill: none;
        stroke: var(--tone-soft);
        stroke-width: 2;
        stroke-linecap: round;
        stroke-linejoin: round;
      }
      li.in_progress {
        font-weight: 600;
      }
      li.completed span {
        color: var(--tone-soft);
      }
      li.failed svg {
        stroke: var(--tone-failed);
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        margin-block-start: 9px;
      }
      .actions button {
        padding: 3px 10px;
      }
      .actions .second {
        color: var(--vscode-button-secondaryForeground, var(--tone-text));
        background: var(--vscode-button-secondaryBackground, transparent);
      }
      .actions .second:hover {
        background: var(
          --vscode-button-secondaryHoverBackground,
          var(--vscode-button-secondaryBackground, transparent)
        );
      }
      @container (max-width: 189px) {
        dl {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  declare session: Session | undefined;
  declare agent: Agent | undefined;
  declare speech: Speech | undefined;

  protected override render(): TemplateResult | typeof nothing {
    const { session, speech } = this;
    if (session === undefined || speech === undefined) return nothing;
    const { strings } = speech;
    const seen = session.seenIn === 'transcript';
    return html`<div role="group" aria-label=${say(strings, 'details.label', { project: projectName(session) })}>
      ${renderWhy(session, speech)} ${seen ? html`<p class="offer">${say(strings, 'seen.offer')}</p>` : nothing}
      ${this.renderFacts(session, speech)} ${renderTasks(session.tasks, speech)}
      <div class="actions">
        ${
          seen
            ? html`<button type="button" @click=${() => this.ask('install')}>${say(strings, 'seen.install')}</button>`
            : nothing
        }
        <button class="second" type="button" @click=${() => this.ask('explain')}>
          ${say(strings, 'details.explain')}
        </button>
      </div>
    </div>`;
  }

  private renderFacts(session: Session, speech: Speech): TemplateResult {
    const { strings } = speech;
    const context = contextUse(speech, session);
    return html`<dl>
      ${this.renderAgent(speech)} ${renderFact(say(strings, 'details.surface'), surfaceWords(strings, session))}
      ${renderFact(say(strings, 'details.model'), session.model)}
      ${
        context === undefined
          ? nothing
          : html`<dt>${say(strings, 'details.context')}</dt>
              <dd class="context">${renderMeter(context)}<span>${context.full}</span></dd>`
      }
      ${renderFact(say(strings, 'details.tokens'), tokenWords(speech, session))}
    </dl>`;
  }

  private renderAgent({ strings }: Speech): TemplateResult | typeof nothing {
    const { agent } = this;
    if (agent === undefined) return nothing;
    const team = agent.team === null ? '' : say(strings, 'agent.team', { team: agent.team });
    const parts = [agent.name, kindWords(strings, agent), team, jobWords(strings, agent)];
    return renderFact(say(strings, 'details.agent'), parts.filter((part) => part !== '').join(' · '));
  }

  private ask(what: DetailsEvent): void {
    this.dispatchEvent(new Event(what, { bubbles: true, composed: true }));
  }
}

function renderWhy(session: Session, speech: Speech): TemplateResult {
  const { strings } = speech;
  const { tool, target } = causeWords(strings, session);
  const cause = target === '' ? tool : html`${tool} <code>${target}</code>`;
  const quiet = [sinceWords(speech, session), sourceWords(strings, session)].filter((part) => part !== '');
  return html`<p class="why">
    ${phaseWords(strings, session).text}${tool === '' && target === '' ? nothing : html`: ${cause}`}
    ${quiet.length === 0 ? nothing : html`<span>· ${quiet.join(' · ')}</span>`}
  </p>`;
}

function renderFact(name: string, value: string): TemplateResult | typeof nothing {
  return value === ''
    ? nothing
    : html`<dt>${name}</dt>
        <dd>${value}</dd>`;
}

function renderTasks(tasks: readonly Task[], { strings }: Speech): TemplateResult | typeof nothing {
  if (tasks.length === 0) return nothing;
  return html`<h3>${say(strings, 'details.tasks')}</h3>
    <ul>
      ${repeat(
        tasks,
        ({ id }) => id,
        ({ status, title }) =>
          html`<li class=${status}>
            <svg viewBox="0 0 16 16" role="img" aria-label=${say(strings, `task.${status}`)}>
              <path d=${marks[status]}></path>
            </svg>
            <span>${title}</span>
          </li>`,
      )}
    </ul>`;
}

customElements.define('session-details', SessionDetails);
