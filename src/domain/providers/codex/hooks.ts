import * as z from 'zod/mini';
import type { EventPayload } from '../../../protocol/eventPayloads.ts';
import { isJsonObject, type Json } from '../../../protocol/json.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { given } from '../../eventWords.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { targetIn } from '../target.ts';
import { isSynthetic } from './synthetic.ts';
import { asksThePerson, moodOfTool, startsAgent, targetOf, taskIn } from './tools.ts';

const text = z.string();
/** Codex says null where it has nothing to say. */
const optionalText = z.nullish(text);
/** What a tool takes and gives is the tool's own business: text, an object, nothing. */
const anything = z.optional(z.custom<Json | undefined>(() => true));

const turn = { turn_id: optionalText, model: optionalText };
const prompted = { ...turn, permission_mode: optionalText };
const toolCall = z.object({
  ...prompted,
  tool_name: textWithin(1),
  tool_input: anything,
  tool_use_id: optionalText,
});
type ToolCall = z.infer<typeof toolCall>;

function callOf(call: ToolCall) {
  return given({
    tool_name: call.tool_name,
    mood: moodOfTool(call.tool_name),
    tool_use_id: call.tool_use_id,
    target: targetOf(call.tool_name, call.tool_input),
    permission_mode: call.permission_mode,
  });
}

/** A spawn without a type starts an agent of a default type, which fits any. */
function spawning(call: ToolCall): EventPayload<'tool_started'> {
  if (!startsAgent(call.tool_name)) return {};
  return given({ spawn_type: targetIn(call.tool_input, ['agent_type']) ?? '', spawn_task: taskIn(call.tool_input) });
}

/** Nothing but this hook tells that the person is asked: no permission is requested for a question. */
function asking(call: ToolCall): readonly EventDraft[] {
  if (!asksThePerson(call.tool_name)) return [];
  return [{ event_type: 'agent_blocked', severity: 'warn', payload: { ...callOf(call), wait: 'question' } }];
}

const RESPONSE_HEAD = 10_000;

/** Older models are told the new agent's id, newer ones only the name of its task. */
function spawned(call: ToolCall, response: Json | undefined): EventPayload<'tool_succeeded'> {
  if (!startsAgent(call.tool_name) || typeof response !== 'string') return {};
  const id = /"agent_id"\s*:\s*"([\w-]{1,200})"/.exec(response.slice(0, RESPONSE_HEAD))?.[1];
  return id === undefined ? {} : given({ spawned: id, spawned_task: taskIn(call.tool_input) });
}

interface Failure {
  readonly exit_code: number | null;
  readonly error_message: string;
}

/** A shell command's response is its output alone: whether it failed stands only in the rollout. */
function failureIn(tool: string, response: Json | undefined): Failure | undefined {
  if (typeof response === 'string') {
    const code = tool === 'apply_patch' ? Number(/^Exit code: (\d{1,5})\b/.exec(response)?.[1] ?? 0) : 0;
    return code === 0 ? undefined : { exit_code: code, error_message: response };
  }
  if (!isJsonObject(response)) return undefined;
  const { isError, is_error: older, error } = response;
  if (typeof error === 'string' && error !== '') return { exit_code: null, error_message: error };
  return isError === true || older === true
    ? { exit_code: null, error_message: 'the tool reported an error' }
    : undefined;
}

function ended(call: ToolCall, response: Json | undefined): EventDraft {
  const failure = failureIn(call.tool_name, response);
  return failure
    ? { event_type: 'tool_failed', severity: 'warn', payload: { ...callOf(call), ...failure } }
    : { event_type: 'tool_succeeded', payload: { ...callOf(call), ...spawned(call, response) } };
}

function permissionAsked(call: ToolCall): EventDraft {
  const wait = asksThePerson(call.tool_name) ? 'question' : 'permission';
  const payload = { ...callOf(call), ...given({ message: targetIn(call.tool_input, ['description']) }), wait } as const;
  // Never seen in the bypass mode; where nobody is asked, nobody waits.
  return call.permission_mode === 'bypassPermissions'
    ? { event_type: 'notification', severity: 'debug', payload: { ...payload, notification_type: 'bypassed' } }
    : { event_type: 'agent_blocked', severity: 'warn', payload };
}

/** There is no Stop after a failed request: this is the turn's end. A cancelled one is told by Interrupt. */
function modelAnswered(status: string, error: string | null | undefined): EventDraft {
  return status === 'failed'
    ? { event_type: 'turn_ended', severity: 'error', payload: { reason: 'failed', error: error || 'unknown' } }
    : { event_type: 'notification', severity: 'debug', payload: { status } };
}

const compaction = z.object({ ...turn, trigger: optionalText });

/** A field that nobody acts on is checked all the same: a wrong type is news about the agent, worth a schema_error. */
export const codexHooks: Readonly<Record<string, HookRule>> = {
  SessionStart: hookRule(
    z.object({ source: optionalText, model: optionalText, permission_mode: optionalText }),
    ({ source, model, permission_mode }) => [
      { event_type: 'session_started', payload: given({ source: source ?? 'startup', model, permission_mode }) },
    ],
  ),
  SessionEnd: hookRule(z.object({ reason: optionalText }), ({ reason }) => [
    { event_type: 'session_ended', payload: { reason: reason ?? 'other' } },
  ]),
  UserPromptSubmit: hookRule(z.object({ ...prompted, prompt: text }), ({ prompt, model, permission_mode, turn_id }) => [
    {
      event_type: 'user_prompt',
      payload: given({
        prompt,
        model,
        permission_mode,
        turn: turn_id,
        synthetic: isSynthetic(prompt) ? true : undefined,
      }),
    },
  ]),
  PreToolUse: hookRule(toolCall, (call) => [
    { event_type: 'tool_started', payload: { ...callOf(call), ...spawning(call) } },
    ...asking(call),
  ]),
  PostToolUse: hookRule(toolCall, (call, payload) => [ended(call, payload['tool_response'])]),
  PermissionRequest: hookRule(toolCall, (call) => [permissionAsked(call)]),
  SubagentStart: hookRule(
    z.object({ ...prompted, agent_id: optionalText, agent_type: optionalText }),
    ({ agent_type }) => [{ event_type: 'agent_started', payload: { agent_type: agent_type ?? '' } }],
  ),
  SubagentStop: hookRule(
    z.object({
      ...prompted,
      agent_id: optionalText,
      agent_type: optionalText,
      last_assistant_message: optionalText,
    }),
    ({ agent_type, last_assistant_message: message }) => [
      { event_type: 'agent_stopped', payload: given({ agent_type, message }) },
    ],
  ),
  Stop: hookRule(
    z.object({ ...prompted, stop_hook_active: z.optional(z.boolean()), last_assistant_message: optionalText }),
    ({ last_assistant_message: message }) => [
      { event_type: 'turn_ended', payload: given({ reason: 'completed', message }) },
    ],
  ),
  Interrupt: hookRule(z.object(prompted), () => [{ event_type: 'turn_ended', payload: { reason: 'interrupted' } }]),
  PreModelRequest: hookRule(z.object(turn), () => [{ event_type: 'model_called', severity: 'debug', payload: {} }]),
  PostModelRequest: hookRule(z.object({ ...turn, status: text, error: optionalText }), ({ status, error }) => [
    modelAnswered(status, error),
  ]),
  PreCompact: hookRule(compaction, ({ trigger }) => [
    { event_type: 'compaction_started', severity: 'debug', payload: given({ trigger }) },
  ]),
  PostCompact: hookRule(compaction, () => [{ event_type: 'compaction_ended', severity: 'debug', payload: {} }]),
};
