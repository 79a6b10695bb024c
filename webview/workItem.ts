import type { Session } from '../src/protocol/state.ts';
import type { WorkItem } from '../src/protocol/work.ts';

/** What a session works for: the running item that it said last to work on, else the one that anybody did in its project. */
export function workItemOf(session: Session, items: Iterable<WorkItem>): WorkItem | undefined {
  let found: WorkItem | undefined;
  for (const item of items) {
    if (item.status !== 'running' || item.project !== session.project) continue;
    if (found === undefined || goesBefore(item, found, session)) found = item;
  }
  return found;
}

function goesBefore(one: WorkItem, other: WorkItem, { id }: Session): boolean {
  const [mine = '', its = ''] = [one, other].map(({ workers }) => workers.find(({ session }) => session === id)?.at);
  return mine === its ? (one.startedAt ?? '') >= (other.startedAt ?? '') : mine > its;
}
