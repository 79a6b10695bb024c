import { z } from 'zod';

/** What a person makes of the mascots: names, pins, and who is not to be seen. */

export const MASCOT_NAME_MAX = 40;

/** One change to one mascot; what is left out stays. */
export const lookChangeSchema = z
  .object({
    name: z
      .string()
      .trim()
      .max(MASCOT_NAME_MAX, `must be ${MASCOT_NAME_MAX} characters at the most`)
      .optional()
      .describe('The name that people see from now on; empty: its own again.'),
    pinned: z.boolean().optional().describe('An employee keeps its look and its place when it returns.'),
    hidden: z.boolean().optional().describe('Not drawn; its session still counts where it waits for the person.'),
  })
  .strict();
export type LookChange = Readonly<z.infer<typeof lookChangeSchema>>;
