import * as z from 'zod/mini';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { given } from '../../eventWords.ts';
import { hookRule, type HookRule } from '../provider.ts';
import { labelOf, optionalText } from './fields.ts';

const start = z.object({
  agent_id: optionalText,
  agent_name: optionalText,
  agent_type: optionalText,
  prompt: optionalText,
});

export const agentHooks: Readonly<Record<string, HookRule>> = {
  SubagentStart: hookRule(start, (fields, payload) => [
    {
      event_type: 'agent_started',
      payload: given({
        agent_type: fields.agent_type ?? '',
        task: labelOf(fields.prompt),
        warm_up: mayWarmUp(payload) ? true : undefined,
      }),
    },
  ]),
  /** 2.0.77 sends no type at all; an empty one is the summary that compaction writes, which is no agent. */
  SubagentStop: hookRule(
    z.object({ agent_id: optionalText, agent_type: optionalText, last_assistant_message: optionalText }),
    (fields) => [
      {
        event_type: 'agent_stopped',
        payload: given({ agent_type: fields.agent_type, message: fields.last_assistant_message }),
      },
    ],
  ),
  TeammateIdle: hookRule(z.object({ teammate_name: optionalText, team_name: optionalText }), (fields) => [
    {
      event_type: 'notification',
      payload: given({
        notification_type: 'teammate_idle',
        name: labelOf(fields.teammate_name),
        team: labelOf(fields.team_name),
      }),
    },
  ]),
};

const warmUpTypes = new Set<Json | undefined>(['Bash', 'Explore', 'Plan']);

/**
 * 2.0.77 starts one agent of each of these types with every session to warm up its cache; they do no work. In that version a payload
 * can't be told from a real start; later versions and other senders give longer ids, or names.
 */
function mayWarmUp({ agent_id: id, agent_type: type, agent_name: name, prompt_id: turn }: JsonObject): boolean {
  return (
    name === undefined &&
    turn === undefined &&
    warmUpTypes.has(type) &&
    typeof id === 'string' &&
    /^a[0-9a-f]{6}$/.test(id)
  );
}
