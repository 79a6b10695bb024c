import * as vscode from 'vscode';
import { lastPart } from '../../domain/folders.ts';
import { isThere } from '../../domain/selectors.ts';
import { hasEnded, openNeeds } from '../../domain/workItems.ts';
import type { Session } from '../../protocol/state.ts';
import type { WorkItem, WorkStatus } from '../../protocol/work.ts';
import { agentText } from '../agentText.ts';
import { commandIds } from '../ids.ts';
import { phraseFor } from '../phrases.ts';
import { linesTooltip, sessionIcon } from '../sessions/sessionLines.ts';
import type { FileNode, TouchNode, WorkProjectNode } from './workNodes.ts';

const PATH_MAX = 300;

/** Each status has an icon of its own, because colour alone says nothing to many people. */
const statusIcons: Readonly<Record<WorkStatus | 'waits', readonly [icon: string, color: string]>> = {
  running: ['play-circle', 'charts.blue'],
  pending: ['circle-large-outline', 'foreground'],
  waits: ['lock', 'descriptionForeground'],
  done: ['pass', 'charts.green'],
  cancelled: ['circle-slash', 'descriptionForeground'],
};

/** All work items, and how times are written. */
export interface WorkContext {
  readonly items: readonly WorkItem[];
  readonly moment: (ts: string) => string;
}

export function workTitle({ title, id }: Pick<WorkItem, 'title' | 'id'>): string {
  return agentText(title) || agentText(id);
}

/** The status of an item in words, with its time or with what the item waits for. */
export function workStateText(item: WorkItem, { items, moment }: WorkContext): string {
  const { status, startedAt, finishedAt } = item;
  const needs = openNeeds(item, items);
  if (status === 'pending') {
    return needs.length === 0 ? phraseFor('work.pending') : phraseFor('work.waits', { needs: namesText(needs) });
  }
  return phraseFor(`work.${status}`, { time: moment((status === 'running' ? startedAt : finishedAt) ?? '') }).trim();
}

/** The ids of work items as a list in a sentence. */
export function namesText(ids: readonly string[]): string {
  return ids.map((id) => agentText(id)).join(', ');
}

export function itemLine(item: WorkItem, context: WorkContext): vscode.TreeItem {
  const line = new vscode.TreeItem(workTitle(item));
  const waits = item.status === 'pending' && openNeeds(item, context.items).length > 0;
  const [icon, color] = statusIcons[waits ? 'waits' : item.status];
  const state = workStateText(item, context);
  const since = phraseFor('status.since', { time: context.moment(item.startedAt ?? '') });
  const id = item.title === item.id ? '' : agentText(item.id);
  // The icon says that it runs, and there is little room.
  line.description = [item.status === 'running' ? since : state, id].filter(Boolean).join(' · ');
  line.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  line.tooltip = linesTooltip(
    workTitle(item),
    agentText(item.id),
    state,
    needsText(item, context),
    item.touches.length === 0
      ? ''
      : phraseFor('work.touched', { sessions: item.sessions.length, files: item.files.length }),
    item.project,
  );
  line.contextValue = `work ${item.status}`;
  return folded(line, item.touches.length > 0, [state, id].filter(Boolean).join(' · '));
}

function needsText({ dependencies, project }: WorkItem, { items }: WorkContext): string {
  if (dependencies.length === 0) return '';
  const mine = items.filter((item) => item.project === project);
  const needs = dependencies.map((id) => {
    const need = mine.find((item) => item.id === id);
    const isOpen = need !== undefined && !hasEnded(need);
    return `${agentText(id)} (${phraseFor(isOpen ? 'work.need.open' : 'work.need.met')})`;
  });
  return phraseFor('work.needs', { needs: needs.join(', ') });
}

export function projectLine({ project }: WorkProjectNode, items: readonly WorkItem[]): vscode.TreeItem {
  const line = new vscode.TreeItem(agentText(lastPart(project)) || agentText(project));
  const mine = items.filter((item) => item.project === project);
  line.description = phraseFor('work.open', { count: mine.filter((item) => !hasEnded(item)).length });
  line.iconPath = new vscode.ThemeIcon('folder');
  line.tooltip = linesTooltip(project);
  line.contextValue = 'workProject';
  line.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  return withLabel(line);
}

/** The line above the ended items of a project. */
export function endedLine(count: number): vscode.TreeItem {
  const line = new vscode.TreeItem(phraseFor('work.ended'));
  line.description = String(count);
  line.iconPath = new vscode.ThemeIcon('archive');
  line.contextValue = 'workEnded';
  return folded(line, true);
}

/** A session that touched an item. */
export interface Toucher {
  readonly session: Session;
  /** The name of its main mascot. */
  readonly mascot: string | undefined;
}

/** `toucher`: `undefined` if the session is not stored any more, or could not be asked for. */
export function touchLine(node: TouchNode, toucher: Toucher | undefined, files: number): vscode.TreeItem {
  const { sessionId } = node;
  const isLive = toucher !== undefined && isThere(toucher.session);
  const mascot = agentText(toucher?.mascot ?? '');
  const title = agentText(toucher?.session.title ?? '');
  const line = new vscode.TreeItem(title || mascot || phraseFor('past.untitled'));
  const count = phraseFor(files === 1 ? 'work.file' : 'work.files', { count: files });
  line.description = [title === '' ? '' : mascot, count].filter(Boolean).join(' · ');
  line.iconPath = isLive ? sessionIcon(toucher.session) : new vscode.ThemeIcon('comment-discussion');
  line.tooltip = linesTooltip(title, mascot, agentText(sessionId));
  line.contextValue = isLive ? 'toucher there' : 'toucher';
  line.command = {
    command: isLive ? commandIds.showInPanel : commandIds.openConversation,
    title: phraseFor(isLive ? 'pick.show' : 'pick.conversation'),
    arguments: [{ sessionId }],
  };
  return folded(line, files > 0);
}

export function fileLine(node: FileNode, project: string): vscode.TreeItem {
  const { file } = node;
  const place = filePlace(file, project);
  const name = lastPart(file);
  const line = new vscode.TreeItem(agentText(name));
  line.description = agentText(file.slice(0, Math.max(0, file.length - name.length - 1)), PATH_MAX);
  line.resourceUri = vscode.Uri.file(place);
  line.iconPath = vscode.ThemeIcon.File;
  line.tooltip = linesTooltip(place);
  line.contextValue = 'workFile';
  line.command = { command: commandIds.openWorkFile, title: phraseFor('work.openFile'), arguments: [node] };
  line.collapsibleState = vscode.TreeItemCollapsibleState.None;
  return withLabel(line);
}

/** The full path of a file, which agents may name by the path from its project. */
export function filePlace(file: string, project: string): string {
  return /^(?:[a-z]:)?[\\/]/i.test(file) || project === '' ? file : `${project}/${file}`;
}

/** Closes a line that has lines below it. */
function folded(line: vscode.TreeItem, hasChildren: boolean, spoken?: string): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  line.collapsibleState = hasChildren ? Collapsed : None;
  return withLabel(line, spoken);
}

/** Gives a line the words that a screen reader says. */
function withLabel(line: vscode.TreeItem, spoken = String(line.description)): vscode.TreeItem {
  const parts = [String(line.label), spoken].filter(Boolean);
  line.accessibilityInformation = { label: parts.join(': ') };
  return line;
}
