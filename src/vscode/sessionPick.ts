import * as vscode from 'vscode';
import type { Clock, StateSource } from '../app/ports.ts';
import type { Collector } from '../app/windowPorts.ts';
import { byUrgency, isThere } from '../domain/selectors.ts';
import { lastWorkOf } from '../domain/work.ts';
import type { Session } from '../protocol/state.ts';
import { agentText, withoutIcons } from './agentText.ts';
import { idsIn } from './mascots/mascotPick.ts';
import { moments } from './moment.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';
import { byLastWork } from './sessions/sessionNodes.ts';
import { hasContent, icons, projectOf, stateParts, shownAs, worktreeText } from './sessionWords.ts';

interface SessionItem extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** Lets the person choose a session that is there, the most urgent first; `undefined` if none was chosen or there is none. */
export async function pickSession(
  source: StateSource,
  title: PhraseKey = 'explain.title',
): Promise<string | undefined> {
  return pickFrom(byUrgency(source.snapshot()).map(itemOf), title, 'wait.none');
}

export interface StoredSessionParts {
  readonly collector: Pick<Collector, 'sessions'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The session in a command's argument, else one that the person chooses among all that are stored, the newest first. */
export async function wantedSession(
  { collector, clock }: StoredSessionParts,
  title: PhraseKey,
  argument?: unknown,
): Promise<string | undefined> {
  const clicked = idsIn(argument)?.sessionId;
  if (clicked !== undefined) return clicked;
  const stored = await storedSessions(collector);
  const sessions = (stored ?? []).filter((session) => isThere(session) || hasContent(session));
  const moment = moments({ locale: vscode.env.language, now: clock.now() });
  const items = sessions.toSorted(byLastWork).map((session) => storedItemOf(session, moment));
  return pickFrom(items, title, stored === undefined ? 'search.silent' : 'pick.noStored');
}

/** A session by its id, from the state or else from the store; `undefined` if it is in neither or no collector responds. */
export async function sessionOf(
  { source, collector }: { readonly source: StateSource; readonly collector: Pick<Collector, 'session'> },
  sessionId: string,
): Promise<Session | undefined> {
  return source.snapshot().sessions.find(({ id }) => id === sessionId) ?? collector.session(sessionId);
}

/** Weeks of work. Older sessions can be found by search and in the sessions view. */
const SESSIONS_MAX = 500;
/** Each page may take a second. */
const PAGES_MAX = 10;

/**
 * The newest stored sessions; `undefined` if no collector responds. A short page is not the last one, because after an upgrade each
 * session has to be read again once.
 */
export async function storedSessions(collector: Pick<Collector, 'sessions'>): Promise<readonly Session[] | undefined> {
  const options = { location: vscode.ProgressLocation.Window, title: phraseFor('pick.reading') };
  return vscode.window.withProgress(options, async () => {
    let sessions: readonly Session[] | undefined;
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await collector.sessions({ limit: SESSIONS_MAX - (sessions?.length ?? 0), cursor });
      if (page === undefined) break;
      sessions = [...(sessions ?? []), ...page.items];
      if (page.next === null || sessions.length >= SESSIONS_MAX) break;
      cursor = page.next;
    }
    return sessions;
  });
}

async function pickFrom(items: readonly SessionItem[], title: PhraseKey, none: PhraseKey): Promise<string | undefined> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage(phraseFor(none));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: phraseFor(title),
    placeHolder: phraseFor('explain.which'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.sessionId;
}

function itemOf(session: Session): SessionItem {
  return {
    label: `${icons[shownAs(session)]} ${withoutIcons(projectOf(session))}`,
    description: withoutIcons(stateParts(session).join(' · ')),
    detail: withoutIcons(agentText(session.title || session.id)),
    sessionId: session.id,
  };
}

function storedItemOf(session: Session, moment: (ts: string) => string): SessionItem {
  const parts = [projectOf(session), worktreeText(session), moment(lastWorkOf(session))];
  return {
    label: `${icons[shownAs(session)]} ${withoutIcons(agentText(session.title || session.id))}`,
    // A title may be as wide as the list, so the rest stands below it.
    detail: withoutIcons(parts.filter(Boolean).join(' · ')),
    sessionId: session.id,
  };
}
