import * as z from 'zod/mini';
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
    ._default(
      z.int(whole(1, PAGE_MAX)).check(z.gte(1, whole(1, PAGE_MAX)), z.lte(PAGE_MAX, whole(1, PAGE_MAX))),
      PAGE_DEFAULT,
    )
    .check(
      z.describe('How many at the most. A page of large items may hold fewer though others follow: `next` tells.'),
    ),
  cursor: z
    .optional(
      z
        .string()
        .check(
          z.minLength(1, 'must be the `next` of the page before; leave it out for the first page'),
          z.maxLength(CURSOR_MAX, 'must be the `next` of the page before'),
        ),
    )
    .check(z.describe('The `next` of the page before, unchanged; leave it out for the first page.')),
});

export const roles = ['user', 'assistant'] as const;

const moment = z.iso.datetime({ offset: true, error: 'must be a moment like 2026-01-31T00:00:00Z' });

const needsWords = { error: `must be given: the text to look for, of 1 to ${QUERY_MAX} characters` };

export const searchQuerySchema = z.extend(pageQuerySchema, {
  q: z
    .string(needsWords)
    .check(
      z.trim(),
      z.minLength(1, needsWords),
      z.maxLength(QUERY_MAX, needsWords),
      z.describe('Text that the interactions contain, as one piece; capitals and small letters are the same.'),
    ),
  project: z
    .optional(z.string().check(z.maxLength(FOLDER_MAX)))
    .check(z.describe('The path of a project, as sessions have it, or a folder in it.')),
  role: z.optional(z.enum(roles)).check(z.describe('Only prompts (`user`), or only replies (`assistant`).')),
  from: z.optional(moment).check(z.describe('Only what was said at this moment or later.')),
  to: z.optional(moment).check(z.describe('Only what was said before this moment.')),
});
export type SearchQuery = Readonly<Pick<z.infer<typeof searchQuerySchema>, 'q' | 'project' | 'role' | 'from' | 'to'>>;

/** UI-1, CNV-3: which sessions are wanted. */
export const sessionsQuerySchema = z.extend(pageQuerySchema, {
  project: z
    .optional(z.string().check(z.maxLength(FOLDER_MAX)))
    .check(z.describe('The path of a project, as sessions have it.')),
  provider: z
    .optional(z.string().check(z.maxLength(100)))
    .check(z.describe('The id of an agent program, like `claude`.')),
  title: z
    .optional(z.string().check(z.maxLength(QUERY_MAX)))
    .check(z.describe('Text that the title contains; capitals are small letters.')),
  from: z.optional(moment).check(z.describe('Only sessions that were alive at this moment or later.')),
  to: z.optional(moment).check(z.describe('Only sessions whose last event came before this moment.')),
});
export type SessionsQuery = Readonly<Partial<z.infer<typeof sessionsQuerySchema>>>;

const contextLimits = whole(1, CONTEXT_SESSIONS_MAX);

export const contextQuerySchema = z.object({
  cwd: z
    .optional(
      z
        .string()
        .check(
          z.minLength(1, 'must be a folder; leave it out for all projects'),
          z.maxLength(FOLDER_MAX, `must be a folder, of ${FOLDER_MAX} characters at the most`),
        ),
    )
    .check(z.describe('A folder of the project whose sessions are meant; without it those of all projects.')),
  limit: z
    ._default(
      z.int(contextLimits).check(z.gte(1, contextLimits), z.lte(CONTEXT_SESSIONS_MAX, contextLimits)),
      CONTEXT_SESSIONS_DEFAULT,
    )
    .check(z.describe('How many sessions at the most.')),
});

export const interactionSchema = z.object({
  id: z.string().check(z.describe('The id of the event that it was made of.')),
  sessionId: z.string(),
  agentId: z.string(),
  role: z.enum(roles),
  content: z.string(),
  skillName: z.string().check(z.describe('`user_prompt`, or the provider and `_response`.')),
  ts: z.string(),
});
export type Interaction = Readonly<z.infer<typeof interactionSchema>>;

export const searchHitSchema = z.extend(interactionSchema, {
  sessionTitle: z.string(),
  project: z._default(z.string(), '').check(z.describe('The path of the session’s project.')),
});
export type SearchHit = Readonly<z.infer<typeof searchHitSchema>>;

export const outcomes = ['running', 'succeeded', 'failed', 'denied', 'unknown'] as const;

/** CNV-1: one tool call. */
export const observationSchema = z.object({
  id: z
    .string()
    .check(z.describe('The id of the event that began it, or of the one that ended it where no other is known.')),
  sessionId: z.string(),
  agentId: z.string(),
  skillName: z.string().check(z.describe('The name of the tool.')),
  arguments: z.string().check(z.describe('Its input as JSON, cut after 10,000 characters.')),
  target: z.nullable(z.string()).check(z.describe('What it was about, in a few words: a file, a command.')),
  response: z
    .nullable(z.string())
    .check(z.describe('What it answered, cut after 10,000 characters; null when that is not known.')),
  outcome: z
    .enum(outcomes)
    .check(z.describe('`unknown`: it was begun, and its session went on without telling how it ended.')),
  durationMs: z.nullable(z.number()),
  metadata: jsonObjectSchema.check(z.describe('What else is known: an exit code, an error’s text, what was cut.')),
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
  durationMs: z.number().check(z.describe('From its first event to its end, or to its last event.')),
  endReason: z.nullable(z.string()),
  final: z.boolean().check(z.describe('False as long as the session may go on.')),
});
export type Statistics = Readonly<z.infer<typeof statisticsSchema>>;

/** CNV-4: what was taken away, and what could not be: files that the disk would not let go. */
export const erasedSchema = z.object({
  sessions: z.int().check(z.nonnegative()),
  events: z.int().check(z.nonnegative()),
  left: z
    .array(z.string())
    .check(
      z.describe(
        'Paths of files and folders that may still hold some of it, or in words which, where no path is known.',
      ),
    ),
});
export type Erased = Readonly<z.infer<typeof erasedSchema>>;

/** STO-5: a deletion that retention has announced because it is large. */
export const plannedRetentionSchema = z.object({
  why: z.enum(['age', 'size']),
  since: z.string().check(z.describe('When it was announced.')),
  sessions: z.int().check(z.nonnegative()),
  of: z.int().check(z.nonnegative(), z.describe('How many sessions there were then.')),
  inHours: z.int().check(z.nonnegative(), z.describe('After so many more hours in which the collector runs.')),
});
export type PlannedRetention = Readonly<z.infer<typeof plannedRetentionSchema>>;

/** CNV-4: what this machine keeps of the person's conversations, and for how long. */
export const storedSchema = z.object({
  folders: z.array(z.string()).check(z.describe('Where it lies.')),
  sessions: z.int().check(z.nonnegative()),
  interactions: z.int().check(z.nonnegative()),
  events: z.int().check(z.nonnegative()),
  oldest: z.nullable(z.string()).check(z.describe('When the oldest event was.')),
  databaseBytes: z.int().check(z.nonnegative()),
  journalBytes: z.int().check(z.nonnegative()),
  spoolBytes: z.int().check(z.nonnegative()),
  retentionDays: z.number(),
  retentionMegabytes: z.number(),
  retentionPlanned: z._default(z.array(plannedRetentionSchema), []),
  logging: z.boolean().check(z.describe('Whether what is said is kept.')),
});
export type Stored = Readonly<z.infer<typeof storedSchema>>;

export const sessionWithAgentsSchema = z.extend(sessionSchema, { agents: z.array(agentSchema) });
export type SessionWithAgents = Readonly<z.infer<typeof sessionWithAgentsSchema>>;

export const contextSchema = z.object({
  context: z.string().check(z.describe('One `<agent-mascot-context>` block; empty when there is nothing to tell.')),
  sessions: z.int().check(z.nonnegative(), z.describe('How many sessions it tells of.')),
  tokens: z.int().check(z.nonnegative(), z.describe('About how many tokens it takes: four characters each.')),
});
export type Context = Readonly<z.infer<typeof contextSchema>>;

export const totalsSchema = z.object({
  sessions: z.int().check(z.nonnegative()),
  active: z.int().check(z.nonnegative()),
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
  waiting: z.int().check(z.nonnegative()),
  bytes: z.int().check(z.nonnegative()),
  dropped: z.int().check(z.nonnegative()),
});

export const storingSchema = z.object({
  ok: z
    .boolean()
    .check(z.describe('Whether the store took what it was given last. The rest is there only while it refuses.')),
  code: z.optional(z.string()).check(z.describe('Why: the system’s code, like `ENOSPC`, or the name of the error.')),
  folder: z.optional(z.string()).check(z.describe('Where the store lies.')),
  since: z.optional(z.string()),
  refused: z.optional(z.int().check(z.nonnegative())).check(z.describe('How many writes it has refused since.')),
});
export type Storing = Readonly<z.infer<typeof storingSchema>>;

export const statsSchema = z.extend(totalsSchema, {
  events: z.int().check(z.nonnegative()),
  byProvider: z.record(z.string(), totalsSchema),
  spool: spoolSchema,
  storing: storingSchema,
});
export type Stats = Readonly<z.infer<typeof statsSchema>>;

/** The part of the totals that takes no counting. */
export const intakeSchema = z.pick(statsSchema, { spool: true, storing: true });
export type Intake = Readonly<z.infer<typeof intakeSchema>>;
