import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Mood } from '../../../protocol/state.ts';
import { questionIn, targetIn } from '../target.ts';

const moodByTool: Readonly<Record<string, Mood>> = {
  read_file: 'reading',
  read_many_files: 'reading',
  list_directory: 'reading',
  get_internal_docs: 'reading',
  write_file: 'writing',
  replace: 'writing',
  run_shell_command: 'running',
  glob: 'searching',
  grep_search: 'searching',
  search_file_content: 'searching',
  web_fetch: 'browsing',
  google_web_search: 'browsing',
  delegate_to_agent: 'delegating',
  invoke_agent: 'delegating',
  codebase_investigator: 'delegating',
  ask_user: 'asking',
  exit_plan_mode: 'waiting',
};

export function moodOfTool(tool: string): Mood {
  const known = Object.hasOwn(moodByTool, tool) ? moodByTool[tool] : undefined;
  // A server's tool is named after its server; everything else unknown (notes, lists, plans) is the agent's own thinking.
  return known ?? (tool.startsWith('mcp_') || tool.includes('__') ? 'running' : 'thinking');
}

const targetFields = [
  'file_path',
  'absolute_path',
  'command',
  'pattern',
  'query',
  'url',
  'prompt',
  'objective',
  'dir_path',
  'path',
  'description',
  'name',
] as const;

export function targetOf(input: Json | undefined): string | undefined {
  return targetIn(input, targetFields) ?? questionIn(input);
}

interface Asked {
  readonly tool?: string | undefined;
  readonly target?: string | undefined;
}

/** A dialog tells the tool only by what it asks; it is named as its own hook names it where that is certain. */
const askedBy: Readonly<Record<string, (details: JsonObject) => Asked>> = {
  edit: (details) => ({ tool: editorIn(details['title']), target: targetIn(details, ['filePath', 'fileName']) }),
  exec: (details) => ({ tool: 'run_shell_command', target: targetIn(details, ['command']) }),
  sandbox_expansion: (details) => ({ tool: 'run_shell_command', target: targetIn(details, ['command']) }),
  mcp: (details) => ({ tool: targetIn(details, ['toolName']), target: targetIn(details, ['serverName']) }),
  info: (details) => ({ target: firstText(details['urls']) ?? targetIn(details, ['prompt']) }),
  ask_user: (details) => ({ tool: 'ask_user', target: questionIn(details) }),
  exit_plan_mode: (details) => ({ tool: 'exit_plan_mode', target: targetIn(details, ['planPath']) }),
};

export function askedIn(details: JsonObject): Asked {
  const type = details['type'];
  const read = typeof type === 'string' && Object.hasOwn(askedBy, type) ? askedBy[type] : undefined;
  return read?.(details) ?? {};
}

function editorIn(title: Json | undefined): string | undefined {
  if (typeof title !== 'string') return undefined;
  if (title.startsWith('Confirm Write')) return 'write_file';
  return title.startsWith('Confirm Edit') ? 'replace' : undefined;
}

function firstText(list: Json | undefined): string | undefined {
  return Array.isArray(list) ? targetIn({ first: list[0] as Json }, ['first']) : undefined;
}

/** The text of a result or a message, which is a string, a part, or a list of both. */
export function textOfParts(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = (value as readonly Json[]).slice(0, PARTS_READ).map(textOfPart);
    return texts.filter((text) => text !== '').join('\n');
  }
  return textOfPart(value);
}

const PARTS_READ = 100;

function textOfPart(part: Json | undefined): string {
  if (typeof part === 'string') return part;
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}

export function isShell(tool: string): boolean {
  return tool === 'run_shell_command';
}

const FOOTER_MAX = 1_000;
const footerFields = ['Signal: ', 'Background PIDs: ', 'Process Group PGID: '];

function isFooter(line: string): boolean {
  return line === '' || line === '</untrusted_context>' || footerFields.some((field) => line.startsWith(field));
}

/**
 * The exit code that stands below a shell command's output; absent when it was 0. Only the footer counts: the command may
 * print such a line itself.
 */
export function exitCodeIn(output: string): number | undefined {
  const lines = output
    .slice(-FOOTER_MAX)
    .split('\n')
    .map((line) => line.trim());
  const last = lines.findLast((line) => !isFooter(line)) ?? '';
  const code = /^Exit Code: (-?\d{1,10})$/.exec(last)?.[1];
  return code === undefined ? undefined : Number(code);
}
