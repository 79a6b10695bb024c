import { codeMarkdown, plainMarkdown } from '../domain/markdownText.ts';
import type { Explanation } from '../protocol/explanation.ts';
import type { Cause, Corrector, Phase, SessionLife } from '../protocol/state.ts';
import type { TrailStep } from '../protocol/stored.ts';
import { momentOf, type PersonsTime } from './moment.ts';
import { saidBy, type Translator } from './stepWords.ts';

export interface Telling extends PersonsTime {
  readonly l10n: Translator;
  /** A phase or a life in the words that the panel has for it. */
  readonly standing: (life: SessionLife, phase: Phase | null, by: Corrector | undefined) => string;
  readonly source: (cause: Cause) => string;
}

/** "Why is it shown so?", as Markdown. Every value of an agent's is escaped. */
export function explanationText(explanation: Explanation, telling: Telling): string {
  const { l10n } = telling;
  const title = explanation.title || explanation.sessionId;
  const steps = explanation.steps.map((step) => stepLine(step, explanation, telling));
  return [
    `# ${l10n.t('Why is it shown like this?')}`,
    `${codeMarkdown(title)}`,
    shownLines(explanation, telling).join('\n'),
    `## ${l10n.t('What led to this, oldest first')}`,
    steps.length > 0 ? steps.join('\n') : l10n.t('Nothing has been told of this session yet.'),
    '',
  ].join('\n\n');
}

function shownLines({ state, phase, because, since }: Explanation, telling: Telling): readonly string[] {
  const { l10n, standing, source } = telling;
  const lines = [
    l10n.t('Shown as: {standing}', { standing: `**${plainMarkdown(standing(state, phase, because?.by))}**` }),
  ];
  if (since !== null) lines.push(l10n.t('Since: {time}', { time: momentOf(since, telling) }));
  const why = because === null ? '' : causeText(because);
  if (why !== '') lines.push(l10n.t('Because of: {cause}', { cause: why }));
  if (because !== null) lines.push(l10n.t('Known: {source}', { source: plainMarkdown(source(because)) }));
  return lines.map((line) => `- ${line}`);
}

function causeText({ tool, target, detail, failure }: Cause): string {
  const about = failure ?? (tool === undefined ? detail : undefined);
  const parts = [plainMarkdown(tool ?? ''), codeMarkdown(target ?? ''), codeMarkdown(about ?? '')];
  return parts.filter((part) => part !== '').join(' ');
}

function stepLine(step: TrailStep, { agents, sessionId }: Explanation, telling: Telling): string {
  const { l10n, standing } = telling;
  const agent = step.agentId === `${sessionId}/main` ? '' : nameOf(step.agentId, agents);
  const changed = step.from.life !== step.to.life || step.from.phase !== step.to.phase;
  const to = changed ? ` → **${plainMarkdown(standing(step.to.life, step.to.phase, step.by))}**` : '';
  const note = step.correction ? ` (${l10n.t('correction: no hook told it')})` : '';
  return `- ${momentOf(step.ts, telling)} · ${saidBy(l10n, { step, agent })}${to}${note}`;
}

function nameOf(id: string, agents: Explanation['agents']): string {
  const known = agents.find((agent) => agent.id === id);
  const { name = '', type = '' } = known ?? {};
  if (name === '') return codeMarkdown(id);
  return type === '' || type === name ? plainMarkdown(name) : `${plainMarkdown(name)} \\(${plainMarkdown(type)}\\)`;
}
