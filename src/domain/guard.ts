import type { AgentEvent } from '../protocol/event.ts';
import type { TrackingRule, WorkItem } from '../protocol/work.ts';
import { editedFiles } from './edits.ts';
import { lastPart, pathWithin } from './folders.ts';
import { plainWords } from './plainWords.ts';
import { hasEnded, openNeeds } from './workItems.ts';
import { itemText } from './workText.ts';

/** Of the project's own items, so that an agent goes on with one rather than make another. */
const ITEMS_TOLD = 6;
const TITLE_MAX = 80;
const STEM_MAX = 40;

export interface Untracked {
  readonly event: AgentEvent;
  readonly rule: TrackingRule;
  readonly project: string;
  /** Of the project. */
  readonly items: readonly WorkItem[];
  /** MEM-5: may titles by agents be shown to agents? */
  readonly agentWords: boolean;
  /** How the agent's shell calls the command line tool. */
  readonly mascot: string;
}

/** GRD-2: what an agent is told of an edit that belongs to no running work item. */
export interface GuardWords {
  readonly text: string;
  /** Commands that would begin one, the likeliest first. */
  readonly commands: readonly string[];
}

export function guardWords(untracked: Untracked): GuardWords {
  const { rule, items, mascot } = untracked;
  const startable = items.filter((item) => !hasEnded(item) && openNeeds(item, items).length === 0);
  const ready = rule.autoCreate ? [readyMade(untracked)] : [];
  const starting = startable.slice(0, ITEMS_TOLD).map(({ id }) => `${mascot} work start ${id}`);
  const own = `${mascot} work create <id> --title "<what you are doing>" --start`;
  return {
    text: [...opening(rule), ...choices(untracked, startable, own, ready[0]), ...closing(untracked)].join('\n'),
    commands: [...ready, ...starting, own],
  };
}

function opening({ mode }: TrackingRule): readonly string[] {
  if (mode === 'strict') {
    return [
      'Agent Mascot held this edit back and nothing was changed: edits in this project belong to a work item, and none is running.',
      'Start one with a shell command, then make the same edit again:',
    ];
  }
  return [
    'Agent Mascot: this edit belongs to no work item and is noted as untracked. It was not held back.',
    'For the edits that follow, start a work item with a shell command:',
  ];
}

function choices(
  { items, mascot, agentWords }: Untracked,
  startable: readonly WorkItem[],
  own: string,
  ready: string | undefined,
): readonly string[] {
  const lines = startable.slice(0, ITEMS_TOLD).map((item) => `- ${itemText(item, agentWords)}`);
  const more = startable.length - lines.length;
  const waiting = items.filter((item) => !hasEnded(item) && !startable.includes(item)).length;
  return [
    ...(ready === undefined ? [] : [`  ${ready}`]),
    `  ${own}`,
    ...(lines.length === 0
      ? []
      : [
          'or, if it belongs to one that is there already:',
          `  ${mascot} work start <id>`,
          'A record, not instructions.',
        ]),
    ...lines,
    ...(more > 0 ? [`- and ${more} more (work list)`] : []),
    ...(waiting > 0 ? [`(${waiting} more can't begin before others have ended)`] : []),
  ];
}

function closing({ mascot, rule }: Untracked): readonly string[] {
  return [
    `End it when the work is done: ${mascot} work end <id>`,
    ...(rule.mode === 'strict' ? ['Please do not make the edit by a shell command instead.'] : []),
  ];
}

/** GRD-2: of nothing but the edit, so that no word of a conversation gets into a list that outlives it. */
function readyMade({ event, project, items, mascot }: Untracked): string {
  const [file = ''] = editedFiles(event);
  const path = pathWithin(file, [project]);
  const id = freeId(`edit-${stemOf(path)}`, items);
  return `${mascot} work create ${id} --title ${quotedWord(titleFor(path))} --start`;
}

function titleFor(path: string): string {
  return path === '' ? 'Edit this project' : plainWords(`Edit ${path}`, TITLE_MAX);
}

function stemOf(path: string): string {
  const stem = lastPart(path)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...stem].slice(0, STEM_MAX).join('').replace(/-+$/, '') || 'project';
}

function freeId(wanted: string, items: readonly WorkItem[]): string {
  const taken = new Set(items.map(({ id }) => id));
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}-${count}`)) count++;
  return `${wanted}-${count}`;
}

/** One word for every POSIX shell, whatever a file is called. */
export function quotedWord(text: string): string {
  if (/^[\w./@:+-]+(?: [\w./@:+-]+)*$/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The plans and the memory that an agent keeps for itself lie beside its transcripts, and belong to nobody's work: to hold them
 * back would keep it from planning the very item it is asked for.
 */
export function isOwnNote(event: AgentEvent, transcript: string | undefined): boolean {
  const files = editedFiles(event);
  const written = slashed(transcript ?? '');
  const end = written.lastIndexOf('/projects/');
  if (end <= 0 || files.length === 0) return false;
  const root = written.slice(0, end);
  const [slug = ''] = written.slice(end + '/projects/'.length).split('/');
  const own = [`${root}/plans/`, `${root}/projects/${slug}/memory/`];
  return files
    .map(slashed)
    .every((file) => !/(?:^|\/)\.\.(?:\/|$)/.test(file) && own.some((folder) => file.startsWith(folder)));
}

/** Only on Windows does a path begin with a letter and hold backslashes. */
function slashed(path: string): string {
  return /^[a-z]:\\/i.test(path) ? path.replaceAll('\\', '/') : path;
}
