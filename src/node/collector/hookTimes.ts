/** Enough for a p95, few enough to tell of today. */
const KEPT = 500;

export interface HookTimesRead {
  readonly count: number;
  /** Milliseconds; null while there are none. */
  readonly p50: number | null;
  readonly p95: number | null;
}

/** How long hand-overs took, from the moment of their making until they were durable. */
export interface HookTimes {
  note(ms: number): void;
  read(): HookTimesRead;
}

export function createHookTimes(): HookTimes {
  const times: number[] = [];
  return {
    note(ms) {
      times.push(ms);
      if (times.length > KEPT) times.shift();
    },
    read() {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
      return { count: sorted.length, p50: at(0.5), p95: at(0.95) };
    },
  };
}
