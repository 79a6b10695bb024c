import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Session } from '../../src/protocol/state.ts';
import type { ViewConfig } from '../../src/protocol/view.ts';
import { durationSince } from '../durations.ts';
import type { AgentRow, SessionGroup } from '../roster.ts';
import { causeSource, causeWords, mascotLabel, phaseWords, projectName } from '../sentences.ts';
import { say } from '../words.ts';

/** What all groups of one drawing have in common. */
export interface Drawing {
  readonly config: ViewConfig;
  readonly now: number;
  readonly lively: boolean;
  readonly crowd: boolean;
  readonly tabStop: string | undefined;
  readonly departing: ReadonlySet<string>;
}

/** One session: whose it is, what it needs, and its agents as a tree. Drawn into the app's own root, so that one list holds the focus. */
export function renderSession({ session, rows }: SessionGroup, drawing: Drawing): TemplateResult {
  const { strings } = drawing.config;
  const { kind, text } = phaseWords(strings, session);
  const project = projectName(session);
  return html`<section
    class="session ${kind}"
    role="listitem"
    aria-label=${say(strings, 'session.label', { project, phase: text })}
  >
    <header>
      <div class="project">
        <h2 title=${session.project || session.cwd}>${project}</h2>
        ${session.worktree === undefined ? nothing : renderWorktree(session.worktree)}
      </div>
      ${session.title === '' ? nothing : html`<p class="title" title=${session.title}>${session.title}</p>`}
      ${renderPhase(
        session,
        rows.some(({ agent }) => agent.wait !== null),
        drawing,
      )}
    </header>
    ${
      rows.length === 0
        ? nothing
        : html`<div class="agents" role="list">
            ${repeat(
              rows,
              ({ agent }) => agent.id,
              (row) => renderCard(row, session, drawing),
            )}
          </div>`
    }
  </section>`;
}

function renderWorktree(label: string): TemplateResult {
  return html`<span class="worktree" title=${label}
    ><svg viewBox="0 0 12 16" aria-hidden="true" focusable="false">
      <path d="M3 2V14M3 10.500Q9 10.500 9 6V2"></path></svg
    >${label}</span
  >`;
}

/** `told`: one of its mascots says what it waits for, so the cause need not be said twice where there is little room. */
function renderPhase(session: Session, told: boolean, { config, now, lively, crowd }: Drawing): TemplateResult {
  const { kind, text } = phaseWords(config.strings, session);
  const { tool, target } = causeWords(config.strings, session);
  const since =
    session.phaseSince === null ? '' : durationSince(config.strings, config.locale, session.phaseSince, now);
  return html`<div class="phase" title=${causeSource(config.strings, session) || nothing}>
    <phase-badge data-testid="phase" data-phase=${session.phase ?? ''} .kind=${kind} .lively=${lively && !crowd}
      >${text}</phase-badge
    >
    ${
      tool === '' && target === ''
        ? nothing
        : html`<span class="cause ${told ? 'told' : ''}"
            >${tool}${target === '' ? nothing : html` <code>${target}</code>`}</span
          >`
    }
    ${since === '' ? nothing : html`<span class="since">${since}</span>`}
  </div>`;
}

function renderCard({ agent, depth, last }: AgentRow, session: Session, drawing: Drawing): TemplateResult {
  const { config, crowd, lively } = drawing;
  const size = crowd ? 'small' : depth === 0 ? 'large' : 'medium';
  return html`<mascot-card
    class="${depth > 0 ? 'child' : ''} depth-${depth} ${last ? 'last' : ''}"
    role="listitem"
    aria-level=${depth + 1}
    aria-label=${mascotLabel(config.strings, agent, session)}
    tabindex=${agent.id === drawing.tabStop ? 0 : -1}
    data-testid="mascot"
    data-agent-id=${agent.id}
    data-mood=${agent.mood}
    data-phase=${session.phase ?? ''}
    .agent=${agent}
    .session=${session}
    .strings=${config.strings}
    .size=${size}
    .lively=${lively}
    .departing=${drawing.departing.has(agent.id)}
  ></mascot-card>`;
}
