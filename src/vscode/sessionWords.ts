import * as vscode from 'vscode';
import { lastPart } from '../domain/folders.ts';
import { type Urgency, urgencyOf } from '../domain/selectors.ts';
import type { Cause, Corrector, Phase, Session, SessionLife, Snapshot } from '../protocol/state.ts';
import { agentText } from './agentText.ts';
import { errorWords, panelWords } from './panelWords.ts';
import { phraseFor } from './phrases.ts';

/** What is said of a session: what it asks for, or what became of it. */
type Told = Urgency | 'failed' | 'interrupted' | 'asleep' | 'gone' | 'lost' | 'ended' | 'seen';

export const icons: Readonly<Record<Told, string>> = {
  permission: '$(bell-dot)',
  question: '$(question)',
  busy: '$(sync)',
  yourMove: '$(check)',
  failed: '$(error)',
  interrupted: '$(debug-pause)',
  asleep: '$(circle-slash)',
  gone: '$(debug-disconnect)',
  lost: '$(question)',
  ended: '$(circle-outline)',
  seen: '$(eye)',
  none: '$(smiley)',
};

export function toldOf(session: Session): Told {
  const urgency = urgencyOf(session);
  const { phaseBecause: because, state } = session;
  if (urgency === 'yourMove') {
    if (because?.failure !== undefined) return 'failed';
    return because?.detail === 'interrupted' ? 'interrupted' : urgency;
  }
  if (urgency !== 'none') return urgency;
  if (state === 'idle') return 'asleep';
  if (state === 'stale') return session.endReason === 'process_gone' ? 'gone' : 'lost';
  if (state === 'completed') return 'ended';
  return session.seenIn === 'transcript' && session.phase === null ? 'seen' : 'none';
}

/** One line: whose, what, why, in the background, who says so, what about. */
export function sessionLine(session: Session): string {
  const parts = [projectOf(session), ...standingParts(session), agentText(session.title)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Of a session's main mascot: what a sub-agent waits for, the session waits for. Undefined: it has none. */
export function mascotName({ id }: Session, { agents }: Pick<Snapshot, 'agents'>): string | undefined {
  const name = agents.find(({ sessionId, kind }) => sessionId === id && kind === 'main')?.name;
  return name === undefined ? undefined : agentText(name);
}

export function projectOf({ project, cwd, workspace }: Session): string {
  return agentText(lastPart(project || cwd) || workspace);
}

/** SES-6: in which worktree of its project, as the panel says it; empty for none. */
export function worktreeText({ worktree }: Session): string {
  return worktree === undefined ? '' : phraseFor('session.worktree', { name: agentText(worktree) });
}

export function standingParts(session: Session): readonly string[] {
  const told = toldOf(session);
  const background = session.background > 0 ? phraseFor('session.background', { n: session.background }) : '';
  const source = session.phaseBecause === null ? '' : sourceText(session.phaseBecause);
  return [phraseFor(`urgency.${told}`), reason(session, told), background, source].filter((part) => part !== '');
}

function reason(session: Session, told: Told): string {
  const { tool = '', target = '' } = session.phaseBecause ?? {};
  if (told === 'permission') return tool && agentText(`${tool} ${target}`);
  const error = told === 'failed' ? errorWords(session.phaseBecause?.failure ?? '') : undefined;
  return error === undefined ? '' : vscode.l10n.t(error);
}

/** The panel's words for who told it. */
export function sourceText({ source, by }: Cause): string {
  if (by === 'status_file' || by === 'process') return vscode.l10n.t(panelWords[`source.${by}`]);
  return vscode.l10n.t(panelWords[`source.${by === 'silence' || source === 'synthetic' ? 'inferred' : source}`]);
}

/** The panel's words for a state. */
export function standingText(life: SessionLife, phase: Phase | null, by?: Corrector): string {
  if (life === 'stale' && by === 'process') return vscode.l10n.t(panelWords['phase.gone']);
  return vscode.l10n.t(phase === null ? panelWords[`life.${life}`] : panelWords[`phase.${phase}`]);
}

/** Programs start agents by the dozen that nobody says a word to: there is nothing to read of such a session. */
export function hasContent({ counts }: Pick<Session, 'counts'>): boolean {
  return counts.prompts + counts.replies + counts.toolCalls > 0;
}
