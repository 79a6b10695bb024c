import type { Disposable, Log, StateChange } from './ports.ts';

export interface Listeners<T> {
  add(listener: (change: T) => void): Disposable;
  tell(change: T): void;
  clear(): void;
}

/** Listeners are told in a microtask and each on its own: none can delay or fail the event, or another listener. */
export function createListeners<T = StateChange>(log: Log): Listeners<T> {
  const listeners = new Set<(change: T) => void>();
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
