import { z } from 'zod';
import { hookRule, type HookRule } from '../provider.ts';
import { given, labelOf, optionalText } from './fields.ts';

export const agentHooks: Readonly<Record<string, HookRule>> = {
  SubagentStart: hookRule(
    z.object({ agent_id: optionalText, agent_name: optionalText, agent_type: optionalText }),
    (fields) => [{ event_type: 'agent_started', payload: { agent_type: fields.agent_type ?? '' } }],
  ),
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
