/** What nobody notices: the editor's other extensions live on the same thread. */
const TURN_MS = 10;

/** To be awaited between two pieces of work: lets everybody else have a turn when this one has lasted long enough. */
export function createBreather(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await othersTurn();
    since = performance.now();
  };
}

export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
