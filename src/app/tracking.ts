import { beginsCompaction, workWords } from '../domain/checkpoint.ts';
import { editedFiles, isEdit, isGuarded } from '../domain/edits.ts';
import { pathWithin } from '../domain/folders.ts';
import { isOwnNote } from '../domain/guard.ts';
import { shortText } from '../domain/text.ts';
import { itemAt, touched, withoutTouches, workKey } from '../domain/workItems.ts';
import { type AgentEvent, isOfType, withWords } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { EventStore } from './ports.ts';
import type { MakeWorkChange } from './workPorts.ts';

/** GRD-1: what is done in a project is done for the item that runs there. */
export interface Tracking {
  /** The event with the id of the item that it was done for. */
  bound(event: AgentEvent, state: SessionState | undefined): AgentEvent;
  /** Before its words may be taken: whether an edit is of what its agent notes for itself. */
  noted(event: AgentEvent, state: SessionState | undefined): AgentEvent;
  /** CNV-4: who touched what, after what a session told was taken back. */
  remade(sessionId: string, events: readonly AgentEvent[], stateOf: StateOf): MakeWorkChange;
  /** What these events are to the items; undefined: nothing. */
  touching(events: readonly AgentEvent[], stateOf: StateOf): MakeWorkChange | undefined;
}

type StateOf = (sessionId: string) => SessionState | undefined;

const PATH_MAX = 4_096;

interface Touch {
  readonly project: string;
  readonly id: string;
  readonly session: string;
  readonly files: readonly string[];
}

export function createTracking(store: Pick<EventStore, 'work'>): Tracking {
  return {
    bound(event, state) {
      const isCompaction = beginsCompaction(event);
      if (!isCompaction && !isOfType(event, 'tool_started', 'tool_succeeded', 'tool_failed')) return event;
      const items = store.work.items();
      const project = items.length === 0 ? '' : projectOf(event, state);
      const item = project === '' ? undefined : itemAt(items, { project, session: event.session_id, at: event.ts });
      if (!item) return event;
      const boundEvent = withWords(event, { work_item: item.id });
      const checkpoint = isCompaction ? event.payload.checkpoint : undefined;
      // EVT-2: after the conversation is compacted nothing else says what its work belongs to.
      return checkpoint ? withWords(boundEvent, { checkpoint: { ...checkpoint, work: workWords(item) } }) : boundEvent;
    },
    noted(event, state) {
      const transcript = state?.session.transcriptPath ?? shortText(event.payload.transcript_path, PATH_MAX);
      const isOwn = event.event_type === 'tool_started' && isGuarded(event) && isOwnNote(event, transcript);
      return isOwn ? withWords(event, { own_note: true }) : event;
    },
    touching(events, stateOf) {
      const touches = events.flatMap((event) => touchIn(event, stateOf(event.session_id)) ?? []);
      return touches.length === 0 ? undefined : (present) => ({ save: changedBy(touches, present, present) });
    },
    remade(sessionId, events, stateOf) {
      const touches = events.flatMap((event) => touchIn(event, stateOf(sessionId)) ?? []);
      return (present) => {
        const bare = present.map((item) => withoutTouches(item, sessionId));
        return { save: changedBy(touches, bare, present) };
      };
    },
  };
}

/** Those of `from` that these touch, or that are not what is stored. */
function changedBy(
  touches: readonly Touch[],
  from: readonly WorkItem[],
  stored: readonly WorkItem[],
): readonly WorkItem[] {
  const items = new Map(from.map((item) => [item.key, item]));
  for (const { project, id, session, files } of touches) {
    const item = items.get(workKey(project, id));
    if (item) items.set(item.key, touched(item, session, files));
  }
  return [...items.values()].filter((item) => !stored.includes(item));
}

function touchIn(event: AgentEvent, state: SessionState | undefined): Touch | undefined {
  const id = event.event_type === 'tool_succeeded' && isEdit(event) ? event.payload.work_item : undefined;
  if (id === undefined) return undefined;
  const project = projectOf(event, state);
  const roots = [project, state?.session.cwd ?? project];
  return { project, id, session: event.session_id, files: editedFiles(event).map((file) => pathWithin(file, roots)) };
}

/** Where its session belongs, which its first hook told; a later one may come from another folder. */
export function projectOf(event: AgentEvent, state: SessionState | undefined): string {
  return state?.session.project || (event.project?.path ?? '');
}
