import type { Replies } from '../provider.ts';

/** A resumed session has its own conversation; a compacted one has lost what it was told at its start. */
export const claudeReplies: Replies = {
  context: { SessionStart: new Set(['startup', 'clear', 'compact']) },
  ignoresUnknownKeys: true,
  knowsMascot: true,
};
