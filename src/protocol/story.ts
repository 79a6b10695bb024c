import * as z from 'zod/mini';
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

/** Events of the session's story that its kind alone does not tell (EVT-1). */
export const storyNews = [
  'work_start',
  'work_done',
  'work_cancelled',
  'dependency_resolved',
  'edit_denied',
  'edit_untracked',
  'guard_gap',
  'decision',
  'escalation',
  'build_failed',
  'test_failed',
  'quality_warning',
  'context_overflow',
  'checkpoint_created',
  'compact',
  'context_loaded',
] as const;
export type StoryNews = (typeof storyNews)[number];

export const storyStepSchema = z.object({
  id: z.string(),
  ts: z.string(),
  agentId: z.string(),
  kind: z.enum(storyKinds),
  /** One of `storyNews`. An older panel tells the step by its kind, and a step that it knows no news for as well. */
  news: z.optional(z.string()),
  tool: z.optional(z.string()),
  /** What the tool does, as a picture shows it. */
  mood: z.optional(z.enum(moods)),
  target: z.optional(z.string()),
  /** What was said, asked or reported, cut. */
  text: z.optional(z.string()),
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
