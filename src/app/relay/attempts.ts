import { type Heard, type Outcome, readAnswer, type Refusal, type Step } from '../../domain/relay/answers.ts';
import type { QueuedMessage, RelaySession } from '../../domain/relay/records.ts';
import type { Clock, Log } from '../ports.ts';
import type { Outage } from './outage.ts';
import type { Queue } from './queue.ts';
import type { Abandon, RelayTrouble, RelayWorld } from './relayPorts.ts';
import type { PlannedStep } from './steps.ts';

/** An answerless start may have made a thread: one more attempt, and no third thread. */
const STARTS_MAX = 2;

export interface Attempt {
  readonly session: RelaySession;
  readonly message: QueuedMessage;
  readonly step: PlannedStep;
}

export interface AttemptParts {
  readonly queue: Queue;
  readonly world: Pick<RelayWorld, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly outage: Outage;
  /** By channel. */
  readonly channelTypes: Map<string, number>;
  readonly isClosed: () => boolean;
  /** What lets us in at the target that is chosen now. */
  readonly letInBy: () => string | undefined;
  /** As which it says it; no secret. */
  readonly author: () => string;
  /** Settles what must not leave any more. */
  readonly isTakenBack: (message: QueuedMessage) => boolean;
  readonly heard: (route: string, heard: Heard) => void;
  readonly giveUp: (message: QueuedMessage, why: Refusal) => void;
  /** Nothing leaves for this target until something changes. */
  readonly halt: (why: Refusal) => void;
  readonly tell: (why: RelayTrouble['why'], channel?: string) => void;
  readonly wentWell: (channel: string) => void;
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
export function createAttempts(parts: AttemptParts): (attempt: Attempt, abandon: Abandon) => Promise<void> {
  const { queue, world, clock, log, outage, channelTypes, isClosed, letInBy, isTakenBack, tell } = parts;

  const isHere = ({ session: id, place }: RelaySession) => queue.session(id)?.place === place;

  async function attempt({ session, message, step }: Attempt, abandon: Abandon): Promise<void> {
    if (step.step === 'start' && (session.starts ?? 0) >= STARTS_MAX) return closeUnanswered(session);
    const by = letInBy();
    const isStill = () => isHere(session) && by !== undefined && letInBy() === by;
    const trying = await begun(session, message, step.step);
    if (isClosed() || !isStill() || !queue.holds(message) || isTakenBack(trying))
      return notBegun(session, message, step.step);
    const heard = await world.send(step.request(), abandon);
    if ((isClosed() && heard.kind === 'unsure') || !queue.session(session.session)) return;
    const isOutdated = !isStill();
    if (!isOutdated) parts.heard(step.route, heard);
    const outcome = readAnswer(heard, step.target, step.step);
    const answered: Answered = { message: trying, outcome, asked: session, isOutdated };
    if (step.step === 'say') await said(answered);
    else if (isHere(session)) await (step.step === 'start' ? started(answered, step.route) : looked(answered));
  }

  /** Durable before a byte leaves: whoever comes after a crash knows that this may have been said. */
  async function begun(session: RelaySession, message: QueuedMessage, step: Step): Promise<QueuedMessage> {
    if (step === 'look') return message;
    const { triedAt = clock.now(), triedBy = parts.author() } = message;
    const trying = { ...message, state: 'trying', triedAt, triedBy } as const;
    try {
      await (step === 'say' ? queue.keep(trying) : keepStarts(session, (session.starts ?? 0) + 1));
    } catch (error) {
      // A disk that was full is no start, and nothing was tried.
      await notBegun(session, message, step).catch(() => undefined);
      throw error;
    }
    return step === 'say' ? trying : message;
  }

  /** Nothing left: neither was it tried, nor a thread begun. */
  async function notBegun(session: RelaySession, message: QueuedMessage, step: Step): Promise<void> {
    if (step === 'say') await queue.keep(message);
    else if (step === 'start' && isHere(session)) await keepStarts(session, session.starts ?? 0);
  }

  async function keepStarts({ session: id }: Pick<RelaySession, 'session'>, starts: number): Promise<void> {
    const now = queue.session(id);
    if (!now) return;
    const { starts: _, ...rest } = now;
    await queue.keepSession(starts > 0 ? { ...rest, starts } : rest);
  }

  async function said({ message, outcome, asked, isOutdated }: Answered): Promise<void> {
    if (outcome.kind === 'done') {
      parts.wentWell(asked.channel);
      return queue.settle(message, 'sent');
    }
    if (!isOutdated) {
      if (outcome.kind === 'refused') return refused(message, outcome);
      failed(outcome);
    }
    if (outcome.kind === 'unsure') return queue.keep({ ...message, unsure: true });
    return untried(message);
  }

  async function untried(message: QueuedMessage): Promise<void> {
    if (message.unsure === true) return;
    const { triedAt: _, triedBy: __, ...rest } = message;
    return queue.keep({ ...rest, state: 'queued' });
  }

  async function started({ message, outcome, isOutdated }: Answered, route: string): Promise<void> {
    const session = queue.session(message.session);
    if (!session) return;
    const { starts = 0, ...rest } = session;
    switch (outcome.kind) {
      case 'done':
        parts.wentWell(session.channel);
        if (outcome.id === undefined) return refused(message, { ends: 'thread', why: 'invalid' });
        await queue.keepSession({ ...rest, thread: outcome.id, threadBy: route });
        return message.kind === 'started' ? queue.settle(message, 'sent') : undefined;
      case 'refused':
        await queue.keepSession(rest);
        return isOutdated ? undefined : refused(message, outcome);
      case 'unsure':
        if (isOutdated) return;
        failed(outcome);
        // The channel is looked at again first, so that a service that fails for a while uses up no second start.
        channelTypes.delete(session.channel);
        return starts < STARTS_MAX ? undefined : closeUnanswered(session);
      case 'again':
      case 'later':
        if (!isOutdated) failed(outcome);
        return queue.keepSession(starts > 1 ? { ...rest, starts: starts - 1 } : rest);
    }
  }

  async function looked({ message, outcome, asked, isOutdated }: Answered): Promise<void> {
    if (outcome.kind === 'done') channelTypes.set(asked.channel, outcome.type ?? 0);
    else if (isOutdated) return;
    else if (outcome.kind === 'refused') await refused(message, outcome);
    else failed(outcome);
  }

  async function refused(
    message: QueuedMessage,
    { ends, why }: { ends: 'message' | 'thread' | 'target'; why: Refusal },
  ) {
    const session = queue.session(message.session);
    if (ends === 'message') return parts.giveUp(message, why);
    if (ends === 'thread') return session && close(session, why);
    parts.halt(why);
    log.warn(
      `Chat relay: the target refuses everything (${why}). Nothing is sent until its settings or secrets change.`,
    );
    tell(why);
    await untried(message);
  }

  async function closeUnanswered({ session: id }: RelaySession): Promise<void> {
    const session = queue.session(id);
    if (!session) return;
    const { starts: _, ...rest } = session;
    await close(rest, 'unanswered');
  }

  async function close(session: RelaySession, why: Refusal | 'unanswered'): Promise<void> {
    log.warn(`Chat relay: no more of session ${session.session} is sent (${why}).`);
    // A person who deletes a thread or locks it wants no more there, and need not be told.
    if (why !== 'threadGone' && why !== 'locked' && why !== 'archived') tell(why, session.channel);
    await queue.keepSession({ ...session, closed: why, closedAt: clock.now() });
  }

  function failed({ kind }: Outcome): void {
    if (kind === 'later') outage.limited();
    else outage.failed();
  }

  return attempt;
}
