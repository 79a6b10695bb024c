import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import { jsonObjectSchema } from '../../../protocol/jsonSchema.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { askedIn, exitCodeIn, isShell, moodOfTool, targetOf, textOfParts } from './tools.ts';

const text = z.string();
const optionalText = z.optional(text);

const ERROR_MAX = 2_000;

const toolCall = z.object({ tool_name: textWithin(1), tool_input: z.optional(jsonObjectSchema) });
type ToolCall = z.infer<typeof toolCall>;

/** Gemini gives a call no id: the reducer pairs its end by the tool's name. */
function callOf({ tool_name: tool, tool_input: input }: ToolCall) {
  const target = targetOf(input);
  return { tool_name: tool, mood: moodOfTool(tool), ...(target === undefined ? {} : { target }) };
}

function failedCall(call: ToolCall, exitCode: number | null, message: string): EventDraft {
  const payload = { ...callOf(call), exit_code: exitCode, error_message: message.slice(0, ERROR_MAX) };
  return { event_type: 'tool_failed', severity: 'warn', payload };
}

const toolResponse = z.object({
  error: z.nullish(z.union([text, z.object({ message: optionalText })])),
});

/** A shell command that failed has no error of its own: its text ends with the exit code. */
function ended(call: ToolCall, response: JsonObject): EventDraft {
  const { error } = toolResponse.parse(response);
  if (error !== undefined && error !== null && error !== '') {
    const message = typeof error === 'string' ? error : error.message;
    return failedCall(call, null, message ?? 'the tool failed without saying why');
  }
  const exit = isShell(call.tool_name) ? exitCodeIn(textOfParts(response['llmContent'])) : undefined;
  if (exit === undefined || exit === 0) return { event_type: 'tool_succeeded', payload: callOf(call) };
  const shown = textOfParts(response['returnDisplay']);
  return failedCall(call, exit, shown === '' ? `exit code ${exit}` : shown);
}

/** What a turn without a word of the model is reported with: an Esc leaves it so, but so may a turn that ended on a call. */
const NO_REPLY = '[no response text]';

/** A hook without meaning for the state. */
function news(type: string): HookRule {
  return hookRule(z.object({}), () => [
    { event_type: 'notification', severity: 'debug', payload: { notification_type: type } },
  ]);
}

function asking(message: string | undefined, details: JsonObject): EventDraft {
  const { tool, target } = askedIn(details);
  return {
    event_type: 'agent_blocked',
    severity: 'warn',
    payload: {
      wait: tool === 'ask_user' ? 'question' : 'permission',
      ...(tool === undefined ? {} : { tool_name: tool }),
      ...(target === undefined ? {} : { target }),
      ...(message === undefined ? {} : { message }),
    },
  };
}

export const geminiHooks: Readonly<Record<string, HookRule>> = {
  SessionStart: hookRule(z.object({ source: optionalText }), ({ source }) => [
    { event_type: 'session_started', payload: { source: source ?? 'startup' } },
  ]),
  BeforeAgent: hookRule(z.object({ prompt: text }), ({ prompt }) => [
    { event_type: 'user_prompt', payload: { prompt } },
  ]),
  // Comes before every call of the model, whether anything is compressed or not.
  PreCompress: news('pre_compress'),
  BeforeModel: hookRule(z.object({}), (_fields, payload) => {
    const request = payload['llm_request'];
    const model = isJsonObject(request) ? request['model'] : undefined;
    return [
      {
        event_type: 'model_called',
        severity: 'debug',
        payload: typeof model === 'string' ? { model } : {},
      },
    ];
  }),
  BeforeToolSelection: news('before_tool_selection'),
  AfterModel: news('after_model'),
  BeforeTool: hookRule(toolCall, (call) => [{ event_type: 'tool_started', payload: callOf(call) }]),
  AfterTool: hookRule(z.extend(toolCall, { tool_response: z.optional(jsonObjectSchema) }), (call) => [
    ended(call, call.tool_response ?? {}),
  ]),
  Notification: hookRule(
    z.object({ notification_type: optionalText, message: optionalText, details: z.optional(jsonObjectSchema) }),
    ({ notification_type: type, message, details }) => {
      if (type === 'ToolPermission') return [asking(message, details ?? {})];
      return [{ event_type: 'notification', payload: { notification_type: type ?? '', message: message ?? '' } }];
    },
  ),
  AfterAgent: hookRule(z.object({ prompt_response: optionalText }), ({ prompt_response: reply }) => [
    {
      event_type: 'turn_ended',
      payload: {
        reason: 'completed',
        ...(reply === undefined || reply === '' || reply === NO_REPLY ? {} : { message: reply }),
      },
    },
  ]),
  SessionEnd: hookRule(z.object({ reason: optionalText }), ({ reason }) => [
    { event_type: 'session_ended', payload: { reason: reason ?? 'other' } },
  ]),
};
