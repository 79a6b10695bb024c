import { z } from 'zod';
import { moods } from './state.ts';

/** What a step of a session's story is about; the words for it are made where it is shown. */
export const storyKinds = [
  'session_started',
  'session_ended',
  'prompt',
  'turn_ended',
  'turn_failed',
  'interrupted',
  'agent_started',
  'agent_stopped',
  'tool',
  'tool_failed',
  'waits',
  'answered',
  'task',
  'message',
] as const;
export type StoryKind = (typeof storyKinds)[number];

export const storyStepSchema = z.object({
  id: z.string(),
  ts: z.string(),
  agentId: z.string(),
  kind: z.enum(storyKinds),
  tool: z.string().optional(),
  /** What the tool does, as a picture shows it. */
  mood: z.enum(moods).optional(),
  target: z.string().optional(),
  /** What was said, asked or reported, cut. */
  text: z.string().optional(),
});
export type StoryStep = Readonly<z.infer<typeof storyStepSchema>>;

export const touchedFileSchema = z.object({
  path: z.string(),
  change: z.enum(['read', 'written']),
  at: z.string(),
  agentId: z.string(),
});
export type TouchedFile = Readonly<z.infer<typeof touchedFileSchema>>;

/** The last part of a session's story: of what came last most, of long ago nothing. */
export const storySchema = z.object({
  sessionId: z.string(),
  /** Newest first. */
  steps: z.array(storyStepSchema),
  /** Newest first, each file once. */
  files: z.array(touchedFileSchema),
});
export type Story = Readonly<z.infer<typeof storySchema>>;
