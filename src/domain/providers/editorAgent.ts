import * as z from 'zod/mini';
import type { EventPayload } from '../../protocol/eventPayloads.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { jsonObjectSchema } from '../../protocol/jsonSchema.ts';
import { textWithin } from '../../protocol/textSchema.ts';
import type { Mood } from '../../protocol/state.ts';
import { given } from '../eventWords.ts';
import { type EventDraft, hookRule, type HookRule, noReplies, plainCalls, type Provider } from './provider.ts';
import { backgroundNotices, isProgramPrompt } from './synthetic.ts';
import { questionIn, targetIn } from './target.ts';

/** What differs between the agents of editors. */
export interface EditorAgent {
  readonly id: string;
  /** Moods by tool name. */
  readonly moods: Readonly<Record<string, Mood>>;
  readonly claims: (payload: JsonObject, installedFor: string | undefined) => boolean;
  readonly upgrade: (payload: JsonObject) => JsonObject;
  readonly hookName?: (payload: JsonObject) => string | undefined;
}

const optionalText = z.nullish(z.string());
const turn = { model: optionalText };
const toolCall = z.object({
  tool_name: textWithin(1),
  tool_input: z.nullish(jsonObjectSchema),
  tool_use_id: optionalText,
});
type ToolCall = z.infer<typeof toolCall>;

const ERROR_MAX = 2_000;

const targetFields = ['file_path', 'filePath', 'path', 'command', 'pattern', 'query', 'url', 'description'] as const;

const endings: Readonly<Record<string, EventPayload<'turn_ended'>>> = {
  aborted: { reason: 'interrupted' },
  error: { reason: 'failed', error: 'unknown' },
};

/**
 * An editor's agent that runs the hooks installed for Claude Code. It is only watched: it gets no answers, so it gets no memory and its
 * edits are never denied. It asks for permission without a hook, and its conversations may stop without an end while the editor's
 * process lives on.
 */
export function editorAgent({ moods, ...own }: EditorAgent): Provider {
  return {
    ...own,
    hooks: hooksWith(moods),
    subagentId: (_hook, { agent_id: id }) => (typeof id === 'string' && id !== '' ? id : undefined),
    replies: noReplies,
    calls: plainCalls,
    sharesProcess: true,
    endsInSilence: true,
    // Each installed hook gets the same event with its own timestamp.
    sameHook: ({ timestamp: _moment, ...payload }, _hook, second) => [second, payload],
  };
}

function hooksWith(moods: EditorAgent['moods']): Readonly<Record<string, HookRule>> {
  const prompted = hookRule(z.object({ ...turn, prompt: z.string() }), ({ prompt, model }) => [
    {
      event_type: 'user_prompt',
      payload: given({ prompt, model, synthetic: isProgramPrompt(prompt, backgroundNotices) ? true : undefined }),
    },
  ]);
  const callOf = ({ tool_name: tool, tool_input: input, tool_use_id }: ToolCall) =>
    given({
      tool_name: tool,
      mood: Object.hasOwn(moods, tool) ? moods[tool] : /^mcp/i.test(tool) ? 'running' : 'thinking',
      target: targetIn(input ?? undefined, targetFields) ?? questionIn(input ?? undefined),
      tool_use_id,
    });
  const failed = (call: ToolCall, exitCode: number | null, message: string): EventDraft => ({
    event_type: 'tool_failed',
    severity: 'warn',
    payload: { ...callOf(call), exit_code: exitCode, error_message: message.slice(0, ERROR_MAX) },
  });
  return {
    SessionStart: hookRule(z.object({ ...turn, source: optionalText }), ({ source, model }) => [
      {
        event_type: 'session_started',
        payload: given({ source: source && source !== 'new' ? source : 'startup', model }),
      },
    ]),
    SessionEnd: hookRule(z.object({ reason: optionalText }), ({ reason }) => [
      { event_type: 'session_ended', payload: { reason: reason ?? 'other' } },
    ]),
    UserPromptSubmit: prompted,
    BeforeSubmitPrompt: prompted,
    PreToolUse: hookRule(toolCall, (call) => [{ event_type: 'tool_started', payload: callOf(call) }]),
    PostToolUse: hookRule(toolCall, (call, { tool_response: response = null }) => {
      const exitCode = exitCodeIn(response);
      return [
        exitCode === 0
          ? { event_type: 'tool_succeeded', payload: callOf(call) }
          : failed(call, exitCode, textOf(response)),
      ];
    }),
    PostToolUseFailure: hookRule(z.extend(toolCall, { error_message: optionalText, error: optionalText }), (call) => [
      failed(call, null, call.error_message ?? call.error ?? 'the tool failed without saying why'),
    ]),
    SubagentStart: hookRule(z.object({ agent_type: optionalText }), ({ agent_type: type }) => [
      { event_type: 'agent_started', payload: { agent_type: type ?? '' } },
    ]),
    SubagentStop: hookRule(z.object({ agent_type: optionalText }), ({ agent_type: type }) => [
      { event_type: 'agent_stopped', payload: given({ agent_type: type }) },
    ]),
    PreCompact: hookRule(z.object({ trigger: optionalText }), ({ trigger }) => [
      { event_type: 'compaction_started', payload: given({ trigger }) },
    ]),
    Stop: hookRule(z.object({ status: optionalText, last_assistant_message: optionalText }), (fields) => {
      const { status, last_assistant_message: message } = fields;
      const ending = (status && Object.hasOwn(endings, status) && endings[status]) || { reason: 'completed' };
      return [{ event_type: 'turn_ended', payload: given({ ...ending, message }) }];
    }),
  };
}

/** A failed shell command's exit code; 0 if the answer reports no failure. */
function exitCodeIn(response: Json): number {
  const code = isJsonObject(response) ? response['exitCode'] : 0;
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : 0;
}

function textOf(response: Json): string {
  const output = isJsonObject(response) ? response['output'] : response;
  return typeof output === 'string' ? output : '';
}
