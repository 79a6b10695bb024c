import type { Replies } from '../provider.ts';

/** The context becomes a message of its own. What Codex makes of keys beside it nobody has seen, so it gets none. */
export const codexReplies: Replies = {
  context: { SessionStart: new Set(['startup', 'clear', 'compact']) },
  ignoresUnknownKeys: false,
};
