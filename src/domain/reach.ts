import { providerFor } from './providers/registry.ts';
import type { CallEvent } from './eventWords.ts';
import { LABEL_MAX, shortText } from './text.ts';

/** Tools of all providers that run shell commands, and tools that read or end such commands. */
const shells = /^(?:bash|powershell|monitor|run_shell_command)$/i;
const shellReaders = /^(?:bashoutput|killshell|(?:read|stop)_(?:bash|powershell))$/i;

/** Tools for an agent's own lists, plans and notes: they fetch nothing. */
const ownTools =
  /^(?:todo_?(?:read|write)|write_todos|update_(?:plan|todo|topic)|task(?:create|update|list|get|stop|output)|(?:enter|exit)(?:plan_?mode|worktree)|skill|activate_skill|save_memory|store_memory|report_intent|think|complete_task)$/i;

/**
 * Programs that fetch from the network, anywhere in a command; strangers also write what a forge or a remote repository answers. A false
 * match is harmless: a reply is not quoted.
 */
const fetching =
  /(?:^|[\s;|&(){}`'"=/\\])(?:curl|wget2?|lynx|w3m|e?links|aria2c|httpie|https?|xh|i(?:wr|rm)|invoke-(?:webrequest|restmethod)|start-bitstransfer|nc|ncat|netcat|socat|telnet|ftp|sftp|scp|ssh|rsync|rclone|s_client|dig|nslookup|host|gh|glab|hub|tea|aws|gcloud|gsutil|az|git\s(?:[^;|&\n]{0,200}\s)?(?:clone|fetch|pull|ls-remote|submodule)|(?:npm|pnpm|yarn|pip3?|cargo|gem)\s(?:view|info|search|show))(?:\.exe)?(?=$|[\s;|&(){}`'"\\])/i;
const address = /\b(?:https?|wss?|ftp):\/\//i;

/** A longer command is not searched, and counts as fetching. */
const COMMAND_MAX = 50_000;

/** One tool call; `command` is undefined if it was cut, because its end is unknown. */
interface Reaching {
  readonly tool: string;
  readonly mood: string;
  readonly command: string | undefined;
}

/**
 * MEM-5: may this call bring in text by strangers, through a web tool, an MCP server or a command that fetches? True for every tool that is
 * not known to stay on the machine.
 */
function reaches({ tool, mood, command }: Reaching, provider: string): boolean {
  if (/mcp/i.test(tool)) return true;
  switch (mood) {
    case 'reading':
    case 'writing':
    case 'searching':
    case 'asking':
    case 'waiting':
      return false;
    case 'running':
      if (shellReaders.test(tool)) return false;
      if (!shells.test(tool) || command === undefined || command.length > COMMAND_MAX) return true;
      return fetching.test(command) || address.test(command);
    case 'thinking':
      return !ownTools.test(tool);
    case 'delegating':
      return providerFor(provider).reportsSubagentCalls !== true;
    default:
      return true;
  }
}

/** May this event's call have brought in text by strangers? Corrections from a transcript name no tool and count as no. */
export function reachesOut(event: CallEvent, command: string | undefined): boolean {
  const tool = shortText(event.payload.tool_name);
  if (tool === undefined) return event.event_type === 'tool_started';
  const target = shortText(event.payload.target);
  const whole = command ?? (target !== undefined && target.length < LABEL_MAX - 1 ? target : undefined);
  return reaches({ tool, mood: event.payload.mood ?? '', command: whole }, event.provider);
}
