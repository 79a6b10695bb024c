import * as z from 'zod/mini';
import { sessionEventSchema } from './sessionEvent.ts';
import { patchSchema, snapshotSchema } from './state.ts';
import { textWithin } from './textSchema.ts';

/** Raised when a frame changes its meaning; a field that may be absent does not raise it. */
export const WIRE_VERSION = 1;

/** The state, server to reader. A reader that misses a revision asks for a snapshot; it never guesses. */
export const serverFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    protocol: z.int(),
    revision: z.int().check(z.nonnegative()),
    /** The record of the store's log up to which its reader knows what happened in the sessions. Older owners say nothing of it. */
    record: z.optional(z.int().check(z.nonnegative())),
    state: snapshotSchema,
  }),
  z.object({ type: z.literal('patch'), record: z.optional(z.int().check(z.nonnegative())), ...patchSchema.shape }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

/**
 * EVT-1: what happens in the sessions, for whoever does not follow as a window: older windows take a frame that they don't
 * know for another protocol.
 */
const storyFrameSchema = z.object({
  type: z.literal('session-event'),
  record: z.optional(z.int().check(z.nonnegative())),
  event: sessionEventSchema,
});

/** All that a plain reader is sent. */
export const readerFrameSchema = z.discriminatedUnion('type', [...serverFrameSchema.def.options, storyFrameSchema]);
export type ReaderFrame = z.infer<typeof readerFrameSchema>;

/** Reader to server. `hello` names a window that follows the owner; a plain reader need not send anything. */
export const clientFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    role: z.enum(['follower', 'reader']),
    app: textWithin(0, 100),
    version: textWithin(0, 40),
    /** Of a reader that was here before: it wants to be told what happened after this record, also under another owner. */
    record: z.optional(z.int().check(z.nonnegative())),
  }),
  z.object({ type: z.literal('resync'), revision: z.int().check(z.nonnegative()) }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** WebSocket close codes of ours (4000-4999 are free for applications). */
export const closeCodes = {
  tooSlow: 4001,
  badFrame: 4002,
  otherProtocol: 4003,
  tooMany: 4004,
  full: 4005,
  stopping: 1001,
} as const;
