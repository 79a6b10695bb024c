import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Agent, Session } from '../../src/protocol/state.ts';
import type { Story, StoryStep, TouchedFile } from '../../src/protocol/story.ts';
import { durationSince } from '../durations.ts';
import { icon } from '../icons.ts';
import type { Speech } from '../sessionSentences.ts';
import { stepDetail, stepIcon, stepWords } from '../storySentences.ts';
import { shortTarget } from '../targets.ts';
import { say } from '../words.ts';

const STEPS_FIRST = 8;
const FILES_FIRST = 6;

/** What of a long list is shown, and how to see the rest. */
interface Fold {
  readonly whole: boolean;
  readonly unfold: () => void;
}

export interface StoryParts {
  readonly session: Session;
  /** A sub-agent whose own part of the story is told; undefined: everybody's. */
  readonly of: Agent | undefined;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly speech: Speech;
  readonly steps: Fold;
  readonly files: Fold;
}

/** The last steps and the files touched. Undefined: it has not come yet; null: it can't be told. */
export function renderStory(story: Story | null | undefined, parts: StoryParts): TemplateResult {
  const { strings } = parts.speech;
  const title = html`<h4>${say(strings, 'story.title')}</h4>`;
  if (story === undefined)
    return html`${title}
      <p class="quiet">${say(strings, 'story.loading')}</p>`;
  if (story === null)
    return html`${title}
      <p class="quiet">${say(strings, 'story.unknown')}</p>`;
  const mine = ({ agentId }: { readonly agentId: string }) => parts.of === undefined || parts.of.id === agentId;
  const steps = story.steps.filter(mine);
  const files = story.files.filter(mine);
  return html`${title}
  ${steps.length === 0 ? html`<p class="quiet">${say(strings, 'story.none')}</p>` : renderSteps(steps, parts)}
  ${files.length === 0 ? nothing : renderFiles(files, parts)}`;
}

function renderSteps(steps: readonly StoryStep[], parts: StoryParts): TemplateResult {
  const shown = parts.steps.whole ? steps : steps.slice(0, STEPS_FIRST);
  return html`<ol class="steps">
      ${repeat(
        shown,
        ({ id }) => id,
        (step) => renderStep(step, parts),
      )}
    </ol>
    ${renderRest(steps.length - shown.length, parts, parts.steps)}`;
}

function renderStep(step: StoryStep, { session, of, agents, speech }: StoryParts): TemplateResult {
  const who = of === undefined ? agents.get(step.agentId) : undefined;
  const detail = stepDetail(speech.strings, step);
  return html`<li class="step ${step.kind}">
    ${icon(stepIcon(step))}
    <div class="told">
      <div class="did" title=${step.target ?? step.text ?? nothing}>
        ${who === undefined || who.kind === 'main' ? nothing : html`<b>${who.name}</b>: `}${stepWords(
          speech.strings,
          step,
          session,
        ).map((part) => (part.place === 'target' ? html`<span class="target">${part.text}</span>` : part.text))}
      </div>
      ${detail === '' ? nothing : html`<div class="detail" title=${step.text ?? ''}>${detail}</div>`}
    </div>
    ${renderMoment(step.ts, speech)}
  </li>`;
}

function renderMoment(ts: string, speech: Speech): TemplateResult | typeof nothing {
  const moment = new Date(ts);
  if (Number.isNaN(moment.getTime())) return nothing;
  const exact = speech.formats.moment(moment);
  const words = durationSince(speech.strings, speech.formats, ts, speech.now);
  return html`<time datetime=${ts} title=${exact}>${words}</time>`;
}

function renderFiles(files: readonly TouchedFile[], parts: StoryParts): TemplateResult {
  const { strings } = parts.speech;
  const shown = parts.files.whole ? files : files.slice(0, FILES_FIRST);
  return html`<h4>${say(strings, 'files.title')}</h4>
    <ul class="files">
      ${repeat(
        shown,
        ({ path }) => path,
        ({ path, change }) =>
          html`<li class="file ${change}" title=${path}>
            ${icon(change === 'written' ? 'pencil' : 'page')}
            <span class="path">${shortTarget(path, parts.session)}</span>
            <span class="change">${say(strings, change === 'written' ? 'files.written' : 'files.read')}</span>
          </li>`,
      )}
    </ul>
    ${renderRest(files.length - shown.length, parts, parts.files)}`;
}

function renderRest(left: number, { speech }: StoryParts, { unfold }: Fold): TemplateResult | typeof nothing {
  if (left <= 0) return nothing;
  const n = speech.formats.number(left);
  return html`<button class="plain more" type="button" @click=${unfold}>
    ${say(speech.strings, 'story.more', { n })}
  </button>`;
}
