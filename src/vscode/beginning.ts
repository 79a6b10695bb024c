import type { Disposable, StateSource } from '../app/ports.ts';

export interface Beginning extends Disposable {
  /** Nobody could be asked yet: nothing is known, so nothing may be called empty. */
  isOn(): boolean;
  /** Resolves when somebody could, or when there is nobody any more to tell. */
  over(): Promise<void>;
  /** The state went on. */
  follow(): void;
}

/** For a tree: the editor waits for its lines, and says that it does. */
export function createBeginning(source: Pick<StateSource, 'status'>): Beginning {
  const awaiting = new Set<() => void>();
  let closed = false;
  const isOn = () => !closed && source.status() === 'connecting';

  function follow(): void {
    if (isOn()) return;
    for (const resolve of awaiting) resolve();
    awaiting.clear();
  }

  return {
    isOn,
    over: () => (isOn() ? new Promise((resolve) => awaiting.add(resolve)) : Promise.resolve()),
    follow,
    dispose() {
      closed = true;
      follow();
    },
  };
}
