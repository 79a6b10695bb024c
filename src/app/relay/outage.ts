import type { Clock, Log } from '../ports.ts';

const BACKOFF_FIRST_MS = 2_000;
const BACKOFF_MAX_MS = 5 * 60_000;

/** A service that says "later" more often than this without a success between has nothing to do with its own limits any more. */
const LATER_MAX = 5;

export interface OutageParts {
  readonly clock: Pick<Clock, 'now'>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
}

/** Whether the target, as a whole, answers, and when it is asked again where it does not. */
export interface Outage {
  until(): number;
  isOn(): boolean;
  failed(): void;
  /** A rate limit, with its time. */
  limited(): void;
  wentWell(): void;
  /** Other settings: whoever changed them need not wait. */
  forget(): void;
  /** The clock was set back by so much. */
  sooner(ms: number): void;
}

export function createOutage({ clock, random, log }: OutageParts): Outage {
  let failures = 0;
  let later = 0;
  let until = 0;

  function forget(): void {
    [failures, later, until] = [0, 0, 0];
  }

  function failed(): void {
    failures++;
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
    // Not all at the same moment: others lost the same network.
    until = clock.now() + Math.round(longest * (0.5 + random() / 2));
    if (failures === 1) log.warn('Chat relay: the target does not answer; it is tried again.');
  }

  return {
    until: () => until,
    isOn: () => failures > 0,
    failed,
    limited() {
      later++;
      if (later > LATER_MAX) failed();
    },
    wentWell() {
      if (failures > 0) log.info('Chat relay: the target answers again.');
      forget();
    },
    forget,
    sooner: (ms) => void (until -= ms),
  };
}
