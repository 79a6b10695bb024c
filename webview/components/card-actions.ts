import { html, nothing, type TemplateResult } from 'lit';
import type { Agent, Session } from '../../src/protocol/state.ts';
import type { MascotAction } from '../../src/protocol/view.ts';
import { icon, type IconName } from '../icons.ts';
import { say, type Strings } from '../words.ts';

/** What the card asks of the app; it bubbles out of it. `explain` and `install` are the host's own commands. */
export class CardEvent extends Event {
  readonly what: MascotAction | 'explain' | 'install';

  constructor(what: CardEvent['what']) {
    super('card', { bubbles: true, composed: true });
    this.what = what;
  }
}

interface Offer {
  readonly what: CardEvent['what'];
  readonly icon: IconName;
  readonly words: string;
  readonly pressed?: boolean;
}

/** What can be done with a mascot. The first is what people come for; in a narrow bar the others are signs with names. */
export function renderActions(
  session: Session,
  agent: Agent | undefined,
  strings: Strings,
  ask: (what: CardEvent['what']) => void,
): TemplateResult {
  const offers = [...offersFor(session, agent, strings)];
  return html`<div class="actions" role="group" aria-label=${say(strings, 'act.label')}>
    ${
      session.state === 'completed' || session.state === 'stale'
        ? nothing
        : html`<button class="primary" type="button" @click=${() => ask('focusTerminal')}>
            ${icon('terminal')}<span>${say(strings, 'act.focusTerminal')}</span>
          </button>`
    }
    ${offers.map(
      (offer) =>
        html`<button
          class="second"
          type="button"
          title=${offer.words}
          aria-pressed=${offer.pressed ?? nothing}
          @click=${() => ask(offer.what)}
        >
          ${icon(offer.icon)}<span>${offer.words}</span>
        </button>`,
    )}
  </div>`;
}

function* offersFor(session: Session, agent: Agent | undefined, strings: Strings): Iterable<Offer> {
  yield { what: 'openConversation', icon: 'lines', words: say(strings, 'act.openConversation') };
  if (session.transcriptPath !== undefined) {
    yield { what: 'openTranscript', icon: 'page', words: say(strings, 'act.openTranscript') };
  }
  if (agent !== undefined) {
    const pressed = agent.pinnedAt !== undefined;
    yield { what: 'rename', icon: 'pencil', words: say(strings, 'act.rename') };
    yield { what: pressed ? 'unpin' : 'pin', icon: 'pin', words: say(strings, 'act.pin'), pressed };
    yield agent.hidden === true
      ? { what: 'unhide', icon: 'eye', words: say(strings, 'act.unhide') }
      : { what: 'hide', icon: 'eyeClosed', words: say(strings, 'act.hide') };
  }
  yield { what: 'copySessionId', icon: 'copy', words: say(strings, 'act.copySessionId') };
  yield { what: 'explain', icon: 'why', words: say(strings, 'details.explain') };
}
