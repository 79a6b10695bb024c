import { z } from 'zod';

/** RLY-1. */
export const relayTargets = ['discord', 'discordForum', 'webhook'] as const;
export type RelayTarget = (typeof relayTargets)[number];
export const relayTargetWords = ['off', ...relayTargets] as const;

/** A span of the local day, or nothing. */
export const relayQuietHours = /^(?:([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d))?$/;

export const relayKinds = ['started', 'reply', 'permission', 'question', 'failed', 'phase', 'ended', 'note'] as const;

/** What became of something that a chat was to be told. `waiting`: it is to be sent yet. */
export const deliverySchema = z.object({
  kind: z.enum(relayKinds),
  at: z.string(),
  state: z.enum(['waiting', 'sent', 'givenUp', 'unknown', 'withdrawn']),
  /** When it came to that; absent while it waits. */
  when: z.string().optional(),
  why: z.string().optional(),
});
export type Delivery = Readonly<z.infer<typeof deliverySchema>>;
