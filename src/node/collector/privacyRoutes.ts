import * as z from 'zod/mini';
import { ClaimLostError } from '../../app/ports.ts';
import { erasedSchema, storedSchema } from '../../protocol/reading.ts';
import { type Asked, failing, noSession, noSessionReply, type Reply, type Route, type RouteWorld } from './route.ts';

/** Strict: whoever says more may mean less than what would go. */
const nothingSchema = z.strictObject({}).check(z.describe('Nothing: an empty object.'));
const allSchema = z.strictObject({ all: z.literal(true) }).check(z.describe('Says that all is meant.'));

const erasing: Route['answers'] = {
  200: {
    words: 'It is gone from all that is read, and from every file but those that are named.',
    shape: ['Erased', erasedSchema],
  },
  400: failing('The body is not {}.'),
  408: failing('The body did not come in time.'),
  413: failing('The body is too large.'),
  500: failing('It could not be erased: send it again.'),
  503: failing('Too much waits already, or another process has taken over: send it again.'),
};

/** CNV-4: what is kept of the person's conversations, and how it goes. */
export const privacyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/stored',
    name: 'readStored',
    summary: 'What this machine keeps of conversations, where, and for how long.',
    answers: { 200: { words: 'In numbers and bytes.', shape: ['Stored', storedSchema] } },
    answer: stored,
  },
  {
    method: 'POST',
    path: '/api/sessions/{id}/erase',
    name: 'eraseSession',
    summary: 'Takes a session away for good, wherever it is kept.',
    description:
      'Events, keys, the log and its index, what was set aside as damaged, and what waits in the spool. What the ' +
      'agent’s own files still tell of it is not taken in again; what it does from now on is.',
    sent: ['Nothing', nothingSchema],
    answers: { ...erasing, 404: noSession },
    answer: (world, asked) => erase(world, asked, asked.params['id'] ?? ''),
  },
  {
    method: 'POST',
    path: '/api/erase',
    name: 'eraseAll',
    summary: 'Takes every session away for good, wherever it is kept.',
    sent: ['EraseAll', allSchema],
    answers: { ...erasing, 400: failing('The body is not {"all": true}.') },
    answer: (world, asked) => erase(world, asked, undefined),
  },
];

async function stored({ store, spool, keeping }: RouteWorld): Promise<Reply> {
  const [size, { bytes }] = await Promise.all([store.size(), spool()]);
  return { status: 200, body: { ...size, ...keeping(), spoolBytes: bytes } };
}

async function erase(world: RouteWorld, { body }: Asked, sessionId: string | undefined): Promise<Reply> {
  const sent = await body();
  if (!sent.ok) return { status: sent.status, body: { error: sent.error } };
  const [schema, wanted] = sessionId === undefined ? [allSchema, '{"all": true}'] : [nothingSchema, '{}'];
  if (!schema.safeParse(sent.value).success) {
    return { status: 400, body: { error: `this takes away what can’t be brought back: send ${wanted}` } };
  }
  try {
    const erased = await world.erase(sessionId);
    return erased === 'unknown' ? noSessionReply : { status: 200, body: erased };
  } catch (error) {
    const error503 = 'another process has taken over the collector: send it again';
    if (error instanceof ClaimLostError) return { status: 503, body: { error: error503 } };
    const why = error instanceof Error ? error.message : String(error);
    return { status: 500, body: { error: `it could not be erased: ${why}` } };
  }
}
