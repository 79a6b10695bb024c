import { grouped } from '../../domain/grouped.ts';
import { calls } from '../../domain/relay/drafts.ts';
import { quietForMs, sinceQuietMs } from '../../domain/relay/quietHours.ts';
import type { QueuedMessage, Why } from '../../domain/relay/records.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import type { Clock, Disposable, Log } from '../ports.ts';
import { type Attempt, Attempts, named } from './attempts.ts';
import type { RelayQueue } from './queue.ts';
import type { RelaySettings, RelayWorld } from './relayPorts.ts';
import { nextStep } from './steps.ts';
import type { Target } from './target.ts';

/** Requests at a time. One that hangs holds up its own session; of a route there is one at a time anyway. */
const TOGETHER_MAX = 3;

/** How long somebody must wait before a chat is told: who sits at the terminal answers sooner, and nobody need be called. */
const WAIT_FIRST_MS = 5_000;

/** A phase that passes by is no news. */
const PHASE_FIRST_MS = 3_000;

/** News of the morning is none in the evening. */
const GIVE_UP_MS = 6 * 3_600_000;

/** Discord keeps a nonce "for the past few minutes"; two are surely few. */
const NONCE_MS = 120_000;

/** A receiver that says that it ignores repeats is not asked for how long. */
const IGNORED_REPEATS_MS = GIVE_UP_MS;

/** The next owner waits for this one to be gone. */
const GRACE_MS = 300;

export interface DeliveryParts {
  readonly queue: RelayQueue;
  readonly target: Target;
  readonly world: RelayWorld;
  readonly clock: Clock;
  readonly log: Log;
  /** False while there may be something in the log that takes messages back. */
  readonly mayBegin: () => boolean;
  /** Is the wait that this message tells of still open? */
  readonly stillWaits: (message: QueuedMessage) => boolean;
  /** Is the session one of an excluded project (HKI-9)? */
  readonly isExcluded: (session: string) => boolean;
}

interface Due extends Attempt {
  readonly at: number;
}

/** Sends what is queued, each session's in its order, as fast as the service takes it and never anything twice. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #attempts: Attempts;
  readonly #busy = new Map<string, { readonly route: string; readonly done: Promise<void> }>();
  /** Tried at a time that is not known any more: a nonce of theirs may stand for nothing. */
  #doubtful: ReadonlySet<string> = new Set();
  #latest = 0;
  #timer: Disposable | undefined;
  #isClosed = false;
  #isLooking = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#attempts = new Attempts({
      ...parts,
      isTakenBack: (message) => this.#isTakenBack(message, this.#barred(message.session)),
    });
  }

  get #settings(): RelaySettings {
    return this.#parts.world.rules.current();
  }

  /** There may be something to do. Several changes of one moment are looked at once. */
  look(): void {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    void Promise.resolve().then(() => {
      this.#isLooking = false;
      if (!this.#isClosed) this.#pump();
    });
  }

  /** May something of this kind leave now, as far as is known before it is tried? */
  isOpenTo(kind: RelayKind): boolean {
    return this.#parts.target.isOpen && this.#quietUntil(kind, this.#parts.clock.now()) === 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#attempts.end();
    this.#timer?.dispose();
    // Most answers are nearly there.
    const grace = this.#parts.clock.after(GRACE_MS, () => this.#attempts.abandon());
    await Promise.all([...this.#busy.values()].map(({ done }) => done));
    grace.dispose();
  }

  #pump(): void {
    const { queue, target, clock } = this.#parts;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (!this.#parts.mayBegin()) return;
    const now = this.#heardClock();
    let next = Infinity;
    if (target.held === 'noSecretThere' && queue.messages().length > 0) target.tell('noSecret');
    for (const [id, messages] of grouped(queue.messages(), ({ session }) => session)) {
      if (this.#busy.has(id)) continue;
      const due = this.#firstDue(id, messages, now);
      if (!due) continue;
      if (due.at > now) next = Math.min(next, due.at);
      else if (this.#busy.size < TOGETHER_MAX && !this.#isTaken(due.step.route)) this.#run(due);
    }
    if (next < Infinity) this.#timer = clock.after(next - now, () => this.look());
    const isQuiet = this.#quietUntil('reply', now) > 0;
    const held = target.held ?? (isQuiet && target.isOpen ? 'quietHours' : undefined);
    queue.hold(queue.messages().length > 0 ? held : undefined);
  }

  #isTaken(route: string): boolean {
    return [...this.#busy.values()].some((other) => other.route === route);
  }

  #heardClock(): number {
    const now = this.#parts.clock.now();
    if (now < this.#latest) {
      const tried = this.#parts.queue.messages().filter(({ triedAt }) => triedAt !== undefined);
      this.#doubtful = new Set(tried.map(({ key }) => key));
      this.#parts.target.clockWasSetBack(this.#latest - now);
    }
    this.#latest = now;
    return now;
  }

  /** What goes next of a session, and when. What has no sense any more is settled on the way. */
  #firstDue(id: string, messages: readonly QueuedMessage[], now: number): Due | undefined {
    const { queue, world } = this.#parts;
    const { access, channelTypes, isOpen } = this.#parts.target;
    const session = queue.session(id);
    const barred = this.#barred(id);
    let first: Due | undefined;
    for (const message of messages) {
      if (this.#isTakenBack(message, barred)) continue;
      if (!session || session.closed !== undefined) {
        void queue.settle(message, 'givenUp', session?.closed);
        continue;
      }
      if (!access || !isOpen || this.#isSettledUnsent(message, now)) continue;
      const quiet = this.#quietUntil(message.kind, now);
      if (now - Math.max(message.queuedAt, quiet || this.#quietBefore(now)) > GIVE_UP_MS) {
        this.#attempts.giveUp(message, 'old');
        continue;
      }
      const step = nextStep({ session, message, access, world, channelTypes, now });
      const at = Math.max(notBefore(message, now), quiet, this.#parts.target.opensAt(step.route));
      // In order, but for what may be said while the rest keeps quiet.
      if (!first || at < first.at) first = { at, session, message, step };
      if (first.at <= now) break;
    }
    return first;
  }

  #barred(session: string): Why | undefined {
    return this.#parts.isExcluded(session) ? 'excluded' : undefined;
  }

  /** What was on its way may have been said, and is not repeated. */
  #isTakenBack(message: QueuedMessage, barred: Why | undefined): boolean {
    const { queue } = this.#parts;
    const { target, send } = this.#settings;
    // Where it is off nothing is chosen: what waits is left to an owner that sends.
    const unchosen = target !== 'off' && !send[message.kind] ? 'turnedOff' : undefined;
    const why = queue.recalled(message) ?? barred ?? unchosen;
    if (why) void queue.settle(message, message.unsure === true ? 'unknown' : 'withdrawn', why);
    return why !== undefined;
  }

  #isSettledUnsent(message: QueuedMessage, now: number): boolean {
    const { queue, log, stillWaits } = this.#parts;
    if (message.unsure === true && !this.#mayRepeat(message, now)) {
      log.warn(`Chat relay: it is not known whether ${named(message)} arrived; it is not sent again.`);
      void queue.settle(message, 'unknown', 'interruptedTry');
      return true;
    }
    if (message.wait === undefined || message.unsure === true || stillWaits(message)) return false;
    void queue.settle(message, 'withdrawn', 'answered');
    return true;
  }

  #mayRepeat({ key, triedAt = 0, triedBy }: QueuedMessage, now: number): boolean {
    const { access, author } = this.#parts.target;
    const ago = now - triedAt;
    if (access === undefined || ago < 0 || this.#doubtful.has(key) || triedBy !== author) return false;
    if (access.target === 'discord') return ago < NONCE_MS;
    return access.target === 'webhook' && access.ignoresRepeats && ago < IGNORED_REPEATS_MS;
  }

  #quietUntil(kind: RelayKind, now: number): number {
    const { quietHours, quietLetsWaits } = this.#settings;
    if (!quietHours || (quietLetsWaits && calls(kind))) return 0;
    const ms = quietForMs(quietHours, this.#parts.world.localMinute(now));
    return ms > 0 ? now + ms : 0;
  }

  #quietBefore(now: number): number {
    const { quietHours } = this.#settings;
    return quietHours ? now - sinceQuietMs(quietHours, this.#parts.world.localMinute(now)) : 0;
  }

  #run(due: Due): void {
    const { route } = due.step;
    const { session } = due.session;
    const done = this.#attempts
      .attempt(due)
      .catch((error: unknown) => {
        this.#parts.log.warn(`Chat relay: ${String(error)}`);
        this.#parts.target.failed('again');
      })
      .then(() => {
        this.#busy.delete(session);
        this.look();
      });
    this.#busy.set(session, { route, done });
  }
}

function notBefore({ kind, queuedAt, unsure }: QueuedMessage, now: number): number {
  if (unsure === true || queuedAt > now) return 0;
  if (kind === 'permission' || kind === 'question') return queuedAt + WAIT_FIRST_MS;
  return kind === 'phase' ? queuedAt + PHASE_FIRST_MS : 0;
}
