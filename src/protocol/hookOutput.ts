import * as z from 'zod/mini';
import { jsonObjectSchema } from './jsonSchema.ts';
import { sessionStates } from './state.ts';

/** OUT-1: printed too where the agent passes over keys that it does not know; for the others beside what is printed. */
const besides = z.object({
  decision: z.literal('block').check(z.describe('Absent where nothing is blocked.')),
  reason: z.string(),
  context: z.object({
    active_work_item: z.nullable(z.object({ id: z.string(), title: z.string() })),
    loaded_docs: z
      .array(z.string())
      .check(z.describe('The instruction files that the agent has read, as far as they are known.')),
    session_state: z.enum(sessionStates),
    tokens_used: z
      .int()
      .check(
        z.nonnegative(),
        z.describe('How much of its context the session has used, as far as its agent tells; else 0.'),
      ),
    token_budget: z.int().check(z.nonnegative(), z.describe('The model’s window; else the setting `contextBudget`.')),
  }),
  notifications: z.array(
    z.object({
      level: z.enum(['info', 'warn', 'error']),
      title: z.string(),
      message: z.string(),
      action: z.optional(z.string()),
    }),
  ),
  suggestions: z.array(z.string()).check(z.describe('Commands that the agent could run next.')),
  metadata: jsonObjectSchema,
});
export const hookBesidesSchema = z.partial(besides, { decision: true, reason: true });
export type HookBesides = Readonly<z.infer<typeof hookBesidesSchema>>;

/** What a hook prints, so that its agent reads it. */
export const hookOutputSchema = z
  .object({
    hookSpecificOutput: z.optional(
      z.object({
        hookEventName: z.string().check(z.describe('The hook that is answered, as its agent names it.')),
        additionalContext: z
          .optional(z.string())
          .check(
            z.describe(
              'Handed to the model: one `<agent-mascot-context>` block, or what it should know of an untracked edit.',
            ),
          ),
        permissionDecision: z
          .optional(z.literal('deny'))
          .check(z.describe('Never an approval: absent, the person’s own rules decide.')),
        permissionDecisionReason: z
          .optional(z.string())
          .check(z.describe('Handed to the model in place of the call’s result.')),
      }),
    ),
    ...z.partial(besides).shape,
  })
  .check(z.describe('To be printed by the hook as it is.'));
export type HookOutput = Readonly<z.infer<typeof hookOutputSchema>>;
