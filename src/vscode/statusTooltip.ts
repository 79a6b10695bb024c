import * as vscode from 'vscode';
import type { Clock } from '../app/ports.ts';
import { plainMarkdown } from '../domain/markdownText.ts';
import { agentToShow, summarise, thereByUrgency } from '../domain/selectors.ts';
import type { Session, Snapshot } from '../protocol/state.ts';
import { commandIds } from './ids.ts';
import type { MascotIds } from './mascots/mascotPick.ts';
import { shortMoments } from './moment.ts';
import { phraseFor } from './phrases.ts';
import { icons, mascotName, sessionLine, shownAs } from './sessionWords.ts';
import { gapText } from './work/guardModes.ts';
import { isRunning, openItems } from './work/workNodes.ts';
import { workStateText, workTitle } from './work/workLines.ts';

const SESSIONS_MAX = 12;
const ITEMS_MAX = 5;

/** The only commands that a click in the tooltip may run: the rest of it holds words of agents. */
const linkedCommands = [commandIds.showInPanel, commandIds.focusTerminal] as const;

type InProject = { readonly project: string };

/** UI-4: a line for each session, the most urgent first, then the work items that run in this window's projects, then further lines. */
export class StatusTooltip {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #isHere: (one: InProject) => boolean;
  /** Kept, because making a format takes longer than making the tooltip. */
  readonly #times = new Intl.DateTimeFormat(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
  #moments: ReturnType<typeof shortMoments> | undefined;
  #made = '';

  constructor(clock: Pick<Clock, 'now'>, isHere: (one: InProject) => boolean) {
    this.#clock = clock;
    this.#isHere = isHere;
  }

  /** `undefined` if the tooltip says the same as the one that was made last. `last`: the further lines. */
  make(state: Snapshot, last: readonly (string | undefined)[]): vscode.MarkdownString | undefined {
    const sessions = thereByUrgency(summarise(state));
    const lines = sessions.slice(0, SESSIONS_MAX).map((session) => lineOf(session, state, this.#times));
    const work = workLines(state, this.#isHere, (ts) => this.#moment(ts));
    const words = JSON.stringify([lines, sessions.length, work, last]);
    if (words === this.#made) return undefined;
    this.#made = words;
    return tooltipOf(lines, sessions.length, work, last);
  }

  #moment(ts: string): string {
    this.#moments ??= shortMoments({ locale: vscode.env.language }, this.#times);
    return this.#moments(ts, this.#clock.now());
  }
}

interface Line {
  readonly icon: string;
  readonly words: string;
  readonly ids: readonly MascotIds[];
}

function tooltipOf(
  lines: readonly Line[],
  count: number,
  work: readonly string[],
  last: readonly (string | undefined)[],
): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: linkedCommands };
  text.appendText(phraseFor('status.name'));
  for (const { icon, words, ids } of lines) {
    text.appendMarkdown(`\n\n${icon} ${plainMarkdown(words)}`);
    text.appendMarkdown(
      ` — ${link('notice.show', linkedCommands[0], ids)} · ${link('notice.focus', linkedCommands[1], ids)}`,
    );
  }
  if (count === 0) text.appendMarkdown('\n\n').appendText(phraseFor('status.noSessions'));
  if (count > SESSIONS_MAX) {
    text.appendMarkdown('\n\n').appendText(phraseFor('status.more', { count: count - SESSIONS_MAX }));
  }
  for (const line of work) text.appendMarkdown(`\n\n${line}`);
  for (const line of last) if (line !== undefined) text.appendMarkdown('\n\n').appendText(line);
  return text;
}

/** GRD-1, GRD-3: the work items that run in this window's projects, and the edits for which the guard could not be asked. Markdown. */
function workLines(
  { workItems, guardGaps }: Snapshot,
  isHere: (one: InProject) => boolean,
  moment: (ts: string) => string,
): readonly string[] {
  const running = openItems(workItems.filter((item) => isRunning(item) && isHere(item)));
  const gap = gapText(guardGaps.filter(isHere), moment);
  const lines = running.slice(0, ITEMS_MAX).map((item) => {
    const words = [workTitle(item), workStateText(item, { items: workItems, moment })];
    return `$(play-circle) ${plainMarkdown(phraseFor('work.status', { title: words.join(' · ') }))}`;
  });
  const more = running.length > ITEMS_MAX ? [phraseFor('status.more', { count: running.length - ITEMS_MAX })] : [];
  return [...lines, ...more, ...(gap === undefined ? [] : [plainMarkdown(gap)])];
}

function lineOf(session: Session, state: Snapshot, times: Intl.DateTimeFormat): Line {
  const parts = [mascotName(session, state), sessionLine(session), sinceWhen(session, times)];
  const words = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  return {
    icon: icons[shownAs(session)],
    words,
    ids: [{ sessionId: session.id, agentId: agentToShow(state, session) }],
  };
}

/** The moment and not how long ago, because the tooltip is not made again while nothing changes. */
function sinceWhen({ phaseSince }: Session, times: Intl.DateTimeFormat): string {
  const at = new Date(phaseSince ?? NaN);
  return Number.isNaN(at.getTime()) ? '' : phraseFor('status.since', { time: times.format(at) });
}

/** The arguments hold ids that agents choose, so every character that could end the link is encoded. */
function link(words: 'notice.show' | 'notice.focus', command: string, ids: unknown): string {
  const query = encodeURIComponent(JSON.stringify(ids)).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `[${phraseFor(words)}](command:${command}?${query})`;
}
