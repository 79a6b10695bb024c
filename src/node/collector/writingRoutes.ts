import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { type Ingested, PipelineFullError } from '../../app/ports.ts';
import { readHook, type ReadHook } from '../../domain/readHook.ts';
import { answerProofText, PROOF_HEADER } from '../../protocol/discovery.ts';
import { hookMetaSchema } from '../../protocol/hook.ts';
import { hookBesidesSchema, hookOutputSchema } from '../../protocol/hookOutput.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { jsonObjectSchema } from '../../protocol/jsonSchema.ts';
import { isProviderId, providerIds } from '../../protocol/providers.ts';
import { type Asked, failing, type Reply, type Route, type RouteWorld } from './route.ts';

const hookSchema = z
  .looseObject({
    hook_event_name: z
      .optional(z.string())
      .check(z.describe('Which hook it is, as the agent names it; or `hook_type`.')),
    hook_type: z.optional(z.string()),
    session_id: z.optional(z.string()),
    cwd: z.optional(z.string()),
    _meta: z.optional(hookMetaSchema).check(z.describe('What a forwarder adds; all of it may be absent.')),
  })
  .check(z.describe('What an agent hands to its hook, whole.'));

const providerHookSchema = z
  .looseObject({
    provider: z.enum(providerIds),
    event: z.optional(z.string()).check(z.describe('The name of the hook, where the payload does not say it.')),
    payload: z.optional(jsonObjectSchema).check(z.describe('What the agent handed to its hook.')),
  })
  .check(z.describe('The payload under `payload`, or its fields beside `provider`.'));

const ingestedSchema = z.object({
  ok: z.literal(true),
  id: z
    .string()
    .check(
      z.describe(
        'Of the first event that the hook became; empty when nothing of it was kept, for its project is excluded.',
      ),
    ),
  duplicate: z.optional(z.literal(true)).check(z.describe('It was there already; nothing changed.')),
  output: z
    .optional(hookOutputSchema)
    .check(z.describe('What the hook is to print; absent when it has to stay silent.')),
  ...z.partial(hookBesidesSchema).shape,
});

const refusals = {
  408: failing('The body did not come in time.'),
  413: failing('The body is too large.'),
  500: failing('It could not be stored, and was not taken: send it again.'),
  503: failing('Too much waits already: send it again after the seconds that `Retry-After` says.'),
};

export const writingRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/ingest',
    name: 'ingestHook',
    summary: 'Takes in a hook’s payload, as the forwarder sends it.',
    sent: ['Hook', hookSchema],
    answers: {
      200: { words: 'It is on disk, or its project is excluded.', shape: ['Ingested', ingestedSchema] },
      400: failing('It is no JSON object, or names no event.'),
      ...refusals,
    },
    answer: ingest,
  },
  {
    method: 'POST',
    path: '/api/hook',
    name: 'postHook',
    summary: 'Takes in a hook’s payload of the provider that the body names.',
    sent: ['ProviderHook', providerHookSchema],
    answers: {
      200: { words: 'It is on disk, or its project is excluded.', shape: ['Taken', z.object({ ok: z.literal(true) })] },
      400: failing('`invalid JSON`, `unknown provider`, or why it names no event.'),
      ...refusals,
    },
    answer: takeProviderHook,
  },
];

async function ingest(world: RouteWorld, { body, hasToken }: Asked): Promise<Reply> {
  const sent = await body();
  if (!sent.ok) {
    if (sent.status !== 400) return { status: sent.status, body: { ok: false, error: sent.error } };
    return refused(world, { ok: false, error: 'the body is not JSON' });
  }
  const read = readHook(sent.value);
  if (!read.ok) return refused(world, { ok: false, error: `the hook was not understood: ${read.error}` });
  const stored = await store(world, read);
  if (!stored.ok) return { status: stored.status, body: { ok: false, error: stored.error } };
  const { id, duplicate, event } = stored;
  // After the event is durable and part of the state, which the answer is made of; the same for a hook that comes twice.
  // What it is made of, earlier sessions and work items, is for nobody who was let in without a token.
  const reply =
    event && hasToken ? await world.replies.to({ ...event, id: id || event.id }, read.hook.meta) : undefined;
  const answer = {
    ok: true,
    id,
    ...(duplicate ? { duplicate } : {}),
    ...(reply?.output ? { output: reply.output } : {}),
    ...reply?.besides,
  };
  return reply ? provenAnswer(world, sent.sha256(), answer) : { status: 200, body: answer };
}

/** SEC-8: proves that this answer to this body is ours; without the proof a hook prints nothing. */
function provenAnswer({ proofKey, port }: RouteWorld, bodySha256: string, answer: object): Reply {
  const text = JSON.stringify(answer);
  const proof = createHmac('sha256', proofKey())
    .update(answerProofText(port(), bodySha256, text))
    .digest('hex');
  return { status: 200, text, headers: { 'content-type': 'application/json; charset=utf-8', [PROOF_HEADER]: proof } };
}

async function takeProviderHook(world: RouteWorld, { body }: Asked): Promise<Reply> {
  const sent = await body();
  if (!sent.ok && sent.status !== 400) return { status: sent.status, body: { error: sent.error } };
  if (!sent.ok) return refused(world, { error: 'invalid JSON' });
  const read = readProviderHook(sent.value as Json);
  if (!read.ok) return refused(world, { error: read.error });
  const stored = await store(world, read);
  if (!stored.ok) return { status: stored.status, body: { error: stored.error } };
  return { status: 200, body: { ok: true } };
}

/** Also logged, because the sender may not read the answer. */
function refused({ log }: RouteWorld, body: { readonly ok?: false; readonly error: string }): Reply {
  log.warn(`A hook was refused (400): ${body.error}`);
  return { status: 400, body };
}

type Stored =
  ({ readonly ok: true } & Ingested) | { readonly ok: false; readonly status: number; readonly error: string };

async function store({ pipeline }: RouteWorld, { hook }: Extract<ReadHook, { ok: true }>): Promise<Stored> {
  try {
    return { ok: true, ...(await pipeline.ingest(hook, true)) };
  } catch (error) {
    if (error instanceof PipelineFullError) return { ok: false, status: 503, error: 'busy: try again' };
    return { ok: false, status: 500, error: 'the event could not be stored; it was not taken' };
  }
}

function readProviderHook(body: Json): ReadHook {
  if (!isJsonObject(body)) return { ok: false, error: 'the body must be a JSON object with provider and a payload' };
  const { provider } = body;
  if (!isProviderId(provider)) return { ok: false, error: 'unknown provider' };
  return readHook(payloadIn(body), provider);
}

const wrapping = new Set(['provider', 'event', 'payload', '_meta']);

/** What the agent itself sent, with what the sender says of it in `_meta`. */
function payloadIn(body: JsonObject): JsonObject {
  const { provider: _provider, event, payload, ...fields } = body;
  const wrapped = isJsonObject(payload) && Object.keys(body).every((key) => wrapping.has(key));
  if (wrapped) return named({ ...payload, _meta: body['_meta'] ?? payload._meta ?? {} }, event);
  const whole = payload === undefined ? fields : { ...fields, payload };
  // Beside a name of the agent's own, `event` is a field of the payload like any other.
  const isNamed = [body['hook_event_name'], body['hook_type']].some((name) => typeof name === 'string' && name !== '');
  return isNamed && event !== undefined ? { ...whole, event } : named(whole, event);
}

function named(payload: JsonObject, event: Json | undefined): JsonObject {
  if (typeof event !== 'string') return payload;
  const meta = isJsonObject(payload._meta) ? payload._meta : {};
  return { ...payload, _meta: { ...meta, event } };
}
