import * as vscode from 'vscode';
import type { Collector, Machine } from '../../app/windowPorts.ts';
import { areRelated, lastPart } from '../../domain/folders.ts';
import type { SearchQuery } from '../../protocol/reading.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { foldersOfThisWindow } from '../focus/ownWindow.ts';
import { phraseFor } from '../phrases.ts';
import { storedSessions } from '../sessionPick.ts';

/** What a search is narrowed to. */
export interface SearchFilters {
  readonly project: string | undefined;
  readonly role: SearchQuery['role'];
  readonly days: number | undefined;
}

export const noFilters: SearchFilters = { project: undefined, role: undefined, days: undefined };

export function isNarrowed({ project, role, days }: SearchFilters): boolean {
  return project !== undefined || role !== undefined || days !== undefined;
}

const DAY = 24 * 60 * 60 * 1_000;
/** One after the other, by the same button. */
const dayChoices = [undefined, 1, 7, 30] as const;
const roleChoices = [undefined, 'user', 'assistant'] as const;

export function nextRole({ role }: SearchFilters): SearchFilters['role'] {
  return roleChoices[(roleChoices.indexOf(role) + 1) % roleChoices.length];
}

export function nextDays({ days }: SearchFilters): SearchFilters['days'] {
  return dayChoices[(dayChoices.findIndex((choice) => choice === days) + 1) % dayChoices.length];
}

export function queryOf(q: string, { project, role, days }: SearchFilters, now: number): SearchQuery {
  return {
    q,
    project,
    role,
    from: days === undefined ? undefined : new Date(now - days * DAY).toISOString(),
    to: undefined,
  };
}

/** As the title of the list says it. */
export function filterWords({ project, role, days }: SearchFilters): string {
  const words = [
    project === undefined ? phraseFor('search.allProjects') : agentText(lastPart(project)),
    phraseFor(role === undefined ? 'search.anyRole' : `search.${role}`),
    days === undefined ? phraseFor('search.anyTime') : phraseFor(days === 1 ? 'search.day' : 'search.days', { days }),
  ];
  return words.join(' · ');
}

interface ProjectItem extends vscode.QuickPickItem {
  readonly project: string | undefined;
}

/** Lets the person choose: those of this window first. Undefined: nothing was chosen. */
export async function pickProject(
  collector: Pick<Collector, 'sessions'>,
  machine: Pick<Machine, 'realFolder' | 'folders'>,
): Promise<{ readonly project: string | undefined } | undefined> {
  const items = projectItems(collector, machine);
  const chosen = await vscode.window.showQuickPick(items, {
    title: phraseFor('search.whichProject'),
    placeHolder: phraseFor('search.whichProject'),
    matchOnDescription: true,
  });
  return chosen && { project: chosen.project };
}

async function projectItems(
  collector: Pick<Collector, 'sessions'>,
  { realFolder, folders: system }: Pick<Machine, 'realFolder' | 'folders'>,
): Promise<ProjectItem[]> {
  const own = foldersOfThisWindow();
  const [sessions, real] = await Promise.all([storedSessions(collector), Promise.all(own.map(realFolder))]);
  const projects = [...new Set((sessions ?? []).map(({ project }) => project).filter((project) => project !== ''))];
  const isHere = (project: string) => areRelated([project], [...own, ...real], system);
  const here = projects.filter(isHere);
  return [
    { label: phraseFor('search.allProjects'), project: undefined },
    ...here.map((project) => ({ ...itemOf(project), detail: phraseFor('search.thisWindow') })),
    ...projects.filter((project) => !here.includes(project)).map(itemOf),
  ];
}

function itemOf(project: string): ProjectItem {
  return {
    label: withoutIcons(agentText(lastPart(project))),
    description: withoutIcons(agentText(project, PATH_MAX)),
    project,
  };
}

const PATH_MAX = 300;
