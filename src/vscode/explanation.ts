import * as vscode from 'vscode';
import type { Explainer } from '../app/ports.ts';
import { codeMarkdown, plainMarkdown } from '../domain/markdownText.ts';
import type { Explanation } from '../protocol/explanation.ts';
import type { Cause, Corrector, Phase, SessionLife } from '../protocol/state.ts';
import type { TrailStep } from '../protocol/stored.ts';
import { explanationScheme } from './ids.ts';
import { createMadeDocument, type MadeDocument } from './madeDocument.ts';
import { momentOf, type PersonsTime } from './moment.ts';
import { phraseFor } from './phrases.ts';
import { sourceText, stateText } from './sessionWords.ts';
import { saidBy, type Translator } from './stepWords.ts';

/** The document that says why a session is shown as it is. Its ids are those of sessions. */
export function createExplanationDocument(explainer: Explainer): MadeDocument {
  return createMadeDocument({
    scheme: explanationScheme,
    name: () => phraseFor('explain.title'),
    async text(sessionId) {
      const explanation = await explainer.explain(sessionId);
      return (
        explanation &&
        explanationText(explanation, {
          l10n: vscode.l10n,
          stateText,
          sourceText,
          locale: vscode.env.language,
          now: Date.now(),
        })
      );
    },
    unknown: () => phraseFor('explain.unknown'),
  });
}

/** The language, the time, and the panel's words for states and sources. */
export interface ExplanationFormat extends PersonsTime {
  readonly l10n: Translator;
  readonly stateText: (life: SessionLife, phase: Phase | null, by: Corrector | undefined) => string;
  readonly sourceText: (cause: Cause) => string;
}

/** Markdown. Every value that comes from an agent is escaped. */
export function explanationText(explanation: Explanation, format: ExplanationFormat): string {
  const { l10n } = format;
  const title = explanation.title || explanation.sessionId;
  const steps = explanation.steps.map((step) => stepLine(step, explanation, format));
  return [
    `# ${l10n.t('Why is it shown like this?')}`,
    `${codeMarkdown(title)}`,
    stateLines(explanation, format).join('\n'),
    `## ${l10n.t('What led to this, oldest first')}`,
    steps.length > 0 ? steps.join('\n') : l10n.t('Nothing has been told of this session yet.'),
    '',
  ].join('\n\n');
}

/** How the session is shown, since when, why, and who reported it. */
function stateLines({ state, phase, because, since }: Explanation, format: ExplanationFormat): readonly string[] {
  const { l10n } = format;
  const standing = plainMarkdown(format.stateText(state, phase, because?.by));
  const lines = [l10n.t('Shown as: {standing}', { standing: `**${standing}**` })];
  if (since !== null) lines.push(l10n.t('Since: {time}', { time: momentOf(since, format) }));
  const why = because === null ? '' : causeText(because);
  if (why !== '') lines.push(l10n.t('Because of: {cause}', { cause: why }));
  if (because !== null) lines.push(l10n.t('Known: {source}', { source: plainMarkdown(format.sourceText(because)) }));
  return lines.map((line) => `- ${line}`);
}

function causeText({ tool, target, detail, failure }: Cause): string {
  const about = failure ?? (tool === undefined ? detail : undefined);
  const parts = [plainMarkdown(tool ?? ''), codeMarkdown(target ?? ''), codeMarkdown(about ?? '')];
  return parts.filter((part) => part !== '').join(' ');
}

function stepLine(step: TrailStep, { agents, sessionId }: Explanation, format: ExplanationFormat): string {
  const { l10n } = format;
  const agent = step.agentId === `${sessionId}/main` ? '' : nameOf(step.agentId, agents);
  const changed = step.from.life !== step.to.life || step.from.phase !== step.to.phase;
  const to = changed ? ` → **${plainMarkdown(format.stateText(step.to.life, step.to.phase, step.by))}**` : '';
  const note = step.correction ? ` (${l10n.t('correction: no hook told it')})` : '';
  return `- ${momentOf(step.ts, format)} · ${saidBy(l10n, { step, agent })}${to}${note}`;
}

function nameOf(id: string, agents: Explanation['agents']): string {
  const { name = '', type = '' } = agents.find((agent) => agent.id === id) ?? {};
  if (name === '') return codeMarkdown(id);
  return type === '' || type === name ? plainMarkdown(name) : `${plainMarkdown(name)} \\(${plainMarkdown(type)}\\)`;
}
