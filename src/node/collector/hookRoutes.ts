import * as z from 'zod/mini';
import { type Asked, failing, type Reply, type Route, type RouteWorld } from './route.ts';

const trialSchema = z.object({
  arrived: z.literal(true),
  ms: z.number().check(z.describe('From its making until it was taken in.')),
});

const timesSchema = z.object({
  count: z.int().check(z.describe('How many the figures are of: the last 500 at most.')),
  p50: z.nullable(z.number()).check(z.describe('Milliseconds; null while there are none.')),
  p95: z.nullable(z.number()),
});

export const hookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/hook-trials/{id}',
    name: 'readHookTrial',
    summary: 'Whether a test event has come that was sent through an installed hook.',
    description: 'Test events are kept in memory only, and are part of no session.',
    answers: {
      200: { words: 'It has come.', shape: ['HookTrial', trialSchema] },
      404: failing('No test event of this id has come.'),
    },
    answer: readTrial,
  },
  {
    method: 'GET',
    path: '/api/hook-times',
    name: 'readHookTimes',
    summary: 'How long installed hooks took until their events were on disk.',
    answers: { 200: { words: 'In milliseconds.', shape: ['HookTimes', timesSchema] } },
    answer: ({ hookTimes }) => ({ status: 200, body: hookTimes.read() }),
  },
];

function readTrial({ trials }: RouteWorld, { params }: Asked): Reply {
  const ms = trials.arrived(params['id'] ?? '');
  return ms === undefined
    ? { status: 404, body: { error: 'no test event of this id has come' } }
    : { status: 200, body: { arrived: true, ms } };
}
