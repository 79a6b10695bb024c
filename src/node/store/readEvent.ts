import { upgradeStoredEvent } from '../../domain/storedEvent.ts';
import type { AgentEvent } from '../../protocol/event.ts';

/** The event that this JSON was made of, by whatever release. */
export function readEvent(json: unknown): AgentEvent {
  return upgradeStoredEvent(JSON.parse(String(json)));
}
