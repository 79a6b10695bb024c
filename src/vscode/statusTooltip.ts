import * as vscode from 'vscode';
import { agentToShow, summarise, thereByUrgency } from '../domain/selectors.ts';
import type { Session, Snapshot } from '../protocol/state.ts';
import { commandIds } from './ids.ts';
import { phraseFor } from './phrases.ts';
import { icons, mascotName, sessionLine, toldOf } from './sessionWords.ts';

const SESSIONS_MAX = 12;

/** The only ones that a click in it may run; what agents say in it is text. */
const linked = [commandIds.showInPanel, commandIds.focusTerminal] as const;

/** UI-4: a line per session, the most urgent first, then what else there is to say. */
export function sessionsTooltip(state: Snapshot, last: readonly (string | undefined)[]): vscode.MarkdownString {
  const sessions = thereByUrgency(summarise(state));
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: linked };
  text.appendText(phraseFor('status.name'));
  for (const session of sessions.slice(0, SESSIONS_MAX)) addSession(text, session, state);
  if (sessions.length === 0) text.appendMarkdown('\n\n').appendText(phraseFor('status.noSessions'));
  if (sessions.length > SESSIONS_MAX) {
    text.appendMarkdown('\n\n').appendText(phraseFor('status.more', { count: sessions.length - SESSIONS_MAX }));
  }
  for (const line of last) if (line !== undefined) text.appendMarkdown('\n\n').appendText(line);
  return text;
}

function addSession(text: vscode.MarkdownString, session: Session, state: Snapshot): void {
  const name = mascotName(session, state);
  const words = [name, sessionLine(session), sinceWhen(session)].filter((part) => part !== undefined && part !== '');
  text.appendMarkdown(`\n\n${icons[toldOf(session)]} `).appendText(words.join(' · '));
  const ids = [{ sessionId: session.id, agentId: agentToShow(state, session) }];
  text.appendMarkdown(` — ${link('notice.show', linked[0], ids)} · ${link('notice.focus', linked[1], ids)}`);
}

/** The moment and not how long ago: nothing draws it anew while nothing changes. */
function sinceWhen({ phaseSince }: Session): string {
  const at = new Date(phaseSince ?? NaN);
  if (Number.isNaN(at.getTime())) return '';
  const time = new Intl.DateTimeFormat(vscode.env.language, { hour: '2-digit', minute: '2-digit' }).format(at);
  return phraseFor('status.since', { time });
}

/** Agents name their sessions, and a bracket in a name would end the link. */
function link(words: 'notice.show' | 'notice.focus', command: string, ids: unknown): string {
  const query = encodeURIComponent(JSON.stringify(ids)).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `[${phraseFor(words)}](command:${command}?${query})`;
}
