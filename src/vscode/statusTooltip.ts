import * as vscode from 'vscode';
import { agentToShow, summarise, thereByUrgency } from '../domain/selectors.ts';
import type { Session, Snapshot } from '../protocol/state.ts';
import { commandIds } from './ids.ts';
import type { MascotIds } from './mascots/mascotPick.ts';
import { plainMarkdown } from './markdownText.ts';
import { phraseFor } from './phrases.ts';
import { icons, mascotName, sessionLine, toldOf } from './sessionWords.ts';

const SESSIONS_MAX = 12;

/** The only ones that a click in it may run; what agents say in it is text. */
const linked = [commandIds.showInPanel, commandIds.focusTerminal] as const;

export interface StatusTooltip {
  /** Undefined: as it was when it was last made. */
  make(state: Snapshot, last: readonly (string | undefined)[]): vscode.MarkdownString | undefined;
}

/** UI-4: a line per session, the most urgent first, then what else there is to say. */
export function createStatusTooltip(): StatusTooltip {
  // To make one takes longer than all the rest.
  const times = new Intl.DateTimeFormat(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
  let made = '';
  return {
    make(state, last) {
      const sessions = thereByUrgency(summarise(state));
      const lines = sessions.slice(0, SESSIONS_MAX).map((session) => lineOf(session, state, times));
      const words = JSON.stringify([lines, sessions.length, last]);
      if (words === made) return undefined;
      made = words;
      return tooltipOf(lines, sessions.length, last);
    },
  };
}

interface Line {
  readonly icon: string;
  readonly words: string;
  readonly ids: readonly MascotIds[];
}

function tooltipOf(
  lines: readonly Line[],
  count: number,
  last: readonly (string | undefined)[],
): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: linked };
  text.appendText(phraseFor('status.name'));
  for (const { icon, words, ids } of lines) {
    text.appendMarkdown(`\n\n${icon} ${plainMarkdown(words)}`);
    text.appendMarkdown(` — ${link('notice.show', linked[0], ids)} · ${link('notice.focus', linked[1], ids)}`);
  }
  if (count === 0) text.appendMarkdown('\n\n').appendText(phraseFor('status.noSessions'));
  if (count > SESSIONS_MAX) {
    text.appendMarkdown('\n\n').appendText(phraseFor('status.more', { count: count - SESSIONS_MAX }));
  }
  for (const line of last) if (line !== undefined) text.appendMarkdown('\n\n').appendText(line);
  return text;
}

function lineOf(session: Session, state: Snapshot, times: Intl.DateTimeFormat): Line {
  const parts = [mascotName(session, state), sessionLine(session), sinceWhen(session, times)];
  const words = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  return {
    icon: icons[toldOf(session)],
    words,
    ids: [{ sessionId: session.id, agentId: agentToShow(state, session) }],
  };
}

/** The moment and not how long ago: nothing draws it anew while nothing changes. */
function sinceWhen({ phaseSince }: Session, times: Intl.DateTimeFormat): string {
  const at = new Date(phaseSince ?? NaN);
  return Number.isNaN(at.getTime()) ? '' : phraseFor('status.since', { time: times.format(at) });
}

/** Agents name their sessions, and a bracket in a name would end the link. */
function link(words: 'notice.show' | 'notice.focus', command: string, ids: unknown): string {
  const query = encodeURIComponent(JSON.stringify(ids)).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `[${phraseFor(words)}](command:${command}?${query})`;
}
