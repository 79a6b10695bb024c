import { z } from 'zod';
import { outcomes, statisticsSchema } from './reading.ts';
import { agentSchema, sessionSchema } from './state.ts';
import { ownEventTypes, workStatuses } from './work.ts';

/** Of a list that may be long the part that is worth telling, and how many others there were. */
function partOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), left: z.int().nonnegative() });
}

const cutText = { text: z.string(), cut: z.boolean().optional().describe('It goes on.') };

const requestSchema = z.object({
  ts: z.string(),
  ...cutText,
  unlogged: z.enum(['private', 'off']).optional().describe('Why it has no words (CNV-4).'),
});

const fileSchema = z.object({
  path: z.string().describe('Below the project by the path from there.'),
  edits: z.int().nonnegative(),
});

export const checks = ['build', 'test', 'quality'] as const;

const commandSchema = z.object({
  ts: z.string().describe('When it ended last.'),
  text: z.string(),
  outcome: z.enum([...outcomes, 'started']).describe('Of the last time. `started`: it was left running.'),
  exitCode: z.number().optional(),
  times: z.int().min(1),
  failures: z.int().nonnegative(),
});

const failureSchema = z.object({
  ts: z.string(),
  kind: z.enum(['check', 'call', 'turn']),
  check: z.enum(checks).optional(),
  what: z.string().describe('The command, or the tool and what it was about.'),
  message: z.string().optional(),
  times: z.int().min(1),
});

const decisionSchema = z.object({
  ts: z.string(),
  type: z.enum(ownEventTypes),
  summary: z.string(),
  details: z.string().optional(),
  workItem: z.string().optional(),
});

const movedItemSchema = z.object({
  id: z.string(),
  title: z.string().optional(),
  status: z.enum(workStatuses).optional().describe('As it is now, where it is there still.'),
  moves: z.array(z.object({ ts: z.string(), what: z.enum(['started', 'done', 'cancelled', 'freed']) })),
  files: z.int().nonnegative().describe('How many files were edited for it.'),
});

const participantSchema = agentSchema.pick({ id: true, name: true, kind: true, type: true, task: true }).extend({
  startedAt: z.string(),
  endedAt: z.string().optional(),
  calls: z.int().nonnegative(),
});

const untrackedSchema = z.object({
  ts: z.string(),
  what: z.enum(['denied', 'warned', 'gap']).describe('`gap`: nobody judged it, for the guard could not be asked.'),
  tool: z.string().optional(),
  target: z.string().optional(),
});

/** EVT-1: what became of a session, in as much as somebody reads of it. */
export const reportSchema = z.object({
  session: sessionSchema
    .pick({
      ...{ id: true, provider: true, state: true, project: true, cwd: true, worktree: true, title: true, model: true },
      ...{ startedAt: true, endedAt: true, endReason: true },
    })
    .extend({ lastWorkAt: z.string() }),
  statistics: statisticsSchema,
  requests: partOf(requestSchema).describe('In the order in which they came.'),
  files: partOf(fileSchema),
  commands: partOf(commandSchema).describe('Each once, the one that ended last at the end.'),
  failures: partOf(failureSchema).describe('What did not go well later.'),
  mended: z.int().nonnegative().describe('How many commands and calls failed and went well later.'),
  decisions: partOf(decisionSchema),
  workItems: partOf(movedItemSchema),
  agents: partOf(participantSchema).describe('Beside the main one.'),
  untracked: partOf(untrackedSchema),
  turn: z.object({
    ended: z
      .enum(['completed', 'failed', 'interrupted'])
      .nullable()
      .describe('Null: the last one goes on, or none was.'),
    error: z.string().optional(),
  }),
  reply: z
    .object({ ts: z.string(), ...cutText })
    .optional()
    .describe('The last words of the main agent.'),
  unkept: z.object({
    calls: z.int().nonnegative().describe('Tool calls of turns that were not kept: nothing is told of them.'),
    missing: z.boolean().describe('What was said was not kept, or has been removed.'),
  }),
  complete: z.boolean().describe('False: the session is longer than what is read for a report.'),
});
export type Report = Readonly<z.infer<typeof reportSchema>>;
