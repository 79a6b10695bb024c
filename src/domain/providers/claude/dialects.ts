import type { Json, JsonObject } from '../../../protocol/json.ts';

/** One way in which older senders put things, told by what the payload has: none of them says its version. */
interface Dialect {
  readonly name: string;
  speaks(payload: JsonObject): boolean;
  /** The same in the words of the newest version; what it returns no longer speaks the dialect. */
  translate(payload: JsonObject): JsonObject;
}

const toolEnds = new Set(['posttooluse', 'posttoolusefailure']);
const agentEnds = new Set(['stop', 'subagentstop', 'subagent']);
/** Sources of sessions that continue the conversation they name, but are no sub-agents of it. */
const ownSessions = new Set<Json | undefined>(['fork', 'resume', 'clear', 'compact']);

const dialects: readonly Dialect[] = [
  {
    name: 'the tool that starts a sub-agent is called Task (2.0.77)',
    speaks: (payload) => payload['tool_name'] === 'Task',
    translate: (payload) => ({ ...payload, tool_name: 'Agent' }),
  },
  renamed('the result of a call is tool_result', 'tool_result', 'tool_response'),
  renamed('the result of a call is result', 'result', 'tool_response', toolEnds),
  renamedText('the last words are result', 'result', 'last_assistant_message', agentEnds),
  renamedText('the last words are summary', 'summary', 'last_assistant_message', agentEnds),
  renamedText('the text of a notification is summary', 'summary', 'message', new Set(['notification'])),
  renamedText('what compaction leaves is summary', 'summary', 'compact_summary', new Set(['postcompact'])),
  {
    name: 'a sub-agent has a session of its own and names its parent’s',
    speaks: (payload) => isText(payload['parent_session_id']) && !ownSessions.has(payload['source']),
    translate({ parent_session_id: parent = null, ...payload }) {
      const { session_id: own, agent_id: agent } = payload;
      const child = isText(own) && own !== parent && !isText(agent) ? { agent_id: own } : {};
      return { ...payload, ...child, session_id: parent };
    },
  },
];

/** NRM-10: a payload of any version in the words of the newest; the same object when it speaks them already. */
export function upgrade(payload: JsonObject): JsonObject {
  return dialects.reduce((spoken, dialect) => (dialect.speaks(spoken) ? dialect.translate(spoken) : spoken), payload);
}

/** An old name for a field. Where the new one is there too, that one counts; `hooks` limits it to events where it is meant. */
function renamed(name: string, from: string, to: string, hooks?: ReadonlySet<string>): Dialect {
  return {
    name,
    speaks: (payload) =>
      Object.hasOwn(payload, from) && payload[to] === undefined && (hooks === undefined || hooks.has(hookOf(payload))),
    translate(payload) {
      const { [from]: value = null, ...rest } = payload;
      return { ...rest, [to]: value };
    },
  };
}

/** Of something else than words under such a common name nobody knows what it is. */
function renamedText(name: string, from: string, to: string, hooks: ReadonlySet<string>): Dialect {
  const dialect = renamed(name, from, to, hooks);
  return { ...dialect, speaks: (payload) => typeof payload[from] === 'string' && dialect.speaks(payload) };
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** `SubagentStop`, `subagent-stop` and `hook_type` alike. */
function hookOf({ hook_event_name: name, hook_type: type }: JsonObject): string {
  const told = typeof name === 'string' && name.trim() !== '' ? name : type;
  return typeof told === 'string'
    ? told
        .slice(0, 100)
        .toLowerCase()
        .replace(/[^a-z]/g, '')
    : '';
}
