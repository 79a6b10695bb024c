import type { Log } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { Patch } from '../../protocol/state.ts';
import type { Story } from '../../protocol/story.ts';

export interface StoryFeedParts {
  readonly collector: Pick<Collector, 'story'>;
  readonly log: Log;
  /** Nobody sees it: nothing is fetched. */
  isSeen(): boolean;
  tell(sessionId: string, story: Story | null): void;
}

export interface StoryFeed {
  /** The card that is open now; null: none. */
  open(sessionId: string | null): void;
  /** The state went on. */
  follow(patch: Patch): void;
  /** Something may have been missed. */
  again(): void;
}

/** The story of the one session whose card is open. However fast it goes on, one request is on its way and at most one waits. */
export function createStoryFeed({ collector, log, isSeen, tell }: StoryFeedParts): StoryFeed {
  let opened: string | null = null;
  let asking = false;
  let again = false;

  function ask(): void {
    if (opened === null || !isSeen()) return;
    again = asking;
    if (!asking) void fetch(opened);
  }

  async function fetch(sessionId: string): Promise<void> {
    asking = true;
    const story = await collector.story(sessionId).catch((error: unknown) => void log.warn(String(error)));
    asking = false;
    // Another card may be open by now; that one's story is asked for next.
    if (sessionId === opened && isSeen()) tell(sessionId, story ?? null);
    if (again) ask();
  }

  return {
    open(sessionId) {
      opened = sessionId;
      ask();
    },
    follow({ sessions, agents }) {
      const isIt = sessions.some(({ id }) => id === opened) || agents.some((agent) => agent.sessionId === opened);
      if (isIt) ask();
    },
    again: ask,
  };
}
