import { type AgentEvent, type EventOf, isOfType } from '../protocol/event.ts';
import type { EventPayload } from '../protocol/eventPayloads.ts';
import { shortText } from './text.ts';

/** A call begins or ends. */
export type CallEvent = EventOf<'tool_started' | 'tool_succeeded' | 'tool_failed'>;

export type CallEnd = EventOf<'tool_succeeded' | 'tool_failed'>;

/** The call never ran, or the person broke it off: it is neither done nor failed. */
export function isVoid(event: CallEnd): boolean {
  return event.event_type === 'tool_failed' && (event.payload.denied === true || event.payload.interrupt === true);
}

export type CallWords = Pick<EventPayload<'tool_started'>, 'tool_name' | 'tool_use_id' | 'target' | 'mood'>;

/** The words of the call that the event is about; none if it is about no call. */
export function callWords(event: AgentEvent): CallWords {
  return isOfType(
    event,
    'tool_started',
    'tool_succeeded',
    'tool_failed',
    'agent_blocked',
    'agent_unblocked',
    'notification',
    'untracked_edit',
    'guard_gap',
  )
    ? event.payload
    : {};
}

/** Why a turn, an agent or a session ended; `undefined` for all other events. */
export function endReason(event: AgentEvent): string | undefined {
  return isOfType(event, 'turn_ended', 'agent_stopped', 'session_ended') ? event.payload.reason : undefined;
}

/** The type of the agent that the event starts or stops. */
export function agentType(event: AgentEvent): string | undefined {
  return isOfType(event, 'agent_started', 'agent_stopped') ? event.payload.agent_type : undefined;
}

/** True if the event reports the program's own prompt, which nobody typed. */
export function isSynthetic(event: AgentEvent): boolean {
  return isOfType(event, 'user_prompt', 'prompt_found') && event.payload.synthetic === true;
}

/** True if nothing but a guess says that somebody is asked. */
export function isInferred(event: AgentEvent): boolean {
  return event.event_type === 'agent_blocked' && event.payload.inferred === true;
}

/** The id of the work item that the event is about. */
export function workItem(event: AgentEvent): string | undefined {
  const isBound = isOfType(
    event,
    ...(['tool_started', 'tool_succeeded', 'tool_failed', 'compaction_started'] as const),
    ...(['work_started', 'work_ended', 'dependency_resolved', 'decision', 'escalation'] as const),
  );
  return isBound ? shortText(event.payload.work_item) : undefined;
}

type Present<Fields> = { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** The fields that have a value: absent ones are left out, so that payloads that say the same are equal. */
export function given<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Present<Fields>;
}
