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
import { providerText } from './sessionLines.ts';
import type { Grouping } from './sessionNodes.ts';

const dayCounts = [1, 7, 30, 90] as const;

/** What the sessions are filtered by. */
interface Wanted {
  readonly title?: string | undefined;
  readonly project?: string | undefined;
  readonly provider?: string | undefined;
  /** The last so many days, today included. */
  readonly days?: number | undefined;
}

export type SessionChoiceCommandId =
  | typeof commandIds.filterSessions
  | typeof commandIds.clearSessionFilter
  | typeof commandIds.groupSessionsByProject
  | typeof commandIds.groupSessionsByDay;

export interface SessionChoiceParts {
  readonly memory: vscode.Memento;
  readonly clock: Pick<Clock, 'now'>;
  /** All sessions, whatever is shown now: their projects and agent programs can be chosen. */
  readonly sessions: () => Promise<readonly Session[]>;
  readonly onChange: (what: 'filter' | 'grouping') => void;
}

interface Choice extends vscode.QuickPickItem {
  readonly choose: () => Promise<Wanted | undefined> | Wanted;
}

/** UI-1: which sessions the tree shows, and how. The filter lasts as long as the window: a forgotten one would hide sessions for good. */
export class SessionChoices {
  readonly #parts: SessionChoiceParts;
  #wanted: Wanted = {};
  readonly commands: Readonly<Record<SessionChoiceCommandId, () => unknown>> = {
    [commandIds.filterSessions]: () => this.#chooseFilter(),
    [commandIds.clearSessionFilter]: () => this.#filterBy({}),
    [commandIds.groupSessionsByProject]: () => this.#groupBy('project'),
    [commandIds.groupSessionsByDay]: () => this.#groupBy('day'),
  };

  constructor(parts: SessionChoiceParts) {
    this.#parts = parts;
    this.#updateMenus();
  }

  filter(): SessionFilter {
    return filterOf(this.#wanted, this.#parts.clock.now());
  }

  /** What the tree shows, in words; empty while it shows everything. */
  filterText(): string {
    return textOf(this.#wanted);
  }

  grouping(): Grouping {
    return this.#parts.memory.get(memoryKeys.sessionGrouping) === 'day' ? 'day' : 'project';
  }

  #filterBy(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#updateMenus();
    this.#parts.onChange('filter');
  }

  #groupBy(grouping: Grouping): void {
    void this.#parts.memory.update(memoryKeys.sessionGrouping, grouping);
    this.#updateMenus();
    this.#parts.onChange('grouping');
  }

  #updateMenus(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.sessionsFiltered, isNarrowed(this.#wanted));
    void vscode.commands.executeCommand('setContext', contextKeys.sessionsByDay, this.grouping() === 'day');
  }

  async #chooseFilter(): Promise<void> {
    const wanted = this.#wanted;
    const { sessions } = this.#parts;
    const { title, project, provider, days } = wanted;
    const chosen = await vscode.window.showQuickPick<Choice>(
      [
        line('title', title === undefined ? '' : agentText(title), () => askTitle(this.#wanted)),
        line('project', project === undefined ? '' : projectText(project), async () =>
          askProject(this.#wanted, await sessions()),
        ),
        line('provider', provider === undefined ? '' : providerText(provider), async () =>
          askProvider(this.#wanted, await sessions()),
        ),
        line('days', days === undefined ? '' : daysText(days), () => askDays(this.#wanted)),
        ...(isNarrowed(wanted) ? [line('clear', '', () => ({}))] : []),
      ],
      { title: phraseFor('filter.title'), placeHolder: phraseFor('filter.which') },
    );
    const now = await chosen?.choose();
    if (now !== undefined) this.#filterBy(now);
  }
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

/** When the first of the last so many days began, in this machine's time; today is one day. */
function daysBack(now: number, days: number): string {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (days - 1));
  return start.toISOString();
}

function daysText(days: number): string {
  return days === 1 ? phraseFor('day.today') : phraseFor('filter.lastDays', { count: days });
}

function projectText(project: string): string {
  return agentText(lastPart(project));
}

/** An empty text removes the title from the filter. */
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

/** Lets the person choose one of the values, or remove that part of the filter; `undefined` if nothing was chosen. */
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
