import { expect, test } from 'vitest';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import { createHub } from './hub.ts';
import { createPipeline } from './pipeline.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';
import { createUnlogging } from './unlogging.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';

function setUp() {
  const store = memoryStore();
  const clock = fakeClock();
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const rules = { off: false };
  const unlogging = createUnlogging({
    rules: { enabled: () => !rules.off, excludes: () => false, marker: () => '[private]' },
    hub,
    store,
  });
  const projects = { locate: (path: string) => Promise.resolve({ path }) };
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, unlogging, clock, log });
  const hook = (at: number, name: string, fields: object = {}) => {
    const _meta = { collected_at: new Date(clock.now() + at).toISOString(), host: 'here' };
    const base = { hook_event_name: name, session_id: 's', cwd: '/home/dev/project' };
    return pipeline.ingest(hookEnvelopeSchema.parse({ ...base, ...fields, _meta }));
  };
  const everything = () => JSON.stringify([store.records(), store.session('s'), hub.state('s'), hub.snapshot()]);
  return { store, hub, log, rules, hook, everything };
}

type Room = ReturnType<typeof setUp>;

const call = (words: string, fields: object = {}) => ({
  tool_name: 'Bash',
  tool_use_id: `id-of-${words.slice(-3)}`,
  tool_input: { command: words },
  ...fields,
});

const told = ({ store }: Room) =>
  store
    .sayings('s', { limit: 20 })
    .items.map(({ payload }) => wordsOf(payload)['prompt'] ?? wordsOf(payload)['message']);

/** One private turn between two others; the prompt that asked for it is the one that is late. */
async function turns({ hook }: Room, between: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  await hook(-9_000, 'SessionStart', { source: 'startup' });
  await hook(-8_500, 'UserPromptSubmit', { prompt: 'open-first' });
  await hook(-8_400, 'PreToolUse', call('open-command one'));
  await hook(-8_300, 'PostToolUse', call('open-command one', { tool_response: { stdout: 'open-output' } }));
  await hook(-8_200, 'Stop', { last_assistant_message: 'open-reply' });
  await hook(-7_000, 'PreToolUse', call('quiet-command two'));
  await hook(-6_900, 'PostToolUse', call('quiet-command two', { tool_response: { stdout: 'quiet-output' } }));
  const agent = {
    tool_name: 'Agent',
    tool_use_id: 'agent',
    tool_input: { prompt: 'quiet-task', description: 'quiet' },
  };
  await hook(-6_800, 'PreToolUse', agent);
  await hook(-6_700, 'SubagentStart', { agent_id: 'a1', agent_type: 'Explore' });
  await hook(-6_600, 'PreToolUse', call('quiet-last six'));
  await between();
  await hook(-6_500, 'Stop', { last_assistant_message: 'quiet-reply' });
}

const late = { prompt: '[private] quiet-prompt' };

test('CNV-4 a private prompt that comes after its own turn takes back what is stored and shown of it', async () => {
  const room = setUp();
  const changes: string[] = [];
  await turns(room);
  expect(room.everything()).toContain('quiet-reply');
  room.hub.onChange(({ type }) => changes.push(type));
  await room.hook(-7_100, 'UserPromptSubmit', late);
  expect(room.everything()).not.toContain('quiet-');
  expect(told(room)).toEqual(['open-first', 'open-reply']);
  for (const words of ['open-command', 'open-output']) expect(room.everything()).toContain(words);
  expect(room.hub.snapshot().sessions[0]?.counts).toMatchObject({ toolCalls: 4, prompts: 2 });
  // Whoever was told of it starts anew.
  expect([changes, room.hub.snapshot().erasures]).toEqual([expect.arrayContaining(['reset']), 1]);
});

test('CNV-4 a late private prompt leaves the turns after its own alone, but for what began in it', async () => {
  const room = setUp();
  await turns(room);
  await room.hook(-5_000, 'UserPromptSubmit', { prompt: 'open-third' });
  await room.hook(-4_900, 'PostToolUse', call('quiet-last six', { tool_response: { stdout: 'quiet-late' } }));
  await room.hook(-4_800, 'SubagentStop', {
    agent_id: 'a1',
    agent_type: 'Explore',
    last_assistant_message: 'quiet-so',
  });
  await room.hook(-4_700, 'PreToolUse', call('open-command ten'));
  await room.hook(-7_100, 'UserPromptSubmit', late);
  await room.hook(-4_000, 'Stop', { last_assistant_message: 'open-end' });
  expect(room.everything()).not.toContain('quiet-');
  expect(told(room)).toEqual(['open-first', 'open-reply', 'open-third', 'open-end']);
  expect(room.everything()).toContain('open-command ten');
});

test('CNV-4 so does one that stands behind its calls in the same batch, or that comes between them', async () => {
  const [room, other] = [setUp(), setUp()];
  const { hook } = room;
  await Promise.all([
    hook(-900, 'PreToolUse', call('quiet-command one')),
    hook(-800, 'PostToolUse', call('quiet-command one', { tool_response: { stdout: 'quiet-output' } })),
    hook(-950, 'UserPromptSubmit', late),
    hook(-700, 'Stop', { last_assistant_message: 'quiet-reply' }),
  ]);
  await turns(other, () => other.hook(-7_100, 'UserPromptSubmit', late));
  expect([room, other].map(({ everything }) => everything().includes('quiet-'))).toEqual([false, false]);
});

test('CNV-4 nothing is taken back for what was kept before conversations were switched off, nor for a prompt in its place', async () => {
  const room = setUp();
  const { hook, rules, store } = room;
  await hook(-900, 'UserPromptSubmit', { prompt: 'open-first' });
  await hook(-800, 'Stop', { last_assistant_message: 'open-reply' });
  rules.off = true;
  await hook(-850, 'UserPromptSubmit', { prompt: 'quiet-late' });
  await hook(-700, 'UserPromptSubmit', late);
  expect(told(room)).toEqual(['open-first', 'open-reply']);
  expect([room.everything().includes('quiet-'), store.events('s').length]).toEqual([false, 4]);
  expect(room.hub.snapshot().erasures).toBeUndefined();
});

test('CNV-4 COL-4 where the disk is full the late prompt is refused, so it is told again and takes back then', async () => {
  const room = setUp();
  await turns(room);
  room.store.failAppendsWith(new Error('ENOSPC'));
  await expect(room.hook(-7_100, 'UserPromptSubmit', late)).rejects.toThrow('ENOSPC');
  room.store.failAppendsWith(undefined);
  await room.hook(-7_100, 'UserPromptSubmit', late);
  expect(room.everything()).not.toContain('quiet-');
});

test('CNV-4 MEM-3 what a session that began meanwhile was told of it goes too', async () => {
  const room = setUp();
  await turns(room);
  const remembered = (id: string, ts: number) => ({
    ...room.store.records()[0]!,
    keys: [],
    event: {
      ...room.store.records()[0]!.event,
      id,
      session_id: 'later',
      ts: new Date(Date.parse(room.store.events('s').at(-1)!.ts) + ts).toISOString(),
      event_type: 'context_loaded' as const,
      payload: { text: `text-of-${id}`, told: ['s'] },
    },
  });
  await room.store.append([remembered('before', -2_000), remembered('after', 1_000)]);
  await room.hook(-7_100, 'UserPromptSubmit', late);
  expect(room.store.events('later').map(({ payload }) => wordsOf(payload)['text'])).toEqual(['text-of-before', '']);
});

test('CNV-4 COL-4 words that are taken back but can’t be shown so do not keep the prompt from being answered as stored', async () => {
  const room = setUp();
  await turns(room);
  room.store.saveSessions = () => {
    throw new Error('rows broken');
  };
  await expect(room.hook(-7_100, 'UserPromptSubmit', late)).resolves.toMatchObject({ duplicate: false });
  expect(JSON.stringify(room.store.records())).not.toContain('quiet-');
  expect(room.log.lines.join()).toContain('show words that were taken back: Error: rows broken');
});

test('CNV-4 COL-4 a session that can’t be read costs neither its prompt nor the others of the batch', async () => {
  const room = setUp();
  await turns(room);
  room.store.events = () => {
    throw new Error('rows broken');
  };
  const other = room.hook(-7_000, 'UserPromptSubmit', { session_id: 'other', prompt: 'open' });
  const both = await Promise.all([room.hook(-7_100, 'UserPromptSubmit', late), other]);
  expect(both.map(({ duplicate }) => duplicate)).toEqual([false, false]);
  expect(room.log.lines.join()).toContain('could not be taken back: Error: rows broken');
});
