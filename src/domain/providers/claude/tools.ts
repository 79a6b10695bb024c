import type { Json } from '../../../protocol/json.ts';
import type { Mood } from '../../../protocol/state.ts';
import { questionIn, targetIn } from '../target.ts';

const moodByTool: Readonly<Record<string, Mood>> = {
  Read: 'reading',
  NotebookRead: 'reading',
  LS: 'reading',
  ReadMcpResourceTool: 'reading',
  Edit: 'writing',
  MultiEdit: 'writing',
  Write: 'writing',
  NotebookEdit: 'writing',
  Bash: 'running',
  BashOutput: 'running',
  KillShell: 'running',
  Monitor: 'running',
  PowerShell: 'running',
  Grep: 'searching',
  Glob: 'searching',
  LSP: 'searching',
  ToolSearch: 'searching',
  WebFetch: 'browsing',
  WebSearch: 'browsing',
  Agent: 'delegating',
  Task: 'delegating',
  SendMessage: 'delegating',
  AskUserQuestion: 'asking',
  ExitPlanMode: 'waiting',
};

export function moodOfTool(tool: string): Mood {
  const known = Object.hasOwn(moodByTool, tool) ? moodByTool[tool] : undefined;
  if (known) return known;
  // Everything an MCP server offers runs outside the agent; the rest (todo lists, skills, plans) is the agent's own thinking.
  return tool.startsWith('mcp__') ? 'running' : 'thinking';
}

/** Those that change files. */
export const claudeEditTools = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'] as const;

/** Tools whose permission prompt is a question to the person, not a request to be allowed something. */
export function asksThePerson(tool: string): boolean {
  return tool === 'AskUserQuestion';
}

/** The input fields that say best what a call is about, most telling first. */
const targetFields = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'query',
  'url',
  'description',
  'skill',
  'subject',
  'path',
  'to',
] as const;

export function targetOf(input: Json | undefined): string | undefined {
  return targetIn(input, targetFields) ?? questionIn(input);
}
