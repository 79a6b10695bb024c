import type { Clock, Disposable, Log } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { Patch } from '../../protocol/state.ts';
import type { Story } from '../../protocol/story.ts';

export interface StoryFeedParts {
  readonly collector: Pick<Collector, 'story'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Nothing is asked for while the panel is hidden. */
  readonly isSeen: () => boolean;
  /** `null`: the story can't be read now. */
  readonly show: (sessionId: string, story: Story | null) => void;
}

/** The rest between two requests. A busy session changes many times a second, and each story is read from the store. */
const REST_MS = 400;

/**
 * The story of the one session whose card is open. However fast the session changes, one request is under way and at most one waits,
 * with a rest between them. The story of a card that was just opened is asked for at once.
 */
export class StoryFeed implements Disposable {
  readonly #parts: StoryFeedParts;
  #opened: string | null = null;
  #isAsking = false;
  /** The session has changed since the request that is under way. */
  #isOutdated = false;
  #restsUntil = 0;
  #rest: Disposable | undefined;

  constructor(parts: StoryFeedParts) {
    this.#parts = parts;
  }

  /** The card of this session is open now; `null`: none is. */
  open(sessionId: string | null): void {
    this.#opened = sessionId;
    this.#ask();
  }

  /** Asks again, after a rest, if the patch changes the session. */
  follow({ sessions, agents }: Patch): void {
    const isOpened =
      sessions.some(({ id }) => id === this.#opened) || agents.some(({ sessionId }) => sessionId === this.#opened);
    if (isOpened) this.#askRested();
  }

  /** Asks at once. Called when the page may have missed a story. */
  renew(): void {
    this.#ask();
  }

  dispose(): void {
    this.#opened = null;
    this.#rest?.dispose();
  }

  #ask(): void {
    this.#rest?.dispose();
    this.#rest = undefined;
    if (this.#opened === null || !this.#parts.isSeen()) return;
    this.#isOutdated = this.#isAsking;
    if (!this.#isAsking) void this.#fetch(this.#opened);
  }

  #askRested(): void {
    const { clock } = this.#parts;
    // A clock that was set back must not make the rest longer.
    const left = Math.min(REST_MS, this.#restsUntil - clock.now());
    if (this.#isAsking || left <= 0) this.#ask();
    else this.#rest ??= clock.after(left, () => this.#ask());
  }

  async #fetch(sessionId: string): Promise<void> {
    const { collector, clock, log, isSeen, show } = this.#parts;
    this.#isAsking = true;
    const story = await collector.story(sessionId).catch((error: unknown) => void log.warn(String(error)));
    this.#isAsking = false;
    this.#restsUntil = clock.now() + REST_MS;
    if (sessionId === this.#opened && isSeen()) show(sessionId, story ?? null);
    if (!this.#isOutdated) return;
    if (sessionId === this.#opened) this.#askRested();
    else this.#ask();
  }
}
