import type { Disposable, Log, StateChange } from './ports.ts';

export interface Listeners {
  add(listener: (change: StateChange) => void): Disposable;
  tell(change: StateChange): void;
  clear(): void;
}

/** Listeners are told in a microtask and each on its own: none can delay or fail the event, or another listener. */
export function createListeners(log: Log): Listeners {
  const listeners = new Set<(change: StateChange) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    tell(change) {
      for (const listener of listeners) {
        void Promise.resolve()
          .then(() => {
            if (listeners.has(listener)) listener(change);
          })
          .catch((error: unknown) => log.error(`A view failed to take a change: ${String(error)}`));
      }
    },
    clear() {
      listeners.clear();
    },
  };
}
