import { expect, test } from 'vitest';
import type { EventContent, Observation } from '../domain/observed.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import { WAITING_REQUESTS_MAX } from '../protocol/limits.ts';
import { createHub } from './hub.ts';
import { createPipeline } from './pipeline.ts';
import { type Breather, type Ingested, PipelineFullError } from './ports.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';

function setUp(breather?: Breather, contextBudget = 0) {
  const store = memoryStore();
  const clock = fakeClock();
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const projects = { locate: (path: string) => Promise.resolve({ path: `/root-of${path}` }) };
  const pipeline = createPipeline({
    ...{ ...keepsAll(), store, hub, projects, clock, log, breather },
    contextBudget: () => contextBudget,
  });
  const ingest = (payload: Record<string, unknown>) => pipeline.ingest(hookEnvelopeSchema.parse(payload));
  return { store, hub, log, pipeline, ingest };
}

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };

test('COL-4 an answered event is stored, part of the state, and knows its project', async () => {
  const { store, hub, ingest } = setUp();
  const { id, duplicate } = await ingest(prompt);
  expect(duplicate).toBe(false);
  expect(store.events('s').map((event) => event.id)).toEqual([id]);
  expect(hub.snapshot().sessions).toMatchObject([{ id: 's', phase: 'busy', project: '/root-of/p' }]);
});

test('NRM-7 the same delivery again is a duplicate and changes nothing, also within one batch', async () => {
  const { store, hub, ingest } = setUp();
  const hook = { ...prompt, _meta: { delivery_id: 'd' } };
  const [first, twin] = await Promise.all([ingest(hook), ingest(hook)]);
  const revision = hub.snapshot().revision;
  const again = await ingest(hook);
  expect([first, twin, again].map(({ id, duplicate, event }) => [id, duplicate, event?.session_id])).toEqual([
    [first.id, false, 's'],
    [first.id, true, 's'],
    [first.id, true, 's'],
  ]);
  expect(store.events('s')).toHaveLength(1);
  expect(hub.snapshot().revision).toBe(revision);
});

test('MSK-1 nothing unmasked reaches the store, the state or the keys: payload, names and _meta alike', async () => {
  const { store, hub, ingest } = setUp();
  const secret = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
  await ingest({
    ...prompt,
    prompt: `use ${secret}`,
    hook_event_name: `Odd ${secret}`,
    tool_input: { env: { [secret]: secret } },
    _meta: { workspace_id: `w ${secret}`, cwd: `/x/${secret}` },
  });
  expect(JSON.stringify([store.events('s'), store.session('s'), hub.snapshot()])).not.toContain(secret);
});

test('SES-6 the project is where the agent was started, not where it has gone, nor where its hook ran', async () => {
  const { hub, ingest } = setUp();
  await ingest({ ...prompt, cwd: '/gone/to', _meta: { project_dir: '/started/in', cwd: '/hook/ran/in' } });
  await ingest({ ...prompt, session_id: 's2', cwd: '/gone/to', _meta: { cwd: '/hook/ran/in' } });
  await ingest({ ...prompt, session_id: 's3', cwd: undefined, _meta: { cwd: '/hook/ran/in' } });
  expect(hub.snapshot().sessions.map(({ project }) => project)).toEqual([
    '/root-of/started/in',
    '/root-of/gone/to',
    '/root-of/hook/ran/in',
  ]);
});

test('COL-4 an event that could not be stored is refused whole, and the next one works', async () => {
  const { store, hub, ingest } = setUp();
  store.failAppendsWith(new Error('ENOSPC'));
  await expect(ingest(prompt)).rejects.toThrow('ENOSPC');
  expect(hub.snapshot().sessions).toEqual([]);
  store.failAppendsWith(undefined);
  await expect(ingest(prompt)).resolves.toMatchObject({ duplicate: false });
});

test('COL-4 an event that is stored but can’t be shown is answered as stored, and told in the log', async () => {
  const { store, log, ingest } = setUp();
  store.saveSessions = () => {
    throw new Error('rows broken');
  };
  await expect(ingest(prompt)).resolves.toMatchObject({ duplicate: false });
  expect(store.events('s')).toHaveLength(1);
  expect(log.lines.join()).toContain('could not be shown');
});

test('SEC-3 more than may wait is refused, and everything taken is answered', async () => {
  const { store, ingest } = setUp();
  const many = Array.from({ length: WAITING_REQUESTS_MAX + 5 }, (_, index) =>
    ingest({ ...prompt, prompt: `p${index}` }),
  );
  const results = await Promise.allSettled(many);
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.map((result) => result.reason as unknown)).toEqual(
    Array.from({ length: 5 }, () => expect.any(PipelineFullError)),
  );
  expect(store.events('s')).toHaveLength(WAITING_REQUESTS_MAX);
});

test('NRM-1 whatever JSON object names an event is taken in', async () => {
  const { ingest, store } = setUp();
  await ingest({ hook_event_name: 'Nonsense', session_id: 's', deep: { list: [1, null, { x: true }] } });
  await ingest({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: { not: 'text' } });
  expect(
    store
      .events('s')
      .map((event) => event.event_type)
      .toSorted(),
  ).toEqual(['notification', 'schema_error']);
});

test('COL-4 SEC-3 a hook that takes long to mask lets others go first, is stored masked, and counts as waiting', async () => {
  const held = Promise.withResolvers<void>();
  let breath = held.promise;
  const { store, ingest } = setUp(() => {
    const mine = breath;
    return () => mine;
  });
  const secret = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
  // A step ends before what would make it too long, so the first one of each costs nothing.
  const list = ['x '.repeat(8 * 1024), secret];
  const large = Array.from({ length: WAITING_REQUESTS_MAX }, () => ingest({ ...prompt, list }));
  await expect(ingest(prompt)).rejects.toBeInstanceOf(PipelineFullError);
  breath = Promise.resolve();
  held.resolve();
  expect(new Set((await Promise.all(large)).map(({ id }) => id)).size).toBe(1);
  expect(store.events('s').map(({ raw }) => raw['list'])).toEqual([[list[0], '«masked:github-token»']]);
});

test('COL-4 CNV-4 a small hook waits for a large one of its own session only, and comes after it', async () => {
  const held = Promise.withResolvers<void>();
  let breath = held.promise;
  const { store, ingest } = setUp(() => {
    const mine = breath;
    return () => mine;
  });
  const large = ingest({ ...prompt, list: ['x '.repeat(8 * 1024)] });
  breath = Promise.resolve();
  const own = [ingest({ ...prompt, prompt: 'second' }), ingest({ ...prompt, prompt: 'third' })];
  const other = await ingest({ ...prompt, session_id: 'other' });
  expect(store.records().map(({ event }) => event.id)).toEqual([other.id]);
  held.resolve();
  const [first, ...rest] = await Promise.all([large, ...own]);
  expect(first.duplicate).toBe(false);
  expect(store.records().map(({ event }) => event.id)).toEqual([other, first, ...rest].map(({ id }) => id));
});

test('EVT-1 the first measure over the person’s budget is told as such, and no other', async () => {
  const { store, hub, pipeline, ingest } = setUp(undefined, 1_000);
  await ingest(prompt);
  const told: string[] = [];
  hub.onSessionEvents((events) => told.push(...events.map(({ event_type, summary }) => `${event_type}: ${summary}`)));
  for (const used of [900, 1_200, 1_300]) {
    const common = { ts: '2026-01-01T00:00:01.000Z', provider: 'claude', sessionId: 's', agentId: 's/main' } as const;
    const payload = { context_used: used, tokens_in: used };
    await pipeline.record([{ ...common, key: `usage/${used}`, source: 'transcript', type: 'usage_reported', payload }]);
  }
  expect(told).toEqual(['context_overflow: The context is nearly full: 1200 tokens']);
  expect(store.events('s').filter(({ payload }) => wordsOf(payload)['overflow'] === true)).toHaveLength(1);
});

const seen = (session: string, content: EventContent): Observation => ({
  key: JSON.stringify([session, content]),
  ts: '2026-01-01T00:00:00.000Z',
  provider: 'claude',
  sessionId: session,
  agentId: `${session}/main`,
  source: 'transcript',
  ...content,
});

test('CNV-5 stores a hook that arrives during its session’s erasure after it, and answers that it is stored', async () => {
  const { store, hub, pipeline, ingest } = setUp();
  await ingest({ ...prompt, prompt: 'before' });
  const during: Promise<Ingested>[] = [];
  await pipeline.between(async () => {
    during.push(ingest({ ...prompt, prompt: 'during' }));
    await store.erase({ sessions: 'all' });
    hub.erase(['s']);
    during.push(ingest({ ...prompt, prompt: 'just after', _meta: { collected_at: '2001-01-01T00:00:00.000Z' } }));
  });
  const answers = await Promise.all(during);
  expect(answers.map(({ id, duplicate }) => [id !== '', duplicate])).toEqual([
    [true, false],
    [true, false],
  ]);
  const ids = store.records().map(({ event }) => event.id);
  expect(ids.toSorted()).toEqual(answers.map(({ id }) => id).toSorted());
});

test('CNV-5 does not store after an erasure what was read from a file or transcript before it', async () => {
  const { store, hub, pipeline, ingest } = setUp();
  await ingest(prompt);
  const asOf = pipeline.erasures();
  const spooled = hookEnvelopeSchema.parse({ ...prompt, prompt: 'waited in the spool' });
  const erasing = pipeline.between(async () => {
    await store.erase({ sessions: ['s'] });
    hub.erase(['s']);
  });
  const reads = [
    pipeline.record([seen('s', { type: 'prompt_found', payload: { prompt: 'read' } })]),
    pipeline.ingest(spooled, false, asOf),
  ];
  await Promise.all([erasing, ...reads]);
  expect(store.records()).toEqual([]);
  await pipeline.record([seen('s', { type: 'prompt_found', payload: { prompt: 'said since' } })]);
  await pipeline.ingest(spooled, false, pipeline.erasures());
  expect(store.records()).toHaveLength(2);
});

test('CNV-5 MEM-3 erasing a session also empties the context that another session got from it', async () => {
  const { store, pipeline, ingest } = setUp();
  await ingest(prompt);
  const asOf = pipeline.erasures();
  await store.erase({ sessions: ['s'] });
  const telling = (text: string) => seen('later', { type: 'context_loaded', payload: { text, told: ['s', 'kept'] } });
  await pipeline.record([telling('words of s')], asOf);
  await pipeline.record([telling('words of s since then')]);
  expect(store.events('later').map(({ payload }) => [wordsOf(payload)['text'], wordsOf(payload)['told']])).toEqual(
    expect.arrayContaining([
      ['', ['kept']],
      ['words of s since then', ['s', 'kept']],
    ]),
  );
});

test('CNV-5 treats a repeated delivery as a duplicate after its event was erased', async () => {
  const { store, ingest } = setUp();
  const delivered = { ...prompt, _meta: { delivery_id: 'd' } };
  await ingest(delivered);
  await store.erase({ sessions: 'all' });
  expect(await ingest(delivered)).toMatchObject({ id: '', duplicate: true });
  expect(await ingest({ ...delivered, _meta: { delivery_id: 'e' } })).toMatchObject({ duplicate: false });
});
