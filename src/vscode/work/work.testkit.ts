import type { StateChange, StateSource } from '../../app/ports.ts';
import type { Snapshot } from '../../protocol/state.ts';
import type { WorkItem } from '../../protocol/work.ts';
import type { ViewSource } from '../../protocol/view.ts';
import { aSnapshot } from '../../../test/webview/fixtures.ts';
import { FakeEvent } from '../hooks/editor.testkit.ts';

/** Times of the work items in these tests: an hour of one day. */
export const at = (minute: number) => new Date(2026, 2, 2, 14, minute).toISOString();
export const NOON = new Date(2026, 2, 2, 16).getTime();

/** The key is the project's name and the id. */
export function anItem(id: string, changes: Partial<WorkItem> = {}): WorkItem {
  const project = changes.project ?? '/p/harbour';
  const touches = changes.touches ?? [];
  return {
    ...{ key: `${project}/${id}`, id, title: `Do ${id}`, status: 'pending', dependencies: [], project },
    ...{ createdAt: at(0), workers: [] },
    ...{ sessions: touches.map(({ session }) => session), files: touches.flatMap(({ files }) => files), touches },
    ...changes,
  };
}

export function running(id: string, changes: Partial<WorkItem> = {}): WorkItem {
  return anItem(id, { status: 'running', startedAt: at(2), ...changes });
}

export function ended(id: string, status: 'done' | 'cancelled', changes: Partial<WorkItem> = {}): WorkItem {
  return anItem(id, { status, startedAt: at(2), finishedAt: at(10), ...changes });
}

/** A state that a test changes, and those who follow it. */
export function aSource(first: Partial<Snapshot> = {}) {
  const changes = new FakeEvent<StateChange>();
  const now = { state: { ...aSnapshot([], []), ...first }, status: 'live' as ViewSource };
  const source: StateSource = { snapshot: () => now.state, status: () => now.status, onChange: changes.on };
  return {
    source,
    now,
    change(state: Partial<Snapshot> = {}, status: ViewSource = 'live') {
      now.state = { ...now.state, ...state };
      now.status = status;
      changes.fire({ type: 'reset' });
    },
  };
}
