import * as z from 'zod/mini';
import { textWithin } from './textSchema.ts';

/** RLY-1. */
export const relayTargets = ['discord', 'discordForum', 'webhook'] as const;
export type RelayTarget = (typeof relayTargets)[number];
export const relayTargetWords = ['off', ...relayTargets] as const;

/** A span of the local day, or nothing. */
export const relayQuietHours = /^(?:([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d))?$/;

export const relayKinds = [
  ...(['started', 'reply', 'permission', 'question', 'failed', 'phase', 'ended'] as const),
  /** What an agent logs for the person (EVT-3), and what the person's own scripts want said. */
  ...(['escalation', 'decision', 'note'] as const),
] as const;
export type RelayKind = (typeof relayKinds)[number];

/** What a script of the person wants said. A chat takes less of it, and what is longer is cut there. */
export const noteSchema = z.strictObject({ text: textWithin(1, 8_000) });

/** What became of something that a chat was to be told. `waiting`: it is to be sent yet. */
export const deliverySchema = z.object({
  kind: z.enum(relayKinds),
  at: z.string(),
  /** Of the stored event that told it, where one did: a reply's is its interaction's. */
  event: z.optional(z.string()),
  state: z.enum(['waiting', 'sent', 'givenUp', 'unknown', 'withdrawn']),
  /** When it came to that; absent while it waits. */
  when: z.optional(z.string()),
  why: z.optional(z.string()),
});
export type Delivery = Readonly<z.infer<typeof deliverySchema>>;
