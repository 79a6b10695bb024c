import { deferred } from './deferred.ts';
import type { Claim, Clock, Disposable } from './ports.ts';

/**
 * A small read of a file that is in memory. When a process that was stopped goes on, this timer is due, so whoever was deposed
 * meanwhile learns it at once.
 */
const CHECK_TICKS = 2;

/** While it listens: a touch is a write to the disk, and only those of another table of processes judge by it. */
const TOUCH_TICKS = 30;

export interface Tenure extends Disposable {
  /** Resolves when the claim turns out to be another's. */
  readonly lost: Promise<void>;
  isLost(): boolean;
  /** Whether it answers over the network; while it does not, its touches are the only sign of life. */
  listens(now: boolean): void;
  /** Looks now. */
  check(): Promise<void>;
  /** Throws once the claim is another's. */
  mustHold(): Promise<void>;
}

export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';

  constructor() {
    super('Another process has taken over the collector.');
  }
}

export interface TenureParts {
  readonly claim: Claim;
  readonly clock: Clock;
  readonly tickMs: number;
  /** Called now and then while it listens and still is the owner. */
  seeToIt(): Promise<void>;
}

/** The time of one owner: it shows that it lives, and notices when it has been deposed. */
export function beginTenure({ claim, clock, tickMs, seeToIt }: TenureParts): Tenure {
  const lost = deferred<void>();
  let isLost = false;
  let listening = false;
  let ticks = 0;
  let timer: Disposable | undefined;
  let disposed = false;

  async function check(): Promise<void> {
    if (isLost) return;
    // What can't be read says nothing; the store refuses to write meanwhile.
    const holds = await claim.holds().catch(() => true);
    if (holds) return;
    isLost = true;
    lost.resolve();
  }

  async function run(): Promise<void> {
    await check();
    if (isLost || disposed) return;
    ticks += step();
    if (!listening || ticks % TOUCH_TICKS === 0) await claim.touch();
    if (listening) await seeToIt();
    arm();
  }

  const step = () => (listening ? CHECK_TICKS : 1);

  function arm(): void {
    timer?.dispose();
    if (!disposed) timer = clock.after(tickMs * step(), () => void run());
  }

  arm();
  return {
    lost: lost.promise,
    isLost: () => isLost,
    listens(now) {
      listening = now;
      ticks = 0;
      arm();
    },
    check,
    async mustHold() {
      await check();
      if (isLost) throw new ClaimLostError();
    },
    dispose() {
      disposed = true;
      timer?.dispose();
    },
  };
}
