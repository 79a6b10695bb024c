import type { EventPayload } from '../protocol/eventPayloads.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { answerText } from './answerText.ts';
import { failedCheck } from './checkCommands.ts';
import { maskPayload } from './mask/mask.ts';
import type { EventDraft, Provider } from './providers/provider.ts';
import { targetIn } from './providers/target.ts';

/**
 * EVT-1: what the failed command tells to have failed. It is decided when it comes: its own words and what it printed are
 * removed long before its event is. `payload` is in the words of the newest version of its agent.
 */
export function withCheck(draft: EventDraft, payload: JsonObject, { calls }: Provider): EventDraft['payload'] {
  if (draft.event_type !== 'tool_failed') return draft.payload;
  const {
    mood,
    tool_name: tool = '',
    exit_code: exit = null,
    error_message: message,
    denied,
    interrupt,
  } = draft.payload;
  const ran = denied !== true && interrupt !== true;
  // What a server's tool is given is no command of a shell.
  if (!ran || exit === null || mood !== 'running' || tool.startsWith('mcp__')) return draft.payload;
  const input = payload[calls.input];
  const command = isJsonObject(input) ? input['command'] : undefined;
  if (typeof command !== 'string') return draft.payload;
  const told = [message, payload['error'], answerText(payload[calls.answer], calls.words)];
  const check = failedCheck(command, exit, told.filter((text) => typeof text === 'string').join('\n'));
  return check === undefined ? draft.payload : { ...draft.payload, check };
}

interface Failed {
  readonly command?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly message?: string | undefined;
}

/** The same of a command that a transcript tells of, and which one it was; masked as a command, which its mere text is not. */
export function failedCommand({
  command,
  exitCode,
  message = '',
}: Failed): Pick<EventPayload<'tool_failed'>, 'target' | 'check'> {
  if (command === undefined) return {};
  const target = targetIn(maskPayload({ command }), ['command']);
  const check = exitCode === undefined ? undefined : failedCheck(command, exitCode, message);
  return { ...(target === undefined ? {} : { target }), ...(check === undefined ? {} : { check }) };
}
