import type { AgentEvent } from '../protocol/event.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';
import { isMain } from './agentIds.ts';
import { isEdit } from './edits.ts';
import { isSynthetic, workItem } from './eventWords.ts';
import { providerFor } from './providers/registry.ts';
import { checks, compaction, fileEdit, SUMMARY_MAX, type Telling, tellings } from './sessionTellings.ts';
import { cutText, oneLine } from './text.ts';

function tellingOf(event: AgentEvent): Telling | undefined {
  switch (event.event_type) {
    case 'tool_succeeded':
      return isEdit(event) ? fileEdit : undefined;
    case 'tool_failed':
      return event.payload.check && checks[event.payload.check];
    case 'usage_reported':
      return event.payload.overflow === true ? tellings.usage_reported : undefined;
    case 'session_started':
      if (event.payload.source !== 'compact') return tellings.session_started;
      // No session begins: it is how most agents tell that the compaction is over.
      return saysCompacted(event) ? undefined : compaction;
    case 'compaction_ended':
      return saysCompacted(event) ? tellings.compaction_ended : undefined;
    default:
      return tellings[event.event_type];
  }
}

function saysCompacted({ provider }: AgentEvent): boolean {
  return providerFor(provider).saysCompacted === true;
}

/** Undefined: not of the story. `isAgent` tells whether somebody of this id was ever there. */
export function sessionEventOf(event: AgentEvent, isAgent: (id: string) => boolean): SessionEvent | undefined {
  const telling = tellingOf(event);
  // Nobody typed it: the agent program reports the end of background work that way.
  if (!telling || isSynthetic(event)) return undefined;
  if (telling.ofAgent ? !isAgent(event.agent_id) : telling.ofMain && !isMain(event)) return undefined;
  const words = wordsOf(event.payload);
  const told = Object.entries(telling.details).flatMap(([word, max]) => {
    const value = words[word];
    return typeof value === 'string' && value !== '' ? [[word, cutText(value, max)] as const] : [];
  });
  const item = workItem(event);
  return {
    id: event.id,
    session_id: event.session_id,
    ...(item === undefined ? {} : { work_item_id: item }),
    event_type: telling.type,
    summary: oneLine(telling.summary(event), SUMMARY_MAX),
    details: {
      ...(telling.ofAgent || !isMain(event) ? { agent_id: event.agent_id } : {}),
      ...Object.fromEntries(told),
      ...telling.more?.(event),
    },
    severity: telling.severity ?? event.severity,
    created_at: event.ts,
  };
}
