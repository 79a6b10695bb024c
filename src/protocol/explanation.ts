import * as z from 'zod/mini';
import { causeSchema, phases, sessionStates } from './state.ts';
import { trailStepSchema } from './stored.ts';

/** Why a session is shown as it is: the steps that led there, oldest first. */
export const explanationSchema = z.object({
  sessionId: z.string(),
  title: z.string(),
  state: z.enum(sessionStates),
  phase: z.nullable(z.enum(phases)),
  because: z.nullable(causeSchema),
  since: z.nullable(z.string()),
  /** Whose names the steps' `agentId` stand for. */
  agents: z.array(z.object({ id: z.string(), name: z.string(), type: z.string(), kind: z.string() })),
  steps: z.array(trailStepSchema),
});
export type Explanation = Readonly<z.infer<typeof explanationSchema>>;
