import type { AgentEvent } from '../protocol/event.ts';
import { isJsonObject } from '../protocol/json.ts';
import { inputIn } from './calls.ts';
import { callWords } from './eventWords.ts';
import { providerFor } from './providers/registry.ts';
import { LABEL_MAX, shortText } from './text.ts';

/** Of a patch that changes half a repository. */
const FILES_MAX = 200;
/** What is longer is nobody's file, and would travel with every snapshot. */
const PATH_MAX = 1_024;

const patchHeader = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** Whether the call is of a tool that changes files, as its agent calls it; what a shell does nobody can tell. */
export function isEdit(event: AgentEvent): boolean {
  return callWords(event).mood === 'writing';
}

/** GRD-4: whether the guard is asked before it, by the hook that is installed for it. */
export function isGuarded(event: AgentEvent): boolean {
  const { tool_name: tool } = callWords(event);
  return tool !== undefined && providerFor(event.provider).guarded?.has(tool) === true;
}

/** The files that an edit is of, as its agent names them; none where they are not kept. */
export function editedFiles(event: AgentEvent): readonly string[] {
  const input = inputIn(event);
  if (isJsonObject(input)) {
    const { file_path: file, notebook_path: notebook, command: patch } = input;
    const named = [file, notebook].find((path) => typeof path === 'string' && path !== '');
    if (typeof named === 'string') return named.length > PATH_MAX ? [] : [named];
    if (typeof patch === 'string') {
      const files = [...patch.matchAll(patchHeader)].map(([, path = '']) => path.trim());
      if (files.length > 0) return [...new Set(files)].filter((path) => path.length <= PATH_MAX).slice(0, FILES_MAX);
    }
  }
  const target = shortText(callWords(event).target);
  // What was cut is no path that anybody could open.
  return target === undefined || target.length >= LABEL_MAX ? [] : [target];
}
