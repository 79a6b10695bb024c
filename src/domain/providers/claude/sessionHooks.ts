import * as z from 'zod/mini';
import { given } from '../../eventWords.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { labelOf, optionalText, permission, text } from './fields.ts';
import { finishedIn, isSynthetic } from './synthetic.ts';

const backgroundTask = z.looseObject({ id: text, type: optionalText, status: optionalText });

const severityByLevel: Readonly<Record<string, EventDraft['severity']>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
};

export const sessionHooks: Readonly<Record<string, HookRule>> = {
  SessionStart: hookRule(
    z.object({ agent_id: optionalText, source: optionalText, model: optionalText, agent_type: optionalText }),
    ({ agent_id: agent, agent_type: type = '', source = 'startup', model }) => [
      isChild(agent)
        ? { event_type: 'agent_started', payload: { agent_type: type } }
        : { event_type: 'session_started', payload: given({ source, model }) },
    ],
  ),
  SessionEnd: hookRule(
    z.object({ agent_id: optionalText, reason: optionalText }),
    ({ agent_id: agent, reason = 'other' }) => [
      { event_type: isChild(agent) ? 'agent_stopped' : 'session_ended', payload: { reason } },
    ],
  ),
  UserPromptSubmit: hookRule(
    z.object({ ...permission, prompt: text, prompt_id: optionalText }),
    ({ prompt, permission_mode: mode, prompt_id: turn }) => [
      {
        event_type: 'user_prompt',
        payload: given({
          prompt,
          turn,
          synthetic: isSynthetic(prompt) ? true : undefined,
          finished: finishedIn(prompt),
          permission_mode: mode,
        }),
      },
    ],
  ),
  Stop: hookRule(
    z.object({
      ...permission,
      last_assistant_message: optionalText,
      background_tasks: z.optional(z.array(backgroundTask)),
    }),
    ({ last_assistant_message: message, background_tasks: tasks }, { reason }) => [
      {
        event_type: 'turn_ended',
        payload: given({
          reason: labelOf(reason) ?? 'completed',
          message,
          background: tasks?.map(({ id }) => id),
          background_teammates: tasks?.some(({ type }) => type === 'teammate') ? true : undefined,
        }),
      },
    ],
  ),
  StopFailure: hookRule(
    z.object({
      agent_id: optionalText,
      error: optionalText,
      last_assistant_message: optionalText,
      error_details: optionalText,
    }),
    ({ agent_id: agent, error = 'unknown', last_assistant_message: message }) => [
      { event_type: 'turn_ended', severity: 'error', payload: given({ reason: 'failed', error, message }) },
      ...failedJob(agent, error),
    ],
  ),
  Notification: hookRule(
    z.object({ message: optionalText, notification_type: optionalText, level: optionalText }),
    ({ message = '', notification_type = '', level = '' }) => [
      {
        event_type: 'notification',
        severity: (Object.hasOwn(severityByLevel, level) && severityByLevel[level]) || 'info',
        payload: { notification_type, message },
      },
    ],
  ),
  Elicitation: hookRule(z.object({ message: optionalText, mcp_server_name: optionalText }), ({ message }) => [
    { event_type: 'agent_blocked', severity: 'warn', payload: given({ wait: 'question', message }) },
  ]),
  ElicitationResult: hookRule(z.object({ action: optionalText }), ({ action }) => [
    { event_type: 'agent_unblocked', payload: given({ answer: action }) },
  ]),
  PreCompact: hookRule(z.object({ trigger: optionalText }), ({ trigger }) => [
    { event_type: 'compaction_started', payload: given({ trigger }) },
  ]),
  PostCompact: hookRule(z.object({ trigger: optionalText }), ({ trigger }) => [
    { event_type: 'compaction_ended', payload: given({ trigger }) },
  ]),
  PostModelSwitch: hookRule(z.object({ to_model: optionalText }), ({ to_model: model }) => [
    {
      event_type: 'notification',
      severity: 'debug',
      payload: given({ notification_type: 'post_model_switch', model: labelOf(model) }),
    },
  ]),
};

/** NRM-4: what a sub-agent was started for has failed with it; no task of the list has such an id. */
function failedJob(agent: string | undefined, error: string): readonly EventDraft[] {
  if (agent === undefined || agent === '') return [];
  return [{ event_type: 'task_failed', severity: 'error', task_id: `agent/${agent}`, payload: { error } }];
}

/** A sub-agent that runs as a session of its own: `upgrade` puts its parent's session into the payload. */
function isChild(agent: string | undefined): boolean {
  return agent !== undefined && agent !== '';
}
