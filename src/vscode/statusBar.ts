import * as vscode from 'vscode';
import type { Clock, Disposable, StateSource } from '../app/ports.ts';
import { type Summary, summarise } from '../domain/selectors.ts';
import type { Snapshot } from '../protocol/state.ts';
import { commandIds, statusBarId } from './ids.ts';
import type { Elsewhere } from './thisWindow.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';
import type { NotStoring } from './troubles.ts';
import type { TeamStanding } from './postgres/teamStanding.ts';
import type { EditorSettings } from './settings.ts';
import { icons } from './sessionWords.ts';
import { StatusTooltip } from './statusTooltip.ts';

/** Left of the language and encoding items, right of the source control ones. */
const PRIORITY = 50;
/** The shortest time between two tooltips: many patches come within the time in which nobody could read one. */
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
export class StatusBar implements Disposable {
  readonly #parts: StatusBarParts;
  readonly #item = vscode.window.createStatusBarItem(statusBarId, vscode.StatusBarAlignment.Left, PRIORITY);
  readonly #tooltip: StatusTooltip;
  readonly #disposables: Disposable;
  /** What the item shows: the editor draws it again for each value that it is given. */
  #shown = '';
  #calmUntil = 0;
  #calm: Disposable | undefined;

  constructor(parts: StatusBarParts) {
    const { clock, elsewhere } = parts;
    this.#parts = parts;
    this.#item.name = phraseFor('status.name');
    this.#item.command = commandIds.goToLongestWait;
    this.#tooltip = new StatusTooltip(clock, ({ project }) => elsewhere.isHere({ project, cwd: project }));
    const follow = () => this.#follow();
    follow();
    this.#disposables = vscode.Disposable.from(
      this.#item,
      parts.source.onChange(follow),
      parts.notStoring.onChange(follow),
      parts.settings.onChange(follow),
      elsewhere.onChange(follow),
      ...(parts.team ? [parts.team.onChange(follow)] : []),
    );
  }

  dispose(): void {
    this.#calm?.dispose();
    this.#disposables.dispose();
  }

  #follow(): void {
    this.#show();
    const { clock } = this.#parts;
    // A clock that was set back must not make the pause longer.
    const left = Math.min(CALM_MS, this.#calmUntil - clock.now());
    if (left <= 0) this.#showTooltip();
    else this.#calm ??= clock.after(left, () => this.#showTooltip());
  }

  #show(): void {
    const { source, notStoring } = this.#parts;
    const summary = summarise(source.snapshot());
    const live = source.status() === 'live';
    const counts = live ? countsText(summary) : phraseFor(`status.${source.status()}` as PhraseKey);
    const trouble = notStoring.text();
    const quiet = this.#quietText();
    const icon = live ? icons[summary.mostUrgent] : '$(debug-disconnect)';
    const text = [`${icon} ${counts}`, quiet && '$(bell-slash)', trouble && '$(warning)'].filter(isText).join(' ');
    const label = [counts, quiet, trouble].filter(isText).join('. ');
    const now = [text, label, summary.waiting > 0].join('\n');
    if (now === this.#shown) return;
    this.#shown = now;
    this.#item.text = text;
    this.#item.accessibilityInformation = { label: phraseFor('status.label', { text: label }), role: 'button' };
    // Colour is only for when the person must act.
    this.#item.backgroundColor =
      summary.waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.show();
  }

  #showTooltip(): void {
    const { source, clock, notStoring, team, owns } = this.#parts;
    this.#calm = undefined;
    this.#calmUntil = clock.now() + CALM_MS;
    const state = source.snapshot();
    const collector = source.status() === 'live' ? collectorText(state, owns()) : undefined;
    const last = [notStoring.text(), team?.trouble(), this.#quietText(), collector];
    const tooltip = this.#tooltip.make(state, last);
    if (tooltip !== undefined) this.#item.tooltip = tooltip;
  }

  #quietText(): string | undefined {
    return this.#parts.settings.current().doNotDisturb ? phraseFor('status.doNotDisturb') : undefined;
  }
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

/** MWN-1: which window runs the collector. All windows show the same state. */
function collectorText({ owner }: Pick<Snapshot, 'owner'>, here: boolean): string | undefined {
  if (here) return phraseFor('status.collectsHere');
  return owner ? phraseFor('status.collectsThere', { app: owner.app, version: owner.version }) : undefined;
}
