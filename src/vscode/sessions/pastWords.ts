import * as vscode from 'vscode';
import { nameOfProvider } from '../../protocol/providers.ts';
import { lastWorkOf } from '../../domain/work.ts';
import type { Session } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { commandIds } from '../ids.ts';
import { clockTime, durationText, momentOf, type PersonsTime } from '../moment.ts';
import { panelWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { icons, projectOf, stateParts, shownAs, worktreeText } from '../sessionWords.ts';
import { dayName } from './pastDays.ts';
import type { DayNode, HintNode, PastNode, ProjectNode } from './sessionNodes.ts';
import { linesTooltip } from './tooltip.ts';

/** Of the sessions that are over: by project, by day, and each. */
export function pastItem(node: ProjectNode | DayNode | PastNode | HintNode, when: PersonsTime): vscode.TreeItem {
  switch (node.kind) {
    case 'project':
      return projectItem(node);
    case 'day':
      return dayItem(node, when);
    case 'past':
      return sessionItem(node, when);
    case 'more':
    case 'silent':
    case 'nothing':
      return hintItem(node);
  }
}

function projectItem({ project, sessions, open }: ProjectNode): vscode.TreeItem {
  const [newest] = sessions;
  const item = new vscode.TreeItem(newest === undefined ? agentText(project) : projectOf(newest));
  item.id = `project:${project}`;
  item.description = countText(sessions.length, open);
  item.iconPath = new vscode.ThemeIcon('folder');
  item.tooltip = linesTooltip(project);
  return folded(item, 'project', false);
}

function dayItem({ project, day, sessions, open, first }: DayNode, when: PersonsTime): vscode.TreeItem {
  const name = dayName(day, when);
  const item = new vscode.TreeItem(typeof name === 'string' ? phraseFor(`day.${name}`) : name.date);
  item.id = `day:${day}:${project ?? ''}`;
  item.description = countText(sessions.length, open);
  item.iconPath = new vscode.ThemeIcon('calendar');
  return folded(item, 'day', first);
}

function folded(item: vscode.TreeItem, contextValue: string, open: boolean): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  item.collapsibleState = open ? Expanded : Collapsed;
  item.contextValue = contextValue;
  item.accessibilityInformation = { label: `${String(item.label)}: ${String(item.description)}` };
  return item;
}

/** As far as they have been read. */
function countText(count: number, open: boolean): string {
  return open ? `${count}+` : String(count);
}

/** How it ended is said in words too, where it did not just end. */
function sessionItem({ session, project }: PastNode, when: PersonsTime): vscode.TreeItem {
  const { counts } = session;
  const ended = endText(session);
  const item = new vscode.TreeItem(titleOf(session));
  item.id = `past:${session.id}`;
  item.description = [
    clockTime(lastWorkOf(session), when),
    project === undefined ? projectOf(session) : '',
    worktreeText(session),
    shownAs(session) === 'ended' ? '' : ended,
    phraseFor('past.counts', { prompts: counts.prompts, tools: counts.toolCalls }),
  ]
    .filter(Boolean)
    .join(' · ');
  item.iconPath = new vscode.ThemeIcon(icons[shownAs(session)].slice('$('.length, -1));
  item.tooltip = linesTooltip(...pastLines(session, when));
  item.collapsibleState = vscode.TreeItemCollapsibleState.None;
  item.contextValue = session.transcriptPath === undefined ? 'past' : 'past transcript';
  item.accessibilityInformation = { label: `${String(item.label)}: ${item.description}` };
  item.command = {
    command: commandIds.openConversation,
    title: phraseFor('pick.conversation'),
    arguments: [{ sessionId: session.id }],
  };
  return item;
}

export function titleOf(session: Session): string {
  return agentText(session.title) || phraseFor('past.untitled');
}

function endText(session: Session): string {
  return stateParts(session)[0] ?? '';
}

export function pastLines(session: Session, when: PersonsTime): readonly string[] {
  const { counts, startedAt, project, cwd } = session;
  const length = Date.parse(lastWorkOf(session)) - Date.parse(startedAt);
  const words = (key: 'counts.prompts' | 'counts.toolCalls' | 'counts.failures', n: number) =>
    vscode.l10n.t(panelWords[key], { n });
  return [
    titleOf(session),
    project || cwd,
    [providerText(session.provider), endText(session)].join(' · '),
    [momentOf(startedAt, when), durationText(length, { l10n: vscode.l10n, number: Math.round })].join(' · '),
    [
      words('counts.prompts', counts.prompts),
      words('counts.toolCalls', counts.toolCalls),
      words('counts.failures', counts.failures),
    ].join(' · '),
  ];
}

export function providerText(provider: string): string {
  return nameOfProvider(provider) ?? agentText(provider);
}

const hintIcons = { more: 'ellipsis', silent: 'warning', nothing: 'filter' } as const;

function hintItem({ kind }: HintNode): vscode.TreeItem {
  const item = new vscode.TreeItem(phraseFor(`history.${kind}`));
  const what = phraseFor(kind === 'nothing' ? 'filter.by.clear' : 'history.tryAgain');
  item.id = kind;
  item.iconPath = new vscode.ThemeIcon(hintIcons[kind]);
  item.description = kind === 'more' ? '' : what;
  item.contextValue = kind;
  item.collapsibleState = vscode.TreeItemCollapsibleState.None;
  item.command = {
    command: kind === 'nothing' ? commandIds.clearSessionFilter : commandIds.moreSessions,
    title: what,
  };
  return item;
}
