import * as vscode from 'vscode';
import type { Collector } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import { type WorkCreation, type WorkItem, workIdSchema } from '../../protocol/work.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { phraseFor } from '../phrases.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';
import { openItems } from './workNodes.ts';
import { workChoices, type WorkPickParts } from './workPick.ts';

const TITLE_MAX = 300;

export interface NewWorkParts extends WorkPickParts {
  readonly collector: Pick<Collector, 'tracking'>;
}

/**
 * Asks for a new item's title, its id and when it begins; `undefined` if the person cancels. `chosen`: a folder of its project, if one
 * was clicked.
 */
export async function askNewWork(parts: NewWorkParts, chosen?: string): Promise<WorkCreation | undefined> {
  const folder = chosen ?? (await askProject(parts));
  if (folder === undefined) return undefined;
  // The collector answers while the person writes the title. Which ids are taken depends on the folder's project.
  const tracking = parts.collector.tracking(folder);
  const title = await askTitle();
  if (title === undefined) return undefined;
  const project = (await tracking)?.project ?? folder;
  const mine = parts.source.snapshot().workItems.filter((item) => item.project === project);
  const id = await askId(title, mine);
  if (id === undefined) return undefined;
  const begin = await askBegin(parts, openItems(mine));
  return begin && { id, title, project, ...begin };
}

interface ProjectChoice extends vscode.QuickPickItem {
  readonly project: string;
}

/** Offers the window's own folders, or the projects that agents work in if the window has none. */
async function askProject({ source }: WorkPickParts): Promise<string | undefined> {
  const { sessions, workItems } = source.snapshot();
  const own = foldersOfThisWindow();
  const known = [...sessions, ...workItems].map(({ project }) => project).filter((project) => project !== '');
  const projects = [...new Set(own.length > 0 ? own : known)];
  if (projects.length === 0) void vscode.window.showInformationMessage(phraseFor('work.noFolder'));
  if (own.length === 1 || projects.length === 0) return own[0];
  const choices = projects.map((project): ProjectChoice => ({
    label: withoutIcons(agentText(lastPart(project))),
    description: withoutIcons(agentText(project, TITLE_MAX)),
    project,
  }));
  const options = { title: phraseFor('work.new'), placeHolder: phraseFor('work.whichProject') };
  const picked = await vscode.window.showQuickPick(choices, { ...options, matchOnDescription: true });
  return picked?.project;
}

async function askTitle(): Promise<string | undefined> {
  const title = await vscode.window.showInputBox({
    title: phraseFor('work.new'),
    prompt: phraseFor('work.titlePrompt'),
    value: '',
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim().length > TITLE_MAX ? phraseFor('rename.tooLong', { max: TITLE_MAX }) : undefined,
  });
  return title?.trim() === '' ? undefined : title?.trim();
}

async function askId(title: string, mine: readonly WorkItem[]): Promise<string | undefined> {
  const taken = mine.map(({ id }) => id);
  const id = await vscode.window.showInputBox({
    title: phraseFor('work.new'),
    prompt: phraseFor('work.idPrompt'),
    value: proposedId(title, taken),
    ignoreFocusOut: true,
    validateInput: (text) => wrongId(text.trim(), taken),
  });
  return id?.trim();
}

function wrongId(id: string, taken: readonly string[]): string | undefined {
  if (!isWorkId(id)) return phraseFor('work.idRule');
  return taken.includes(id) ? phraseFor('work.idTaken') : undefined;
}

type Begin = Pick<WorkCreation, 'start' | 'dependencies'>;

interface BeginChoice extends vscode.QuickPickItem {
  readonly begin: Begin | 'after';
}

/** One question for start and dependencies, because an item that waits for others can't begin at once. */
async function askBegin(parts: WorkPickParts, open: readonly WorkItem[]): Promise<Begin | undefined> {
  const choices: readonly BeginChoice[] = [
    { label: phraseFor('work.begin.now'), detail: phraseFor('work.begin.now.detail'), begin: { start: true } },
    { label: phraseFor('work.begin.later'), detail: phraseFor('work.begin.later.detail'), begin: { start: false } },
    ...(open.length === 0
      ? []
      : [
          {
            label: phraseFor('work.begin.after'),
            detail: phraseFor('work.begin.after.detail'),
            begin: 'after' as const,
          },
        ]),
  ];
  const options = { title: phraseFor('work.new'), placeHolder: phraseFor('work.begin') };
  const chosen = await vscode.window.showQuickPick(choices, { ...options, ignoreFocusOut: true });
  if (chosen === undefined) return undefined;
  if (chosen.begin !== 'after') return chosen.begin;
  const all = parts.source.snapshot().workItems;
  const needs = await vscode.window.showQuickPick(workChoices(open, all, parts.clock.now()), {
    title: phraseFor('work.new'),
    placeHolder: phraseFor('work.whichNeeds'),
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  return needs && { dependencies: needs.map(({ item }) => item.id), start: needs.length === 0 };
}

/** People type ids in a terminal. */
const PROPOSED_MAX = 40;

/** An id made of the title's first words, with a number if one of `taken` has it. */
export function proposedId(title: string, taken: readonly string[]): string {
  const id = idOf(title);
  if (!taken.includes(id)) return id;
  let count = 2;
  while (taken.includes(`${id}-${count}`)) count += 1;
  return `${id}-${count}`;
}

/** Whether the collector accepts it as an id. */
export function isWorkId(text: string): boolean {
  return workIdSchema.safeParse(text).success;
}

/** The title's first words, as many whole ones as there is room for. */
function idOf(title: string): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['work'];
  let id = '';
  for (const word of words) {
    const longer = id === '' ? cut(word) : `${id}-${word}`;
    if (longer.length > PROPOSED_MAX && id !== '') break;
    id = longer;
  }
  return id;
}

/** Cuts between characters, not inside one. */
function cut(word: string): string {
  return [...word].slice(0, PROPOSED_MAX).join('');
}
