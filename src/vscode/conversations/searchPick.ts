import * as vscode from 'vscode';
import type { Page, Clock, Disposable } from '../../app/ports.ts';
import type { Collector, Machine } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import { excerptOf } from '../../domain/findWords.ts';
import { QUERY_MAX } from '../../protocol/limits.ts';
import type { SearchHit } from '../../protocol/reading.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { moments } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import { projectIn } from '../stored/projectCommands.ts';
import type { ConversationDocument } from './conversationDocument.ts';
import { filterWords, isNarrowed, nextDays, nextRole, noFilters, pickProject, queryOf } from './searchFilters.ts';

export interface SearchParts {
  readonly collector: Pick<Collector, 'search' | 'sessions'>;
  readonly machine: Pick<Machine, 'realFolder' | 'folders'>;
  readonly conversation: Pick<ConversationDocument, 'show'>;
  readonly clock: Clock;
}

/** Within this nobody types the next letter any more. */
const PAUSE_MS = 100;
const PAGE = 50;
const LABEL_MAX = 110;
/** A search through very much gives the turn back now and then with an empty page. */
const EMPTY_PAGES_MAX = 200;

interface HitItem extends vscode.QuickPickItem {
  readonly hit?: SearchHit;
  /** Where the page after this begins. */
  readonly more?: string;
  /** Looks for the same everywhere. */
  readonly everywhere?: true;
}

/** CNV-3: what was said anywhere, found while it is typed; what is chosen opens at its place. */
export function createConversationSearch(parts: SearchParts): (argument?: unknown) => void {
  const { collector, machine, conversation, clock } = parts;

  return (argument) => {
    // What an earlier search was narrowed to would hide what this one is after.
    let filters = { ...noFilters, project: projectIn(argument) };
    const pick = vscode.window.createQuickPick<HitItem>();
    /** Rises with each question: an answer to an earlier one is nobody's. */
    let question = 0;
    let pause: Disposable | undefined;
    let choosing = false;

    const say = (label: string) => {
      pick.items = [{ label, alwaysShow: true }];
    };

    function sayNothing(words: string): void {
      if (!isNarrowed(filters)) return say(phraseFor('search.nothing', { words: plain(words) }));
      const places = { words: plain(words), filters: withoutIcons(filterWords(filters)) };
      pick.items = [
        { label: phraseFor('search.nothingIn', places), alwaysShow: true },
        { label: phraseFor('search.everywhere'), alwaysShow: true, everywhere: true },
      ];
    }

    async function ask(words: string, before: readonly HitItem[], cursor?: string): Promise<void> {
      const mine = ++question;
      pick.busy = true;
      const found = await findPage(words, cursor, () => mine === question);
      if (mine !== question) return;
      pick.busy = false;
      if (found === undefined) return say(phraseFor('search.silent'));
      const moment = moments({ locale: vscode.env.language, now: clock.now() });
      const items = [...before, ...found.items.map((hit) => itemOf(hit, words, moment))];
      if (items.length === 0 && found.next === null) return sayNothing(words);
      const more = { label: phraseFor('search.more'), alwaysShow: true };
      // The list stays where it is when it gets longer.
      pick.keepScrollPosition = before.length > 0;
      pick.items = found.next === null ? items : [...items, { ...more, more: found.next }];
      const next = pick.items[before.length];
      if (before.length > 0 && next) pick.activeItems = [next];
    }

    async function findPage(
      words: string,
      from: string | undefined,
      isWanted: () => boolean,
    ): Promise<Page<SearchHit> | undefined> {
      let cursor = from;
      for (let pages = 1; ; pages++) {
        const page = await collector.search({ ...queryOf(words, filters, clock.now()), limit: PAGE, cursor });
        if (page === undefined || page.items.length > 0 || page.next === null) return page;
        if (pages >= EMPTY_PAGES_MAX || !isWanted()) return page;
        cursor = page.next;
      }
    }

    function askAnew(): void {
      pause?.dispose();
      question++;
      const words = pick.value.trim();
      pick.title = `${phraseFor('search.title')} · ${filterWords(filters)}`;
      pick.buttons = buttons();
      if (words === '') {
        pick.busy = false;
        pick.items = [];
        return;
      }
      if (words.length > QUERY_MAX) return say(phraseFor('search.tooLong', { max: QUERY_MAX }));
      pause = clock.after(PAUSE_MS, () => void ask(words, []));
    }

    async function pressed(button: vscode.QuickInputButton): Promise<void> {
      const [project, role] = pick.buttons;
      if (button === project) {
        // The editor has one list at a time: this one is taken away and comes back as it was.
        choosing = true;
        const chosen = await pickProject(collector, machine);
        choosing = false;
        filters = { ...filters, ...chosen };
        pick.show();
      } else if (button === role) filters = { ...filters, role: nextRole(filters) };
      else filters = { ...filters, days: nextDays(filters) };
      askAnew();
    }

    async function accept(): Promise<void> {
      const [item] = pick.selectedItems;
      const words = pick.value.trim();
      if (item?.everywhere) {
        filters = noFilters;
        askAnew();
      } else if (item?.more !== undefined) {
        await ask(
          words,
          pick.items.filter(({ hit }) => hit !== undefined),
          item.more,
        );
      } else if (item?.hit !== undefined) {
        const { sessionId, id: interactionId } = item.hit;
        pick.hide();
        await conversation.show(sessionId, { interactionId, words });
      }
    }

    inFoundOrder(pick);
    pick.placeholder = phraseFor('search.placeholder');
    pick.onDidChangeValue(askAnew);
    pick.onDidTriggerButton((button) => void pressed(button));
    pick.onDidAccept(() => void accept());
    pick.onDidHide(() => {
      if (choosing) return;
      question++;
      pause?.dispose();
      pick.dispose();
    });
    askAnew();
    pick.show();
  };
}

function buttons(): vscode.QuickInputButton[] {
  return [
    { iconPath: new vscode.ThemeIcon('folder'), tooltip: phraseFor('search.byProject') },
    { iconPath: new vscode.ThemeIcon('person'), tooltip: phraseFor('search.byRole') },
    { iconPath: new vscode.ThemeIcon('calendar'), tooltip: phraseFor('search.byTime') },
  ];
}

/** The editor puts what is found into an order of its own, unless it is told not to; its types don't know the word yet. */
function inFoundOrder(pick: vscode.QuickPick<HitItem>): void {
  Object.assign(pick, { sortByLabel: false });
}

function plain(text: string): string {
  return withoutIcons(agentText(text));
}

/** The words are in the label, where the editor marks them; it would leave out what it does not find itself. */
function itemOf(hit: SearchHit, words: string, moment: (ts: string) => string): HitItem {
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
