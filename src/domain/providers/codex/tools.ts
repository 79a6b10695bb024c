import { isJsonObject, type Json } from '../../../protocol/json.ts';
import type { Mood } from '../../../protocol/state.ts';
import { questionIn, targetIn } from '../target.ts';

const moodByTool: Readonly<Record<string, Mood>> = {
  Bash: 'running',
  apply_patch: 'writing',
  view_image: 'reading',
  tool_search: 'searching',
  web_search: 'browsing',
  request_user_input: 'asking',
};

export function moodOfTool(tool: string): Mood {
  const known = Object.hasOwn(moodByTool, tool) ? moodByTool[tool] : undefined;
  if (known) return known;
  if (tool.startsWith('mcp__')) return 'running';
  return isAboutAgents(tool) ? 'delegating' : 'thinking';
}

/** The namespace is glued to the name without a separator; older models' tools have none. */
function isAboutAgents(tool: string): boolean {
  return tool.startsWith('collaboration') || /_agents?$/.test(tool);
}

export function startsAgent(tool: string): boolean {
  return tool === 'collaborationspawn_agent' || tool === 'spawn_agent';
}

export function asksThePerson(tool: string): boolean {
  return tool === 'request_user_input';
}

/** The input fields that say best what a call is about, most telling first. */
const targetFields = ['command', 'path', 'file_path', 'pattern', 'query', 'url', 'target', 'task_name'] as const;

export function targetOf(tool: string, input: Json | undefined): string | undefined {
  if (tool === 'apply_patch') return patchedFileIn(input);
  if (startsAgent(tool)) return taskIn(input);
  return targetIn(input, targetFields) ?? questionIn(input);
}

/** A patch names its first file at its beginning, whatever its size. */
const PATCH_HEAD = 10_000;

function patchedFileIn(input: Json | undefined): string | undefined {
  const patch = isJsonObject(input) ? input['command'] : undefined;
  if (typeof patch !== 'string') return undefined;
  const header = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(patch.slice(0, PATCH_HEAD));
  return targetIn({ file: header?.[1] ?? '' }, ['file']);
}

/** What a new agent is started for: its message, unless that came encrypted; then the name of its task. */
export function taskIn(input: Json | undefined): string | undefined {
  const message = targetIn(input, ['message']);
  return message !== undefined && /\s/.test(message) ? message : (targetIn(input, ['task_name']) ?? message);
}
