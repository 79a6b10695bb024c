import * as vscode from 'vscode';
import { lastPart } from '../../domain/folders.ts';
import { waitsForPerson } from '../../domain/selectors.ts';
import type { Agent, Mood, Session } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { panelWords } from '../panelWords.ts';
import { icons, projectOf, stateParts, shownAs, worktreeText } from '../sessionWords.ts';

/** A line has no room for more; what a command is about stands at its beginning. */
const TARGET_MAX = 60;

/** The panel's words for what an agent does. */
export function doingText({ wait, activity, mood }: Agent): string {
  if (wait !== null || activity === null) return vscode.l10n.t(panelWords[`mood.${mood}`]);
  const { tool, target = '' } = activity;
  const key = `activity.${activity.mood}`;
  if (target === '' || !isActivity(key))
    return vscode.l10n.t(panelWords['activity.tool'], { tool: agentText(tool, TARGET_MAX) });
  return vscode.l10n.t(panelWords[key], { target: shortTarget(target, activity.mood) });
}

function isActivity(key: string): key is Extract<keyof typeof panelWords, `activity.${string}`> {
  return key.startsWith('activity.') && Object.hasOwn(panelWords, key);
}

function shortTarget(target: string, mood: Mood): string {
  const isFile = mood === 'reading' || mood === 'writing';
  return agentText(isFile ? lastPart(target) : target, TARGET_MAX);
}

const moodIcons: Partial<Readonly<Record<Mood, string>>> = {
  thinking: 'lightbulb',
  reading: 'book',
  writing: 'edit',
  running: 'terminal',
  searching: 'search',
  browsing: 'globe',
  delegating: 'type-hierarchy-sub',
  waiting: 'bell-dot',
  asking: 'question',
  celebrating: 'check',
  resting: 'check',
  hurt: 'error',
  sleeping: 'circle-slash',
};

/** Colour is for the one case where somebody must act. */
export function agentIcon(agent: Agent, session: Session): vscode.ThemeIcon {
  return iconOf(moodIcons[agent.mood] ?? 'smiley', agent.wait !== null && waitsForPerson(session));
}

export function sessionIcon(session: Session): vscode.ThemeIcon {
  return iconOf(icons[shownAs(session)].slice('$('.length, -1), waitsForPerson(session));
}

function iconOf(id: string, waits: boolean): vscode.ThemeIcon {
  return waits ? new vscode.ThemeIcon(id, new vscode.ThemeColor('list.warningForeground')) : new vscode.ThemeIcon(id);
}

/** Beside a session's name: where, and how it stands. */
export function sessionDescription(session: Session): string {
  return [projectOf(session), worktreeText(session), ...stateParts(session)].filter(Boolean).join(' · ');
}
