import type { AgentEvent } from '../protocol/event.ts';
import { shortText } from './text.ts';

const DOCS_KEPT = 20;
const PATH_MAX = 1_000;

/** OUT-1: the files with instructions that the agent told to have loaded, each once, the newest last. */
export function docsAfter(before: string[] | undefined, event: AgentEvent): string[] | undefined {
  if (event.event_type !== 'instructions_loaded') return before;
  const file = shortText(event.payload.file, PATH_MAX + 1);
  // What was cut is no path that anybody could open.
  if (file === undefined || file.length > PATH_MAX) return before;
  return [...(before ?? []).filter((each) => each !== file), file].slice(-DOCS_KEPT);
}
