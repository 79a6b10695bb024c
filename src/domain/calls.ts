import type { AgentEvent } from '../protocol/event.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';
import { providerFor } from './providers/registry.ts';
import { LABEL_MAX, textIn } from './text.ts';

const ENDED_KEPT = 64;

/** Of one message; more calls than this no model makes at once. */
const BATCH_MAX = 200;

type Ended = SessionState['ended'];

/** The calls that are over after an event, and whether it is the first to tell that one of them failed. */
export function stepCalls(ended: Ended, event: AgentEvent): { readonly ended: Ended; readonly failed: boolean } {
  const call = { id: textIn(event, 'tool_use_id'), tool: textIn(event, 'tool_name') ?? '' };
  switch (event.event_type) {
    case 'tool_succeeded':
      return { ended: over(ended, call, false), failed: false };
    case 'tool_failed':
      return failedCall(ended, call, event.payload['denied'] === true);
    case 'notification':
      return { ended: endedIn(event).reduce((list, id) => over(list, { id, tool: '' }, false), ended), failed: false };
    default:
      return { ended, failed: false };
  }
}

interface Call {
  readonly id: string | undefined;
  readonly tool: string;
}

/** A No is no failure. What one source called done another may know to have failed (a shell command's exit code). */
function failedCall(ended: Ended, call: Call, denied: boolean): { ended: Ended; failed: boolean } {
  if (denied) return { ended: over(ended, call, false), failed: false };
  const known = ended.find(({ id }) => id === call.id);
  return { ended: over(ended, call, true), failed: !known?.failed };
}

function over(ended: Ended, { id, tool }: Call, failed: boolean): Ended {
  if (id === undefined) return ended;
  const known = ended.find((call) => call.id === id);
  if (known && (known.failed || !failed)) return ended;
  return [...ended.filter((call) => call !== known), { id, failed, tool: tool || (known?.tool ?? '') }].slice(
    -ENDED_KEPT,
  );
}

/** In the words of the newest version of its agent, whatever version told it. */
export function payloadOf({ provider, raw }: AgentEvent): JsonObject {
  return providerFor(provider).upgrade?.(raw) ?? raw;
}

/** What a call was given. */
export function inputIn(event: AgentEvent): Json | undefined {
  return payloadOf(event)[providerFor(event.provider).calls.input];
}

/** The calls that a batch tells to be over. */
export function endedIn(event: AgentEvent): readonly string[] {
  const list = event.payload['notification_type'] === 'tool_batch' ? event.payload['ended'] : undefined;
  const ids = Array.isArray(list) ? list.slice(0, BATCH_MAX) : [];
  return ids.flatMap((id) => (typeof id === 'string' ? [id.slice(0, LABEL_MAX)] : []));
}
