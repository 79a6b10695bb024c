import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Agent, Session, Task } from '../../src/protocol/state.ts';
import {
  activityWords,
  causeWords,
  isSleepTold,
  jobWords,
  kindWords,
  phaseWords,
  shownMood,
  waitWords,
} from '../sentences.ts';
import { contextUse, sinceWords, sourceWords, type Speech, surfaceWords, tokenWords } from '../sessionSentences.ts';
import { isTimed, tookWords } from '../took.ts';
import { say } from '../words.ts';
import { renderTook, renderWords } from './doing-line.ts';
import { renderMeter } from './session-head.ts';
import './mascot-avatar.ts';

const marks: Readonly<Record<Task['status'], string>> = {
  pending: 'M4 8H4.010M8 8H8.010M12 8H12.010',
  in_progress: 'M5.500 3.500L12 8L5.500 12.500Z',
  completed: 'M3 8.500L6.500 12L13 4.500',
  failed: 'M4 4L12 12M12 4L4 12',
};

/** Who it is and what it does, beside a picture that can be looked at. */
export function renderFace(agent: Agent, session: Session, speech: Speech, lively: boolean): TemplateResult {
  const { strings } = speech;
  const kind = kindWords(strings, agent);
  const team = agent.team === null ? '' : say(strings, 'agent.team', { team: agent.team });
  const quiet = [kind, team].filter((part) => part !== '').join(' · ');
  const job = jobWords(strings, agent);
  return html`<div class="face">
    <mascot-avatar
      .seed=${agent.avatarSeed}
      .mood=${shownMood(agent, session)}
      .size=${'large'}
      .lively=${lively}
    ></mascot-avatar>
    <div class="who">
      <h3 title=${agent.ownName ?? nothing}>${agent.name}</h3>
      ${quiet === '' ? nothing : html`<p class="kind">${quiet}</p>`}
      ${
        isSleepTold(agent, session)
          ? nothing
          : html`<div class="line">
              <p class="doing">${renderWords(activityWords(strings, agent, session))}</p>
              ${renderTook(tookWords(speech, agent, session), isTimed(agent, session))}
            </div>`
      }
      ${renderAsked(agent, session, speech)} ${job === '' ? nothing : html`<p class="job">${job}</p>`}
    </div>
  </div>`;
}

/** What its own sentence does not tell whole: the words of a question, and a command that was cut. */
function renderAsked(agent: Agent, session: Session, { strings }: Speech): TemplateResult | typeof nothing {
  const { wait } = agent;
  const asks = waitWords(strings, agent, session);
  if (wait === null || asks === undefined) return nothing;
  if (wait.kind === 'question' || wait.tool === undefined) return html`<p class="asked ${wait.kind}">${asks.text}</p>`;
  return asks.target === (wait.target ?? '') ? nothing : html`<p class="asked"><code>${wait.target}</code></p>`;
}

/** What the face above it has told is not told again. */
export function renderWhy(session: Session, agent: Agent | undefined, speech: Speech): TemplateResult {
  const { strings } = speech;
  const { tool, target } = agent && agent.wait !== null ? { tool: '', target: '' } : causeWords(strings, session);
  const cause = target === '' ? tool : html`${tool} <code>${target}</code>`;
  const quiet = [sinceWords(speech, session).replaceAll(' ', '\u00a0'), sourceWords(strings, session)].filter(
    (part) => part !== '',
  );
  return html`<p class="why">
    ${phaseWords(strings, session).text}${tool === '' && target === '' ? nothing : html`: ${cause}`}
    ${quiet.length === 0 ? nothing : html`<span>· ${quiet.join(' · ')}</span>`}
  </p>`;
}

export function renderFacts(session: Session, speech: Speech): TemplateResult {
  const { strings } = speech;
  const context = contextUse(speech, session);
  return html`<dl>
      ${renderFact(say(strings, 'details.surface'), surfaceWords(strings, session))}
      ${renderFact(say(strings, 'details.model'), session.model)}
      ${
        context === undefined
          ? nothing
          : html`<dt>${say(strings, 'details.context')}</dt>
              <dd class="context">${renderMeter(context)}<span>${context.full}</span></dd>`
      }
      ${renderFact(say(strings, 'details.tokens'), tokenWords(speech, session))}
    </dl>
    ${renderCounts(session, speech)}`;
}

function renderCounts({ counts }: Session, { strings, formats }: Speech): TemplateResult | typeof nothing {
  const told = [
    counts.prompts > 0 && say(strings, 'counts.prompts', { n: formats.number(counts.prompts) }),
    counts.toolCalls > 0 && say(strings, 'counts.toolCalls', { n: formats.number(counts.toolCalls) }),
    counts.failures > 0 && say(strings, 'counts.failures', { n: formats.number(counts.failures) }),
  ].filter((part) => part !== false);
  return told.length === 0 ? nothing : html`<p class="counts">${told.join(' · ')}</p>`;
}

function renderFact(name: string, value: string): TemplateResult | typeof nothing {
  return value === ''
    ? nothing
    : html`<dt>${name}</dt>
        <dd>${value}</dd>`;
}

export function renderTasks(tasks: readonly Task[], { strings }: Speech): TemplateResult | typeof nothing {
  if (tasks.length === 0) return nothing;
  return html`<h4>${say(strings, 'details.tasks')}</h4>
    <ul class="jobs">
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
