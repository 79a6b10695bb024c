import type { Json } from '../../../protocol/json.ts';
import type { Mood } from '../../../protocol/state.ts';
import { targetIn } from '../target.ts';

/** In lower case: hooks with Pascal-case names write `Bash` for `bash`. */
const moodByTool: Readonly<Record<string, Mood>> = {
  view: 'reading',
  read: 'reading',
  show_file: 'reading',
  create: 'writing',
  write: 'writing',
  edit: 'writing',
  multiedit: 'writing',
  str_replace_editor: 'writing',
  apply_patch: 'writing',
  bash: 'running',
  read_bash: 'running',
  write_bash: 'running',
  stop_bash: 'running',
  powershell: 'running',
  read_powershell: 'running',
  write_powershell: 'running',
  stop_powershell: 'running',
  grep: 'searching',
  rg: 'searching',
  glob: 'searching',
  lsp: 'searching',
  web_fetch: 'browsing',
  webfetch: 'browsing',
  web_search: 'browsing',
  websearch: 'browsing',
  fetch_copilot_cli_documentation: 'browsing',
  task: 'delegating',
  agent: 'delegating',
  read_agent: 'delegating',
  write_agent: 'delegating',
  list_agents: 'delegating',
  ask_user: 'asking',
  exit_plan_mode: 'waiting',
};

export function moodOfTool(tool: string): Mood {
  const name = tool.toLowerCase();
  const known = Object.hasOwn(moodByTool, name) ? moodByTool[name] : undefined;
  // A server's tool is named `server-tool`; everything else unknown (notes, intents, plans) is the agent's own thinking.
  return known ?? (name.includes('-') || name.startsWith('mcp_') ? 'running' : 'thinking');
}

export function asksThePerson(tool: string): boolean {
  return tool === 'ask_user';
}

export function startsAgent(tool: string): boolean {
  return tool.toLowerCase() === 'task';
}

const targetFields = [
  'file_path',
  'command',
  'pattern',
  'query',
  'url',
  'path',
  'question',
  'description',
  'skill',
  'intent',
  'name',
] as const;

export function targetOf(args: Json | undefined): string | undefined {
  return targetIn(args, targetFields);
}

const shells: ReadonlySet<string> = new Set([
  'bash',
  'read_bash',
  'write_bash',
  'powershell',
  'read_powershell',
  'write_powershell',
]);

const FOOTER_MAX = 200;

/** A shell command that failed is reported as a success; only the last line of its text tells its exit code. */
export function exitCodeIn(tool: string, output: string): number | undefined {
  if (!shells.has(tool.toLowerCase())) return undefined;
  const code = / with exit code (-?\d{1,10})>\s*$/.exec(output.slice(-FOOTER_MAX))?.[1];
  return code === undefined ? undefined : Number(code);
}
