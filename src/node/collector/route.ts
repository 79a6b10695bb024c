import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import type { Notes } from '../../app/outletPorts.ts';
import type { Recast } from '../../app/ownerRole.ts';
import type { Erase } from '../../app/erasurePorts.ts';
import type { EventStore, HookReplies, Log, Memory, Pipeline, Projects, StateSource } from '../../app/ports.ts';
import type { GuardGaps, TrackingRules, WorkItems } from '../../app/workPorts.ts';
import '../../protocol/zodWords.ts';
import { NO_SESSION, type Stats, type Stored, type Storing } from '../../protocol/reading.ts';
import type { AgentScope } from './agentScope.ts';
import type { HookTimes } from './hookTimes.ts';
import type { EventStreams } from './sseHub.ts';
import type { Trials } from './trials.ts';

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly body: unknown }
  | { readonly text: string }
  /** Called once the headers are set; goes on until either side ends it. */
  | { readonly stream: (response: ServerResponse) => void }
);

/** What the routes need of the collector. */
export interface RouteWorld {
  readonly source: StateSource;
  readonly store: EventStore;
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly events: EventStreams;
  readonly recast: Recast;
  readonly trials: Pick<Trials, 'arrived'>;
  readonly hookTimes: Pick<HookTimes, 'read'>;
  readonly memory: Memory;
  /** MEM-5: the setting. */
  readonly agentWords: () => boolean;
  readonly replies: HookReplies;
  readonly work: WorkItems;
  readonly guard: GuardGaps;
  readonly tracking: TrackingRules;
  readonly notes: Pick<Notes, 'say' | 'isTaken'>;
  /** What waits in the spool, and was dropped from it. */
  readonly spool: () => Promise<Stats['spool']>;
  readonly storing: () => Storing;
  readonly erase: Erase;
  /** Where conversations are kept, and for how long. */
  readonly keeping: () => Keeping;
  readonly projects: Projects;
  /** Milliseconds since the epoch: some moods pass by themselves. */
  readonly now: () => number;
  readonly port: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** What only this person's processes can read; see `proofText`. */
  readonly proofKey: () => string;
}

export type Keeping = Pick<Stored, 'folders' | 'retentionDays' | 'retentionMegabytes' | 'retentionPlanned' | 'logging'>;

export type SentBody =
  | { readonly ok: true; readonly value: unknown; /** As it came, in hex. */ readonly sha256: () => string }
  | { readonly ok: false; readonly status: 400 | 408 | 413 | 503; readonly error: string };

export interface Asked {
  /** The parts of the path that the route's braces name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: () => Promise<SentBody>;
  /** Whoever asks has the token; without it some doors are open by the person's setting. */
  readonly hasToken: boolean;
  /** What the calling agent may reach; undefined if no agent calls. */
  readonly scope?: AgentScope | undefined;
  /** The caller has the person's token, and is no agent. */
  readonly isPerson: boolean;
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type Shape = readonly [name: string, schema: z.ZodMiniType];

export interface Answered {
  readonly words: string;
  /** Its name in the OpenAPI file, and what it is. Absent: nothing is sent. */
  readonly shape?: Shape | 'text' | 'events';
}

/** One route: the server answers from it, and docs/openapi.json is made of it. `capabilities.ts` says which token it needs. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** As OpenAPI writes it: `/api/sessions/{id}`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodMiniObject;
  readonly sent?: Shape;
  /** By status. What the gate refuses is the same for all routes and not repeated here. */
  readonly answers: Readonly<Record<number, Answered>>;
  readonly answer: (world: RouteWorld, asked: Asked) => Reply | Promise<Reply>;
}

export const failureSchema = z.object({ ok: z.optional(z.literal(false)), error: z.string() });

export function failing(words: string): Answered {
  return { words, shape: ['Failure', failureSchema] };
}

export const badQuery = failing('The query is not one of this list; the error says what to do.');
export const noSession = failing('No session has this id.');
export const noSessionReply: Reply = { status: 404, body: { error: NO_SESSION } };

/** Asked for a session that there is not. */
export class NoSessionError extends Error {
  override readonly name = 'NoSessionError';
}

/** Asked for something that can't be: the message says what to do instead. */
export class BadQueryError extends Error {
  override readonly name = 'BadQueryError';
}

const numeric = new Set(['limit']);

export function queryOf<T extends z.ZodMiniObject>(schema: T, query: URLSearchParams): z.infer<T> {
  const given = [...query].map(([name, text]) => [
    name,
    numeric.has(name) && /^\d{1,9}$/.test(text) ? Number(text) : text,
  ]);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BadQueryError(`bad query: ${String(issue?.path[0] ?? 'it')} ${issue?.message ?? 'was not understood'}`);
}

export function pageSchemaOf<T extends z.ZodMiniType>(item: T) {
  return z.object({ items: z.array(item), next: z.nullable(z.string()) });
}
