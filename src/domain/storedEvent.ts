import { type AgentEvent, type EventFields, eventOf } from '../protocol/event.ts';
import { type EventType, isEventType, typedPayload } from '../protocol/eventPayloads.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** Until 2026-11 these were events of the type `notification`: its `notification_type` → the type that it is now. */
const typeByNotice: Readonly<Record<string, EventType>> = {
  usage: 'usage_reported',
  model_call: 'model_called',
  tool_batch: 'tool_batch_ended',
  compacting: 'compaction_started',
  compacted: 'compaction_ended',
  context_loaded: 'context_loaded',
  prompt_found: 'prompt_found',
  reply_found: 'reply_found',
  last_reply: 'last_reply_found',
  instructions_loaded: 'instructions_loaded',
  continues: 'session_continued',
  surface: 'surface_detected',
  agent_meta: 'agent_described',
  work_started: 'work_started',
  work_ended: 'work_ended',
  dependency_resolved: 'dependency_resolved',
  untracked_edit: 'untracked_edit',
  guard_gap: 'guard_gap',
  decision: 'decision',
  escalation: 'escalation',
};

/** Those that came from hooks of their own; only this program wrote the others. */
const hookTypes: ReadonlySet<EventType> = new Set([
  'model_called',
  'tool_batch_ended',
  'compaction_started',
  'compaction_ended',
  'instructions_loaded',
]);

/**
 * An event as any release stored it, in today's types. Total: words of a wrong type are left out, and an event of an unknown
 * type becomes a `notification` that names it. The caller knows that `json` is an event.
 */
export function upgradeStoredEvent(json: unknown): AgentEvent {
  const { event_type: stored, payload, ...fields } = json as JsonObject;
  const words: JsonObject = isJsonObject(payload) ? payload : {};
  const notice = stored === 'notification' ? typeOfNotice(words, fields['source']) : undefined;
  if (!isEventType(stored)) return unknownEvent(fields, stored, words);
  if (notice === undefined) return eventOf(fields as EventFields, stored, typedPayload(stored, words));
  const { notification_type: _notice, ...ownWords } = words;
  return eventOf(fields as EventFields, notice, typedPayload(notice, ownWords));
}

function unknownEvent(fields: JsonObject, stored: Json | undefined, words: JsonObject): AgentEvent {
  const payload = typedPayload('notification', { ...words, notification_type: String(stored) });
  return eventOf(fields as EventFields, 'notification', payload);
}

/** An agent's own Notification hook may use the same words, and stays what it is. */
function typeOfNotice(words: JsonObject, source: Json | undefined): EventType | undefined {
  const { notification_type: notice, hook } = words;
  const type = typeof notice === 'string' && Object.hasOwn(typeByNotice, notice) ? typeByNotice[notice] : undefined;
  const isOurs = type !== undefined && (source !== 'hook' || (hookTypes.has(type) && hook !== 'Notification'));
  return isOurs ? type : undefined;
}
