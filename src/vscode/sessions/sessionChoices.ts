import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import { lastPart } from '../../domain/folders.ts';
import type { SessionFilter } from '../../domain/sessionFilter.ts';
import { QUERY_MAX } from '../../protocol/limits.ts';
import type { Session } from '../../protocol/state.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { commandIds, contextKeys, memoryKeys } from '../ids.ts';
import { phraseFor } from '../phrases.ts';
import { projectOf } from '../sessionWords.ts';
import { daysBack } from './pastDays.ts';
import { providerText } from './pastWords.ts';
import type { Grouping } from './sessionNodes.ts';

const dayCounts = [1, 7, 30, 90] as const;

interface Wanted {
  readonly title?: string | undefined;
  readonly project?: string | undefined;
  readonly provider?: string | undefined;
  /** Of so many days, today among them. */
  readonly days?: number | undefined;
}

export interface SessionChoices {
  readonly filter: () => SessionFilter;
  /** What is left out, in words; empty while nothing is. */
  readonly filterText: () => string;
  readonly grouping: () => Grouping;
  readonly table: Readonly<Record<SessionChoiceCommandId, () => unknown>>;
}

export type SessionChoiceCommandId =
  | typeof commandIds.filterSessions
  | typeof commandIds.clearSessionFilter
  | typeof commandIds.groupSessionsByProject
  | typeof commandIds.groupSessionsByDay;

export interface SessionChoiceParts {
  readonly memory: vscode.Memento;
  readonly clock: Pick<Clock, 'now'>;
  /** Of them the projects and agent programs are that can be chosen: all that there are, whatever is shown now. */
  readonly sessions: () => Promise<readonly Session[]>;
  readonly changed: (what: 'filter' | 'grouping') => void;
}

interface Choice extends vscode.QuickPickItem {
  readonly choose: () => Promise<Wanted | undefined> | Wanted;
}

/** UI-1: which sessions the tree shows, and how. A filter lasts as long as the window: one that is forgotten would hide them for good. */
export function createSessionChoices({ memory, clock, sessions, changed }: SessionChoiceParts): SessionChoices {
  let wanted: Wanted = {};
  const grouping = (): Grouping => (memory.get(memoryKeys.sessionGrouping) === 'day' ? 'day' : 'project');

  function showInMenus(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.sessionsFiltered, isNarrowed(wanted));
    void vscode.commands.executeCommand('setContext', contextKeys.sessionsByDay, grouping() === 'day');
  }

  function want(now: Wanted): void {
    wanted = now;
    showInMenus();
    changed('filter');
  }

  function group(by: Grouping): void {
    void memory.update(memoryKeys.sessionGrouping, by);
    showInMenus();
    changed('grouping');
  }

  async function chooseFilter(): Promise<void> {
    const chosen = await vscode.window.showQuickPick<Choice>(
      [
        line('title', wanted.title === undefined ? '' : agentText(wanted.title), () => askTitle(wanted)),
        line('project', wanted.project === undefined ? '' : projectText(wanted.project), async () =>
          askProject(wanted, await sessions()),
        ),
        line('provider', wanted.provider === undefined ? '' : providerText(wanted.provider), async () =>
          askProvider(wanted, await sessions()),
        ),
        line('days', wanted.days === undefined ? '' : daysText(wanted.days), () => askDays(wanted)),
        ...(isNarrowed(wanted) ? [line('clear', '', () => ({}))] : []),
      ],
      { title: phraseFor('filter.title'), placeHolder: phraseFor('filter.which') },
    );
    const now = await chosen?.choose();
    if (now !== undefined) want(now);
  }

  showInMenus();
  return {
    filter: () => filterOf(wanted, clock.now()),
    filterText: () => textOf(wanted),
    grouping,
    table: {
      [commandIds.filterSessions]: chooseFilter,
      [commandIds.clearSessionFilter]: () => want({}),
      [commandIds.groupSessionsByProject]: () => group('project'),
      [commandIds.groupSessionsByDay]: () => group('day'),
    },
  };
}

function isNarrowed(wanted: Wanted): boolean {
  return Object.values(wanted).some((part) => part !== undefined);
}

function filterOf({ title, project, provider, days }: Wanted, now: number): SessionFilter {
  return {
    ...(title === undefined ? {} : { title }),
    ...(project === undefined ? {} : { project }),
    ...(provider === undefined ? {} : { provider }),
    ...(days === undefined ? {} : { from: daysBack(now, days) }),
  };
}

function textOf({ title, project, provider, days }: Wanted): string {
  const parts = [
    title === undefined ? '' : phraseFor('filter.titleWith', { text: agentText(title) }),
    project === undefined ? '' : projectText(project),
    provider === undefined ? '' : providerText(provider),
    days === undefined ? '' : daysText(days),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : phraseFor('filter.on', { what: parts.join(' · ') });
}

type Aspect = 'title' | 'project' | 'provider' | 'days' | 'clear';

function line(aspect: Aspect, now: string, choose: Choice['choose']): Choice {
  return { label: phraseFor(`filter.by.${aspect}`), description: withoutIcons(now), choose };
}

function daysText(days: number): string {
  return days === 1 ? phraseFor('day.today') : phraseFor('filter.lastDays', { count: days });
}

function projectText(project: string): string {
  return agentText(lastPart(project));
}

/** An empty text takes the part of the filter away. */
async function askTitle(wanted: Wanted): Promise<Wanted | undefined> {
  const text = await vscode.window.showInputBox({
    title: phraseFor('filter.title'),
    prompt: phraseFor('filter.titlePrompt'),
    value: wanted.title ?? '',
    validateInput: (typed) =>
      typed.trim().length > QUERY_MAX ? phraseFor('rename.tooLong', { max: QUERY_MAX }) : undefined,
  });
  if (text === undefined) return undefined;
  return { ...wanted, title: text.trim() || undefined };
}

type Part = 'project' | 'provider' | 'days';

interface Value<Name extends Part> extends vscode.QuickPickItem {
  readonly value: Wanted[Name];
}

/** One of the values, or none of them any more. */
async function askPart<Name extends Part>(
  wanted: Wanted,
  name: Name,
  values: readonly Value<Name>[],
): Promise<Wanted | undefined> {
  const any = { label: phraseFor(`filter.any.${name}`), value: undefined };
  const items = wanted[name] === undefined ? values : [any, ...values];
  if (items.length === 0) {
    void vscode.window.showInformationMessage(phraseFor('filter.none'));
    return undefined;
  }
  const options = {
    title: phraseFor('filter.title'),
    placeHolder: phraseFor('filter.which'),
    matchOnDescription: true,
  };
  const chosen = await vscode.window.showQuickPick(items, options);
  return chosen && { ...wanted, [name]: chosen.value };
}

function askProject(wanted: Wanted, sessions: readonly Session[]): Promise<Wanted | undefined> {
  const all = new Map(sessions.filter(({ project }) => project !== '').map((session) => [session.project, session]));
  const values = [...all.values()].map((session) => ({
    label: withoutIcons(projectOf(session)),
    description: withoutIcons(agentText(session.project)),
    value: session.project,
  }));
  return askPart(wanted, 'project', values);
}

function askProvider(wanted: Wanted, sessions: readonly Session[]): Promise<Wanted | undefined> {
  const all = [...new Set(sessions.map(({ provider }) => provider))];
  const values = all.map((value) => ({ label: withoutIcons(providerText(value)), value }));
  return askPart(wanted, 'provider', values);
}

function askDays(wanted: Wanted): Promise<Wanted | undefined> {
  const values = dayCounts.map((value) => ({ label: daysText(value), value }));
  return askPart(wanted, 'days', values);
}
