import * as vscode from 'vscode';
import type { Disposable, StateSource } from '../app/ports.ts';
import { type Summary, summarise } from '../domain/selectors.ts';
import type { Snapshot } from '../protocol/state.ts';
import { commandIds, statusBarId } from './ids.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';
import type { NotStoring } from './troubles.ts';
import { icons, sessionLine, toldOf } from './sessionWords.ts';

/** Left of the language and encoding items, right of the source control ones. */
const PRIORITY = 50;
const TOOLTIP_SESSIONS = 12;

/** UI-4: one item that says what needs the person now. */
export function createStatusBar(source: StateSource, owns: () => boolean, notStoring: NotStoring): Disposable {
  const item = vscode.window.createStatusBarItem(statusBarId, vscode.StatusBarAlignment.Left, PRIORITY);
  item.name = phraseFor('status.name');
  item.command = commandIds.goToLongestWait;

  function show(): void {
    const state = source.snapshot();
    const summary = summarise(state);
    const text = source.status() === 'live' ? countsText(summary) : phraseFor(`status.${source.status()}` as PhraseKey);
    const trouble = notStoring.text();
    const icon = source.status() === 'live' ? icons[summary.mostUrgent] : '$(debug-disconnect)';
    item.text = `${icon} ${text}${trouble === undefined ? '' : ' $(warning)'}`;
    item.tooltip = tooltip(summary, [trouble, source.status() === 'live' ? collector(state, owns()) : undefined]);
    const label = trouble === undefined ? text : `${text}. ${trouble}`;
    item.accessibilityInformation = { label: phraseFor('status.label', { text: label }), role: 'button' };
    // Colour is for the one case where somebody must act.
    item.backgroundColor = summary.waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  }

  const changes = source.onChange(show);
  const troubles = notStoring.onChange(show);
  show();
  return vscode.Disposable.from(item, changes, troubles);
}

function countsText({ by, waiting, quiet, background }: Summary): string {
  const parts: string[] = [];
  if (waiting > 0) parts.push(phraseFor('status.waiting', { count: waiting }));
  if (by.busy.length > 0) parts.push(phraseFor('status.busy', { count: by.busy.length }));
  if (parts.length === 0 && by.yourMove.length > 0)
    parts.push(phraseFor('status.yourMove', { count: by.yourMove.length }));
  if (background > 0) parts.push(phraseFor('session.background', { n: background }));
  if (parts.length === 0 && quiet.length > 0) parts.push(phraseFor('status.resting', { count: quiet.length }));
  return parts.length > 0 ? parts.join(' · ') : phraseFor('status.quiet');
}

/** MWN-1: all windows show the same, one of them does the work. */
function collector({ owner }: Pick<Snapshot, 'owner'>, here: boolean): string | undefined {
  if (here) return phraseFor('status.collectsHere');
  return owner ? phraseFor('status.collectsThere', { app: owner.app, version: owner.version }) : undefined;
}

function tooltip({ by, quiet }: Summary, last: readonly (string | undefined)[]): vscode.MarkdownString {
  const sessions = [...by.permission, ...by.question, ...by.busy, ...by.yourMove, ...quiet];
  const text = new vscode.MarkdownString(undefined, true);
  text.appendText(phraseFor('status.name'));
  for (const session of sessions.slice(0, TOOLTIP_SESSIONS)) {
    text.appendMarkdown(`\n\n${icons[toldOf(session)]} `).appendText(sessionLine(session));
  }
  if (sessions.length === 0) text.appendMarkdown('\n\n').appendText(phraseFor('status.noSessions'));
  if (sessions.length > TOOLTIP_SESSIONS) {
    text.appendMarkdown('\n\n').appendText(phraseFor('status.more', { count: sessions.length - TOOLTIP_SESSIONS }));
  }
  for (const line of last) if (line !== undefined) text.appendMarkdown('\n\n').appendText(line);
  return text;
}
