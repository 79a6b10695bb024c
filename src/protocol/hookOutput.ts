import { z } from 'zod';
import { jsonObjectSchema } from './jsonSchema.ts';
import { sessionStates } from './state.ts';

/** OUT-1: what a hook prints, so that its agent reads it. */
export const hookOutputSchema = z
  .object({
    hookSpecificOutput: z.object({
      hookEventName: z.string().describe('The hook that is answered, as its agent names it.'),
      additionalContext: z.string().describe('Handed to the model: one `<agent-mascot-context>` block.'),
    }),
    context: z
      .object({
        active_work_item: z.null(),
        loaded_docs: z.array(z.string()),
        session_state: z.enum(sessionStates),
        tokens_used: z.int().nonnegative().describe('About how many tokens the context takes.'),
        token_budget: z.int().nonnegative().describe('How many it may take at the most.'),
      })
      .optional()
      .describe('From here on for agents that pass over keys which they do not know; left out for the others.'),
    notifications: z
      .array(z.object({ level: z.string(), title: z.string(), message: z.string(), action: z.string().optional() }))
      .optional(),
    suggestions: z.array(z.string()).optional(),
    metadata: jsonObjectSchema.optional(),
  })
  .describe('To be printed by the hook as it is.');
export type HookOutput = Readonly<z.infer<typeof hookOutputSchema>>;
