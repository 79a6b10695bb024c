import * as z from 'zod/mini';

/** What a person makes of the mascots: names, pins, and who is not to be seen. */

export const MASCOT_NAME_MAX = 40;

/** The owner's answer where an agent is not there; another 404 comes from an owner that can't change looks. */
export const NO_AGENT = 'no living session has an agent of this id';

/** One change to one mascot; what is left out stays. */
export const lookChangeSchema = z
  .strictObject({
    name: z
      .optional(
        z.string().check(z.trim(), z.maxLength(MASCOT_NAME_MAX, `must be ${MASCOT_NAME_MAX} characters at the most`)),
      )
      .check(z.describe('The name that people see from now on; empty: its own again.')),
    pinned: z.optional(z.boolean()).check(z.describe('An employee keeps its look and its place when it returns.')),
    hidden: z
      .optional(z.boolean())
      .check(z.describe('Not drawn; its session still counts where it waits for the person.')),
  })
  .check(z.refine((change) => Object.keys(change).length > 0, 'must hold name, pinned or hidden'));
export type LookChange = Readonly<z.infer<typeof lookChangeSchema>>;

const text = (max: number) => z.string().check(z.maxLength(max));
const ID_MAX = 500;

/** Who bears a look: the agent it was given to, and those that came back in its place. */
const bearerSchema = z.object({ agentId: text(ID_MAX), sessionId: text(ID_MAX) });

export const castEntrySchema = z.object({
  /** Oldest first. */
  bearers: z.array(bearerSchema).check(z.minLength(1)),
  /** What the person calls it. */
  name: z.optional(text(MASCOT_NAME_MAX)),
  hidden: z.optional(z.boolean()),
  pinnedAt: z.optional(z.string()),
  /** Of one that is or was pinned: its look and its own name, and what an agent must be to take its place. */
  pinned: z.optional(
    z.object({
      seed: z.int().check(z.nonnegative()),
      name: z.string(),
      provider: z.string(),
      project: z.string(),
      kind: z.enum(['main', 'subagent', 'teammate']),
      type: z.string(),
    }),
  ),
  /** When the person last changed it. */
  at: z.string(),
});
export type CastEntry = Readonly<z.infer<typeof castEntrySchema>>;

/** `cast.json` of the home. */
export const castFileSchema = z.object({ version: z.literal(1), mascots: z.array(castEntrySchema) });
export type CastFile = Readonly<z.infer<typeof castFileSchema>>;
