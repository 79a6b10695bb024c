import * as vscode from 'vscode';
import type { Disposable, StateSource } from '../app/ports.ts';
import { type Summary, summarise, type Urgency, urgencyOf } from '../domain/selectors.ts';
import type { Session } from '../protocol/state.ts';
import { commandIds, statusBarId } from './ids.ts';
import { errorWords } from './panelWords.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';

/** What a line of the tooltip says: what the session asks for, or that its turn failed. */
type Told = Urgency | 'failed';

const icons: Readonly<Record<Told, string>> = {
  permission: '$(bell-dot)',
  question: '$(question)',
  busy: '$(sync)',
  yourMove: '$(check)',
  failed: '$(error)',
  none: '$(smiley)',
};

/** Left of the language and encoding items, right of the source control ones. */
const PRIORITY = 50;
const TOOLTIP_SESSIONS = 12;

/** UI-4: one item that says what needs the person now. */
export function createStatusBar(source: StateSource): Disposable {
  const item = vscode.window.createStatusBarItem(statusBarId, vscode.StatusBarAlignment.Left, PRIORITY);
  item.name = phraseFor('status.name');
  item.command = commandIds.goToLongestWait;

  function show(): void {
    const summary = summarise(source.snapshot());
    const text = source.status() === 'live' ? countsText(summary) : phraseFor(`status.${source.status()}` as PhraseKey);
    item.text = `${source.status() === 'live' ? icons[summary.mostUrgent] : '$(debug-disconnect)'} ${text}`;
    item.tooltip = tooltip(summary);
    item.accessibilityInformation = { label: phraseFor('status.label', { text }), role: 'button' };
    // Colour is for the one case where somebody must act.
    item.backgroundColor = summary.waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  }

  const changes = source.onChange(show);
  show();
  return vscode.Disposable.from(item, changes);
}

function countsText({ by, waiting }: Summary): string {
  const parts: string[] = [];
  if (waiting > 0) parts.push(phraseFor('status.waiting', { count: waiting }));
  if (by.busy.length > 0) parts.push(phraseFor('status.busy', { count: by.busy.length }));
  if (parts.length === 0 && by.yourMove.length > 0)
    parts.push(phraseFor('status.yourMove', { count: by.yourMove.length }));
  return parts.length > 0 ? parts.join(' · ') : phraseFor('status.quiet');
}

function tooltip({ by }: Summary): vscode.MarkdownString {
  const sessions = [...by.permission, ...by.question, ...by.busy, ...by.yourMove];
  const text = new vscode.MarkdownString(undefined, true);
  text.appendText(phraseFor('status.name'));
  for (const session of sessions.slice(0, TOOLTIP_SESSIONS)) {
    text.appendMarkdown(`\n\n${icons[toldOf(session)]} `).appendText(sessionLine(session));
  }
  if (sessions.length === 0) text.appendMarkdown('\n\n').appendText(phraseFor('status.noSessions'));
  if (sessions.length > TOOLTIP_SESSIONS) {
    text.appendMarkdown('\n\n').appendText(phraseFor('status.more', { count: sessions.length - TOOLTIP_SESSIONS }));
  }
  return text;
}

function sessionLine(session: Session): string {
  const project = session.project.split(/[\\/]/).filter(Boolean).at(-1) ?? session.workspace;
  const told = toldOf(session);
  return [project, phraseFor(`urgency.${told}`), reason(session, told), session.title].filter(Boolean).join(' · ');
}

function toldOf(session: Session): Told {
  const urgency = urgencyOf(session);
  return urgency === 'yourMove' && failureOf(session) !== undefined ? 'failed' : urgency;
}

function failureOf({ phaseBecause }: Session): string | undefined {
  return phaseBecause?.failure;
}

function reason(session: Session, told: Told): string {
  const { tool = '', target = '' } = session.phaseBecause ?? {};
  if (told === 'permission') return tool && `${tool} ${target}`.trim();
  const error = told === 'failed' ? errorWords(failureOf(session) ?? '') : undefined;
  return error === undefined ? '' : vscode.l10n.t(error);
}
