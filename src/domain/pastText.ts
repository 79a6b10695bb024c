import type { Session } from '../protocol/state.ts';
import type { Checkpoint, Digest, PersonWords } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import { openTasks, outcomeOf } from './checkpoint.ts';
import { newestCommands } from './digest.ts';
import { lastPart } from './folders.ts';
import { isOver } from './life.ts';
import {
  ageOf,
  agentWords,
  commandName,
  type ContextPart,
  counted,
  dateOf,
  fileName,
  joined,
  ours,
  programWord,
  providerName,
  quotedAgent,
  quotedPerson,
} from './provenance.ts';
import { lastWorkOf } from './work.ts';
import { itemText } from './workText.ts';

const NAME_MAX = 60;
const WORD_MAX = 90;

/** A session of before, with what it left to be told. */
export interface PastSession {
  readonly session: Session;
  readonly digest?: Digest | undefined;
}

/** How much is told, most first. */
export const PAST_DETAILS = [
  { titleMax: 160, ownMax: 800, requests: 3, wordsMax: 160, files: 8, read: 3, commands: 4, replyMax: 240, tasks: 4 },
  { titleMax: 100, ownMax: 400, requests: 1, wordsMax: 100, files: 4, read: 0, commands: 1, replyMax: 100, tasks: 2 },
  { titleMax: 100, ownMax: 100, requests: 0, wordsMax: 0, files: 0, read: 0, commands: 0, replyMax: 0, tasks: 0 },
  { titleMax: 30, ownMax: 30, requests: 0, wordsMax: 0, files: 0, read: 0, commands: 0, replyMax: 0, tasks: 0 },
] as const;
export type Detail = (typeof PAST_DETAILS)[number];

interface Telling {
  readonly now: number;
  readonly withProject: boolean;
  /** MEM-5: the setting; each session also decides whether its agents' words may be quoted. */
  readonly agentWords: boolean;
  readonly detail: Detail;
}

/** A line that begins with a dash, and what was asked and done in it below, each on a line of its own. */
export function pastLines({ session, digest }: PastSession, telling: Telling): readonly ContextPart[] {
  const { detail } = telling;
  const [first, ...others] = toldRequests(digest, detail);
  const asked = (words: readonly PersonWords[], max: number) =>
    askedText(words, max, { session, digest, isAllowed: telling.agentWords });
  return [
    headLine(session, digest, telling, asked(first === undefined ? [] : [first], detail.titleMax)),
    ...asked(others, detail.wordsMax).map((words) => ours`  ${words}`),
    ...(digest === undefined ? [] : doneLines(digest, detail)),
    ...replyLine(session.lastReply, digest, telling),
    ...taskLine(openTasks(session.tasks), digest, telling.agentWords, detail.tasks),
  ];
}

/** The session's name and the requests that it is not called after. Of a name that was cut, the request itself. */
function toldRequests(digest: Digest | undefined, { requests: count }: Detail): readonly PersonWords[] {
  const requests = digest?.requests.filter(Boolean) ?? [];
  const name = digest?.name ?? requests[0];
  if (name === undefined) return [];
  const last = count === 0 ? [] : requests.slice(-count);
  const whole = requests.find((words) => isNamedAfter(name, words));
  return [whole ?? name, ...last.filter((words) => !isNamedAfter(name, words))];
}

interface Asked extends PastSession {
  readonly isAllowed: boolean;
}

/** MEM-5: the author of a headless session's prompt is unknown, so the prompt counts as an agent's words. */
function askedText(words: readonly PersonWords[], max: number, { session, digest, isAllowed }: Asked): ContextPart[] {
  const isProgram = session.surface === 'headless';
  const quotes = words.flatMap((each) => {
    if (!isProgram) return [quotedPerson(each, max)];
    const told = agentWords(each, digest, isAllowed);
    return told === undefined ? [] : [quotedAgent(told, max)];
  });
  if (quotes.length === 0) return [];
  return [ours`${isProgram ? ours`a program` : ours`a person`} asked ${joined(quotes, ', ')}`];
}

function headLine(
  session: Session,
  digest: Digest | undefined,
  { now, withProject }: Telling,
  asked: readonly ContextPart[],
): ContextPart {
  const { counts, project, worktree } = session;
  const worked = lastWorkOf(session);
  const parts = [
    ours`- ${ageOf(worked, now)}${dateOf(worked)}, ${providerName(session.provider)}`,
    ...(withProject ? [ours`project ${fileName(lastPart(project), NAME_MAX)}`] : []),
    ...(worktree === undefined ? [] : [ours`worktree ${fileName(worktree, NAME_MAX)}`]),
    asked[0] ?? ours`without a title`,
    joined(
      [
        counted(counts.prompts, 'prompt'),
        counted(counts.toolCalls, 'tool call'),
        ...(counts.failures > 0 ? [ours`${counts.failures} failed`] : []),
      ],
      ', ',
    ),
    endOf(session, digest),
  ];
  return joined(parts, ' · ');
}

function doneLines(digest: Digest, detail: Detail): readonly ContextPart[] {
  return [
    ...line(ours`edited`, fileWords(filesOf(digest, true), detail.files, digest.unnamed?.length)),
    ...line(ours`read`, fileWords(filesOf(digest, false).slice(-detail.read), detail.read)),
    ...line(ours`ran`, commandWords(digest.commands, detail.commands)),
    ...line(ours`could not edit`, fileWords(detail.read === 0 ? [] : digest.failedEdits, detail.files)),
  ];
}

function replyLine(
  reply: string | null,
  digest: Digest | undefined,
  { agentWords: isAllowed, detail }: Pick<Telling, 'agentWords' | 'detail'>,
): readonly ContextPart[] {
  const words = detail.replyMax > 0 ? agentWords(reply, digest, isAllowed) : undefined;
  return words === undefined ? [] : [ours`  at last an agent wrote ${quotedAgent(words, detail.replyMax)}`];
}

/** The number of open tasks; their titles only if agents' words may be quoted. */
function taskLine(
  open: readonly string[],
  digest: Digest | undefined,
  isAllowed: boolean,
  count: number,
): readonly ContextPart[] {
  if (open.length === 0 || count === 0) return [];
  const told = open.slice(0, count).flatMap((title) => agentWords(title, digest, isAllowed) ?? []);
  const titles = told.map((title) => quotedAgent(title, WORD_MAX));
  const words = titles.length === 0 ? ours`` : ours`, an agent wrote ${joined(titles, ', ')}`;
  return [ours`  open tasks: ${open.length}${words}`];
}

/** EVT-2: a conversation before it was compacted. */
export interface OwnConversation {
  readonly checkpoint: Checkpoint;
  readonly digest: Digest | undefined;
  /** GRD-1: the work item of its session. */
  readonly item?: WorkItem | undefined;
}

/** EVT-2: what a conversation was at, for the agent that has lost all of it but a summary. */
export function checkpointLines(
  { checkpoint, digest, item }: OwnConversation,
  telling: Pick<Telling, 'agentWords' | 'detail'>,
): readonly ContextPart[] {
  const { request, requestBefore, requestOpen, tasks, files, moreFiles, reply } = checkpoint;
  const { detail, agentWords: isAllowed } = telling;
  const asked = (words: PersonWords) => (words === '' ? [] : [quotedPerson(words, detail.ownMax)]);
  return [
    ...line(requestOpen ? ours`current request` : ours`last request`, asked(request)),
    ...line(ours`asked before`, asked(requestBefore)),
    ...line(ours`work item`, item === undefined ? [] : [itemText(item, isAllowed)]),
    ...taskLine(tasks, digest, isAllowed, detail.tasks + detail.read),
    ...line(ours`edited`, fileWords(files, detail.files, moreFiles)),
    ...line(ours`ran`, commandWords(digest?.commands ?? [], detail.commands)),
    ...replyLine(reply, digest, telling),
  ];
}

/** Is this title the request, or its beginning? Sessions are named after their first request, cut if it is long. */
function isNamedAfter(title: string, request: string): boolean {
  return title === request || (title.length > 1 && title.endsWith('…') && request.startsWith(title.slice(0, -1)));
}

function commandWords(commands: Digest['commands'], count: number): readonly ContextPart[] {
  const told = count === 0 ? [] : newestCommands(commands, count);
  return told.map((command) => ours`${commandName(command.text, WORD_MAX)} (${outcomeOf(command)})`);
}

function filesOf({ files }: Digest, written: boolean): string[] {
  return files.filter((file) => file.written === written).map(({ path }) => path);
}

/** The newest of them, and how many others there are. */
function fileWords(paths: readonly string[], count: number, unnamed = 0): readonly ContextPart[] {
  if (count === 0) return [];
  const named = paths.slice(-count).map((path) => fileName(path, WORD_MAX));
  const more = paths.length - named.length + unnamed;
  const last = named.at(-1);
  return more === 0 || last === undefined ? named : [...named.slice(0, -1), ours`${last} and ${more} more`];
}

function line(name: ContextPart, parts: readonly ContextPart[]): readonly ContextPart[] {
  return parts.length === 0 ? [] : [ours`  ${name}: ${joined(parts, ', ')}`];
}

function endOf(session: Session, digest: Digest | undefined): ContextPart {
  return ours`${standing(session)}${turnWords(session, digest)}`;
}

function standing({ state, phase, endReason }: Session): ContextPart {
  switch (state) {
    case 'completed': {
      const reason = programWord(endReason);
      return reason === undefined ? ours`ended` : ours`ended (${reason})`;
    }
    case 'stale':
      return ours`broke off without an end`;
    case 'idle':
      return ours`left open`;
    case 'active':
      return phase === 'busy' ? ours`working now` : ours`still open`;
  }
}

function turnWords({ state, phaseBecause }: Session, digest: Digest | undefined): ContextPart {
  const failure = digest?.turn === 'failed' ? (digest.error ?? '') : phaseBecause?.failure;
  if (failure !== undefined) {
    const kind = programWord(failure);
    return kind === undefined ? ours`, its last turn failed` : ours`, its last turn failed (${kind})`;
  }
  if (digest?.turn === 'interrupted') return ours`, its last turn was interrupted`;
  return digest?.turn === 'open' && isOver(state) ? ours` in the middle of its work` : ours``;
}
