import type { Clock, Disposable, Log } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { Patch } from '../../protocol/state.ts';
import type { Story } from '../../protocol/story.ts';

export interface StoryFeedParts {
  readonly collector: Pick<Collector, 'story'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Nobody sees it: nothing is fetched. */
  isSeen(): boolean;
  tell(sessionId: string, story: Story | null): void;
}

export interface StoryFeed extends Disposable {
  /** The card that is open now; null: none. */
  open(sessionId: string | null): void;
  /** The state went on. */
  follow(patch: Patch): void;
  /** Something may have been missed. */
  again(): void;
}

/** A busy session goes on many times a second, and each story is read from the store. Nobody reads faster than that. */
const CALM_MS = 400;

/**
 * The story of the one session whose card is open. However fast it goes on, one request is on its way and at most one waits, and
 * between two of them there is a rest. What the person opens comes at once.
 */
export function createStoryFeed({ collector, clock, log, isSeen, tell }: StoryFeedParts): StoryFeed {
  let opened: string | null = null;
  let asking = false;
  let again = false;
  let restsUntil = 0;
  let rest: Disposable | undefined;

  function ask(): void {
    rest?.dispose();
    rest = undefined;
    if (opened === null || !isSeen()) return;
    again = asking;
    if (!asking) void fetch(opened);
  }

  function askRested(): void {
    // A clock that was set back must not make the rest longer.
    const left = Math.min(CALM_MS, restsUntil - clock.now());
    if (asking || left <= 0) ask();
    else rest ??= clock.after(left, ask);
  }

  async function fetch(sessionId: string): Promise<void> {
    asking = true;
    const story = await collector.story(sessionId).catch((error: unknown) => void log.warn(String(error)));
    asking = false;
    restsUntil = clock.now() + CALM_MS;
    if (sessionId === opened && isSeen()) tell(sessionId, story ?? null);
    if (!again) return;
    // Another card may be open by now; that one's story is asked for at once.
    if (sessionId === opened) askRested();
    else ask();
  }

  return {
    open(sessionId) {
      opened = sessionId;
      ask();
    },
    follow({ sessions, agents }) {
      const isIt = sessions.some(({ id }) => id === opened) || agents.some((agent) => agent.sessionId === opened);
      if (isIt) askRested();
    },
    again: ask,
    dispose() {
      opened = null;
      rest?.dispose();
    },
  };
}
