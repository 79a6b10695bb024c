import { withoutSessions } from '../../domain/workItems.ts';
import type { WorkItem } from '../../protocol/work.ts';
import type { Erasing } from '../erasurePorts.ts';
import type { WorkChange, WorkStore } from '../workPorts.ts';

/** The work items of the fake store. */
export function memoryWork(onChange: (change: WorkChange) => void): WorkStore & {
  take(change: WorkChange): void;
  forget(sessions: Erasing['sessions']): void;
} {
  let items: readonly WorkItem[] = [];
  function take({ save, remove = [] }: WorkChange): void {
    const other = new Set([...save.map(({ key }) => key), ...remove]);
    items = [...items.filter(({ key }) => !other.has(key)), ...structuredClone(save)];
    if (other.size > 0) onChange({ save, remove });
  }
  return {
    items: () => items,
    take,
    change: async (make) => {
      await Promise.resolve();
      take(make(items));
    },
    forget(sessions) {
      items = sessions === 'all' ? [] : items.map((item) => withoutSessions(item, new Set(sessions)));
    },
  };
}
