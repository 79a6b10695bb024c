import type { AgentEvent } from '../protocol/event.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';
import { isMain } from './agentIds.ts';
import { isEdit } from './edits.ts';
import { checkIn } from './failedChecks.ts';
import { providerFor } from './providers/registry.ts';
import {
  checks,
  compaction,
  fileEdit,
  notices,
  overflow,
  SUMMARY_MAX,
  type Telling,
  tellings,
} from './sessionTellings.ts';
import { oneLine, textIn } from './text.ts';

function tellingOf(event: AgentEvent): Telling | undefined {
  switch (event.event_type) {
    case 'notification':
      return noticeOf(event);
    case 'tool_succeeded':
      return isEdit(event) ? fileEdit : undefined;
    case 'tool_failed': {
      const kind = checkIn(event.payload);
      return kind && checks[kind];
    }
    case 'session_started':
      if (event.payload['source'] !== 'compact') return tellings.session_started;
      // No session begins: it is how most agents tell that the compaction is over.
      return saysCompacted(event) ? undefined : compaction;
    default:
      return tellings[event.event_type];
  }
}

function noticeOf(event: AgentEvent): Telling | undefined {
  const type = textIn(event, 'notification_type') ?? '';
  if (type === 'usage') return event.payload['overflow'] === true ? overflow : undefined;
  if (type === 'compacted' && !saysCompacted(event)) return undefined;
  return Object.hasOwn(notices, type) ? notices[type] : undefined;
}

function saysCompacted({ provider }: AgentEvent): boolean {
  return providerFor(provider).saysCompacted === true;
}

/** Undefined: not of the story. `isAgent` tells whether somebody of this id was ever there. */
export function sessionEventOf(event: AgentEvent, isAgent: (id: string) => boolean): SessionEvent | undefined {
  const telling = tellingOf(event);
  // Nobody typed it: the agent program reports the end of background work that way.
  if (!telling || event.payload['synthetic'] === true) return undefined;
  if (telling.ofAgent ? !isAgent(event.agent_id) : telling.ofMain && !isMain(event)) return undefined;
  const told = Object.entries(telling.details).flatMap(([field, max]) => {
    const text = textIn(event, field, max);
    return text === undefined ? [] : [[field, text] as const];
  });
  const item = textIn(event, 'work_item');
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
