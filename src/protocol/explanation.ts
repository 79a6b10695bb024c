import { z } from 'zod';
import { causeSchema, phases, sessionStates } from './state.ts';
import { trailStepSchema } from './stored.ts';

/** Why a session is shown as it is: the steps that led there, oldest first. */
export const explanationSchema = z.object({
  sessionId: z.string(),
  title: z.string(),
  state: z.enum(sessionStates),
  phase: z.enum(phases).nullable(),
  because: causeSchema.nullable(),
  since: z.string().nullable(),
  /** Whose names the steps' `agentId` stand for. */
  agents: z.array(z.object({ id: z.string(), name: z.string(), type: z.string(), kind: z.string() })),
  steps: z.array(trailStepSchema),
});
export type Explanation = Readonly<z.infer<typeof explanationSchema>>;
