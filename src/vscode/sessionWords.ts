import * as vscode from 'vscode';
import { lastPart } from '../domain/folders.ts';
import { type Urgency, urgencyOf } from '../domain/selectors.ts';
import type { Cause, Corrector, Phase, Session, SessionLife, Snapshot } from '../protocol/state.ts';
import { agentText } from './agentText.ts';
import { errorWords, panelWords } from './panelWords.ts';
import { phraseFor } from './phrases.ts';

/** What a session is shown as: what it needs of the person, or what became of it. */
type ShownAs = Urgency | 'failed' | 'interrupted' | 'asleep' | 'gone' | 'lost' | 'ended' | 'seen';

export const icons: Readonly<Record<ShownAs, string>> = {
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

export function shownAs(session: Session): ShownAs {
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

/** One line: the project, the state and its reason, what runs in the background, who reported it, and the title. */
export function sessionLine(session: Session): string {
  const parts = [projectOf(session), ...stateParts(session), agentText(session.title)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** The name of a session's main mascot; `undefined` if the session has none. */
export function mascotName({ id }: Session, { agents }: Pick<Snapshot, 'agents'>): string | undefined {
  const name = agents.find(({ sessionId, kind }) => sessionId === id && kind === 'main')?.name;
  return name === undefined ? undefined : agentText(name);
}

export function projectOf({ project, cwd, workspace }: Session): string {
  return agentText(lastPart(project || cwd) || workspace);
}

/** SES-6: the worktree in which a session works, in the panel's words; empty for none. */
export function worktreeText({ worktree }: Session): string {
  return worktree === undefined ? '' : phraseFor('session.worktree', { name: agentText(worktree) });
}

/** The state of a session in words: first the state itself, then its reason, what runs in the background, and who reported it. */
export function stateParts(session: Session): readonly string[] {
  const shown = shownAs(session);
  const background = session.background > 0 ? phraseFor('session.background', { n: session.background }) : '';
  const source = session.phaseBecause === null ? '' : sourceText(session.phaseBecause);
  return [phraseFor(`urgency.${shown}`), reasonText(session, shown), background, source].filter((part) => part !== '');
}

function reasonText(session: Session, shown: ShownAs): string {
  const { tool = '', target = '' } = session.phaseBecause ?? {};
  if (shown === 'permission') return tool && agentText(`${tool} ${target}`);
  const error = shown === 'failed' ? errorWords(session.phaseBecause?.failure ?? '') : undefined;
  return error === undefined ? '' : vscode.l10n.t(error);
}

/** The panel's words for who reported it. */
export function sourceText({ source, by }: Cause): string {
  if (by === 'status_file' || by === 'process') return vscode.l10n.t(panelWords[`source.${by}`]);
  return vscode.l10n.t(panelWords[`source.${by === 'silence' || source === 'synthetic' ? 'inferred' : source}`]);
}

/** The panel's words for a session's phase, or for its state while it has no phase. */
export function stateText(life: SessionLife, phase: Phase | null, by?: Corrector): string {
  if (life === 'stale' && by === 'process') return vscode.l10n.t(panelWords['phase.gone']);
  return vscode.l10n.t(phase === null ? panelWords[`life.${life}`] : panelWords[`phase.${phase}`]);
}

/** Whether anything was said or done in a session. Programs start many agents that nobody gives anything to do. */
export function hasContent({ counts }: Pick<Session, 'counts'>): boolean {
  return counts.prompts + counts.replies + counts.toolCalls > 0;
}
