import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';

/** What a call changed, as people read changes, and the names of the input that say the same. */
export interface ToolChange {
  readonly text: string;
  readonly language: 'diff' | '';
  readonly says: readonly string[];
}

/** An edit as a difference, a list of things to do with what is done of it. Undefined: it is neither. */
export function toolChange(given: JsonObject, answer: JsonObject | undefined, doing: string): ToolChange | undefined {
  const todos = todoLines(given['todos'] ?? given['plan'], doing);
  if (todos !== undefined) return { text: todos, language: '', says: ['todos', 'plan'] };
  // What the person changed before saying yes is only in the patch.
  const text = patchText(answer?.['structuredPatch']) ?? editsText(given);
  if (text === undefined) return undefined;
  const says = ['old_string', 'new_string', 'edits', ...(given['replace_all'] === false ? ['replace_all'] : [])];
  return { text, language: 'diff', says };
}

const repeats = new Set(
  'type filePath content oldString newString structuredPatch userModified replaceAll edits oldTodos newTodos'.split(
    ' ',
  ),
);

/** Some tools answer with what they were given, in other words. */
export function onlyRepeats(answer: JsonObject): boolean {
  const names = Object.keys(answer);
  return ('filePath' in answer || 'newTodos' in answer) && names.every((name) => repeats.has(name));
}

function patchText(patch: Json | undefined): string | undefined {
  if (!Array.isArray(patch)) return undefined;
  const hunks = (patch as readonly Json[]).filter(isJsonObject).map((hunk) => {
    const { oldStart, oldLines, newStart, newLines, lines } = hunk;
    const place = [`-${String(oldStart)},${String(oldLines)}`, `+${String(newStart)},${String(newLines)}`].join(' ');
    const told = Array.isArray(lines) ? (lines as readonly Json[]).filter((line) => typeof line === 'string') : [];
    return [`@@ ${place} @@`, ...told].join('\n');
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
