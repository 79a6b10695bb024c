import { deferred } from './deferred.ts';
import { type Claim, ClaimLostError, type Clock, type Disposable } from './ports.ts';

export { ClaimLostError };

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
  /** From now on it has to hold this as well: what is stored under another claim than the home's. */
  alsoHold(claim: Pick<Claim, 'holds'>): void;
  /** Whether all that it has to hold is still its own. Rejects when that can't be told. */
  holds(): Promise<boolean>;
  /** Looks now. */
  check(): Promise<void>;
  /** It was told so by a write that was refused. */
  lose(): void;
  /** Throws once the claim is another's. */
  mustHold(): Promise<void>;
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
  const held: Pick<Claim, 'holds'>[] = [claim];
  let isLost = false;
  let listening = false;
  let seeing = false;
  let ticks = 0;
  let timer: Disposable | undefined;
  let disposed = false;

  async function check(): Promise<void> {
    if (isLost) return;
    // What can't be read says nothing; the store refuses to write meanwhile.
    const answers = await Promise.all(held.map((each) => each.holds().catch(() => true)));
    if (answers.includes(false)) lose();
  }

  function lose(): void {
    isLost = true;
    lost.resolve();
  }

  async function run(): Promise<void> {
    await check();
    if (isLost || disposed) return;
    ticks += step();
    if (!listening || ticks % TOUCH_TICKS === 0) await claim.touch();
    if (listening) await see();
    arm();
  }

  /** Whoever begins to listen begins a round beside the one that is under way: each would mend what the other has just mended. */
  async function see(): Promise<void> {
    if (seeing) return;
    seeing = true;
    await seeToIt().finally(() => (seeing = false));
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
    alsoHold: (other) => void held.push(other),
    holds: async () => !(await Promise.all(held.map((each) => each.holds()))).includes(false),
    check,
    lose,
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
