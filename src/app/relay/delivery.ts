import { grouped } from '../../domain/grouped.ts';
import { calls } from '../../domain/relay/drafts.ts';
import { learnLimits, limitedUntil, noLimits, sooner } from '../../domain/relay/rateLimits.ts';
import type { Refusal } from '../../domain/relay/answers.ts';
import { quietForMs, sinceQuietMs } from '../../domain/relay/quietHours.ts';
import type { Held, QueuedMessage, Why } from '../../domain/relay/records.ts';
import { type Access, authorOf } from '../../domain/relay/requests.ts';
import type { Clock, Disposable, Log } from '../ports.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import { type Attempt, createAttempts } from './attempts.ts';
import { createOutage } from './outage.ts';
import type { Queue } from './queue.ts';
import type { Abandon, RelaySettings, RelayTrouble, RelayWorld } from './relayPorts.ts';
import { nextStep } from './steps.ts';

/** Requests at a time. One that hangs holds up its own session; of a route there is one at a time anyway. */
const TOGETHER_MAX = 3;

/** How long somebody must wait before a chat is told: who sits at the terminal answers sooner, and nobody need be called. */
export const WAIT_FIRST_MS = 5_000;

/** A phase that passes by is no news. */
const PHASE_FIRST_MS = 3_000;

/** News of the morning is none in the evening. */
export const GIVE_UP_MS = 6 * 3_600_000;

/** Discord keeps a nonce "for the past few minutes"; two are surely few. */
export const NONCE_MS = 120_000;

/** A receiver that says that it ignores repeats is not asked for how long. */
const IGNORED_REPEATS_MS = GIVE_UP_MS;

/** The next owner waits for this one to be gone. */
const GRACE_MS = 300;

export interface DeliveryParts {
  readonly queue: Queue;
  readonly world: RelayWorld;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => RelaySettings;
  /** Whether what it says it waits for is still waited for. */
  readonly stillWaits: (message: QueuedMessage) => boolean;
  /** Of an excluded project (HKI-9). */
  readonly isExcluded: (session: string) => boolean;
}

export interface Delivery {
  /** From now on with this; undefined: nothing can leave. */
  use(access: Access | undefined): void;
  /** There may be something to do. */
  look(): void;
  /** Whether something of this kind may leave now, as far as is known before it is tried. */
  isOpenTo(kind: RelayKind): boolean;
  /** The person has to know, once. */
  tell(why: RelayTrouble['why']): void;
  close(): Promise<void>;
}

/** Sends what is queued, each session's in its order, as fast as the service takes it and never anything twice. */
export function startDelivery(parts: DeliveryParts): Delivery {
  const { queue, world, clock, log, settings, stillWaits, isExcluded } = parts;
  const busy = new Map<string, { readonly route: string; readonly done: Promise<void> }>();
  const channelTypes = new Map<string, number>();
  const abandoning = new Set<() => void>();
  const told = new Set<string>();
  let access: Access | undefined;
  let halted: Refusal | undefined;
  let limits = noLimits;
  const outage = createOutage({ clock, random: world.random, log });
  /** Tried at a time that is not known any more: a nonce of theirs may stand for nothing. */
  let doubtful: ReadonlySet<string> = new Set();
  let latest = 0;
  let timer: Disposable | undefined;
  /** It has been said whether anything lets us in. */
  let given = false;
  let closed = false;
  let looking = false;
  const attempt = createAttempts({
    ...{ queue, world, clock, log, outage, channelTypes, giveUp, tell, wentWell },
    isClosed: () => closed,
    author: () => (access ? authorOf(access) : ''),
    letInBy: () => (access?.target === settings().target ? JSON.stringify(access) : undefined),
    isTakenBack: (message) => isTakenBack(message, barredOf(message.session)),
    heard: (route, heard) => void (limits = learnLimits(limits, route, heard, clock.now())),
    halt: (why) => void (halted = why),
  });

  function look(): void {
    // Several changes of one moment are looked at once.
    if (looking || closed) return;
    looking = true;
    void Promise.resolve().then(() => {
      looking = false;
      if (!closed) pump();
    });
  }

  function pump(): void {
    timer?.dispose();
    timer = undefined;
    const now = heardClock();
    let next = Infinity;
    if (given && !access && queue.messages().length > 0) tell('noSecret');
    for (const [id, messages] of grouped(queue.messages(), ({ session }) => session)) {
      if (busy.has(id)) continue;
      const due = firstDue(id, messages, now);
      if (!due) continue;
      if (due.at > now) next = Math.min(next, due.at);
      else if (busy.size >= TOGETHER_MAX || isTaken(due.step.route)) continue;
      else run(due);
    }
    if (next < Infinity) timer = clock.after(next - now, look);
    queue.hold(queue.messages().length > 0 ? whyHeld(now) : undefined);
  }

  function whyHeld(now: number): Held | undefined {
    if (settings().target === 'off') return 'off';
    if (!access) return given ? 'noSecretThere' : undefined;
    return halted ?? (outage.isOn() ? 'notAnswering' : quietUntil('reply', now) > 0 ? 'quietHours' : undefined);
  }

  function heardClock(): number {
    const now = clock.now();
    if (now < latest) {
      doubtTried();
      outage.sooner(latest - now);
      limits = sooner(limits, latest - now);
    }
    latest = now;
    return now;
  }

  function doubtTried(): void {
    const tried = queue.messages().filter(({ triedAt }) => triedAt !== undefined);
    doubtful = new Set(tried.map(({ key }) => key));
  }

  interface Due extends Attempt {
    readonly at: number;
  }

  const isTaken = (route: string) => [...busy.values()].some((other) => other.route === route);

  /** What goes next of a session, and when. What has no sense any more is settled on the way. */
  function firstDue(id: string, messages: readonly QueuedMessage[], now: number): Due | undefined {
    const session = queue.session(id);
    const { target } = settings();
    const barred = barredOf(id);
    let first: Due | undefined;
    for (const message of messages) {
      if (isTakenBack(message, barred)) continue;
      if (!session || session.closed !== undefined) {
        settle(message, 'givenUp', session?.closed);
        continue;
      }
      // Before the secrets of a new target are read, the old one's are still here.
      if (access?.target !== target || halted || isSettledUnsent(message, now)) continue;
      const quiet = quietUntil(message.kind, now);
      const at = Math.max(notBefore(message, now), quiet, outage.until());
      if (now - Math.max(message.queuedAt, quiet || quietBefore(now)) > GIVE_UP_MS) {
        giveUp(message, 'old');
        continue;
      }
      const step = nextStep({ session, message, access, world, channelTypes, now });
      const due = { at: Math.max(at, limitedUntil(limits, step.route)), session, message, step };
      // In order, but for what may be said while the rest keeps quiet.
      if (!first || due.at < first.at) first = due;
      if (first.at <= now) break;
    }
    return first;
  }

  function barredOf(session: string): Why | undefined {
    return isExcluded(session) ? 'excluded' : undefined;
  }

  /** What was on its way may have been said, and is not repeated. */
  function isTakenBack(message: QueuedMessage, barred: Why | undefined): boolean {
    const { target, send } = settings();
    // Where it is off nothing is chosen: what waits is left to an owner that sends.
    const unchosen = target !== 'off' && !send[message.kind] ? 'turnedOff' : undefined;
    const why = queue.recalled(message) ?? barred ?? unchosen;
    if (why) settle(message, message.unsure === true ? 'unknown' : 'withdrawn', why);
    return why !== undefined;
  }

  function isSettledUnsent(message: QueuedMessage, now: number): boolean {
    if (message.unsure === true && !mayRepeat(message, now)) {
      log.warn(`Chat relay: it is not known whether ${named(message)} arrived; it is not sent again.`);
      settle(message, 'unknown', 'interruptedTry');
      return true;
    }
    if (message.wait === undefined || message.unsure === true || stillWaits(message)) return false;
    settle(message, 'withdrawn', 'answered');
    return true;
  }

  function mayRepeat({ key, triedAt = 0, triedBy }: QueuedMessage, now: number): boolean {
    const ago = now - triedAt;
    if (access === undefined || ago < 0 || doubtful.has(key) || triedBy !== authorOf(access)) return false;
    if (access.target === 'discord') return ago < NONCE_MS;
    return access.target === 'webhook' && access.ignoresRepeats && ago < IGNORED_REPEATS_MS;
  }

  function notBefore({ kind, queuedAt, unsure }: QueuedMessage, now: number): number {
    if (unsure === true || queuedAt > now) return 0;
    if (kind === 'permission' || kind === 'question') return queuedAt + WAIT_FIRST_MS;
    return kind === 'phase' ? queuedAt + PHASE_FIRST_MS : 0;
  }

  function quietUntil(kind: RelayKind, now: number): number {
    const { quietHours, quietLetsWaits } = settings();
    if (!quietHours || (quietLetsWaits && calls(kind))) return 0;
    const ms = quietForMs(quietHours, world.localMinute(now));
    return ms > 0 ? now + ms : 0;
  }

  function quietBefore(now: number): number {
    const { quietHours } = settings();
    return quietHours ? now - sinceQuietMs(quietHours, world.localMinute(now)) : 0;
  }

  function run(due: Due): void {
    const { route } = due.step;
    const { session } = due.session;
    const done = attempt(due, abandonable())
      .catch((error: unknown) => {
        log.warn(`Chat relay: ${String(error)}`);
        outage.failed();
      })
      .then(() => {
        busy.delete(session);
        look();
      });
    busy.set(session, { route, done });
  }

  function giveUp(message: QueuedMessage, why: 'old' | Refusal): void {
    log.warn(`Chat relay: gave up ${named(message)} (${why}).`);
    tell(why);
    settle(message, 'givenUp', why);
  }

  function settle(...settled: Parameters<Queue['settle']>): void {
    void queue.settle(...settled).catch(() => undefined);
  }

  /** Once until something went well. */
  function tell(why: RelayTrouble['why'], channel?: string): void {
    const key = `${why} ${channel ?? ''}`;
    if (told.has(key)) return;
    told.add(key);
    world.onTrouble({ why, channel });
  }

  /** A channel that refuses is not mended by what another one takes. */
  function wentWell(channel: string): void {
    outage.wentWell();
    for (const key of told) if (key.endsWith(' ') || key.endsWith(` ${channel}`)) told.delete(key);
  }

  function abandonable(): Abandon {
    return {
      onAbandoned(listener) {
        abandoning.add(listener);
        return { dispose: () => void abandoning.delete(listener) };
      },
    };
  }

  return {
    use(now) {
      if (JSON.stringify(now) !== JSON.stringify(access)) {
        limits = noLimits;
      }
      access = now;
      given = settings().target !== 'off';
      halted = undefined;
      outage.forget();
      channelTypes.clear();
      told.clear();
      look();
    },
    look,
    isOpenTo: (kind) => access !== undefined && !halted && quietUntil(kind, clock.now()) === 0,
    tell,
    async close() {
      closed = true;
      timer?.dispose();
      // Most answers are nearly there, and what has none is not known to have arrived.
      const grace = clock.after(GRACE_MS, () => abandoning.forEach((abandon) => abandon()));
      await Promise.all([...busy.values()].map(({ done }) => done));
      grace.dispose();
    },
  };
}

/** For the log: never what it says. */
function named({ kind, session }: QueuedMessage): string {
  return `a message (${kind}) of session ${session}`;
}
