import type { Replies } from '../provider.ts';

/** The context becomes a message of its own. A key that Codex does not know costs the whole answer, so it gets none. */
export const codexReplies: Replies = {
  context: { SessionStart: new Set(['startup', 'clear', 'compact']) },
  ignoresUnknownKeys: false,
  knowsMascot: false,
};
