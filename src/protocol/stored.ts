import { z } from 'zod';
import { activitySchema, agentSchema, causeSchema, phases, sessionSchema } from './state.ts';

/** Where an event stands among those of its session. */
export const orderKeySchema = z.object({ ts: z.string(), rank: z.int(), id: z.string() });
export type OrderKey = Readonly<z.infer<typeof orderKeySchema>>;

/** One session as the reducer keeps it: what people see, and what only the next event needs. */
export const sessionStateSchema = z.object({
  session: sessionSchema,
  agents: z.array(
    z.object({
      agent: agentSchema,
      /** Calls that have started and not ended, newest last. */
      openTools: z.array(z.object({ id: z.string(), activity: activitySchema })),
    }),
  ),
  /** The main agent's own phase; an open wait of any agent goes before it. */
  main: z.object({
    phase: z.enum(phases).nullable(),
    because: causeSchema.nullable(),
    since: z.string().nullable(),
  }),
  /** Ids of agents that were spawned as team-mates; an agent's own events never say so. */
  teammates: z.array(z.string()),
  last: orderKeySchema,
});
export type SessionState = Readonly<z.infer<typeof sessionStateSchema>>;
export type AgentState = Readonly<SessionState['agents'][number]>;
