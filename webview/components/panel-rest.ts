import { html, nothing, type TemplateResult } from 'lit';
import type { PanelMessage, ViewConfig } from '../../src/protocol/view.ts';
import type { Formats } from '../formats.ts';
import type { Roster } from '../roster.ts';
import { say } from '../words.ts';
import './mascot-avatar.ts';

type Post = (message: PanelMessage) => void;

/** What is not drawn, and how it comes back: below the list, or in its place where nobody is drawn. */
export function renderRest(
  roster: Roster,
  config: ViewConfig,
  formats: Formats,
  post: Post,
  showWaiting: (sessionId: string) => void,
): TemplateResult | typeof nothing {
  const { strings } = config;
  const elsewhere = roster.elsewhere > 0;
  const hidden = roster.hidden > 0;
  if (!elsewhere && !hidden) return nothing;
  const shown = config.showHidden === true;
  return html`<div class="rest" data-testid="rest">
    ${
      elsewhere
        ? html`<p>
              <span>${say(strings, 'rest.elsewhere', { n: formats.number(roster.elsewhere) })}</span>
              <button class="plain" type="button" @click=${() => post({ type: 'filter', filter: 'all' })}>
                ${say(strings, 'rest.showAll')}
              </button>
            </p>
            ${renderWaiting(roster.waitElsewhere, '', config, formats, showWaiting)}`
        : nothing
    }
    ${
      hidden
        ? html`<p>
            <span>${say(strings, 'rest.hidden', { n: formats.number(roster.hidden) })}</span>
            <button class="plain" type="button" @click=${() => post({ type: 'showHidden', show: !shown })}>
              ${say(strings, shown ? 'rest.hide' : 'rest.show')}
            </button>
          </p>`
        : nothing
    }
  </div>`;
}

/** Who waits for the person and is not seen, and the way to the first of them. */
export function renderWaiting(
  sessionIds: readonly string[],
  arrow: string,
  { strings }: ViewConfig,
  formats: Formats,
  show: (sessionId: string) => void,
): TemplateResult | typeof nothing {
  const [first] = sessionIds;
  if (first === undefined) return nothing;
  return html`<button class="waiting" type="button" @click=${() => show(first)}>
    ${say(strings, 'wait.count', { n: formats.number(sessionIds.length) })}
    <span aria-hidden="true">${arrow}</span>
  </button>`;
}

/** Somebody is there, but nobody that is to be drawn. */
export function renderNobodyDrawn(roster: Roster, { strings }: ViewConfig, lively: boolean): TemplateResult {
  const away = roster.hidden === 0;
  return html`<div class="nobody" data-testid=${away ? 'all-elsewhere' : 'all-hidden'}>
    <mascot-avatar .seed=${30} .mood=${away ? 'searching' : 'sleeping'} .lively=${lively}></mascot-avatar>
    <h2>${say(strings, away ? 'away.title' : 'veiled.title')}</h2>
    <p>${say(strings, away ? 'away.body' : 'veiled.body')}</p>
  </div>`;
}

/** The first mascot ever is introduced, once. */
export function renderWelcome(name: string, { strings }: ViewConfig, met: () => void): TemplateResult {
  return html`<div class="hint" data-testid="welcome">
    <p>${say(strings, 'welcome.text', { name })}</p>
    <button class="plain" type="button" @click=${met}>${say(strings, 'welcome.button')}</button>
  </div>`;
}

/** TRN-4: some of what is seen could be told better. */
export function renderHooksHint({ strings }: ViewConfig, post: Post): TemplateResult {
  return html`<div class="hint" data-testid="hooks-hint">
    <p>${say(strings, 'hint.hooks')}</p>
    <button class="plain" type="button" @click=${() => post({ type: 'installHooks' })}>
      ${say(strings, 'seen.install')}
    </button>
  </div>`;
}
