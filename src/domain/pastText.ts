import type { Session } from '../protocol/state.ts';
import type { Checkpoint, Digest } from '../protocol/stored.ts';
import { openTasks, toldCommand } from './checkpoint.ts';
import { newestCommands } from './digest.ts';
import { lastPart } from './folders.ts';
import { isOver } from './life.ts';
import { ageOf, amount, dateOf, namedFile, plainWords, quoted } from './plainWords.ts';
import { lastWorkOf } from './work.ts';

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
  readonly detail: Detail;
}

/** A line that begins with a dash, and what was asked and done in it below, each on a line of its own. */
export function pastLines({ session, digest }: PastSession, telling: Telling): readonly string[] {
  const { detail } = telling;
  const tasks = openTasks(session.tasks).slice(0, detail.tasks);
  return [
    headLine(session, digest, telling),
    ...(digest === undefined ? [] : doneLines(session, digest, detail)),
    ...line('last reply', detail.replyMax > 0 && session.lastReply ? [quoted(session.lastReply, detail.replyMax)] : []),
    ...line(
      'open tasks',
      tasks.map((title) => quoted(title, WORD_MAX)),
    ),
  ];
}

function headLine(session: Session, digest: Digest | undefined, { now, withProject, detail }: Telling): string {
  const { counts } = session;
  const worked = lastWorkOf(session);
  const request = digest?.requests.find((words) => isNamedAfter(session.title, words));
  const parts = [
    `- ${ageOf(worked, now)}${dateOf(worked)}, ${plainWords(session.provider, NAME_MAX)}`,
    ...(withProject ? [`project ${plainWords(lastPart(session.project), NAME_MAX)}`] : []),
    ...(session.worktree === undefined ? [] : [`worktree ${namedFile(session.worktree, NAME_MAX)}`]),
    session.title === '' ? 'without a title' : quoted(request ?? session.title, detail.titleMax),
    [
      amount(counts.prompts, 'prompt'),
      amount(counts.toolCalls, 'tool call'),
      ...(counts.failures > 0 ? [`${counts.failures} failed`] : []),
    ].join(', '),
    endOf(session, digest),
  ];
  return parts.join(' · ');
}

function doneLines({ title }: Session, digest: Digest, detail: Detail): readonly string[] {
  const requests = detail.requests === 0 ? [] : digest.requests.filter(Boolean).slice(-detail.requests);
  const untold = requests.filter((words) => !isNamedAfter(title, words));
  return [
    ...line(
      'asked',
      untold.map((words) => quoted(words, detail.wordsMax)),
    ),
    ...line('edited', fileWords(filesOf(digest, true), detail.files, digest.unnamed?.length)),
    ...line('read', fileWords(filesOf(digest, false).slice(-detail.read), detail.read)),
    ...line('ran', commandWords(digest.commands.map(toldCommand), detail.commands)),
    ...line(
      'failed',
      detail.read === 0
        ? []
        : digest.failures.map(({ tool, target, message }) => quoted(`${tool} ${target}: ${message}`, WORD_MAX)),
    ),
  ];
}

/** A session is called after its first request until its agent finds a title, and a long request is cut for that. */
function isNamedAfter(title: string, request: string): boolean {
  return title === request || (title.length > 1 && title.endsWith('…') && request.startsWith(title.slice(0, -1)));
}

export function commandWords(commands: Checkpoint['commands'], count: number): string[] {
  const told = count === 0 ? [] : newestCommands(commands, count);
  return told.map(({ text, outcome }) => `${quoted(text, WORD_MAX)} (${outcome})`);
}

function filesOf({ files }: Digest, written: boolean): string[] {
  return files.filter((file) => file.written === written).map(({ path }) => path);
}

/** The newest of them, and how many others there are. */
export function fileWords(paths: readonly string[], count: number, unnamed = 0): string[] {
  if (count === 0) return [];
  const named = paths.slice(-count).map((path) => namedFile(path, WORD_MAX));
  const more = paths.length - named.length + unnamed;
  const last = named.at(-1);
  return more === 0 || last === undefined ? named : [...named.slice(0, -1), `${last} and ${more} more`];
}

export function line(name: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`  ${name}: ${parts.join(', ')}`];
}

function endOf(session: Session, digest: Digest | undefined): string {
  return `${standing(session)}${turnWords(session, digest)}`;
}

function standing({ state, phase, endReason }: Session): string {
  switch (state) {
    case 'completed':
      return `ended${endReason === undefined ? '' : ` (${plainWords(endReason, NAME_MAX)})`}`;
    case 'stale':
      return 'broke off without an end';
    case 'idle':
      return 'left open';
    case 'active':
      return phase === 'busy' ? 'working now' : 'still open';
  }
}

function turnWords({ state, phaseBecause }: Session, digest: Digest | undefined): string {
  const failure = digest?.turn === 'failed' ? (digest.error ?? 'unknown') : phaseBecause?.failure;
  if (failure !== undefined) return `, its last turn failed (${plainWords(failure, NAME_MAX)})`;
  if (digest?.turn === 'interrupted') return ', its last turn was interrupted';
  return digest?.turn === 'open' && isOver(state) ? ' in the middle of its work' : '';
}
