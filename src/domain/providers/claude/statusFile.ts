import * as z from 'zod/mini';
import { textWithin } from '../../../protocol/textSchema.ts';

const MAX_LENGTH = 64 * 1024;

/** The end of the time that a date can tell. */
const LATEST_MS = 8.64e15;

const text = textWithin(0, 4096);
const statuses = ['busy', 'idle', 'waiting', 'shell'] as const;

/** Nobody promises this format: beside whose it is, what is not as we know it counts as absent. */
const statusFileSchema = z.object({
  pid: z.int().check(z.positive()),
  sessionId: textWithin(1, 4096),
  cwd: text,
  /** `shell`: the turn is over and only a background command runs. Not told before 2.1.327. */
  status: z.catch(z.optional(z.enum(statuses)), undefined),
  /** Only while waiting: `permission prompt`, `input needed`. */
  waitingFor: z.catch(z.optional(text), undefined),
  /** Milliseconds since the epoch. */
  statusUpdatedAt: z.catch(z.optional(z.number().check(z.positive(), z.lte(LATEST_MS))), undefined),
  /** The process's start, in the system's own unit. */
  procStart: z.catch(z.optional(text), undefined),
  entrypoint: z.catch(z.optional(text), undefined),
  version: z.catch(z.optional(text), undefined),
  pidDomain: z.catch(z.optional(text), undefined),
});
export type StatusFile = z.infer<typeof statusFileSchema>;

/** SES-5: `sessions/<pid>.json`, which an agent keeps about itself; undefined for anything else, half a file among it. */
export function readStatusFile(content: string): StatusFile | undefined {
  if (content.length > MAX_LENGTH) return undefined;
  try {
    const parsed = statusFileSchema.safeParse(JSON.parse(content));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
