import type { Erasing } from '../erasurePorts.ts';
import type { Kept, Shelf, Shelves } from '../shelfPorts.ts';

/** The shelves of the fake store. */
export function memoryShelves(): Shelves & { forget(sessions: Erasing['sessions']): void } {
  const shelves = new Map<string, Map<string, Kept>>();
  function shelf(name: string): Shelf {
    const kept = shelves.get(name) ?? new Map<string, Kept>();
    shelves.set(name, kept);
    return {
      get: (key) => kept.get(key),
      after: (key, limit) =>
        [...kept.values()]
          .toSorted((a, b) => (a.key < b.key ? -1 : 1))
          .filter((each) => key === undefined || each.key > key)
          .slice(0, limit),
      count: () => kept.size,
      put: async (save, remove = []) => {
        await Promise.resolve();
        for (const each of structuredClone(save)) kept.set(each.key, each);
        for (const key of remove) kept.delete(key);
      },
    };
  }
  return {
    shelf,
    forget(sessions) {
      for (const kept of shelves.values())
        for (const { key, session } of kept.values())
          if (sessions === 'all' || (session !== undefined && sessions.includes(session))) kept.delete(key);
    },
  };
}
