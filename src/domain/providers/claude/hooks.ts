import { z } from 'zod';
import { isJsonObject, type JsonObject, jsonObjectSchema } from '../../../protocol/json.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { asksThePerson, moodOfTool, targetOf } from './tools.ts';

const text = z.string();
const optionalText = text.optional();

const permission = { permission_mode: optionalText };
const toolCall = z.object({
  ...permission,
  tool_name: text.min(1),
  tool_input: jsonObjectSchema.optional(),
  tool_use_id: optionalText,
  duration_ms: z.number().optional(),
});
const backgroundTask = z.object({ id: text, type: optionalText, status: optionalText }).loose();

/** What every tool event says of its call; absent fields are left out so that equal calls have equal payloads. */
function callOf(call: z.infer<typeof toolCall>): JsonObject {
  const target = targetOf(call.tool_input);
  return {
    tool_name: call.tool_name,
    mood: moodOfTool(call.tool_name),
    ...(call.tool_use_id === undefined ? {} : { tool_use_id: call.tool_use_id }),
    ...(target === undefined ? {} : { target }),
    ...(call.duration_ms === undefined ? {} : { duration_ms: call.duration_ms }),
    ...(call.permission_mode === undefined ? {} : { permission_mode: call.permission_mode }),
  };
}

function failedCall(call: z.infer<typeof toolCall>, message: string): EventDraft {
  const exit = /^Exit code (\d{1,5})\b/.exec(message);
  return {
    event_type: 'tool_failed',
    severity: 'warn',
    payload: { ...callOf(call), exit_code: exit ? Number(exit[1]) : null, error_message: message },
  };
}

/** An error that came in place of a result: older senders put it into the result itself. */
function errorIn(payload: JsonObject): string | undefined {
  const response = payload['tool_response'] ?? payload['tool_result'];
  if (typeof payload['error'] === 'string' && payload['error'] !== '') return payload['error'];
  if (!isJsonObject(response)) return undefined;
  const { is_error: isError, error } = response;
  if (typeof error === 'string' && error !== '') return error;
  return isError === true ? 'the tool reported an error' : undefined;
}

/** The spawning call's result is the only place that tells a team-mate from a sub-agent. */
function spawnedTeammate({ tool_response: response }: JsonObject): JsonObject {
  if (!isJsonObject(response) || response['status'] !== 'teammate_spawned') return {};
  return typeof response['agentId'] === 'string' ? { teammate: response['agentId'] } : {};
}

/** Prompts that the agent sends itself when background work ends; nobody typed them. */
const SYNTHETIC_PROMPT = '<task-notification>';

/** A field that nobody acts on yet is checked all the same: a wrong type is news about the agent, worth a schema_error. */
export const claudeHooks: Readonly<Record<string, HookRule>> = {
  SessionStart: hookRule(
    z.object({ source: optionalText, model: optionalText, agent_type: optionalText }),
    ({ source, model }) => [
      {
        event_type: 'session_started',
        payload: { source: source ?? 'startup', ...(model === undefined ? {} : { model }) },
      },
    ],
  ),
  UserPromptSubmit: hookRule(z.object({ ...permission, prompt: text }), ({ prompt, permission_mode: mode }) => [
    {
      event_type: 'user_prompt',
      payload: {
        prompt,
        ...(prompt.trimStart().startsWith(SYNTHETIC_PROMPT) ? { synthetic: true } : {}),
        ...(mode === undefined ? {} : { permission_mode: mode }),
      },
    },
  ]),
  PreToolUse: hookRule(toolCall, (call) => [{ event_type: 'tool_started', payload: callOf(call) }]),
  PostToolUse: hookRule(toolCall, (call, payload) => {
    const error = errorIn(payload);
    if (error !== undefined) return [failedCall(call, error)];
    return [{ event_type: 'tool_succeeded', payload: { ...callOf(call), ...spawnedTeammate(payload) } }];
  }),
  PostToolUseFailure: hookRule(toolCall.extend({ error: optionalText }), (call) => [
    failedCall(call, call.error ?? 'the tool failed without saying why'),
  ]),
  PermissionRequest: hookRule(toolCall, (call) => {
    const payload = { ...callOf(call), wait: asksThePerson(call.tool_name) ? 'question' : 'permission' };
    // The hook fires in the bypass mode too, where nobody is asked.
    return call.permission_mode === 'bypassPermissions'
      ? [{ event_type: 'notification', severity: 'debug', payload: { ...payload, notification_type: 'bypassed' } }]
      : [{ event_type: 'agent_blocked', severity: 'warn', payload }];
  }),
  Notification: hookRule(z.object({ message: optionalText, notification_type: optionalText }), (fields) => [
    {
      event_type: 'notification',
      payload: { notification_type: fields.notification_type ?? '', message: fields.message ?? '' },
    },
  ]),
  SubagentStart: hookRule(
    z.object({ agent_id: optionalText, agent_name: optionalText, agent_type: optionalText }),
    (fields) => [{ event_type: 'agent_started', payload: { agent_type: fields.agent_type ?? '' } }],
  ),
  SubagentStop: hookRule(
    z.object({ agent_id: optionalText, agent_type: optionalText, last_assistant_message: optionalText }),
    (fields) => [
      {
        event_type: 'agent_stopped',
        payload: {
          // 2.0.77 sends no type at all; an empty one is the summary that compaction writes, which is no agent.
          ...(fields.agent_type === undefined ? {} : { agent_type: fields.agent_type }),
          ...(fields.last_assistant_message === undefined ? {} : { message: fields.last_assistant_message }),
        },
      },
    ],
  ),
  Stop: hookRule(
    z.object({
      ...permission,
      last_assistant_message: optionalText,
      background_tasks: z.array(backgroundTask).optional(),
    }),
    (fields) => [
      {
        event_type: 'turn_ended',
        payload: {
          reason: 'completed',
          ...(fields.last_assistant_message === undefined ? {} : { message: fields.last_assistant_message }),
          ...(fields.background_tasks === undefined
            ? {}
            : { background: fields.background_tasks.map((task) => task.id) }),
          ...(fields.background_tasks?.some((task) => task.type === 'teammate') ? { background_teammates: true } : {}),
        },
      },
    ],
  ),
  StopFailure: hookRule(
    z.object({ error: optionalText, last_assistant_message: optionalText, error_details: optionalText }),
    (fields) => [
      {
        event_type: 'turn_ended',
        severity: 'error',
        payload: {
          reason: 'failed',
          error: fields.error ?? 'unknown',
          ...(fields.last_assistant_message === undefined ? {} : { message: fields.last_assistant_message }),
        },
      },
    ],
  ),
  SessionEnd: hookRule(z.object({ reason: optionalText }), ({ reason }) => [
    { event_type: 'session_ended', payload: { reason: reason ?? 'other' } },
  ]),
};
