import { z } from 'zod';
import { jsonObjectSchema } from './jsonSchema.ts';
import { sessionStates } from './state.ts';

/** OUT-1: printed too where the agent passes over keys that it does not know; for the others beside what is printed. */
const besides = z.object({
  decision: z.literal('block').describe('Absent where nothing is blocked.'),
  reason: z.string(),
  context: z.object({
    active_work_item: z.object({ id: z.string(), title: z.string() }).nullable(),
    loaded_docs: z
      .array(z.string())
      .describe('The instruction files that the agent has read, as far as they are known.'),
    session_state: z.enum(sessionStates),
    tokens_used: z.int().nonnegative().describe('About how many tokens the model is handed by this answer.'),
    token_budget: z.int().nonnegative().describe('How many it may be at the most.'),
  }),
  notifications: z.array(
    z.object({
      level: z.enum(['info', 'warning', 'error']),
      title: z.string(),
      message: z.string(),
      action: z.string().optional(),
    }),
  ),
  suggestions: z.array(z.string()).describe('Commands that the agent could run next.'),
  metadata: jsonObjectSchema,
});
export const hookBesidesSchema = besides.partial({ decision: true, reason: true });
export type HookBesides = Readonly<z.infer<typeof hookBesidesSchema>>;

/** What a hook prints, so that its agent reads it. */
export const hookOutputSchema = z
  .object({
    hookSpecificOutput: z.object({
      hookEventName: z.string().describe('The hook that is answered, as its agent names it.'),
      additionalContext: z
        .string()
        .optional()
        .describe(
          'Handed to the model: one `<agent-mascot-context>` block, or what it should know of an untracked edit.',
        ),
      permissionDecision: z
        .literal('deny')
        .optional()
        .describe('Never an approval: absent, the person’s own rules decide.'),
      permissionDecisionReason: z.string().optional().describe('Handed to the model in place of the call’s result.'),
    }),
    ...besides.partial().shape,
  })
  .describe('To be printed by the hook as it is.');
export type HookOutput = Readonly<z.infer<typeof hookOutputSchema>>;
