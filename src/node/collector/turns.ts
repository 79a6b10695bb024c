import { othersTurn } from './breathe.ts';

/** One after the other, in the order in which they came. */
export interface Turns {
  begin(): Turn;
}

export interface Turn {
  /** Resolves when it is its turn; false: it was aborted while it waited. To be asked once. */
  come(signal: AbortSignal): Promise<boolean>;
  /** Lets the next one come; also for one that never asked. */
  end(): void;
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    begin() {
      let end: () => void = () => undefined;
      const over = new Promise<void>((resolve) => (end = resolve));
      return {
        end,
        come(signal) {
          const before = last;
          last = before.then(() => over);
          return firstOf(before.then(othersTurn), signal);
        },
      };
    },
  };
}

function firstOf(turn: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    void turn.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(!signal.aborted);
    });
  });
}
