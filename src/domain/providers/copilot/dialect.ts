import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';

/** Hooks with Pascal-case names get snake-case payloads, the others camel case; here all is read in camel case. */
const camelOf: Readonly<Record<string, string>> = {
  session_id: 'sessionId',
  transcript_path: 'transcriptPath',
  initial_prompt: 'initialPrompt',
  agent_id: 'agentId',
  agent_name: 'agentName',
  agent_type: 'agentType',
  parent_agent_id: 'parentAgentId',
  tool_name: 'toolName',
  tool_input: 'toolArgs',
  toolInput: 'toolArgs',
  tool_result: 'toolResult',
  stop_reason: 'stopReason',
  last_assistant_message: 'response',
  error_context: 'errorContext',
  result_type: 'resultType',
  text_result_for_llm: 'textResultForLlm',
};

export function inCamelCase(payload: JsonObject): JsonObject {
  const renamed = renamedKeys(payload);
  const { toolResult: result, toolArgs: args } = renamed;
  const changed = {
    ...(isJsonObject(result) && renamedKeys(result) !== result ? { toolResult: renamedKeys(result) } : {}),
    ...(typeof args === 'string' ? { toolArgs: parsedArgs(args) } : {}),
  };
  return Object.keys(changed).length === 0 ? renamed : { ...renamed, ...changed };
}

/** The same object when there is nothing to rename; a key that is there in both forms keeps its own. */
function renamedKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  const taken = new Set(keys);
  const nameOf = (key: string): string => {
    const camel = Object.hasOwn(camelOf, key) ? camelOf[key] : undefined;
    return camel === undefined || taken.has(camel) ? key : camel;
  };
  if (keys.every((key) => nameOf(key) === key)) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [nameOf(key), value]));
}

const ARGS_MAX = 100_000;

/** Older versions send a call's arguments as JSON in a string. */
function parsedArgs(args: string): Json {
  if (args.length > ARGS_MAX || !args.trimStart().startsWith('{')) return args;
  try {
    const value = JSON.parse(args) as Json;
    return isJsonObject(value) ? value : args;
  } catch {
    return args;
  }
}

export interface Whose {
  readonly session?: string | undefined;
  /** The sub-agent's own id; absent for the main agent. */
  readonly agent?: string | undefined;
  /** Who started it, where that is not the session's main agent. */
  readonly starter?: string | undefined;
}

/**
 * A sub-agent's own hooks carry its id as session id, and its starter's id; what others say of it carries the session's.
 * The main agent's id is the session's.
 */
export function whoseIs(payload: JsonObject): Whose {
  const { sessionId, agentId, parentAgentId } = inCamelCase(payload);
  const [session, agent, parent] = [text(sessionId), text(agentId), text(parentAgentId)];
  if (agent === undefined || (agent === session && (parent === undefined || parent === agent))) return { session };
  if (agent === session) return { session: parent, agent };
  return { session: session ?? parent, agent, ...(parent === session ? {} : { starter: parent }) };
}

export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Camel-case payloads do not say which hook they belong to; their fields do. Other agents' payloads have `session_id` and
 * are never claimed.
 */
export function nameByShape(payload: JsonObject): string | undefined {
  if (text(payload['sessionId']) === undefined || 'session_id' in payload) return undefined;
  const said = text(payload['hookName']) ?? text(payload['hook_event_name']);
  return said ?? shapes.find(([has]) => has(payload))?.[1];
}

/**
 * Did Copilot CLI run a hook of Claude's settings? It does in a trusted folder. Unlike Claude Code's, its payloads have a timestamp, and
 * they name no transcript or one below `.copilot`.
 */
export function isInClaudesHook(payload: JsonObject): boolean {
  const path = text(payload['transcript_path']) ?? text(payload['transcriptPath']) ?? '';
  if (path !== '') return 'timestamp' in payload && path.replaceAll('\\', '/').includes('/.copilot/');
  return 'timestamp' in payload || (text(payload['sessionId']) !== undefined && !('session_id' in payload));
}

/** Claude's names of hooks that Copilot calls differently. */
const claudesName: Readonly<Record<string, string>> = { UserPromptSubmitted: 'UserPromptSubmit', AgentStop: 'Stop' };

/**
 * NRM-7: a value that is equal for one event that arrives by Copilot's own hook and by Claude's. Tool names and answers differ between
 * the two forms; timestamp, agent, arguments and text do not. Calls and agents that begin together share a timestamp, so a call without
 * arguments is identified by its tool's name (tools with two names always have arguments), and an agent without an id by its name.
 */
export function sameInBothForms(payload: JsonObject, hook: string): Json | undefined {
  const {
    sessionId = null,
    agentName = null,
    agentId = agentName,
    toolName = null,
    toolArgs = null,
    message = null,
    prompt = null,
    ...rest
  } = inCamelCase(payload);
  const moment = rest['timestamp'];
  const at = typeof moment === 'string' ? Date.parse(moment) : moment;
  if (typeof at !== 'number' || !Number.isFinite(at)) return undefined;
  const name = Object.hasOwn(claudesName, hook) ? (claudesName[hook] ?? hook) : hook;
  const isBare = toolArgs === null || (isJsonObject(toolArgs) && Object.keys(toolArgs).length === 0);
  return [name, at, sessionId, agentId, isBare ? toolName : toolArgs, message, prompt];
}

type Shape = readonly [has: (payload: JsonObject) => boolean, name: string];

/** Most telling first. */
const shapes: readonly Shape[] = [
  [(payload) => 'toolName' in payload && 'toolResult' in payload, 'postToolUse'],
  [(payload) => 'toolName' in payload && 'error' in payload, 'postToolUseFailure'],
  [(payload) => 'toolName' in payload && 'permissionSuggestions' in payload, 'permissionRequest'],
  [(payload) => 'toolName' in payload, 'preToolUse'],
  [(payload) => 'agentName' in payload && 'stopReason' in payload, 'subagentStop'],
  [(payload) => 'agentName' in payload, 'subagentStart'],
  [(payload) => 'stopReason' in payload, 'agentStop'],
  [(payload) => 'errorContext' in payload, 'errorOccurred'],
  [(payload) => 'reason' in payload, 'sessionEnd'],
  [(payload) => 'error' in payload, 'errorOccurred'],
  [(payload) => 'initialPrompt' in payload || 'source' in payload, 'sessionStart'],
  [(payload) => 'prompt' in payload, 'userPromptSubmitted'],
  [(payload) => 'notification_type' in payload, 'notification'],
  [(payload) => 'trigger' in payload, 'preCompact'],
];
