import * as z from 'zod/mini';
import { outcomes, statisticsSchema } from './reading.ts';
import { agentSchema, sessionSchema } from './state.ts';
import { ownEventTypes, workStatuses } from './work.ts';

/** Of a list that may be long the part that is worth telling, and how many others there were. */
function partOf<T extends z.ZodMiniType>(item: T) {
  return z.object({ items: z.array(item), left: z.int().check(z.nonnegative()) });
}

const cutText = { text: z.string(), cut: z.optional(z.boolean()).check(z.describe('It goes on.')) };

const requestSchema = z.object({
  ts: z.string(),
  ...cutText,
  unlogged: z.optional(z.enum(['private', 'off'])).check(z.describe('Why it has no words (CNV-4).')),
});

const fileSchema = z.object({
  path: z.string().check(z.describe('Below the project by the path from there.')),
  edits: z.int().check(z.nonnegative()),
});

export const checks = ['build', 'test', 'quality'] as const;

const commandSchema = z.object({
  ts: z.string().check(z.describe('When it ended last.')),
  text: z.string(),
  outcome: z.enum([...outcomes, 'started']).check(z.describe('Of the last time. `started`: it was left running.')),
  exitCode: z.optional(z.number()),
  times: z.int().check(z.gte(1)),
  failures: z.int().check(z.nonnegative()),
});

const failureSchema = z.object({
  ts: z.string(),
  kind: z.enum(['check', 'call', 'turn']),
  check: z.optional(z.enum(checks)),
  what: z.string().check(z.describe('The command, or the tool and what it was about.')),
  message: z.optional(z.string()),
  times: z.int().check(z.gte(1)),
});

const decisionSchema = z.object({
  ts: z.string(),
  type: z.enum(ownEventTypes),
  summary: z.string(),
  details: z.optional(z.string()),
  workItem: z.optional(z.string()),
});

const movedItemSchema = z.object({
  id: z.string(),
  title: z.optional(z.string()),
  status: z.optional(z.enum(workStatuses)).check(z.describe('As it is now, where it is there still.')),
  moves: z.array(z.object({ ts: z.string(), what: z.enum(['started', 'done', 'cancelled', 'freed']) })),
  files: z.int().check(z.nonnegative(), z.describe('How many files were edited for it.')),
});

const participantSchema = z.extend(z.pick(agentSchema, { id: true, name: true, kind: true, type: true, task: true }), {
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
  calls: z.int().check(z.nonnegative()),
});

const untrackedSchema = z.object({
  ts: z.string(),
  what: z
    .enum(['denied', 'warned', 'gap'])
    .check(z.describe('`gap`: nobody judged it, for the guard could not be asked.')),
  tool: z.optional(z.string()),
  target: z.optional(z.string()),
});

/** EVT-1: what became of a session, in as much as somebody reads of it. */
export const reportSchema = z.object({
  session: z.extend(
    z.pick(sessionSchema, {
      ...{ id: true, provider: true, state: true, project: true, cwd: true, worktree: true, title: true, model: true },
      ...{ startedAt: true, endedAt: true, endReason: true },
    }),
    { lastWorkAt: z.string() },
  ),
  statistics: statisticsSchema,
  requests: partOf(requestSchema).check(z.describe('In the order in which they came.')),
  files: partOf(fileSchema),
  commands: partOf(commandSchema).check(z.describe('Each once, the one that ended last at the end.')),
  failures: partOf(failureSchema).check(z.describe('What did not go well later.')),
  mended: z.int().check(z.nonnegative(), z.describe('How many commands and calls failed and went well later.')),
  decisions: partOf(decisionSchema),
  workItems: partOf(movedItemSchema),
  agents: partOf(participantSchema).check(z.describe('Beside the main one.')),
  untracked: partOf(untrackedSchema),
  turn: z.object({
    ended: z
      .nullable(z.enum(['completed', 'failed', 'interrupted']))
      .check(z.describe('Null: the last one goes on, or none was.')),
    error: z.optional(z.string()),
  }),
  reply: z.optional(z.object({ ts: z.string(), ...cutText })).check(z.describe('The last words of the main agent.')),
  unkept: z.object({
    calls: z
      .int()
      .check(z.nonnegative(), z.describe('Tool calls of turns that were not kept: nothing is told of them.')),
    missing: z.boolean().check(z.describe('What was said was not kept, or has been removed.')),
  }),
  complete: z.boolean().check(z.describe('False: the session is longer than what is read for a report.')),
});
export type Report = Readonly<z.infer<typeof reportSchema>>;
