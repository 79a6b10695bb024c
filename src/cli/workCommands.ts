import { toPathPart } from '../protocol/pathPart.ts';
import { WORK_ID, WORK_ID_RULE } from '../protocol/workId.ts';
import { PAGE_MAX } from '../protocol/limits.ts';
import type { WorkItem } from '../protocol/work.ts';
import { type Answer, objectsIn } from './answers.ts';
import type { Options, WordRule } from './arguments.ts';
import { askerOf, projectAsked, projectOption, sessionOption } from './asker.ts';
import { ask, type AskedCollector, collectorOf, tell } from './asking.ts';
import { type Call, type Command, noWords } from './command.ts';
import { wrongUsage } from './failure.ts';
import { commandName, folderAt } from './places.ts';
import { limitOf, limitOption, pagesOf, type Query, shown, shownOwn } from './readCommands.ts';
import { printable, shellWord } from './text.ts';
import {
  idsText,
  inOrder,
  type NextCommands,
  readChanged,
  readWorkItem,
  workItemLines,
  workLines,
} from './workItems.ts';

const PATH = '/api/work-items';

const options: Options = { ...projectOption, ...sessionOption };

/** More than one is told apart from a missing option: an id is one word, and people write several. */
const idWord: WordRule = { name: 'the id', atLeast: 1, atMost: Number.MAX_SAFE_INTEGER };

export const workCreateCommand: Command = {
  summary: 'make a work item, which edits can belong to',
  options: {
    title: { takes: 'a sentence', words: 'what it is about (default: the id)' },
    needs: { takes: 'ids, as in a,b', repeats: true, words: 'what has to end before it can start' },
    start: { words: 'start it at once' },
    ...options,
  },
  words: idWord,
  async run(call) {
    const { args } = call;
    const id = idOf(call, 'work create');
    const dependencies = needsIn(args.values('needs'));
    const title = args.value('title')?.trim();
    if (title === '') throw wrongUsage('--title takes a sentence', 'work create');
    const answer = await tell(await collectorOf(call), PATH, {
      id,
      ...(title === undefined ? {} : { title }),
      ...(dependencies.length === 0 ? {} : { dependencies }),
      ...(args.has('start') ? { start: true } : {}),
      ...askerOf(call),
    });
    return shown(call, answer, () => {
      const { item } = readChanged(answer);
      return createdLines(item, nextCommands(call, item.project));
    });
  },
};

export const workStartCommand: Command = {
  summary: 'start a work item: edits belong to it from then on; an ended one is opened again',
  options,
  words: idWord,
  async run(call) {
    const id = idOf(call, 'work start');
    const answer = await change(call, id, 'start', {});
    const { item, changed } = readChanged(answer);
    const said = changed ? `Started ${named(item)}.` : `${named(item)} is running already.`;
    return shown(call, answer, () => [`${said} ${whenDone(item, nextCommands(call))}`]);
  },
};

export const workEndCommand: Command = {
  summary: 'end a work item: it is done',
  options: { cancel: { words: 'it is given up rather than done' }, ...options },
  words: idWord,
  async run(call) {
    const id = idOf(call, 'work end');
    const answer = await change(call, id, 'end', call.args.has('cancel') ? { cancel: true } : {});
    const { item, changed } = readChanged(answer);
    const said = changed ? `Ended ${named(item)}` : `${named(item)} has ended already`;
    return shown(call, answer, () => [`${said} (${item.status}).`]);
  },
};

export const workListCommand: Command = {
  summary: 'the work items of this project, those that run first, with what they still need',
  options: {
    ...limitOption,
    all: { words: 'those of all projects' },
    ...options,
  },
  words: noWords,
  async run(call) {
    const limit = limitOf(call);
    const isAll = call.args.has('all');
    if (isAll && call.args.has('project')) throw wrongUsage('--all and --project can’t be used together', 'work list');
    const collector = await collectorOf(call);
    const project = isAll ? undefined : await projectAsked(call, collector);
    const items = await itemsOf(collector, project);
    const answer = { items: inOrder(items).slice(0, limit), more: Math.max(0, items.length - limit) };
    return (isAll ? shownOwn : shown)(call, answer, () => workLines(items, { now: call.world.now(), project, limit }));
  },
};

export const workShowCommand: Command = {
  summary: 'one work item: its status, what it needs, and which sessions edited which files for it',
  options,
  words: idWord,
  async run(call) {
    const id = idOf(call, 'work show');
    const collector = await collectorOf(call);
    const project = await projectAsked(call, collector);
    const answer = await ask(collector, `${PATH}/${toPathPart(id)}${queryText({ project })}`);
    if (call.json) return shown(call, answer, () => []);
    const item = readWorkItem(answer);
    const others = item.dependencies.length === 0 ? [] : await itemsOf(collector, item.project);
    const telling = { now: call.world.now(), next: nextCommands(call) };
    return shown(call, answer, () => workItemLines(item, others, telling));
  },
};

async function change(call: Call, id: string, what: 'start' | 'end', body: Answer): Promise<Answer> {
  const collector = await collectorOf(call);
  return tell(collector, `${PATH}/${toPathPart(id)}/${what}`, { ...body, ...askerOf(call) });
}

/** Nobody has more, and whoever has wants to see those that are open. */
const ITEMS_MAX = 10 * PAGE_MAX;

export async function itemsOf(collector: AskedCollector, project: string | undefined): Promise<readonly WorkItem[]> {
  const query: Query = project === undefined ? {} : { project };
  return objectsIn(await pagesOf(collector, PATH, query, ITEMS_MAX), 'items').map(readWorkItem);
}

function queryText({ project }: { readonly project: string | undefined }): string {
  return project === undefined ? '' : `?project=${encodeURIComponent(project)}`;
}

/** Agents write titles where ids belong: they are told what to write. */
function idOf({ args }: Call, command: string): string {
  const text = args.words.join(' ').trim();
  if (WORK_ID.test(text)) return text;
  const proposed = proposedId(text);
  const instead = proposed === '' ? '' : `; write ${proposed}`;
  throw wrongUsage(`"${printable(text)}" can't be an id: an id ${WORK_ID_RULE}${instead}`, command);
}

/** The same as one word that a shell takes as it is. */
function proposedId(text: string): string {
  const id = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, PROPOSED_MAX)
    .replace(/[^\p{L}\p{N}]+$/u, '');
  return WORK_ID.test(id) ? id : '';
}

const PROPOSED_MAX = 40;

/** `a,b`, `a, b` and one after the other. */
function needsIn(given: readonly string[]): readonly string[] {
  const ids = given.flatMap((list) => list.split(/[\s,]+/)).filter((id) => id !== '');
  const wrong = ids.find((id) => !WORK_ID.test(id));
  if (wrong !== undefined) {
    throw wrongUsage(
      `--needs takes ids, as in a,b: "${printable(wrong)}" can't be one, an id ${WORK_ID_RULE}`,
      'work create',
    );
  }
  if (ids.length === 0 && given.length > 0) throw wrongUsage('--needs takes ids, as in a,b', 'work create');
  return [...new Set(ids)];
}

/**
 * They repeat this command's place, unless the item belongs to the project of the session (GRD-5): the same shell finds that session
 * again.
 */
function nextCommands({ args, world }: Call, project?: string): NextCommands {
  const given = args.value('project');
  const folder = given === undefined ? undefined : folderAt(world.cwd, given);
  const isThere = project === undefined || folder === project || folder?.startsWith(`${project}/`) === true;
  const place = folder === undefined || !isThere ? '' : ` --project ${shellWord(folder)}`;
  const mascot = commandName(world.env);
  return {
    start: (id) => `${mascot} work start ${printable(id)}${place}`,
    end: (id) => `${mascot} work end ${printable(id)}${place}`,
  };
}

function createdLines(item: WorkItem, next: NextCommands): readonly string[] {
  if (item.status === 'running') return [`Created and started ${named(item)}. ${whenDone(item, next)}`];
  const needs = item.dependencies.length === 0 ? 'Start it' : `Once ${idsText(item.dependencies)} ended, start it`;
  return [`Created ${named(item)} (${item.status}). ${needs} with: ${next.start(item.id)}`];
}

function whenDone(item: WorkItem, next: NextCommands): string {
  return `Edits belong to it now. When it is done: ${next.end(item.id)}`;
}

function named({ id }: WorkItem): string {
  return `"${printable(id)}"`;
}
