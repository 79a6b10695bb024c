import { html, nothing, type TemplateResult } from 'lit';
import type { Session } from '../../src/protocol/state.ts';
import type { WorkItem } from '../../src/protocol/work.ts';
import { icon } from '../icons.ts';
import { causeWords, phaseWords, projectName } from '../sentences.ts';
import {
  backgroundWords,
  contextUse,
  type ContextUse,
  phaseSentence,
  seenWords,
  sinceWords,
  type Speech,
  surfaceWords,
  taskProgress,
} from '../sessionSentences.ts';
import { say } from '../words.ts';
import './phase-badge.ts';

export interface Head {
  readonly speech: Speech;
  readonly lively: boolean;
  readonly crowd: boolean;
  /** One of its mascots says what it waits for, so the cause need not be said twice where there is little room. */
  readonly told: boolean;
  readonly open: boolean;
  /** Another one bears the same name: its title tells them apart even where there is little room. */
  readonly twin: boolean;
  /** What it works for; undefined: no item runs in its project. */
  readonly item: WorkItem | undefined;
  /** Whether Tab reaches its button: only that of the session where the focus is. */
  readonly reachable: boolean;
}

const surfaceIcons = { terminal: 'terminal', panel: 'panel', headless: 'robot' } as const;

/** Whose session it is, what it needs, why, since when, and how far it is. */
export function renderHead(session: Session, head: Head): TemplateResult {
  const project = projectName(session);
  return html`<div class="head">
    <div class="project">
      <h2 title=${session.project || session.cwd}>${project}</h2>
      ${session.worktree === undefined ? nothing : renderWorktree(session.worktree)} ${renderSurface(session, head)}
      ${renderMore(session, head)}
    </div>
    ${session.title === '' ? nothing : html`<p class="title ${head.twin ? 'twin' : ''}" title=${session.title}>${session.title}</p>`}
    ${head.item === undefined ? nothing : renderWork(head.item, head)} ${renderPhase(session, head)}
    ${renderNotes(session, head)} ${renderProgress(session, head)}
  </div>`;
}

function renderWorktree(label: string): TemplateResult {
  return html`<span class="worktree" title=${label}
    ><svg viewBox="0 0 12 16" aria-hidden="true">
      <path d="M3 2V14M3 10.500Q9 10.500 9 6V2"></path></svg
    >${label}</span
  >`;
}

function renderSurface(session: Session, { speech }: Head): TemplateResult | typeof nothing {
  const { surface } = session;
  if (surface === 'unknown') return nothing;
  const words = surfaceWords(speech.strings, session);
  return html`<span class="surface" role="img" data-surface=${surface} aria-label=${words} title=${words}
    >${icon(surfaceIcons[surface])}</span
  >`;
}

function renderWork({ title }: WorkItem, { speech }: Head): TemplateResult {
  const words = say(speech.strings, 'session.work', { title });
  return html`<p class="work" data-testid="work" role="note" aria-label=${words} title=${words}>
    ${icon('tag')}${title}
  </p>`;
}

function renderMore(session: Session, { speech, open, reachable }: Head): TemplateResult {
  const label = say(speech.strings, 'details.label', { project: projectName(session) });
  return html`<button
    class="more"
    type="button"
    data-toggle
    tabindex=${reachable ? 0 : -1}
    aria-expanded=${open}
    aria-label=${label}
    title=${label}
  >
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 6L8 10L12 6"></path></svg>
  </button>`;
}

function renderPhase(session: Session, { speech, lively, crowd, told }: Head): TemplateResult {
  const { strings } = speech;
  const { kind, text } = phaseWords(strings, session);
  const { tool, target } = causeWords(strings, session);
  const since = sinceWords(speech, session);
  const why = phaseSentence(speech, session);
  return html`<div class="phase" title=${why}>
    <phase-badge
      title=${why}
      data-testid="phase"
      data-phase=${session.phase ?? ''}
      .kind=${kind}
      .lively=${lively && !crowd}
      >${text}</phase-badge
    >
    ${
      tool === '' && target === ''
        ? nothing
        : html`<span class="cause ${told ? 'told' : ''}"
            >${tool}${target === '' ? nothing : html` <code>${target}</code>`}</span
          >`
    }
    ${since === '' ? nothing : html`<span class="since ${session.state}">${since}</span>`}
  </div>`;
}

function renderNotes(session: Session, { speech }: Head): TemplateResult | typeof nothing {
  const notes = [seenWords(speech.strings, session), backgroundWords(speech, session)].filter((note) => note !== '');
  return notes.length === 0
    ? nothing
    : html`<div class="notes">${notes.map((note) => html`<span class="note">${note}</span>`)}</div>`;
}

function renderProgress(session: Session, { speech, crowd }: Head): TemplateResult | typeof nothing {
  const tasks = taskProgress(speech, session.tasks);
  const context = contextUse(speech, session);
  if (crowd || (tasks === undefined && context === undefined && session.model === '')) return nothing;
  return html`${
    tasks === undefined
      ? nothing
      : html`<p class="tasks" title=${tasks.doing || nothing}>
          ${tasks.count}${tasks.doing === '' ? nothing : html` · <span>${tasks.doing}</span>`}
        </p>`
  }${
    context === undefined && session.model === ''
      ? nothing
      : html`<p class="facts">
          ${session.model === '' ? nothing : html`<span class="model" title=${session.model}>${session.model}</span>`}
          ${context === undefined ? nothing : html`${renderMeter(context)}<span title=${context.full}>${context.short}</span>`}
        </p>`
  }`;
}

/** How full the model's context is; nothing where its measure is not known. */
export function renderMeter({ share, full }: ContextUse): TemplateResult | typeof nothing {
  if (share === undefined) return nothing;
  const percent = Math.round(share * 100);
  return html`<svg
    class="meter ${share >= 0.8 ? 'high' : ''}"
    viewBox="0 0 100 8"
    preserveAspectRatio="none"
    role="meter"
    aria-valuenow=${percent}
    aria-valuemin="0"
    aria-valuemax="100"
    aria-label=${full}
  >
    <rect class="all" width="100" height="8"></rect>
    <rect class="used" width=${percent} height="8"></rect>
  </svg>`;
}
