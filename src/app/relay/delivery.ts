import { grouped } from '../../domain/grouped.ts';
import { calls } from '../../domain/relay/drafts.ts';
import { learnLimits, limitedUntil, noLimits, sooner } from '../../domain/relay/rateLimits.ts';
import { type Outcome, readAnswer, type Refusal, type Step } from '../../domain/relay/answers.ts';
import { quietForMs, sinceQuietMs } from '../../domain/relay/quietHours.ts';
import type { QueuedMessage, RelaySession, Why } from '../../domain/relay/records.ts';
import type { Access } from '../../domain/relay/requests.ts';
import type { Clock, Disposable, Log } from '../ports.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import { createOutage } from './outage.ts';
import type { Queue } from './queue.ts';
import type { Abandon, RelaySettings, RelayTrouble, RelayWorld } from './relayPorts.ts';
import { nextStep, type PlannedStep } from './steps.ts';

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

/** An answerless start may have made a thread: one more attempt, and no third thread. */
const STARTS_MAX = 2;

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
  /** Tried at a time that is not known any more, or by another name: a nonce of theirs may stand for nothing. */
  let doubtful: ReadonlySet<string> = new Set();
  let latest = 0;
  let timer: Disposable | undefined;
  /** It has been said whether anything lets us in. */
  let given = false;
  let closed = false;
  let looking = false;

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

  interface Due {
    readonly at: number;
    readonly session: RelaySession;
    readonly message: QueuedMessage;
    readonly step: PlannedStep;
  }

  const isTaken = (route: string) => [...busy.values()].some((other) => other.route === route);

  /** What goes next of a session, and when. What has no sense any more is settled on the way. */
  function firstDue(id: string, messages: readonly QueuedMessage[], now: number): Due | undefined {
    const session = queue.session(id);
    const barred = isExcluded(id) ? 'excluded' : undefined;
    let first: Due | undefined;
    for (const message of messages) {
      if (isTakenBack(message, barred)) continue;
      if (!session || session.closed !== undefined) {
        settle(message, 'givenUp', session?.closed);
        continue;
      }
      if (!access || halted || isSettledUnsent(message, now)) continue;
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

  /** What was on its way may have been said, and is not repeated. */
  function isTakenBack(message: QueuedMessage, barred: Why | undefined): boolean {
    const why = queue.recalled(message) ?? barred ?? (settings().send[message.kind] ? undefined : 'turnedOff');
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

  function mayRepeat({ key, triedAt = 0 }: QueuedMessage, now: number): boolean {
    const ago = now - triedAt;
    if (access === undefined || ago < 0 || doubtful.has(key)) return false;
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
    const done = attempt(due)
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

  async function attempt({ session, message, step }: Due): Promise<void> {
    const trying = await begun(session, message, step.step);
    const barred = isExcluded(session.session) ? 'excluded' : undefined;
    if (closed || !queue.holds(message) || isTakenBack(trying, barred)) return;
    const heard = await world.send(step.request(), abandonable());
    if ((closed && heard.kind !== 'answer') || !queue.session(session.session)) return;
    limits = learnLimits(limits, step.route, heard, clock.now());
    const outcome = readAnswer(heard, step.target, step.step);
    await (step.step === 'say'
      ? said(trying, outcome)
      : step.step === 'start'
        ? started(trying, outcome, step.route)
        : looked(trying, outcome));
  }

  /** Durable before a byte leaves: whoever comes after a crash knows that this may have been said. */
  async function begun(session: RelaySession, message: QueuedMessage, step: Step): Promise<QueuedMessage> {
    if (step === 'start') await queue.keepSession({ ...session, starts: (session.starts ?? 0) + 1 });
    if (step !== 'say') return message;
    const trying = { ...message, state: 'trying', triedAt: message.triedAt ?? clock.now() } as const;
    await queue.keep(trying);
    return trying;
  }

  async function said(message: QueuedMessage, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'done') {
      wentWell();
      return queue.settle(message, 'sent');
    }
    if (outcome.kind === 'refused') return refused(message, outcome);
    failed(outcome);
    if (outcome.kind === 'unsure') return queue.keep({ ...message, unsure: true });
    if (message.unsure === true) return;
    const { triedAt: _, ...untried } = message;
    return queue.keep({ ...untried, state: 'queued' });
  }

  async function started(message: QueuedMessage, outcome: Outcome, route: string): Promise<void> {
    const session = queue.session(message.session);
    if (!session) return;
    const { starts = 0, ...rest } = session;
    switch (outcome.kind) {
      case 'done':
        wentWell();
        if (outcome.id === undefined) return refused(message, { ends: 'thread', why: 'invalid' });
        await queue.keepSession({ ...rest, thread: outcome.id, threadBy: route });
        return message.kind === 'started' ? queue.settle(message, 'sent') : undefined;
      case 'refused':
        await queue.keepSession(rest);
        return refused(message, outcome);
      case 'unsure':
        failed(outcome);
        // The channel is looked at again first, so that a service that fails for a while uses up no second start.
        channelTypes.delete(session.channel);
        return starts < STARTS_MAX ? undefined : closeUnanswered(session);
      case 'again':
      case 'later':
        failed(outcome);
        return queue.keepSession(starts > 1 ? { ...rest, starts: starts - 1 } : rest);
    }
  }

  async function closeUnanswered({ starts: _, ...session }: RelaySession): Promise<void> {
    tell('unanswered', session.channel);
    await queue.keepSession({ ...session, closed: 'unanswered' });
  }

  async function looked(message: QueuedMessage, outcome: Outcome): Promise<void> {
    const session = queue.session(message.session);
    if (outcome.kind === 'done' && session) channelTypes.set(session.channel, outcome.type ?? 0);
    else if (outcome.kind === 'refused') return refused(message, outcome);
    else if (outcome.kind !== 'done') failed(outcome);
  }

  async function refused(
    message: QueuedMessage,
    { ends, why }: { ends: 'message' | 'thread' | 'target'; why: Refusal },
  ) {
    const session = queue.session(message.session);
    if (ends === 'message') return giveUp(message, why);
    if (ends === 'thread') {
      log.warn(`Chat relay: no more of session ${message.session} is sent (${why}).`);
      // A person who deletes a thread or locks it wants no more there, and need not be told.
      if (why !== 'threadGone' && why !== 'locked' && why !== 'archived') tell(why, session?.channel);
      if (session) await queue.keepSession({ ...session, closed: why });
      return;
    }
    halted = why;
    log.warn(
      `Chat relay: the target refuses everything (${why}). Nothing is sent until its settings or secrets change.`,
    );
    tell(why);
    const { triedAt: _, ...untried } = message;
    if (message.unsure !== true) await queue.keep({ ...untried, state: 'queued' });
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

  function wentWell(): void {
    outage.wentWell();
    told.clear();
  }

  function failed(outcome: Outcome): void {
    if (outcome.kind === 'later') outage.limited();
    else outage.failed();
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
        // A nonce is kept for its author: another bot would say it again.
        if (access) doubtTried();
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
