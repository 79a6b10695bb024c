import * as vscode from 'vscode';
import type { Collector } from '../../app/windowPorts.ts';
import { isThere } from '../../domain/selectors.ts';
import { lastWorkOf } from '../../domain/work.ts';
import type { Session } from '../../protocol/state.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { moments } from '../moment.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { hasContent, icons, projectOf, toldOf } from '../sessionWords.ts';

/** Weeks of work; what is older is found by search and in the sessions view. */
const SESSIONS_MAX = 500;

interface SessionItem extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** Lets the person choose among all sessions that are stored, the newest first. */
export async function pickStoredSession(
  collector: Pick<Collector, 'sessions'>,
  title: PhraseKey,
): Promise<string | undefined> {
  const page = await collector.sessions({ limit: SESSIONS_MAX });
  const sessions = (page?.items ?? []).filter((session) => isThere(session) || hasContent(session));
  if (page === undefined || sessions.length === 0) {
    void vscode.window.showInformationMessage(phraseFor(page === undefined ? 'search.silent' : 'pick.noStored'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(itemsOf(sessions), {
    title: phraseFor(title),
    placeHolder: phraseFor('explain.which'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.sessionId;
}

function itemsOf(sessions: readonly Session[]): SessionItem[] {
  const moment = moments({ locale: vscode.env.language, now: Date.now() });
  return sessions.map((session) => ({
    label: `${icons[toldOf(session)]} ${withoutIcons(agentText(session.title || session.id))}`,
    description: withoutIcons([projectOf(session), moment(lastWorkOf(session))].join(' · ')),
    sessionId: session.id,
  }));
}
