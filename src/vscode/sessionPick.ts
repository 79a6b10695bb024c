import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';
import { byUrgency } from '../domain/selectors.ts';
import type { Session } from '../protocol/state.ts';
import { agentText, withoutIcons } from './agentText.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';
import { icons, projectOf, standingParts, toldOf } from './sessionWords.ts';

interface SessionItem extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** Lets the person choose a session, the most urgent first. Undefined: none was chosen, or there is none. */
export async function pickSession(
  source: StateSource,
  title: PhraseKey = 'explain.title',
): Promise<string | undefined> {
  const sessions = byUrgency(source.snapshot());
  if (sessions.length === 0) {
    void vscode.window.showInformationMessage(phraseFor('wait.none'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(sessions.map(itemOf), {
    title: phraseFor(title),
    placeHolder: phraseFor('explain.which'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.sessionId;
}

function itemOf(session: Session): SessionItem {
  return {
    label: `${icons[toldOf(session)]} ${withoutIcons(projectOf(session))}`,
    description: withoutIcons(standingParts(session).join(' · ')),
    detail: withoutIcons(agentText(session.title || session.id)),
    sessionId: session.id,
  };
}
