import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import { textIn } from './text.ts';

const ENDED_KEPT = 64;

type Ended = SessionState['ended'];

/** The calls that are over after an event, and whether it is the first to tell that one of them failed. */
export function stepCalls(ended: Ended, event: AgentEvent): { readonly ended: Ended; readonly failed: boolean } {
  const id = textIn(event, 'tool_use_id');
  switch (event.event_type) {
    case 'tool_succeeded':
      return { ended: id === undefined ? ended : over(ended, id, false), failed: false };
    case 'tool_failed':
      return failedCall(ended, id, event.payload['denied'] === true);
    case 'notification':
      return { ended: batch(event).reduce((list, each) => over(list, each, false), ended), failed: false };
    default:
      return { ended, failed: false };
  }
}

/** A No is no failure. What one source called done another may know to have failed (a shell command's exit code). */
function failedCall(ended: Ended, id: string | undefined, denied: boolean): { ended: Ended; failed: boolean } {
  if (id === undefined) return { ended, failed: !denied };
  const known = ended.find((call) => call.id === id);
  if (denied) return { ended: known ? ended : over(ended, id, false), failed: false };
  return { ended: over(ended, id, true), failed: !known?.failed };
}

function over(ended: Ended, id: string, failed: boolean): Ended {
  const known = ended.find((call) => call.id === id);
  if (known && (known.failed || !failed)) return ended;
  return [...ended.filter((call) => call !== known), { id, failed }].slice(-ENDED_KEPT);
}

function batch(event: AgentEvent): readonly string[] {
  const list = event.payload['notification_type'] === 'tool_batch' ? event.payload['ended'] : undefined;
  return Array.isArray(list) ? list.filter((id) => typeof id === 'string') : [];
}
