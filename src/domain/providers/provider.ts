import type { z } from 'zod';
import type { EventType, Severity } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What a provider says about one hook; `normalize` adds what is the same for every provider. */
export interface EventDraft {
  readonly event_type: EventType;
  readonly severity?: Severity;
  readonly payload: JsonObject;
  readonly target_agent_id?: string;
  readonly task_id?: string;
  readonly thinking_text?: string;
}

export interface HookRule {
  /** Throws what zod throws when a known field has a wrong type. */
  read(payload: JsonObject): readonly EventDraft[];
}

/** One agent program: everything that is particular to it is in its folder and comes through here. */
export interface Provider {
  readonly id: string;
  readonly hooks: Readonly<Record<string, HookRule>>;
  /** The sub-agent's own id, when the hook was fired inside one. */
  subagentId(hook: string, payload: JsonObject): string | undefined;
}

export function hookRule<T extends z.ZodType>(
  schema: T,
  toEvents: (fields: z.infer<T>, payload: JsonObject) => readonly EventDraft[],
): HookRule {
  return { read: (payload) => toEvents(schema.parse(payload), payload) };
}
