import type { Interaction, SessionWithAgents, Statistics, ToolObservation } from '../protocol/reading.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';

/** What a line of an exported session can be; its `type` says which, the rest is as the routes of the collector answer it. */
export interface Exported {
  readonly session: SessionWithAgents;
  readonly statistics: Statistics;
  readonly interaction: Interaction;
  readonly observation: ToolObservation;
  readonly session_event: SessionEvent;
}

/** CNV-3: one JSON object a line, each readable without the others. */
export function exportLine<Type extends keyof Exported>(type: Type, value: Exported[Type]): string {
  return `${JSON.stringify({ type, ...value })}\n`;
}
