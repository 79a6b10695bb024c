import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Session } from '../../src/protocol/state.ts';
import type { ViewConfig } from '../../src/protocol/view.ts';
import type { AgentRow, SessionGroup } from '../roster.ts';
import { mascotLabel, phaseWords, projectName, shownMood } from '../sentences.ts';
import { sessionLabel, type Speech } from '../sessionSentences.ts';
import { say } from '../words.ts';
import { agentItem, sessionItem } from './items.ts';
import { renderHead } from './session-head.ts';
import './session-details.ts';

/** The session whose details are unfolded, and the agent that was chosen for it. */
export interface Opened {
  readonly sessionId: string;
  readonly agentId: string | undefined;
}

/** What all groups of one drawing have in common. */
export interface Drawing {
  readonly config: ViewConfig;
  readonly now: number;
  readonly lively: boolean;
  readonly crowd: boolean;
  /** The item that Tab reaches. */
  readonly tabStop: string | undefined;
  readonly opened: Opened | undefined;
  readonly departing: ReadonlySet<string>;
}

/**
 * One session: whose it is, what it needs, its agents, and its details while they are unfolded. Drawn into the app's own root,
 * so that one list holds the focus.
 */
export function renderSession({ session, rows }: SessionGroup, drawing: Drawing): TemplateResult {
  const { config, now, lively, crowd, tabStop } = drawing;
  const speech: Speech = { strings: config.strings, locale: config.locale, now };
  const open = drawing.opened?.sessionId === session.id;
  const item = sessionItem(session.id);
  return html`<section
    class="session ${phaseWords(config.strings, session).kind}"
    role="listitem"
    aria-level="1"
    aria-label=${sessionLabel(speech, session)}
    tabindex=${item === tabStop ? 0 : -1}
    data-item=${item}
    data-session-id=${session.id}
  >
    ${renderHead(session, {
      speech,
      lively,
      crowd,
      told: rows.some(({ agent }) => agent.wait !== null),
      open,
      reachable: item === tabStop || rows.some(({ agent }) => agentItem(agent.id) === tabStop),
    })}
    ${rows.length === 0 ? nothing : renderAgents(session, rows, drawing)}
    ${
      open
        ? html`<session-details
            .session=${session}
            .agent=${rows.find(({ agent }) => agent.id === drawing.opened?.agentId)?.agent}
            .speech=${speech}
          ></session-details>`
        : nothing
    }
  </section>`;
}

function renderAgents(session: Session, rows: readonly AgentRow[], drawing: Drawing): TemplateResult {
  const { strings } = drawing.config;
  const label = say(strings, 'list.agents', { project: projectName(session) });
  return html`<div
    class="agents ${rows.some(({ depth }) => depth > 1) ? 'nested' : ''}"
    role="list"
    aria-label=${label}
  >
    ${repeat(
      rows,
      ({ agent }) => agent.id,
      (row) => renderCard(row, session, drawing),
    )}
  </div>`;
}

function renderCard({ agent, depth, last, rails }: AgentRow, session: Session, drawing: Drawing): TemplateResult {
  const { config, crowd, lively } = drawing;
  const size = crowd ? 'small' : depth === 0 ? 'large' : 'medium';
  const item = agentItem(agent.id);
  return html`<mascot-card
    class="${depth > 0 ? 'child' : 'top'} depth-${depth} ${last ? 'last' : ''}"
    role="listitem"
    aria-level=${depth + 2}
    aria-label=${mascotLabel(config.strings, agent, session)}
    tabindex=${item === drawing.tabStop ? 0 : -1}
    data-testid="mascot"
    data-item=${item}
    data-session-id=${session.id}
    data-agent-id=${agent.id}
    data-mood=${shownMood(agent, session)}
    data-phase=${session.phase ?? ''}
    .agent=${agent}
    .session=${session}
    .strings=${config.strings}
    .size=${size}
    .rails=${rails.map((rail) => depth - rail).join(' ')}
    .lively=${lively}
    .departing=${drawing.departing.has(agent.id)}
  ></mascot-card>`;
}
