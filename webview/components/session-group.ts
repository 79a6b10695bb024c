import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Agent, Session } from '../../src/protocol/state.ts';
import type { WorkItem } from '../../src/protocol/work.ts';
import type { Story } from '../../src/protocol/story.ts';
import type { ViewConfig } from '../../src/protocol/view.ts';
import type { Formats } from '../formats.ts';
import { receiverOf } from '../letters.ts';
import { mascotLabel } from '../mascotLabel.ts';
import { type AgentRow, type SessionGroup, waits } from '../roster.ts';
import { phaseWords, projectName, shownMood } from '../sentences.ts';
import { sessionLabel, type Speech } from '../sessionSentences.ts';
import { isTimed, tookWords } from '../took.ts';
import { workItemOf } from '../workItem.ts';
import { say } from '../words.ts';
import { agentItem, sessionItem } from './items.ts';
import { mainOf } from './menu-context.ts';
import type { Opened } from './open-card.ts';
import { renderHead } from './session-head.ts';
import './session-details.ts';

/** What all groups of one drawing have in common. */
export interface Drawing {
  readonly config: ViewConfig;
  readonly formats: Formats;
  readonly now: number;
  readonly lively: boolean;
  readonly crowd: boolean;
  /** The item that Tab reaches. */
  readonly tabStop: string | undefined;
  readonly opened: Opened | undefined;
  /** Of the card that is open. */
  readonly story: Story | null | undefined;
  /** All of them, drawn or not: who wrote to whom, and whose step it was. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly workItems: ReadonlyMap<string, WorkItem>;
  readonly coming: ReadonlySet<string>;
  readonly departing: ReadonlySet<string>;
  /** Names of projects that more than one session here bears. */
  readonly twins: ReadonlySet<string>;
}

/**
 * One session: whose it is, what it needs, its agents, and its details while they are unfolded. Drawn into the app's own root,
 * so that one list holds the focus.
 */
export function renderSession(group: SessionGroup, drawing: Drawing): TemplateResult {
  const { session, rows, brief } = group;
  const { config, now, lively, crowd, tabStop } = drawing;
  const speech: Speech = { strings: config.strings, formats: drawing.formats, now };
  const opened = drawing.opened?.sessionId === session.id ? drawing.opened : undefined;
  const item = sessionItem(session.id);
  const work = workItemOf(session, drawing.workItems.values());
  return html`<section
    class="session ${phaseWords(config.strings, session).kind} ${brief ? 'brief' : ''}"
    ?data-waits=${waits(session)}
    role="listitem"
    aria-level="1"
    aria-label=${sessionLabel(speech, session, work)}
    aria-description=${describe(drawing, opened !== undefined && opened.agentId === undefined)}
    tabindex=${item === tabStop ? 0 : -1}
    data-item=${item}
    data-session-id=${session.id}
  >
    ${renderHead(session, {
      speech,
      lively,
      crowd: crowd || brief,
      told: rows.some(({ agent }) => agent.wait !== null),
      open: opened !== undefined,
      twin: drawing.twins.has(projectName(session)),
      item: work,
      reachable: item === tabStop || rows.some(({ agent }) => agentItem(agent.id) === tabStop),
    })}
    ${opened && opened.agentId === undefined ? renderDetails(group, opened, drawing) : nothing}
    ${rows.length === 0 ? nothing : renderAgents(group, drawing)}
  </section>`;
}

/** Below the one that was chosen, in the list like it. */
function renderDetails(group: SessionGroup, opened: Opened, drawing: Drawing): TemplateResult {
  const { config, formats, now, agents } = drawing;
  return html`<session-details
    role=${opened.agentId === undefined ? nothing : 'listitem'}
    data-testid="mascot-card"
    .session=${group.session}
    .agent=${chosenAgent(group, opened, agents)}
    .agents=${agents}
    .story=${drawing.story}
    .speech=${{ strings: config.strings, formats, now }}
    .lively=${drawing.lively}
  ></session-details>`;
}

function describe({ config }: Drawing, open: boolean): string {
  return say(config.strings, open ? 'item.open' : 'item.opens');
}

/** Names that more than one of them bears. */
export function twinsIn(groups: readonly SessionGroup[]): ReadonlySet<string> {
  const names = groups.map(({ session }) => projectName(session));
  return new Set(names.filter((name, place) => names.indexOf(name) !== place));
}

/** Whose card it is: the one that was chosen while it is drawn, else the session's main agent. */
export function chosenAgent(
  { session, rows }: SessionGroup,
  opened: Opened,
  agents: ReadonlyMap<string, Agent>,
): Agent | undefined {
  return rows.find(({ agent }) => agent.id === opened.agentId)?.agent ?? mainOf(session.id, agents);
}

function renderAgents(group: SessionGroup, drawing: Drawing): TemplateResult {
  const { session, rows } = group;
  const { opened } = drawing;
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
      (row) =>
        html`${renderCard(row, session, drawing)}${row.agent.id === opened?.agentId ? renderDetails(group, opened, drawing) : nothing}`,
    )}
  </div>`;
}

function renderCard({ agent, depth, last, rails }: AgentRow, session: Session, drawing: Drawing): TemplateResult {
  const { config, crowd, lively, now } = drawing;
  const speech: Speech = { strings: config.strings, formats: drawing.formats, now };
  const writesTo = receiverOf(agent, drawing.agents, now)?.name ?? '';
  const size = crowd ? 'small' : depth === 0 ? 'large' : 'medium';
  const item = agentItem(agent.id);
  return html`<mascot-card
    class="${depth > 0 ? 'child' : 'top'} depth-${depth} ${last ? 'last' : ''}"
    role="listitem"
    aria-level=${depth + 2}
    aria-label=${mascotLabel(speech, agent, session, writesTo)}
    aria-description=${describe(drawing, drawing.opened?.agentId === agent.id)}
    aria-current=${drawing.opened?.agentId === agent.id ? 'true' : nothing}
    tabindex=${item === drawing.tabStop ? 0 : -1}
    data-testid="mascot"
    data-item=${item}
    data-session-id=${session.id}
    data-agent-id=${agent.id}
    ?veiled=${agent.hidden === true}
    data-mood=${shownMood(agent, session)}
    data-phase=${session.phase ?? ''}
    .agent=${agent}
    .session=${session}
    .strings=${config.strings}
    .size=${size}
    .took=${tookWords(speech, agent, session, crowd)}
    .timed=${!crowd && isTimed(agent, session)}
    .writesTo=${writesTo}
    .rails=${rails.map((rail) => depth - rail).join(' ')}
    .lively=${lively}
    .arriving=${drawing.coming.has(agent.id)}
    .departing=${drawing.departing.has(agent.id)}
  ></mascot-card>`;
}
