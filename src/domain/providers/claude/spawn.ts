import type { EventPayload } from '../../../protocol/eventPayloads.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { given } from '../../eventWords.ts';
import { labelOf } from './fields.ts';

/** What the call that starts an agent says of it. Without a type any agent may be the one; the empty word says so. */
export function spawningOf(tool: string, input: JsonObject): EventPayload<'tool_started'> {
  if (tool !== 'Agent') return {};
  return given({
    spawn_type: labelOf(input['subagent_type']) ?? '',
    spawn_task: labelOf(input['description']),
    spawn_name: labelOf(input['name']),
  });
}

/** What its result says: the only place that ties an agent to its call, and that tells a team-mate from a sub-agent. */
export function spawnedBy(tool: string, input: JsonObject, response: JsonObject): EventPayload<'tool_succeeded'> {
  const id = labelOf(response['agentId']);
  if (tool !== 'Agent' || id === undefined) return {};
  const { status } = response;
  return given({
    spawned: id,
    spawned_background: response['isAsync'] === true || status === 'async_launched' ? true : undefined,
    spawned_task: labelOf(response['description']) ?? labelOf(input['description']),
    spawned_name: labelOf(response['name']) ?? labelOf(input['name']),
    teammate: status === 'teammate_spawned' ? id : undefined,
    team: labelOf(response['team_name']),
  });
}

/** Whom a message is for: a team-mate is called by name, and only the session's other events know whose name it is. */
export function addresseeOf(tool: string, input: JsonObject): EventPayload<'tool_started'> {
  return tool === 'SendMessage' ? given({ talks_to: labelOf(input['to']) ?? labelOf(input['recipient']) }) : {};
}
