import type { AgentEvent } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type FoundPrompt, promptMark } from './heard.ts';
import { textIn } from './text.ts';

/** What was said, by a transcript's word. A hook can't claim to be one. */
function isFound(event: AgentEvent, type: string): boolean {
  const { event_type, source, payload } = event;
  return event_type === 'notification' && source === 'transcript' && payload['notification_type'] === type;
}

/**
 * What a corrector writes of it. No `user_prompt` and no `turn_ended`: it begins and ends no turn, for hooks alone tell whose
 * move it is (TRN-4), and may tell the very same later.
 */
export function foundNotice(type: 'prompt_found' | 'reply_found', fields: JsonObject) {
  return { type: 'notification', severity: 'debug', payload: { notification_type: type, ...fields } } as const;
}

export function isFoundPrompt(event: AgentEvent): boolean {
  return isFound(event, 'prompt_found');
}

export function isFoundReply(event: AgentEvent): boolean {
  return isFound(event, 'reply_found');
}

/** CNV-1: what was said while no hook told of it. */
export function isFoundSaying(event: AgentEvent): boolean {
  return isFoundPrompt(event) || isFoundReply(event);
}

/** TRN-2: the reply of a turn whose end hooks told of, but not with what. */
export function isLastReply(event: AgentEvent): boolean {
  return isFound(event, 'last_reply');
}

export function foundPromptIn(event: AgentEvent): FoundPrompt {
  const { prompt } = event.payload;
  return {
    ts: event.ts,
    mark: promptMark(typeof prompt === 'string' ? prompt : ''),
    turn: textIn(event, 'turn'),
    after: textIn(event, 'after'),
  };
}
