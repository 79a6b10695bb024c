import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../app/ports.ts';
import { type Summary, summarise } from '../domain/selectors.ts';
import type { Snapshot } from '../protocol/state.ts';
import { commandIds, statusBarId } from './ids.ts';
import type { Elsewhere } from './panel/elsewhere.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';
import type { NotStoring } from './troubles.ts';
import type { TeamStanding } from './postgres/teamStanding.ts';
import type { EditorSettings } from './settings.ts';
import { icons } from './sessionWords.ts';
import { createStatusTooltip } from './statusTooltip.ts';

/** Left of the language and encoding items, right of the source control ones. */
const PRIORITY = 50;
/** Many patches come within the time in which nobody could read a tooltip. */
const CALM_MS = 100;

export interface StatusBarParts {
  readonly source: StateSource;
  readonly clock: Clock;
  /** Whether the collector runs in this window. */
  readonly owns: () => boolean;
  readonly notStoring: NotStoring;
  readonly settings: Pick<EditorSettings, 'current' | 'onChange'>;
  readonly elsewhere: Pick<Elsewhere, 'isHere' | 'onChange'>;
  readonly team?: Pick<TeamStanding, 'trouble' | 'onChange'>;
}

/** UI-4: one item that says what needs the person now. */
export function createStatusBar(parts: StatusBarParts): Disposable {
  const { source, clock, owns, notStoring, settings, elsewhere } = parts;
  const item = vscode.window.createStatusBarItem(statusBarId, vscode.StatusBarAlignment.Left, PRIORITY);
  item.name = phraseFor('status.name');
  item.command = commandIds.goToLongestWait;
  /** The editor draws the item anew for each value that it is given. */
  let drawn = '';
  const tooltip = createStatusTooltip(clock, ({ project }) => elsewhere.isHere({ project, cwd: project }));
  let calmUntil = 0;
  let calm: Disposable | undefined;

  function show(): void {
    const state = source.snapshot();
    const summary = summarise(state);
    const live = source.status() === 'live';
    const counts = live ? countsText(summary) : phraseFor(`status.${source.status()}` as PhraseKey);
    const trouble = notStoring.text();
    const quiet = settings.current().doNotDisturb ? phraseFor('status.doNotDisturb') : undefined;
    const icon = live ? icons[summary.mostUrgent] : '$(debug-disconnect)';
    const text = [`${icon} ${counts}`, quiet && '$(bell-slash)', trouble && '$(warning)'].filter(isText).join(' ');
    const label = [counts, quiet, trouble].filter(isText).join('. ');
    const now = [text, label, summary.waiting > 0].join('\n');
    if (now === drawn) return;
    drawn = now;
    item.text = text;
    item.accessibilityInformation = { label: phraseFor('status.label', { text: label }), role: 'button' };
    // Colour is for the one case where somebody must act.
    item.backgroundColor = summary.waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  }

  function showTooltip(): void {
    calm = undefined;
    calmUntil = clock.now() + CALM_MS;
    const state = source.snapshot();
    const quiet = settings.current().doNotDisturb ? phraseFor('status.doNotDisturb') : undefined;
    const collects = source.status() === 'live' ? collector(state, owns()) : undefined;
    const made = tooltip.make(state, [notStoring.text(), parts.team?.trouble(), quiet, collects]);
    if (made !== undefined) item.tooltip = made;
  }

  function follow(): void {
    show();
    // A clock that was set back must not make it longer.
    const left = Math.min(CALM_MS, calmUntil - clock.now());
    if (left <= 0) showTooltip();
    else calm ??= clock.after(left, showTooltip);
  }

  follow();
  const changes = [
    source.onChange(follow),
    notStoring.onChange(follow),
    settings.onChange(follow),
    elsewhere.onChange(follow),
    ...(parts.team ? [parts.team.onChange(follow)] : []),
  ];
  return vscode.Disposable.from(item, ...changes, { dispose: () => calm?.dispose() });
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== '';
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
