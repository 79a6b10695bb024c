import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { TranscriptFact, TranscriptFormat } from '../transcript.ts';
import { isSynthetic } from './synthetic.ts';

const TEXT_MAX = 20_000;
const PATH_MAX = 4096;
const LABEL_MAX = 200;

/** A line's own kind, or its item's: what else a rollout holds (the model's input, world state) says nothing here. */
const telling =
  /"(?:session_meta|turn_context|token_usage_record|token_count|turn_aborted|task_complete|UserMessage|AgentMessage|Reasoning|CommandExecution|FileChange|McpToolCall|CollabAgentToolCall)"/;

/** The rollout: `{timestamp, ordinal, type, payload}` a line. Each prompt and reply is there twice; only its item is read. */
export const codexTranscript: TranscriptFormat = {
  mayMatter: (line) => telling.test(line),
  facts(entry) {
    const ts = momentOf(entry['timestamp']);
    const payload = entry['payload'];
    return ts === undefined || !isJsonObject(payload) ? [] : factsOf(ts, entry['type'], payload);
  },
};

function factsOf(ts: string, type: Json | undefined, payload: JsonObject): readonly TranscriptFact[] {
  switch (type) {
    case 'session_meta':
      return [sessionFact(ts, payload)];
    case 'turn_context':
      return [contextFact(ts, payload)];
    case 'token_usage_record':
      return usageFact(ts, payload);
    case 'event_msg':
      return eventFacts(ts, payload);
    default:
      return [];
  }
}

function eventFacts(ts: string, payload: JsonObject): readonly TranscriptFact[] {
  const turn = textIn(payload, 'turn_id', LABEL_MAX) ?? ts;
  switch (payload['type']) {
    case 'item_completed':
      return isJsonObject(payload['item']) ? itemFacts(ts, payload['item']) : [];
    case 'token_count':
      return contextSizeFact(ts, payload['info']);
    case 'turn_aborted':
      // Another reason is another turn that takes this one's place: the work goes on.
      return payload['reason'] === 'interrupted' ? [{ kind: 'interrupted', ts, id: turn }] : [];
    case 'task_complete':
      return [turnOverFact(ts, turn, payload)];
    default:
      return [];
  }
}

/** A sub-agent's rollout names its parent's session, and its own thread as `id`; older versions have but the one id. */
function sessionFact(ts: string, payload: JsonObject): TranscriptFact {
  return {
    kind: 'session',
    ts,
    sessionId: textIn(payload, 'session_id', LABEL_MAX) ?? textIn(payload, 'id', LABEL_MAX),
    cwd: textIn(payload, 'cwd', PATH_MAX),
    // Under the shared daemon `source` is "vscode" for a terminal too; the originator tells the two apart.
    entrypoint: textIn(payload, 'originator', LABEL_MAX) ?? textIn(payload, 'source', LABEL_MAX),
  };
}

const modeByApproval: Readonly<Record<string, string>> = { never: 'bypassPermissions', 'on-request': 'default' };

function contextFact(ts: string, payload: JsonObject): TranscriptFact {
  const approval = textIn(payload, 'approval_policy', LABEL_MAX) ?? '';
  return {
    kind: 'session',
    ts,
    cwd: textIn(payload, 'cwd', PATH_MAX),
    permissionMode: Object.hasOwn(modeByApproval, approval) ? modeByApproval[approval] : undefined,
  };
}

function usageFact(ts: string, payload: JsonObject): readonly TranscriptFact[] {
  const id = textIn(payload, 'response_id', LABEL_MAX);
  const { usage } = payload;
  if (id === undefined || !isJsonObject(usage)) return [];
  const [whole, output] = [countIn(usage, 'input_tokens'), countIn(usage, 'output_tokens')];
  if (whole === undefined || output === undefined) return [];
  const cached = Math.min(whole, countIn(usage, 'cached_input_tokens') ?? 0);
  return [{ kind: 'usage', ts, messageId: id, input: whole - cached, output, cached, context: whole }];
}

/**
 * This line tells the model's window, and what a compaction left of the context. It repeats the last usage, without an id and
 * sometimes twice, so it counts for nothing.
 */
function contextSizeFact(ts: string, info: Json | undefined): readonly TranscriptFact[] {
  const last = isJsonObject(info) ? info['last_token_usage'] : undefined;
  const window = isJsonObject(info) ? countIn(info, 'model_context_window') : undefined;
  if (!isJsonObject(last) || window === undefined) return [];
  const context = (countIn(last, 'total_tokens') ?? 0) - (countIn(last, 'output_tokens') ?? 0);
  if (context <= 0) return [];
  return [{ kind: 'usage', ts, messageId: `token_count ${ts}`, input: 0, output: 0, cached: 0, context, window }];
}

function turnOverFact(ts: string, id: string, payload: JsonObject): TranscriptFact {
  const { error } = payload;
  if (error === undefined || error === null) {
    return { kind: 'turnEnded', ts, id, message: textIn(payload, 'last_agent_message', TEXT_MAX) };
  }
  const message = isJsonObject(error) ? textIn(error, 'message', TEXT_MAX) : textIn(payload, 'error', TEXT_MAX);
  const code = isJsonObject(error) ? textIn(error, 'codex_error_info', LABEL_MAX) : undefined;
  return { kind: 'turnFailed', ts, id, error: code ?? message?.slice(0, LABEL_MAX) ?? 'unknown', message };
}

function itemFacts(ts: string, item: JsonObject): readonly TranscriptFact[] {
  const id = textIn(item, 'id', LABEL_MAX) ?? ts;
  switch (item['type']) {
    case 'UserMessage': {
      const text = textsIn(item['content']);
      return text === undefined ? [] : [{ kind: 'prompt', ts, id, text, synthetic: isSynthetic(text) }];
    }
    case 'AgentMessage': {
      const text = textsIn(item['content']);
      return text ? [{ kind: 'reply', ts, messageId: id, text, ends: false }] : [];
    }
    case 'Reasoning': {
      const text = textsIn(item['summary_text']) || textsIn(item['raw_content']);
      return text ? [{ kind: 'thinking', ts, text }] : [];
    }
    case 'CommandExecution':
      return callOver(ts, item, {
        exitCode: exitCodeIn(item),
        message: textIn(item, 'aggregated_output', TEXT_MAX),
        command: commandIn(item),
      });
    case 'FileChange':
      return callOver(ts, item, { message: textIn(item, 'stderr', TEXT_MAX) ?? textIn(item, 'stdout', TEXT_MAX) });
    case 'McpToolCall':
      return callOver(ts, item, { message: mcpMessageIn(item) });
    case 'CollabAgentToolCall':
      return callOver(ts, item, {});
    default:
      return [];
  }
}

const outcomeByStatus = { completed: 'succeeded', failed: 'failed', declined: 'denied' } as const;
const statuses = ['completed', 'failed', 'declined'] as const;

/** The item's id is the hook's `tool_use_id`. Output is told only of what went wrong. */
function callOver(
  ts: string,
  item: JsonObject,
  told: Pick<Extract<TranscriptFact, { kind: 'toolEnded' }>, 'exitCode' | 'message' | 'command'>,
): readonly TranscriptFact[] {
  const status = statuses.find((known) => known === item['status']);
  const toolUseId = textIn(item, 'id', LABEL_MAX);
  if (status === undefined || toolUseId === undefined) return [];
  const outcome = outcomeByStatus[status];
  const { exitCode, message, command } = told;
  return [
    {
      ...{ kind: 'toolEnded', ts, toolUseId, outcome, exitCode },
      message: outcome === 'succeeded' ? undefined : message,
      ...(outcome === 'failed' ? { command } : {}),
    },
  ];
}

/** A shell and its options, then what it was given. */
function commandIn({ command }: JsonObject): string | undefined {
  const given = Array.isArray(command) ? command.at(-1) : command;
  return typeof given === 'string' && given !== '' && given.length < TEXT_MAX ? given : undefined;
}

function exitCodeIn(item: JsonObject): number | undefined {
  const code = item['exit_code'];
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined;
}

function mcpMessageIn({ result, error }: JsonObject): string | undefined {
  const said = isJsonObject(error) ? textIn(error, 'message', TEXT_MAX) : undefined;
  return said ?? ((isJsonObject(result) ? textsIn(result['content']) : undefined) || undefined);
}

/** The texts of a list of parts, each a string or an object with a `text`; undefined when it is no list. */
function textsIn(parts: Json | undefined): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = (parts as readonly Json[]).map((part) => (isJsonObject(part) ? part['text'] : part));
  return texts
    .filter((text): text is string => typeof text === 'string')
    .join('\n')
    .slice(0, TEXT_MAX);
}

/** A text field, cut; empty counts as absent. */
function textIn(object: JsonObject, field: string, max: number): string | undefined {
  const value = object[field];
  return typeof value === 'string' && value !== '' ? value.slice(0, max) : undefined;
}

function countIn(object: JsonObject, field: string): number | undefined {
  const value = object[field];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const MOMENT_LENGTH = '2026-01-01T00:00:00.000Z'.length;

function momentOf(value: Json | undefined): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  const moment = new Date(ms).toISOString();
  return moment.length === MOMENT_LENGTH ? moment : undefined;
}
