import * as z from 'zod/mini';
import { storyOf } from '../../domain/story.ts';
import { lookChangeSchema, NO_AGENT } from '../../protocol/cast.ts';
import { storySchema } from '../../protocol/story.ts';
import { type Asked, failing, noSession, type Reply, type Route, type RouteWorld } from './route.ts';
import { knownId } from './shownSessions.ts';

/** As many as a card and its list of files can use; a long session has a thousand times as many. */
const EVENTS_READ = 400;

const notKept = { status: 500, body: { error: 'it could not be kept; the log says why' } } as const;

/** What a mascot's card shows and changes. */
export const cardRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/{id}/story',
    name: 'readStory',
    summary: 'The last steps of a session and the files they touched, as a mascot’s card tells them.',
    answers: { 200: { words: 'Both newest first.', shape: ['Story', storySchema] }, 404: noSession },
    answer: story,
  },
  {
    method: 'POST',
    path: '/api/agents/{id}/look',
    name: 'changeLook',
    summary: 'Names a mascot, pins it as an employee, or hides it; what is left out stays as it is.',
    sent: ['LookChange', lookChangeSchema],
    answers: {
      200: { words: 'It is kept.', shape: ['Changed', z.object({ ok: z.literal(true) })] },
      400: failing('The body is no such change; the error says why.'),
      404: failing('No living session has an agent of this id.'),
      408: failing('The body did not come in time.'),
      413: failing('The body is too large.'),
      500: failing('It could not be kept, and nothing changed.'),
      503: failing('Too much waits already.'),
    },
    answer: changeLook,
  },
];

function story(world: RouteWorld, { params }: Asked): Reply {
  const id = knownId(world, params);
  return { status: 200, body: storyOf(id, world.store.newestEvents(id, EVENTS_READ)) };
}

async function changeLook({ recast }: RouteWorld, { params, body }: Asked): Promise<Reply> {
  const sent = await body();
  if (!sent.ok) return { status: sent.status, body: { error: sent.error } };
  const change = lookChangeSchema.safeParse(sent.value);
  if (!change.success) {
    const issue = change.error.issues[0];
    return {
      status: 400,
      body: { error: `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not usable'}` },
    };
  }
  switch (await recast(params['id'] ?? '', change.data)) {
    case 'changed':
      return { status: 200, body: { ok: true } };
    case 'refused':
      return notKept;
    default:
      return { status: 404, body: { error: NO_AGENT } };
  }
}
