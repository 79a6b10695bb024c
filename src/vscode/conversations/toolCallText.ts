import { codeMarkdown, plainMarkdown, quotedCode } from '../../domain/markdownText.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { ToolObservation } from '../../protocol/reading.ts';
import { durationText } from '../moment.ts';
import type { ConversationFormat } from './conversationFormat.ts';

/**
 * One tool call as Markdown: a line, and below it what the tool was given and what it answered. `agent` is the agent's name as
 * Markdown, empty for the main agent.
 */
export function callLines(call: ToolObservation, agent: string, format: ConversationFormat): readonly string[] {
  const { l10n, limits } = format;
  const tool = `**${plainMarkdown(call.skillName) || l10n.t('Tool')}**`;
  const what = [
    agent === '' ? tool : l10n.t('{agent}: {what}', { agent, what: tool }),
    codeMarkdown(call.target ?? ''),
  ];
  const parts = [
    `${signs[call.outcome]} ${what.filter(Boolean).join(' ')}`,
    outcomeWords(call, format),
    call.durationMs === null ? '' : durationText(call.durationMs, format),
  ];
  const given = parsed(call.arguments);
  const answer = parsed(call.response ?? '');
  const change = given && toolChange(given, answer, l10n.t('doing'));
  const isRepeated = call.outcome === 'succeeded' && answer !== undefined && onlyRepeats(answer);
  const blocks = [
    block(givenText(call, given, change), limits.given, format),
    // A change has the room of both, because it replaces most of them.
    block(change?.text ?? '', limits.given + limits.answered, format, change?.language),
    block(isRepeated ? '' : (call.response ?? ''), limits.answered, format),
  ].filter((lines) => lines.length > 0);
  return [
    `- ${parts.filter(Boolean).join(' · ')}`,
    ...blocks.flatMap((lines, index) => (index === 0 ? lines : ['>', ...lines])).map((line) => `  ${line}`),
  ];
}

const signs: Readonly<Record<ToolObservation['outcome'], string>> = {
  running: '…',
  succeeded: '✓',
  failed: '✗',
  denied: '⊘',
  unknown: '?',
};

function outcomeWords({ outcome, metadata }: ToolObservation, { l10n }: ConversationFormat): string {
  const code = metadata['exitCode'];
  const exit = typeof code === 'number' && code !== 0 ? l10n.t('exit code {code}', { code }) : '';
  switch (outcome) {
    case 'succeeded':
      return exit;
    case 'failed':
      return exit === '' ? l10n.t('failed') : exit;
    case 'denied':
      return l10n.t('not allowed');
    case 'running':
      return l10n.t('running');
    case 'unknown':
      return l10n.t('how it ended is not known');
  }
}

/** What the tool was given, a value a line, without the values that the line above or the change shows already. */
function givenText(
  { arguments: json, target }: ToolObservation,
  given: JsonObject | undefined,
  change: ToolChange | undefined,
): string {
  if (given === undefined) return json;
  const rows = Object.entries(given).filter(
    ([name, value]) =>
      change === undefined || !(change.inputs.includes(name) || value === target || isEndOf(value, target)),
  );
  const [only] = rows;
  if (rows.length <= 1 && (only === undefined || only[1] === target)) return '';
  return rows
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** The line above shows only the last part of a long path. */
function isEndOf(value: Json, target: string | null): boolean {
  return typeof value === 'string' && target !== null && target !== '' && value.endsWith(target);
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value = JSON.parse(json) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function block(
  text: string,
  max: number,
  { l10n, number }: ConversationFormat,
  language: ToolChange['language'] = '',
): readonly string[] {
  const trimmed = text.trimEnd();
  if (trimmed === '') return [];
  const cut = cutAt(trimmed, max);
  const lines = quotedCode(cut, language).split('\n');
  if (cut.length === trimmed.length) return lines;
  const count = number(trimmed.length - cut.length);
  return [...lines, `> _${l10n.t('… and {count} more characters', { count })}_`];
}

/** Cuts at the end of a line where one is near the limit, and never inside a character. */
function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.lastIndexOf('\n', max);
  return text.slice(0, end > max / 2 ? end : max).replace(/\p{Cs}$/u, '');
}

/** What a tool call changed, in a form that people read. */
interface ToolChange {
  readonly text: string;
  readonly language: 'diff' | '';
  /** The names of the inputs that the text shows. */
  readonly inputs: readonly string[];
}

/** An edit as a difference, or a list of tasks with the done ones ticked; `undefined` if the call is neither. */
function toolChange(given: JsonObject, answer: JsonObject | undefined, doing: string): ToolChange | undefined {
  const todos = todoLines(given['todos'] ?? given['plan'], doing);
  if (todos !== undefined) return { text: todos, language: '', inputs: ['todos', 'plan'] };
  // Only the patch has what the person changed before accepting the edit.
  const text = patchText(answer?.['structuredPatch']) ?? editsText(given);
  if (text === undefined) return undefined;
  const inputs = ['old_string', 'new_string', 'edits', ...(given['replace_all'] === false ? ['replace_all'] : [])];
  return { text, language: 'diff', inputs };
}

/** The names under which tools answer with what they were given. */
const repeatedNames = new Set(
  'type filePath content oldString newString structuredPatch userModified replaceAll edits oldTodos newTodos'.split(
    ' ',
  ),
);

/** Whether a tool's answer only repeats what the tool was given. */
function onlyRepeats(answer: JsonObject): boolean {
  const names = Object.keys(answer);
  return ('filePath' in answer || 'newTodos' in answer) && names.every((name) => repeatedNames.has(name));
}

function patchText(patch: Json | undefined): string | undefined {
  if (!Array.isArray(patch)) return undefined;
  const hunks = (patch as readonly Json[]).filter(isJsonObject).map((hunk) => {
    const { oldStart, oldLines, newStart, newLines, lines } = hunk;
    const place = [`-${String(oldStart)},${String(oldLines)}`, `+${String(newStart)},${String(newLines)}`].join(' ');
    const changed = Array.isArray(lines) ? (lines as readonly Json[]).filter((line) => typeof line === 'string') : [];
    return [`@@ ${place} @@`, ...changed].join('\n');
  });
  return hunks.length === 0 ? undefined : hunks.join('\n');
}

function editsText(given: JsonObject): string | undefined {
  const { edits } = given;
  const all = Array.isArray(edits) ? (edits as readonly Json[]) : [given];
  const texts = all.flatMap((edit) => {
    if (!isJsonObject(edit)) return [];
    const { old_string: before, new_string: after } = edit;
    return typeof before === 'string' && typeof after === 'string'
      ? [[...marked('-', before), ...marked('+', after)].join('\n')]
      : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n@@\n');
}

function marked(sign: '-' | '+', text: string): readonly string[] {
  if (text === '') return [];
  return text
    .replace(/\r?\n$/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => `${sign}${line}`);
}

function todoLines(todos: Json | undefined, doing: string): string | undefined {
  if (!Array.isArray(todos) || todos.length === 0) return undefined;
  const lines = (todos as readonly Json[]).map((todo) => {
    if (!isJsonObject(todo)) return undefined;
    const words = todo['content'] ?? todo['step'];
    const { status } = todo;
    if (typeof words !== 'string' || typeof status !== 'string') return undefined;
    return `[${status === 'completed' ? 'x' : ' '}] ${words}${status === 'in_progress' ? ` (${doing})` : ''}`;
  });
  return lines.every((line) => line !== undefined) ? lines.join('\n') : undefined;
}
