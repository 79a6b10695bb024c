import * as z from 'zod/mini';
import type { EventPayload } from '../../../protocol/eventPayloads.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { jsonObjectSchema } from '../../../protocol/jsonSchema.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { whoseIs } from './dialect.ts';
import { backgroundNotices, isProgramPrompt } from '../synthetic.ts';
import { asksThePerson, exitCodeIn, moodOfTool, startsAgent, targetOf } from './tools.ts';

const text = z.string();
const optionalText = z.optional(text);

const MESSAGE_MAX = 2_000;

/** An error is an object with its message, in some versions the message itself. */
const errorField = z.optional(z.union([text, z.object({ message: optionalText })]));

function messageOf(error: z.infer<typeof errorField>): string | undefined {
  const message = typeof error === 'string' ? error : error?.message;
  return message === undefined || message === '' ? undefined : message.slice(0, MESSAGE_MAX);
}

const toolCall = z.object({ toolName: textWithin(1), toolArgs: z.nullish(z.union([jsonObjectSchema, text])) });
type ToolCall = z.infer<typeof toolCall>;

function argsOf({ toolArgs }: ToolCall): JsonObject {
  return typeof toolArgs === 'object' && toolArgs !== null ? toolArgs : {};
}

/** Copilot gives a call no id: the reducer pairs its end by the tool's name. */
function callOf(call: ToolCall) {
  const target = targetOf(argsOf(call));
  return {
    tool_name: call.toolName,
    mood: moodOfTool(call.toolName),
    ...(target === undefined ? {} : { target }),
  };
}

function started(call: ToolCall): readonly EventDraft[] {
  const begun: EventDraft = { event_type: 'tool_started', payload: { ...callOf(call), ...spawnOf(call) } };
  if (!asksThePerson(call.toolName)) return [begun];
  return [begun, { event_type: 'agent_blocked', severity: 'warn', payload: { ...callOf(call), wait: 'question' } }];
}

function spawnOf(call: ToolCall): EventPayload<'tool_started'> {
  if (!startsAgent(call.toolName)) return {};
  const { agent_type: type, description: task } = argsOf(call);
  return {
    spawn_type: typeof type === 'string' ? type : '',
    ...(typeof task === 'string' && task !== '' ? { spawn_task: task } : {}),
  };
}

interface Failure {
  readonly message: string;
  readonly exitCode?: number;
  /** It never ran. */
  readonly denied?: boolean;
}

function failedCall(call: ToolCall, { message, exitCode, denied }: Failure): EventDraft {
  return {
    event_type: 'tool_failed',
    severity: 'warn',
    payload: {
      ...callOf(call),
      exit_code: exitCode ?? null,
      error_message: message.slice(0, MESSAGE_MAX),
      ...(denied ? { denied: true } : {}),
    },
  };
}

const toolResult = z.object({ resultType: optionalText, textResultForLlm: optionalText });
const refusals: ReadonlySet<string> = new Set(['denied', 'rejected']);

function ended(call: ToolCall, result: z.infer<typeof toolResult>): EventDraft {
  const { resultType: type = 'success', textResultForLlm: output = '' } = result;
  if (type !== 'success') {
    const message = output === '' ? `the tool ended with ${type.slice(0, 100)}` : output;
    return failedCall(call, { message, denied: refusals.has(type) });
  }
  const exitCode = exitCodeIn(call.toolName, output);
  if (exitCode === undefined || exitCode === 0) return { event_type: 'tool_succeeded', payload: callOf(call) };
  return failedCall(call, { message: output, exitCode });
}

/** Of every failed call of the model, retried or not: which of them was the last is told by the session's end only. */
const fatalContexts: ReadonlySet<string> = new Set(['model_call', 'system']);

function failedTurn(message: string | undefined): EventDraft {
  return { event_type: 'turn_ended', severity: 'error', payload: { reason: 'failed', error: message ?? 'unknown' } };
}

function news(type: string, payload: EventPayload<'notification'> = {}): EventDraft {
  return { event_type: 'notification', severity: 'debug', payload: { notification_type: type, ...payload } };
}

function agentStarted(payload: JsonObject, type: string | undefined): EventDraft {
  const { starter } = whoseIs(payload);
  return {
    event_type: 'agent_started',
    payload: { agent_type: type ?? '', ...(starter === undefined ? {} : { parent: starter }) },
  };
}

/** A sub-agent's prompt is written by its starter: it begins the sub-agent's work and is none of the session's prompts. */
const userPrompt = hookRule(z.object({ prompt: text, agentType: optionalText }), ({ prompt, agentType }, payload) =>
  whoseIs(payload).agent === undefined
    ? [
        {
          event_type: 'user_prompt',
          payload: { prompt, ...(isProgramPrompt(prompt, backgroundNotices) ? { synthetic: true } : {}) },
        },
      ]
    : [agentStarted(payload, agentType)],
);

/** A sub-agent says twice that it has finished; `subagentStop` brings its answer. */
const agentStop = hookRule(z.object({ stopReason: optionalText, response: optionalText }), ({ response }, payload) => {
  if (whoseIs(payload).agent !== undefined) return [news('subagent_turn_ended')];
  return [
    {
      event_type: 'turn_ended',
      payload: { reason: 'completed', ...(response === undefined ? {} : { message: response }) },
    },
  ];
});

/** Of payloads in camel case, under both forms of a hook's name. */
export const copilotHooks: Readonly<Record<string, HookRule>> = {
  SessionStart: hookRule(z.object({ source: optionalText }), ({ source }) => [
    {
      event_type: 'session_started',
      payload: { source: source === undefined || source === 'new' ? 'startup' : source },
    },
  ]),
  UserPromptSubmitted: userPrompt,
  UserPromptSubmit: userPrompt,
  PreToolUse: hookRule(toolCall, started),
  // Fires for calls that need no approval too; the notification `permission_prompt` says that somebody is asked.
  PermissionRequest: hookRule(toolCall, (call) => [news('bypassed', callOf(call))]),
  PostToolUse: hookRule(z.extend(toolCall, { toolResult: z.optional(toolResult) }), (call) => [
    ended(call, call.toolResult ?? {}),
  ]),
  PostToolUseFailure: hookRule(z.extend(toolCall, { error: errorField }), (call) => [
    failedCall(call, { message: messageOf(call.error) ?? 'the tool failed without saying why' }),
  ]),
  Notification: hookRule(z.object({ notification_type: optionalText, message: optionalText }), (fields) => [
    {
      event_type: 'notification',
      payload: { notification_type: fields.notification_type ?? '', message: fields.message ?? '' },
    },
  ]),
  SubagentStart: hookRule(z.object({ agentType: optionalText, agentName: optionalText }), (fields, payload) => [
    agentStarted(payload, fields.agentType ?? fields.agentName),
  ]),
  SubagentStop: hookRule(
    z.object({ agentType: optionalText, agentName: optionalText, response: optionalText }),
    ({ agentType, agentName, response }) => [
      {
        event_type: 'agent_stopped',
        payload: {
          agent_type: agentType ?? agentName ?? '',
          ...(response === undefined ? {} : { message: response }),
        },
      },
    ],
  ),
  PreCompact: hookRule(z.object({ trigger: optionalText }), () => [
    { event_type: 'compaction_started', severity: 'debug', payload: {} },
  ]),
  ErrorOccurred: hookRule(
    z.object({ error: errorField, errorContext: optionalText, recoverable: z.optional(z.boolean()) }),
    ({ error, errorContext, recoverable }) => {
      const message = messageOf(error);
      if (recoverable === false && fatalContexts.has(errorContext ?? '')) return [failedTurn(message)];
      return [
        {
          event_type: 'notification',
          severity: 'warn',
          payload: { notification_type: 'error_occurred', message: message ?? '' },
        },
      ];
    },
  ),
  AgentStop: agentStop,
  Stop: agentStop,
  SessionEnd: hookRule(z.object({ reason: optionalText, error: errorField }), ({ reason, error }) => {
    const over: EventDraft = { event_type: 'session_ended', payload: { reason: reason ?? 'other' } };
    return reason === 'error' ? [failedTurn(messageOf(error)), over] : [over];
  }),
};
