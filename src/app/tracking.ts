import { editedFiles, isEdit } from '../domain/edits.ts';
import { pathWithin } from '../domain/folders.ts';
import { itemAt, touched } from '../domain/workItems.ts';
import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { EventStore } from './ports.ts';
import type { MakeWorkChange } from './workPorts.ts';

/** GRD-1: what is done in a project is done for the item that runs there. */
export interface Tracking {
  /** The event with the id of the item that it was done for. */
  bound(event: AgentEvent, state: SessionState | undefined): AgentEvent;
  /** What these events are to the items; undefined: nothing. */
  touching(
    events: readonly AgentEvent[],
    stateOf: (sessionId: string) => SessionState | undefined,
  ): MakeWorkChange | undefined;
}

const bindable: ReadonlySet<EventType> = new Set(['tool_started', 'tool_succeeded', 'tool_failed']);

interface Touch {
  readonly project: string;
  readonly id: string;
  readonly session: string;
  readonly files: readonly string[];
}

export function createTracking(store: Pick<EventStore, 'work' | 'erasedAt'>): Tracking {
  return {
    bound(event, state) {
      if (!bindable.has(event.event_type)) return event;
      const items = store.work.items();
      const project = items.length === 0 ? '' : projectOf(event, state);
      const item = project === '' ? undefined : itemAt(items, { project, session: event.session_id, at: event.ts });
      return item ? { ...event, payload: { ...event.payload, work_item: item.id } } : event;
    },
    touching(events, stateOf) {
      const touches = events.flatMap((event) => touchIn(event, stateOf(event.session_id)) ?? []);
      if (touches.length === 0) return undefined;
      return (present) => {
        const changed = new Map<string, WorkItem>();
        for (const { project, id, session, files } of touches) {
          const item = present.find((each) => each.id === id && each.project === project);
          if (item) changed.set(item.key, touched(changed.get(item.key) ?? item, session, files));
        }
        return { save: [...changed.values()].filter((item) => !present.includes(item)) };
      };
    },
  };
}

function touchIn(event: AgentEvent, state: SessionState | undefined): Touch | undefined {
  const id = event.payload['work_item'];
  if (event.event_type !== 'tool_succeeded' || typeof id !== 'string' || !isEdit(event)) return undefined;
  const project = projectOf(event, state);
  const roots = [project, state?.session.cwd ?? project];
  return { project, id, session: event.session_id, files: editedFiles(event).map((file) => pathWithin(file, roots)) };
}

/** Where its session belongs, which its first hook told; a later one may come from another folder. */
export function projectOf(event: AgentEvent, state: SessionState | undefined): string {
  return state?.session.project || (event.project?.path ?? '');
}
