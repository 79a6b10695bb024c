import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import { jsonObjectSchema } from '../../../protocol/jsonSchema.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { given, optionalText, permission } from './fields.ts';
import { addresseeOf, spawnedBy, spawningOf } from './spawn.ts';
import { taskNews } from './taskHooks.ts';
import { asksThePerson, moodOfTool, targetOf } from './tools.ts';

const toolCall = z.object({
  ...permission,
  tool_name: textWithin(1),
  tool_input: jsonObjectSchema.optional(),
  tool_use_id: optionalText,
  duration_ms: z.number().optional(),
});
type ToolCall = z.infer<typeof toolCall>;

const batch = z.object({ tool_calls: z.array(z.object({ tool_use_id: optionalText })).optional() });

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
    if (error !== undefined) return [failedCall(call, error)];
    const { tool_name: tool, tool_input: input = {} } = call;
    const response = responseOf(payload);
    return [
      { event_type: 'tool_succeeded', payload: { ...callOf(call), ...spawnedBy(tool, input, response) } },
      ...taskNews(tool, input, response),
    ];
  }),
  PostToolUseFailure: hookRule(
    toolCall.extend({ error: optionalText, is_interrupt: z.boolean().optional() }),
    (call) => [
      failedCall(
        call,
        call.error ?? 'the tool failed without saying why',
        call.is_interrupt === true ? { interrupt: true } : {},
      ),
    ],
  ),
  /** All calls of one message are over. Of those that never ran (denied, unknown, invalid) no other hook tells. */
  PostToolBatch: hookRule(batch, ({ tool_calls: calls = [] }) => [
    {
      event_type: 'notification',
      severity: 'debug',
      payload: {
        notification_type: 'tool_batch',
        ended: calls.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id])),
      },
    },
  ]),
  PermissionRequest: hookRule(toolCall, (call) => {
    const payload = { ...callOf(call), wait: asksThePerson(call.tool_name) ? 'question' : 'permission' };
    return isAsked(call)
      ? [{ event_type: 'agent_blocked', severity: 'warn', payload }]
      : [{ event_type: 'notification', severity: 'debug', payload: { ...payload, notification_type: 'bypassed' } }];
  }),
  PermissionDenied: hookRule(toolCall.extend({ reason: optionalText }), (call) => [
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
function callOf(call: ToolCall): JsonObject {
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

function failedCall(call: ToolCall, message: string, more: JsonObject = {}): EventDraft {
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

/** An error that came in place of a result: older senders put it into the result itself. */
function errorIn(payload: JsonObject): string | undefined {
  if (typeof payload['error'] === 'string' && payload['error'] !== '') return payload['error'];
  const { is_error: isError, error } = responseOf(payload);
  if (typeof error === 'string' && error !== '') return error;
  return isError === true ? 'the tool reported an error' : undefined;
}
