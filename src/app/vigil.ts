import { deferred } from './deferred.ts';
import type { Claims, Clock, Disposable, Holder } from './ports.ts';

/** Often enough to notice a hang within MWN-2's ten seconds, seldom enough to cost nothing. */
export const TICK_MS = 1_000;

/** The person is told before anything is done about it: after this many the state shown may be old. */
const DOUBT_TICKS = 3;

/** With the tick before the first that counts: seven seconds of the ten. The rest is for the takeover itself. */
const HUNG_TICKS = 6;

/**
 * For an owner that can be judged by its touches alone. It touches every 30 s, and a network file system may show that as
 * much as 60 s late.
 */
const UNREACHABLE_TICKS = 90;

/**
 * What the next owner is given twice the time for: the one before was not heard once, so it may be the start that takes so long
 * (a large store, a machine with too much to do), and windows that depose each other in the middle of it would never end.
 */
const PATIENCE_MAX_DOUBLED = 4;

export interface VigilParts {
  readonly clock: Clock;
  readonly claims: Pick<Claims, 'look'>;
  readonly tickMs: number;
  /** Called at every tick, so that there is something to answer. */
  ask(): void;
  onDoubt(doubtful: boolean): void;
}

export interface Vigil extends Disposable {
  /** From now on it is about this owner; the count goes on if it was before. */
  watch(holder: Holder): void;
  /** It showed that it lives. */
  sign(): void;
  /** Its port refuses us though it may live: only its touches can tell. */
  unreachable(): void;
  /** The owner, once it has been silent for too long. */
  hung(): Holder | undefined;
  /** Resolves when the owner hangs, or when it is the owner no more. */
  called(): Promise<void>;
  /** Until the next `watch`. */
  rest(): void;
}

/**
 * Whether the owner lives, judged by ticks of our own without a sign of it. Never by differences of a clock: after a sleep of
 * the machine, or a blockage of this process, one tick comes, not as many as were missed.
 */
export function createVigil({ clock, claims, tickMs, ask, onDoubt }: VigilParts): Vigil {
  let watched: Holder | undefined;
  let quiet = 0;
  let signed = false;
  let reachable = true;
  let heard = true;
  let unheardInTurn = 0;
  let call = deferred<void>();
  let timer: Disposable | undefined;

  function arm(): void {
    // What waits on the socket is read between two timers: the second one counts after it.
    timer = clock.after(tickMs, () => (timer = clock.after(0, () => void tick())));
  }

  async function tick(): Promise<void> {
    const about = watched;
    if (!about) return;
    count(signed ? 0 : quiet + 1);
    signed = false;
    if (quiet > 0) await lookAgain(about);
    if (watched?.instance !== about.instance) return;
    if (isHung()) call.resolve();
    ask();
    arm();
  }

  /** The claim tells whether it is still this owner's, and whether the owner touched it, as one does that can't listen yet. */
  async function lookAgain(about: Holder): Promise<void> {
    const now = await claims.look();
    if (watched?.instance !== about.instance || now === undefined) return;
    if (now.instance !== about.instance) return call.resolve();
    // What it touched before the first silent tick is no sign of what it does now.
    if (now.touched !== about.touched && quiet > 1) count(0);
    watched = now;
  }

  function count(now: number): void {
    const doubted = isDoubtful();
    judge(() => (quiet = now));
    if (doubted !== isDoubtful()) onDoubt(isDoubtful());
  }

  /** Whoever follows an owner that moved after all, before anybody took its place, must not be called away from it. */
  function judge(change: () => void): void {
    const hung = isHung();
    change();
    if (hung && !isHung()) call = deferred<void>();
  }

  const isDoubtful = () => quiet >= DOUBT_TICKS;
  const isHung = () => quiet >= (watched?.elsewhere === true || !reachable ? UNREACHABLE_TICKS : hungTicks());
  const hungTicks = () => HUNG_TICKS * 2 ** Math.min(unheardInTurn, PATIENCE_MAX_DOUBLED);

  function rest(): void {
    timer?.dispose();
    timer = undefined;
    watched = undefined;
  }

  return {
    watch(holder) {
      if (watched?.instance === holder.instance) return;
      rest();
      unheardInTurn = heard ? 0 : unheardInTurn + 1;
      [watched, quiet, signed, reachable, heard, call] = [holder, 0, false, true, false, deferred<void>()];
      arm();
    },
    sign() {
      signed = true;
      reachable = true;
      heard = true;
      count(0);
    },
    unreachable: () => judge(() => (reachable = false)),
    hung: () => (watched && isHung() ? watched : undefined),
    called: () => call.promise,
    rest,
    dispose: rest,
  };
}
