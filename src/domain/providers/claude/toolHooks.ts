import * as z from 'zod/mini';
import type { EventPayload } from '../../../protocol/eventPayloads.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { jsonObjectSchema } from '../../../protocol/jsonSchema.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { given } from '../../eventWords.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { optionalText, permission } from './fields.ts';
import { addresseeOf, spawnedBy, spawningOf } from './spawn.ts';
import { taskNews } from './taskHooks.ts';
import { asksThePerson, moodOfTool, targetOf } from './tools.ts';

const toolCall = z.object({
  ...permission,
  tool_name: textWithin(1),
  tool_input: z.optional(jsonObjectSchema),
  tool_use_id: optionalText,
  duration_ms: z.optional(z.number()),
});
type ToolCall = z.infer<typeof toolCall>;

const batch = z.object({ tool_calls: z.optional(z.array(z.object({ tool_use_id: optionalText }))) });

/** Longer messages are whole outputs: the first lines say what went wrong, and `raw` keeps the rest. */
const ERROR_MAX = 4_000;

export const toolHooks: Readonly<Record<string, HookRule>> = {
  PreToolUse: hookRule(toolCall, (call) => {
    const { tool_name: tool, tool_input: input = {} } = call;
    return [
      {
        event_type: 'tool_started',
        payload: { ...callOf(call), ...spawningOf(tool, input), ...addresseeOf(tool, input) },
      },
    ];
  }),
  PostToolUse: hookRule(toolCall, (call, payload) => {
    const error = errorIn(payload);
    if (error !== undefined) return [failedCall(call, error, exitIn(payload))];
    const { tool_name: tool, tool_input: input = {} } = call;
    const response = responseOf(payload);
    return [
      {
        event_type: 'tool_succeeded',
        payload: { ...callOf(call), ...exitIn(payload), ...spawnedBy(tool, input, response) },
      },
      ...taskNews(tool, input, payload['tool_response'] ?? null),
    ];
  }),
  PostToolUseFailure: hookRule(z.extend(toolCall, { is_interrupt: z.optional(z.boolean()) }), (call, payload) => [
    failedCall(call, errorIn(payload) ?? 'the tool failed without saying why', {
      ...exitIn(payload),
      ...(call.is_interrupt === true ? { interrupt: true } : {}),
    }),
  ]),
  /** All calls of one message are over. Of those that never ran (denied, unknown, invalid) no other hook tells. */
  PostToolBatch: hookRule(batch, ({ tool_calls: calls = [] }) => [
    {
      event_type: 'tool_batch_ended',
      severity: 'debug',
      payload: { ended: calls.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id])) },
    },
  ]),
  PermissionRequest: hookRule(toolCall, (call) => {
    const wait = asksThePerson(call.tool_name) ? 'question' : 'permission';
    const payload = { ...callOf(call), wait } as const;
    return isAsked(call)
      ? [{ event_type: 'agent_blocked', severity: 'warn', payload }]
      : [{ event_type: 'notification', severity: 'debug', payload: { ...payload, notification_type: 'bypassed' } }];
  }),
  PermissionDenied: hookRule(z.extend(toolCall, { reason: optionalText }), (call) => [
    failedCall(call, call.reason ?? 'permission was denied', { denied: true }),
  ]),
};

/**
 * The hook fires in modes that ask nobody, too. There a request that a rule forces to be shown after all comes again, as a
 * Notification; a question of the agent's own is shown even in the mode that bypasses permissions.
 */
function isAsked({ permission_mode: mode, tool_name: tool }: ToolCall): boolean {
  if (mode === 'bypassPermissions') return asksThePerson(tool);
  return mode !== 'dontAsk';
}

/** What every tool event says of its call. */
function callOf(call: ToolCall) {
  return given({
    tool_name: call.tool_name,
    mood: moodOfTool(call.tool_name),
    tool_use_id: call.tool_use_id,
    target: targetOf(call.tool_input),
    duration_ms: call.duration_ms,
    detached:
      call.tool_input?.['run_in_background'] === true && moodOfTool(call.tool_name) === 'running' ? true : undefined,
    permission_mode: call.permission_mode,
  });
}

function failedCall(call: ToolCall, message: string, more: EventPayload<'tool_failed'> = {}): EventDraft {
  const exit = /^Exit code (\d{1,5})\b/.exec(message);
  return {
    event_type: 'tool_failed',
    severity: 'warn',
    payload: {
      ...callOf(call),
      exit_code: exit ? Number(exit[1]) : null,
      error_message: message.slice(0, ERROR_MAX),
      ...more,
    },
  };
}

/** The result of a call, where it says more than a text. */
function responseOf({ tool_response: response }: JsonObject): JsonObject {
  return isJsonObject(response) ? response : {};
}

/** The error in a result: older senders put it there, as a text or as an object. */
function errorIn(payload: JsonObject): string | undefined {
  const response = responseOf(payload);
  const told = errorText(payload['error']) ?? errorText(response['error']);
  if (told !== undefined) return told;
  if (payload['is_error'] === true || response['is_error'] === true) return REPORTED;
  const { exit_code: code = 0 } = exitIn(payload);
  return code === 0 ? undefined : `Exit code ${String(code)}`;
}

const REPORTED = 'the tool reported an error';

function errorText(error: Json | undefined): string | undefined {
  if (typeof error === 'string') return error || undefined;
  if (error === true) return REPORTED;
  if (!isJsonObject(error) || Object.keys(error).length === 0) return undefined;
  const { message } = error;
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
}

/** The exit code, beside the result or in it. */
function exitIn(payload: JsonObject): { readonly exit_code?: number } {
  const codes = [payload['exit_code'], responseOf(payload)['exit_code']];
  const code = codes.find((value) => typeof value === 'number' && Number.isInteger(value));
  return typeof code === 'number' ? { exit_code: code } : {};
}
