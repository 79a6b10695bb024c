import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Log } from '../../app/ports.ts';

/** After a start there is more urgent work; nobody searches that soon. */
const WARM_AFTER_MS = 5_000;

/** CNV-3: step by step until there is nothing left, and after each step everybody else has a turn. */
export async function warmUp(step: () => boolean, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && step()) await othersTurn();
}

export interface Warming {
  stop(): void;
}

/** What fails here is done by the first search. */
export function warmLater(step: () => boolean, log: Log): Warming {
  const stopping = new AbortController();
  const timer = setTimeout(() => {
    warmUp(step, stopping.signal).catch((error: unknown) =>
      log.warn(`store: the search is not warm: ${String(error)}`),
    );
  }, WARM_AFTER_MS);
  timer.unref();
  return {
    stop() {
      clearTimeout(timer);
      stopping.abort();
    },
  };
}
