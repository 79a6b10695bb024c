import { type Outcome, readAnswer, type Refusal, type Step } from '../../domain/relay/answers.ts';
import type { QueuedMessage, RelaySession } from '../../domain/relay/records.ts';
import type { Clock, Log } from '../ports.ts';
import type { RelayQueue } from './queue.ts';
import type { Abandon, RelayWorld } from './relayPorts.ts';
import type { PlannedStep } from './steps.ts';
import type { Target } from './target.ts';

/** An answerless start may have made a thread: one more attempt, and no third thread. */
const STARTS_MAX = 2;

export interface Attempt {
  readonly session: RelaySession;
  readonly message: QueuedMessage;
  readonly step: PlannedStep;
}

export interface AttemptParts {
  readonly queue: RelayQueue;
  readonly target: Target;
  readonly world: Pick<RelayWorld, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Settles a message that must not leave any more. */
  readonly isTakenBack: (message: QueuedMessage) => boolean;
}

interface Answered {
  readonly message: QueuedMessage;
  readonly outcome: Outcome;
  /** As it was when it was asked for. */
  readonly asked: RelaySession;
  /** Given for a place, or to a secret, that is another by now: a no to that one says nothing of this one. */
  readonly isOutdated: boolean;
}

/** Takes one step for one message: what is written before a byte leaves, and what came of it. */
export class Attempts {
  readonly #parts: AttemptParts;
  readonly #abandoning = new Set<() => void>();
  #isEnding = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** No request leaves from now on. */
  end(): void {
    this.#isEnding = true;
  }

  /** Lets go of the requests that are on their way: what has no answer is not known to have arrived. */
  abandon(): void {
    for (const abandon of this.#abandoning) abandon();
  }

  /** Rejects if what is to be known of it can't be written. */
  async attempt({ session, message, step }: Attempt): Promise<void> {
    const { queue, target, world } = this.#parts;
    if (step.step === 'start' && (session.starts ?? 0) >= STARTS_MAX) return this.#close(session, 'unanswered');
    const secret = JSON.stringify(target.access);
    const isStill = () =>
      this.#isHere(session) && target.access !== undefined && JSON.stringify(target.access) === secret;
    const trying = await this.#begin(session, message, step.step);
    if (this.#isEnding || !isStill() || !queue.holds(message) || this.#parts.isTakenBack(trying))
      return this.#undoBegin(session, message, step.step);
    const heard = await world.send(step.request(), this.#abandonable());
    if ((this.#isEnding && heard.kind === 'unsure') || !queue.session(session.session)) return;
    const isOutdated = !isStill();
    if (!isOutdated) target.learnLimits(step.route, heard);
    const outcome = readAnswer(heard, step.target, step.step);
    const answered: Answered = { message: trying, outcome, asked: session, isOutdated };
    if (step.step === 'say') await this.#said(answered);
    else if (this.#isHere(session))
      await (step.step === 'start' ? this.#started(answered, step.route) : this.#looked(answered));
  }

  #isHere({ session: id, place }: RelaySession): boolean {
    return this.#parts.queue.session(id)?.place === place;
  }

  #abandonable(): Abandon {
    return {
      onAbandoned: (listener) => {
        this.#abandoning.add(listener);
        return { dispose: () => void this.#abandoning.delete(listener) };
      },
    };
  }

  /** Durable before a byte leaves: whoever comes after a crash knows that this may have been said. */
  async #begin(session: RelaySession, message: QueuedMessage, step: Step): Promise<QueuedMessage> {
    if (step === 'look') return message;
    const { queue, target, clock } = this.#parts;
    const { triedAt = clock.now(), triedBy = target.author } = message;
    const trying = { ...message, state: 'trying', triedAt, triedBy } as const;
    try {
      await (step === 'say' ? queue.keep(trying) : this.#keepStarts(session, (session.starts ?? 0) + 1));
    } catch (error) {
      // A disk that was full is no start, and nothing was tried.
      await this.#undoBegin(session, message, step).catch(() => undefined);
      throw error;
    }
    return step === 'say' ? trying : message;
  }

  /** Nothing left: neither was it tried, nor a thread begun. */
  async #undoBegin(session: RelaySession, message: QueuedMessage, step: Step): Promise<void> {
    if (step === 'say') await this.#parts.queue.keep(message);
    else if (step === 'start' && this.#isHere(session)) await this.#keepStarts(session, session.starts);
  }

  #keepStarts({ session }: RelaySession, starts: number | undefined): Promise<void> {
    return this.#parts.queue.changeSession(session, { starts });
  }

  async #said({ message, outcome, asked, isOutdated }: Answered): Promise<void> {
    const { queue, target } = this.#parts;
    if (outcome.kind === 'done') {
      target.wentWell(asked.channel);
      return queue.settle(message, 'sent');
    }
    if (!isOutdated) {
      if (outcome.kind === 'refused') return this.#refused(message, outcome);
      target.failed(outcome.kind);
    }
    if (outcome.kind === 'unsure') return queue.keep({ ...message, unsure: true });
    return this.#untried(message);
  }

  async #untried(message: QueuedMessage): Promise<void> {
    if (message.unsure === true) return;
    const { triedAt: _, triedBy: __, ...rest } = message;
    return this.#parts.queue.keep({ ...rest, state: 'queued' });
  }

  async #started({ message, outcome, isOutdated }: Answered, route: string): Promise<void> {
    const { queue, target } = this.#parts;
    const session = queue.session(message.session);
    if (!session) return;
    const { starts = 0, channel } = session;
    switch (outcome.kind) {
      case 'done':
        target.wentWell(channel);
        if (outcome.id === undefined) return this.#refused(message, { ends: 'thread', why: 'invalid' });
        await queue.keepSession({ ...session, starts: undefined, thread: outcome.id, threadBy: route });
        return message.kind === 'started' ? queue.settle(message, 'sent') : undefined;
      case 'refused':
        await this.#keepStarts(session, undefined);
        return isOutdated ? undefined : this.#refused(message, outcome);
      case 'unsure':
        if (isOutdated) return;
        target.failed(outcome.kind);
        // The channel is looked at again first, so that a service that fails for a while uses up no second start.
        target.channelTypes.delete(channel);
        return starts < STARTS_MAX ? undefined : this.#close(session, 'unanswered');
      case 'again':
      case 'later':
        if (!isOutdated) target.failed(outcome.kind);
        return this.#keepStarts(session, starts - 1);
    }
  }

  async #looked({ message, outcome, asked, isOutdated }: Answered): Promise<void> {
    const { target } = this.#parts;
    if (outcome.kind === 'done') target.channelTypes.set(asked.channel, outcome.type ?? 0);
    else if (isOutdated) return;
    else if (outcome.kind === 'refused') await this.#refused(message, outcome);
    else target.failed(outcome.kind);
  }

  async #refused(
    message: QueuedMessage,
    { ends, why }: { readonly ends: 'message' | 'thread' | 'target'; readonly why: Refusal },
  ): Promise<void> {
    if (ends === 'message') return this.giveUp(message, why);
    const session = this.#parts.queue.session(message.session);
    if (ends === 'thread') return session && this.#close(session, why);
    this.#parts.target.halt(why);
    return this.#untried(message);
  }

  /** A message that can't be sent any more: it is logged, and the person told. */
  giveUp(message: QueuedMessage, why: 'old' | Refusal): void {
    const { queue, target, log } = this.#parts;
    log.warn(`Chat relay: gave up ${named(message)} (${why}).`);
    target.tell(why);
    void queue.settle(message, 'givenUp', why);
  }

  #close({ session, channel }: RelaySession, why: Refusal | 'unanswered'): Promise<void> {
    const { queue, target, clock, log } = this.#parts;
    log.warn(`Chat relay: no more of session ${session} is sent (${why}).`);
    // A person who deletes a thread or locks it wants no more there, and need not be told.
    if (why !== 'threadGone' && why !== 'locked' && why !== 'archived') target.tell(why, channel);
    const starts = why === 'unanswered' ? { starts: undefined } : {};
    return queue.changeSession(session, { ...starts, closed: why, closedAt: clock.now() });
  }
}

/** For the log: never what it says. */
export function named({ kind, session }: QueuedMessage): string {
  return `a message (${kind}) of session ${session}`;
}
