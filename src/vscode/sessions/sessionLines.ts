import * as vscode from 'vscode';
import { lastPart } from '../../domain/folders.ts';
import { waitsForPerson } from '../../domain/selectors.ts';
import { lastWorkOf } from '../../domain/work.ts';
import { nameOfProvider } from '../../protocol/providers.ts';
import type { Agent, Mood, Session } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { commandIds } from '../ids.ts';
import { clockTime, durationText, momentOf, type PersonsTime } from '../moment.ts';
import { panelWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { icons, projectOf, shownAs, stateParts, worktreeText } from '../sessionWords.ts';
import {
  dayName,
  type DayNode,
  type HintNode,
  type LiveNode,
  type PastNode,
  type ProjectNode,
  type State,
} from './sessionNodes.ts';

/** The line of a session that is there, or of one of its agents. */
export function liveItem(node: LiveNode, state: State): vscode.TreeItem {
  const { session, agent } = nodeIn(node, state);
  // The editor may ask once more for a line that has gone.
  if (session === undefined) return new vscode.TreeItem('');
  const item = node.kind === 'session' ? liveSessionItem(session, agent) : agentItem(agent, session);
  item.contextValue = [node.kind, agent?.employmentType === 'employee' ? 'pinned' : '', agent?.hidden ? 'hidden' : '']
    .filter(Boolean)
    .join(' ');
  item.accessibilityInformation = { label: `${String(item.label)}: ${String(item.description)}` };
  item.command = {
    command: commandIds.showInPanel,
    title: phraseFor('pick.show'),
    arguments: [{ sessionId: node.sessionId, agentId: node.agentId }],
  };
  return item;
}

function liveSessionItem(session: Session, agent: Agent | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(agent === undefined ? projectOf(session) : agentText(agent.name));
  item.description = sessionDescription(session);
  item.iconPath = sessionIcon(session);
  item.tooltip = linesTooltip(...tooltipLines(session, agent));
  return item;
}

/** The lines of a live session's tooltip. */
export function liveLines(node: LiveNode, state: State): readonly string[] {
  const { session, agent } = nodeIn(node, state);
  return session === undefined ? [] : tooltipLines(session, agent);
}

function tooltipLines(session: Session, agent: Agent | undefined): readonly string[] {
  return [session.title, agent === undefined ? '' : doingText(agent), session.project || session.cwd];
}

function agentItem(agent: Agent | undefined, session: Session): vscode.TreeItem {
  if (agent === undefined) return new vscode.TreeItem('');
  const item = new vscode.TreeItem(agentText(agent.name));
  item.description = [agentText(agent.type), doingText(agent)].filter(Boolean).join(' · ');
  item.iconPath = agentIcon(agent, session);
  item.tooltip = linesTooltip(agent.task ?? '', agent.says ?? '');
  return item;
}

function nodeIn(node: LiveNode, state: State) {
  const session = state.sessions.find(({ id }) => id === node.sessionId);
  const agent = state.agents.find(({ id, sessionId }) => id === node.agentId && sessionId === node.sessionId);
  return { session, agent };
}

/** A line of the tree has room for this much, and the beginning of a command says the most. */
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

/** Colour is only for when the person must act. */
function agentIcon(agent: Agent, session: Session): vscode.ThemeIcon {
  return iconOf(moodIcons[agent.mood] ?? 'smiley', agent.wait !== null && waitsForPerson(session));
}

export function sessionIcon(session: Session): vscode.ThemeIcon {
  return iconOf(icons[shownAs(session)].slice('$('.length, -1), waitsForPerson(session));
}

function iconOf(id: string, waits: boolean): vscode.ThemeIcon {
  return waits ? new vscode.ThemeIcon(id, new vscode.ThemeColor('list.warningForeground')) : new vscode.ThemeIcon(id);
}

/** Beside a session's name: its project, its worktree and its state. */
function sessionDescription(session: Session): string {
  return [projectOf(session), worktreeText(session), ...stateParts(session)].filter(Boolean).join(' · ');
}

/** The line of a session that is over, of a group of them, or of a hint below them. */
export function pastItem(node: ProjectNode | DayNode | PastNode | HintNode, when: PersonsTime): vscode.TreeItem {
  switch (node.kind) {
    case 'project':
      return projectItem(node);
    case 'day':
      return dayItem(node, when);
    case 'past':
      return pastSessionItem(node, when);
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

/** How many sessions of a group have been read, like `12+` if there may be more. */
function countText(count: number, open: boolean): string {
  return open ? `${count}+` : String(count);
}

/** An end that is not the usual one is said in words too, not only by the icon. */
function pastSessionItem({ session, project }: PastNode, when: PersonsTime): vscode.TreeItem {
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

function titleOf(session: Session): string {
  return agentText(session.title) || phraseFor('past.untitled');
}

function endText(session: Session): string {
  return stateParts(session)[0] ?? '';
}

/** The lines of a past session's tooltip. */
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

/** A line of a tooltip has room for a path, or for an agent's last words. */
const TOOLTIP_LINE_MAX = 300;

/** A tooltip of plain text, each argument a paragraph. Empty ones are left out. */
export function linesTooltip(...lines: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const [index, line] of lines.filter(Boolean).entries()) {
    if (index > 0) text.appendMarkdown('\n\n');
    text.appendText(agentText(line, TOOLTIP_LINE_MAX));
  }
  return text;
}
