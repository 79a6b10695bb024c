import * as vscode from 'vscode';
import type { Clock, Disposable, Page } from '../../app/ports.ts';
import type { Collector, Machine } from '../../app/windowPorts.ts';
import { excerptOf } from '../../domain/findWords.ts';
import { areRelated, lastPart } from '../../domain/folders.ts';
import { QUERY_MAX } from '../../protocol/limits.ts';
import type { SearchHit, SearchQuery } from '../../protocol/reading.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';
import { moments } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import { storedSessions } from '../sessionPick.ts';
import { projectIn } from '../stored/projectCommands.ts';
import type { ConversationDocuments } from './conversationDocument.ts';

export interface SearchParts {
  readonly collector: Pick<Collector, 'search' | 'sessions'>;
  readonly machine: Pick<Machine, 'realFolder' | 'folders'>;
  readonly conversation: Pick<ConversationDocuments, 'show'>;
  readonly clock: Clock;
}

/** After a pause of this length the person has stopped typing. */
const PAUSE_MS = 100;
const PAGE = 50;
const LABEL_MAX = 110;
const PATH_MAX = 300;
/** A search through a large history answers with an empty page now and then, to let other requests have their turn. */
const EMPTY_PAGES_MAX = 200;

/** A line of the list: a hit, or one of the two offers below the hits. */
interface HitItem extends vscode.QuickPickItem {
  readonly hit?: SearchHit;
  /** Reads the next page, which begins at this cursor. */
  readonly more?: string;
  /** Searches for the same words without filters. */
  readonly everywhere?: true;
}

/**
 * CNV-3: opens a list that finds, while the person types, what was said in any conversation. The chosen hit opens at its place.
 * `argument` is the line of a tree from which the search was started; a project's line narrows the search to that project.
 */
export function searchConversations(parts: SearchParts, argument?: unknown): void {
  new ConversationSearch(parts, projectIn(argument)).open();
}

class ConversationSearch {
  readonly #parts: SearchParts;
  readonly #pick = vscode.window.createQuickPick<HitItem>();
  #filters: SearchFilters;
  /** Rises with each question, so that a late answer to an earlier one is recognised. */
  #question = 0;
  #pause: Disposable | undefined;
  /** The list of projects is open in place of this one. */
  #isChoosingProject = false;

  constructor(parts: SearchParts, project: string | undefined) {
    this.#parts = parts;
    // The filters of an earlier search would hide what this one is after.
    this.#filters = { ...noFilters, project };
  }

  open(): void {
    const pick = this.#pick;
    keepOrder(pick);
    pick.placeholder = phraseFor('search.placeholder');
    pick.onDidChangeValue(() => this.#search());
    pick.onDidTriggerButton((button) => void this.#changeFilter(button));
    pick.onDidAccept(() => void this.#accept());
    pick.onDidHide(() => {
      if (this.#isChoosingProject) return;
      this.#question++;
      this.#pause?.dispose();
      pick.dispose();
    });
    this.#search();
    pick.show();
  }

  /** Searches for what is typed now, after a pause. */
  #search(): void {
    const pick = this.#pick;
    this.#pause?.dispose();
    this.#question++;
    const words = pick.value.trim();
    pick.title = `${phraseFor('search.title')} · ${filterWords(this.#filters)}`;
    pick.buttons = filterButtons();
    if (words === '') {
      pick.busy = false;
      pick.items = [];
      return;
    }
    if (words.length > QUERY_MAX) return this.#showSentence(phraseFor('search.tooLong', { max: QUERY_MAX }));
    this.#pause = this.#parts.clock.after(PAUSE_MS, () => void this.#ask(words, []));
  }

  /** Shows the next page of hits below those that were found before. */
  async #ask(words: string, before: readonly HitItem[], cursor?: string): Promise<void> {
    const pick = this.#pick;
    const question = ++this.#question;
    pick.busy = true;
    const found = await this.#findPage(words, cursor, question);
    if (question !== this.#question) return;
    pick.busy = false;
    if (found === undefined) return this.#showSentence(phraseFor('search.silent'));
    const moment = moments({ locale: vscode.env.language, now: this.#parts.clock.now() });
    const items = [...before, ...found.items.map((hit) => hitItem(hit, words, moment))];
    if (items.length === 0 && found.next === null) return this.#showNothingFound(words);
    const more = { label: phraseFor('search.more'), alwaysShow: true };
    // The list must not scroll when it gets longer.
    pick.keepScrollPosition = before.length > 0;
    pick.items = found.next === null ? items : [...items, { ...more, more: found.next }];
    const next = pick.items[before.length];
    if (before.length > 0 && next) pick.activeItems = [next];
  }

  /** The first page that has hits; `undefined` if no collector responds. */
  async #findPage(words: string, from: string | undefined, question: number): Promise<Page<SearchHit> | undefined> {
    const { collector, clock } = this.#parts;
    let cursor = from;
    for (let pages = 1; ; pages++) {
      const page = await collector.search({ ...queryOf(words, this.#filters, clock.now()), limit: PAGE, cursor });
      if (page === undefined || page.items.length > 0 || page.next === null) return page;
      if (pages >= EMPTY_PAGES_MAX || question !== this.#question) return page;
      cursor = page.next;
    }
  }

  #showSentence(label: string): void {
    this.#pick.items = [{ label, alwaysShow: true }];
  }

  #showNothingFound(words: string): void {
    if (!isNarrowed(this.#filters)) return this.#showSentence(phraseFor('search.nothing', { words: plain(words) }));
    const places = { words: plain(words), filters: withoutIcons(filterWords(this.#filters)) };
    this.#pick.items = [
      { label: phraseFor('search.nothingIn', places), alwaysShow: true },
      { label: phraseFor('search.everywhere'), alwaysShow: true, everywhere: true },
    ];
  }

  async #changeFilter(button: vscode.QuickInputButton): Promise<void> {
    const [project, role] = this.#pick.buttons;
    if (button === project) {
      // The editor shows one list at a time: the list of projects hides this one, which then comes back as it was.
      this.#isChoosingProject = true;
      const chosen = await pickProject(this.#parts.collector, this.#parts.machine);
      this.#isChoosingProject = false;
      this.#filters = { ...this.#filters, ...chosen };
      this.#pick.show();
    } else if (button === role) this.#filters = { ...this.#filters, role: nextRole(this.#filters) };
    else this.#filters = { ...this.#filters, days: nextDays(this.#filters) };
    this.#search();
  }

  async #accept(): Promise<void> {
    const pick = this.#pick;
    const [item] = pick.selectedItems;
    const words = pick.value.trim();
    if (item?.everywhere) {
      this.#filters = noFilters;
      this.#search();
    } else if (item?.more !== undefined) {
      const hits = pick.items.filter(({ hit }) => hit !== undefined);
      await this.#ask(words, hits, item.more);
    } else if (item?.hit !== undefined) {
      const { sessionId, id: interactionId } = item.hit;
      pick.hide();
      await this.#parts.conversation.show(sessionId, { interactionId, words });
    }
  }
}

/** The editor sorts the items unless this is set. Its types do not have the property yet. */
function keepOrder(pick: vscode.QuickPick<HitItem>): void {
  Object.assign(pick, { sortByLabel: false });
}

function plain(text: string): string {
  return withoutIcons(agentText(text));
}

/** `alwaysShow`, because the editor would hide a hit in whose label it does not find the words itself. */
function hitItem(hit: SearchHit, words: string, moment: (ts: string) => string): HitItem {
  const who = phraseFor(hit.role === 'user' ? 'search.you' : 'search.agent');
  const detail = [who, lastPart(hit.project), moment(hit.ts), hit.sessionTitle]
    .map((part) => plain(part))
    .filter(Boolean);
  return {
    label: withoutIcons(agentText(excerptOf(hit.content, words, LABEL_MAX), LABEL_MAX)),
    detail: detail.join(' · '),
    alwaysShow: true,
    hit,
  };
}

/** What a search is narrowed to. */
interface SearchFilters {
  readonly project: string | undefined;
  readonly role: SearchQuery['role'];
  readonly days: number | undefined;
}

const noFilters: SearchFilters = { project: undefined, role: undefined, days: undefined };

/** In this order: the handler of the buttons tells them apart by it. */
function filterButtons(): vscode.QuickInputButton[] {
  return [
    { iconPath: new vscode.ThemeIcon('folder'), tooltip: phraseFor('search.byProject') },
    { iconPath: new vscode.ThemeIcon('person'), tooltip: phraseFor('search.byRole') },
    { iconPath: new vscode.ThemeIcon('calendar'), tooltip: phraseFor('search.byTime') },
  ];
}

function isNarrowed({ project, role, days }: SearchFilters): boolean {
  return project !== undefined || role !== undefined || days !== undefined;
}

const DAY = 24 * 60 * 60 * 1_000;
/** The button goes through these one after the other. */
const dayChoices = [undefined, 1, 7, 30] as const;
const roleChoices = [undefined, 'user', 'assistant'] as const;

function nextRole({ role }: SearchFilters): SearchFilters['role'] {
  return roleChoices[(roleChoices.indexOf(role) + 1) % roleChoices.length];
}

function nextDays({ days }: SearchFilters): SearchFilters['days'] {
  return dayChoices[(dayChoices.findIndex((choice) => choice === days) + 1) % dayChoices.length];
}

function queryOf(q: string, { project, role, days }: SearchFilters, now: number): SearchQuery {
  return {
    q,
    project,
    role,
    from: days === undefined ? undefined : new Date(now - days * DAY).toISOString(),
    to: undefined,
  };
}

/** The filters in words, for the title of the list. */
function filterWords({ project, role, days }: SearchFilters): string {
  const words = [
    project === undefined ? phraseFor('search.allProjects') : agentText(lastPart(project)),
    phraseFor(role === undefined ? 'search.anyRole' : `search.${role}`),
    days === undefined ? phraseFor('search.anyTime') : phraseFor(days === 1 ? 'search.day' : 'search.days', { days }),
  ];
  return words.join(' · ');
}

interface ProjectItem extends vscode.QuickPickItem {
  /** `undefined`: all projects. */
  readonly project: string | undefined;
}

/** Lets the person choose a project, those of this window first; `undefined` if none was chosen. */
async function pickProject(
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
    ...here.map((project) => ({ ...projectItem(project), detail: phraseFor('search.thisWindow') })),
    ...projects.filter((project) => !here.includes(project)).map(projectItem),
  ];
}

function projectItem(project: string): ProjectItem {
  return {
    label: withoutIcons(agentText(lastPart(project))),
    description: withoutIcons(agentText(project, PATH_MAX)),
    project,
  };
}
