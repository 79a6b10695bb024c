import { z } from 'zod';
import { jsonObjectSchema } from './jsonSchema.ts';
import { PAGE_DEFAULT, PAGE_MAX, QUERY_MAX } from './limits.ts';
import { agentSchema, sessionSchema } from './state.ts';

/** What the reading routes of the collector are asked and answer, where no other file of this folder has it. */

/** The collector's answer where there is no such session; another 404 comes from one that has no such route. */
export const NO_SESSION = 'no session has this id';

const CURSOR_MAX = 4_000;
const FOLDER_MAX = 4_096;
const CONTEXT_SESSIONS_DEFAULT = 5;
const CONTEXT_SESSIONS_MAX = 50;

const whole = (from: number, to: number) => ({ error: `must be a whole number from ${from} to ${to}` });

export const pageQuerySchema = z.object({
  limit: z
    .int(whole(1, PAGE_MAX))
    .min(1, whole(1, PAGE_MAX))
    .max(PAGE_MAX, whole(1, PAGE_MAX))
    .default(PAGE_DEFAULT)
    .describe('How many at the most. A page of large items may hold fewer though others follow: `next` tells.'),
  cursor: z
    .string()
    .min(1, 'must be the `next` of the page before; leave it out for the first page')
    .max(CURSOR_MAX, 'must be the `next` of the page before')
    .optional()
    .describe('The `next` of the page before, unchanged; leave it out for the first page.'),
});

export const roles = ['user', 'assistant'] as const;

const moment = z.iso.datetime({ offset: true, error: 'must be a moment like 2026-01-31T00:00:00Z' });

const needsWords = { error: `must be given: the text to look for, of 1 to ${QUERY_MAX} characters` };

export const searchQuerySchema = pageQuerySchema.extend({
  q: z
    .string(needsWords)
    .trim()
    .min(1, needsWords)
    .max(QUERY_MAX, needsWords)
    .describe('Text that the interactions contain, as one piece; capitals and small letters are the same.'),
  project: z
    .string()
    .max(FOLDER_MAX)
    .optional()
    .describe('The path of a project, as sessions have it, or a folder in it.'),
  role: z.enum(roles).optional().describe('Only prompts (`user`), or only replies (`assistant`).'),
  from: moment.optional().describe('Only what was said at this moment or later.'),
  to: moment.optional().describe('Only what was said before this moment.'),
});
export type SearchQuery = Readonly<Pick<z.infer<typeof searchQuerySchema>, 'q' | 'project' | 'role' | 'from' | 'to'>>;

/** UI-1, CNV-3: which sessions are wanted. */
export const sessionsQuerySchema = pageQuerySchema.extend({
  project: z.string().max(FOLDER_MAX).optional().describe('The path of a project, as sessions have it.'),
  provider: z.string().max(100).optional().describe('The id of an agent program, like `claude`.'),
  title: z.string().max(QUERY_MAX).optional().describe('Text that the title contains; capitals are small letters.'),
  from: moment.optional().describe('Only sessions that were alive at this moment or later.'),
  to: moment.optional().describe('Only sessions whose last event came before this moment.'),
});
export type SessionsQuery = Readonly<Partial<z.infer<typeof sessionsQuerySchema>>>;

const contextLimits = whole(1, CONTEXT_SESSIONS_MAX);

export const contextQuerySchema = z.object({
  cwd: z
    .string()
    .min(1, 'must be a folder; leave it out for all projects')
    .max(FOLDER_MAX, `must be a folder, of ${FOLDER_MAX} characters at the most`)
    .optional()
    .describe('A folder of the project whose sessions are meant; without it those of all projects.'),
  limit: z
    .int(contextLimits)
    .min(1, contextLimits)
    .max(CONTEXT_SESSIONS_MAX, contextLimits)
    .default(CONTEXT_SESSIONS_DEFAULT)
    .describe('How many sessions at the most.'),
});

export const interactionSchema = z.object({
  id: z.string().describe('The id of the event that it was made of.'),
  sessionId: z.string(),
  agentId: z.string(),
  role: z.enum(roles),
  content: z.string(),
  skillName: z.string().describe('`user_prompt`, or the provider and `_response`.'),
  ts: z.string(),
});
export type Interaction = Readonly<z.infer<typeof interactionSchema>>;

export const searchHitSchema = interactionSchema.extend({
  sessionTitle: z.string(),
  project: z.string().default('').describe('The path of the session’s project.'),
});
export type SearchHit = Readonly<z.infer<typeof searchHitSchema>>;

export const outcomes = ['running', 'succeeded', 'failed', 'denied', 'unknown'] as const;

/** CNV-1: one tool call. */
export const observationSchema = z.object({
  id: z.string().describe('The id of the event that began it, or of the one that ended it where no other is known.'),
  sessionId: z.string(),
  agentId: z.string(),
  skillName: z.string().describe('The name of the tool.'),
  arguments: z.string().describe('Its input as JSON, cut after 10,000 characters.'),
  target: z.string().nullable().describe('What it was about, in a few words: a file, a command.'),
  response: z
    .string()
    .nullable()
    .describe('What it answered, cut after 10,000 characters; null when that is not known.'),
  outcome: z.enum(outcomes).describe('`unknown`: it was begun, and its session went on without telling how it ended.'),
  durationMs: z.number().nullable(),
  metadata: jsonObjectSchema.describe('What else is known: an exit code, an error’s text, what was cut.'),
  ts: z.string(),
});
export type ToolObservation = Readonly<z.infer<typeof observationSchema>>;

/** CNV-2. */
export const statisticsSchema = z.object({
  prompts: z.number(),
  replies: z.number(),
  toolCalls: z.number(),
  failures: z.number(),
  subagents: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  durationMs: z.number().describe('From its first event to its end, or to its last event.'),
  endReason: z.string().nullable(),
  final: z.boolean().describe('False as long as the session may go on.'),
});
export type Statistics = Readonly<z.infer<typeof statisticsSchema>>;

/** CNV-4: what was taken away, and what could not be: files that the disk would not let go. */
export const erasedSchema = z.object({
  sessions: z.int().nonnegative(),
  events: z.int().nonnegative(),
  left: z
    .array(z.string())
    .describe('Paths of files and folders that may still hold some of it, or in words which, where no path is known.'),
});
export type Erased = Readonly<z.infer<typeof erasedSchema>>;

/** CNV-4: what this machine keeps of the person's conversations, and for how long. */
export const storedSchema = z.object({
  folders: z.array(z.string()).describe('Where it lies.'),
  sessions: z.int().nonnegative(),
  interactions: z.int().nonnegative(),
  events: z.int().nonnegative(),
  oldest: z.string().nullable().describe('When the oldest event was.'),
  databaseBytes: z.int().nonnegative(),
  journalBytes: z.int().nonnegative(),
  spoolBytes: z.int().nonnegative(),
  retentionDays: z.number(),
  retentionMegabytes: z.number(),
  logging: z.boolean().describe('Whether what is said is kept.'),
});
export type Stored = Readonly<z.infer<typeof storedSchema>>;

export const sessionWithAgentsSchema = sessionSchema.extend({ agents: z.array(agentSchema) });
export type SessionWithAgents = Readonly<z.infer<typeof sessionWithAgentsSchema>>;

export const contextSchema = z.object({
  context: z.string().describe('One `<agent-mascot-context>` block; empty when there is nothing to tell.'),
  sessions: z.int().nonnegative().describe('How many sessions it tells of.'),
  tokens: z.int().nonnegative().describe('About how many tokens it takes: four characters each.'),
});
export type Context = Readonly<z.infer<typeof contextSchema>>;

export const totalsSchema = z.object({
  sessions: z.int().nonnegative(),
  active: z.int().nonnegative(),
  prompts: z.number(),
  replies: z.number(),
  toolCalls: z.number(),
  failures: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
});
export type Totals = Readonly<z.infer<typeof totalsSchema>>;

/** What hooks left and nobody has taken in yet, and how many events were ever lost: too much waited, or there was no room. */
const spoolSchema = z.object({
  waiting: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  dropped: z.int().nonnegative(),
});

export const storingSchema = z.object({
  ok: z.boolean().describe('Whether the store took what it was given last. The rest is there only while it refuses.'),
  code: z.string().optional().describe('Why: the system’s code, like `ENOSPC`, or the name of the error.'),
  folder: z.string().optional().describe('Where the store lies.'),
  since: z.string().optional(),
  refused: z.int().nonnegative().optional().describe('How many writes it has refused since.'),
});
export type Storing = Readonly<z.infer<typeof storingSchema>>;

export const statsSchema = totalsSchema.extend({
  events: z.int().nonnegative(),
  byProvider: z.record(z.string(), totalsSchema),
  spool: spoolSchema,
  storing: storingSchema,
});
export type Stats = Readonly<z.infer<typeof statsSchema>>;

/** The part of the totals that takes no counting. */
export const intakeSchema = statsSchema.pick({ spool: true, storing: true });
export type Intake = Readonly<z.infer<typeof intakeSchema>>;
