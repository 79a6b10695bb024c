import { expect, test } from 'vitest';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import { config, line, START, text, transcript } from './watch/watch.testkit.ts';
import { createErasing } from './erasing.ts';
import { createHub } from './hub.ts';
import { createPipeline } from './pipeline.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';
import { fakeSources } from './testkit/sources.testkit.ts';
import { createUnlogging } from './unlogging.ts';
import { startWatching } from './watch/startWatching.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';

const nothingWaits = { find: () => Promise.resolve({ names: [], left: [] }), remove: () => Promise.resolve([]) };

/** As an owner puts them together, over transcripts of the test's own. */
function setUp(
  store = memoryStore(),
  clock = fakeClock(START),
  sources = fakeSources([{ provider: 'claude', folder: `${config}/projects`, layout: 'projects' }], clock.now),
) {
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const rules = { off: false, folders: [] as string[], word: '[private]' };
  const unlogging = createUnlogging({
    rules: {
      enabled: () => !rules.off,
      excludes: (folder) => rules.folders.some((root) => folder.startsWith(root)),
      marker: () => rules.word,
    },
    hub,
    store,
  });
  const projects = { locate: (path: string) => Promise.resolve({ path }) };
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, unlogging, clock, log });
  const seeing: typeof hub = { ...hub, sight: (sighting) => hub.sight(unlogging.sighted(sighting)) };
  const watching = startWatching({
    hub: seeing,
    pipeline,
    sources,
    erased: store.erased,
    clock,
    log,
    isMarked: unlogging.isMarked,
  });
  const erase = createErasing({ store, hub, pipeline, sources, log, waiting: nothingWaits });
  const rest = async () => {
    for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve));
  };
  const hook = async (name: string, fields: object = {}, at = 0) => {
    const base = { hook_event_name: name, session_id: 's', cwd: '/home/dev/project', transcript_path: transcript };
    const _meta = { collected_at: new Date(clock.now() + at).toISOString(), host: 'here' };
    const ingested = await pipeline.ingest(hookEnvelopeSchema.parse({ ...base, ...fields, _meta }));
    await rest();
    return ingested;
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await rest();
  };
  const everything = () => JSON.stringify([store.records(), store.session('s'), hub.snapshot()]);
  return { store, clock, hub, rules, sources, watching, hook, pass, rest, erase, everything };
}

type Room = ReturnType<typeof setUp>;

const say = async ({ sources, pass }: Room, at: number, id: string, words: string) => {
  sources.write(transcript, line.assistant(at, id, text(words)));
  await pass(500);
};

test('CNV-4 the marker: what a transcript tells of that turn is neither kept nor shown, its titles neither', async () => {
  const room = setUp();
  const { hook, sources, pass, everything, clock } = room;
  await hook('SessionStart', { source: 'startup' });
  await pass(1_000);
  await hook('UserPromptSubmit', { prompt: ' [PRIVATE] quiet-prompt' });
  sources.write(transcript, line.user(1_000, ' [PRIVATE] quiet-prompt'), { type: 'ai-title', aiTitle: 'quiet-title' });
  await pass(500);
  await say(room, 1_600, 'm1', 'quiet-thought');
  await hook('Stop', {});
  await pass(5_000);
  expect(everything()).not.toContain('quiet-');
  await hook('UserPromptSubmit', { prompt: 'open-prompt' });
  await say(room, clock.now() - START, 'm2', 'open-reply');
  expect(everything()).toContain('open-prompt');
  expect(room.hub.snapshot().agents.map(({ says }) => says)).toEqual(['open-reply']);
  await pass(200_000);
  expect(everything()).not.toContain('quiet-');
});

test('CNV-4 the settings hold from the next event on, by folder too, and what was off stays off until the next prompt', async () => {
  const { hook, pass, rules, everything, store } = setUp();
  await hook('UserPromptSubmit', { prompt: 'open-one' });
  await pass(5);
  rules.folders = ['/home/dev'];
  await hook('UserPromptSubmit', { prompt: 'quiet-one' });
  await pass(5);
  rules.folders = [];
  await hook('Stop', { last_assistant_message: 'quiet-reply' });
  await pass(5);
  await hook('UserPromptSubmit', { prompt: 'open-two' });
  expect(everything()).not.toContain('quiet-');
  expect(store.sayings('s', { limit: 10 }).items.map(({ payload }) => wordsOf(payload)['prompt'])).toEqual([
    'open-one',
    'open-two',
  ]);
});

test('CNV-4 a sub-agent of such a turn stays unkept to its end, and what is its own goes on with the next turn', async () => {
  const { hook, pass, everything } = setUp();
  const call = {
    tool_name: 'Agent',
    tool_use_id: 't1',
    tool_input: { prompt: 'quiet-job', description: 'quiet-job', subagent_type: 'Explore' },
  };
  await hook('UserPromptSubmit', { prompt: '[private] quiet-prompt' });
  await hook('PreToolUse', call);
  await hook('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' });
  await hook('PostToolUse', { ...call, tool_response: { agentId: 'a1', isAsync: true, description: 'quiet-job' } });
  await hook('Stop', { last_assistant_message: 'quiet-reply', background_tasks: [{ id: 'a1', type: 'subagent' }] });
  await pass(1_000);
  await hook('UserPromptSubmit', { prompt: 'open-prompt' });
  await pass(1_000);
  await hook('SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'quiet-result' });
  await hook('Stop', { last_assistant_message: 'open-reply' });
  expect(everything()).not.toContain('quiet-');
  expect(everything()).toContain('open-reply');
});

const writing = (name: string) => ({
  tool_name: 'Write',
  tool_use_id: name.replace('quiet-', 'call-'),
  tool_input: { file_path: `/home/dev/project/src/${name}.ts`, content: name },
});

test('CNV-4 of a private turn no file has its name kept either, whatever else is off, and what follows has it again', async () => {
  const { hook, hub, rules, pass, everything } = setUp();
  const write = async (name: string) => {
    await hook('PreToolUse', writing(name));
    await hook('PostToolUse', { ...writing(name), tool_response: { filePath: `/home/dev/project/src/${name}.ts` } });
  };
  const ask = async (prompt: string) => {
    await pass(10);
    await hook('UserPromptSubmit', { prompt });
  };
  await ask('[private] go');
  await hook('PreToolUse', writing('quiet-shown'));
  expect(hub.snapshot().agents[0]?.activity).toMatchObject({ tool: 'Write', target: undefined });
  await write('quiet-one');
  rules.off = true;
  await write('quiet-two');
  await ask('quiet-prompt');
  await write('file-of-off');
  await ask('[private] again');
  await write('quiet-three');
  rules.off = false;
  await write('quiet-four');
  await ask('open');
  await write('file-of-open');
  expect(everything()).not.toContain('quiet-');
  expect([everything().includes('file-of-off'), everything().includes('file-of-open')]).toEqual([true, true]);
});

test('CNV-4 a file keeps its name, a command, a pattern and a search do not, and twins are still one', async () => {
  const { hook, hub, store, rules, everything } = setUp();
  rules.off = true;
  await hook('UserPromptSubmit', { prompt: 'go' });
  const read = { tool_name: 'Read', tool_use_id: 't1', tool_input: { file_path: '/home/dev/project/src/a.ts' } };
  const [first, twin] = [await hook('PreToolUse', read), await hook('PreToolUse', read)];
  expect([first.duplicate, twin.duplicate, twin.id === first.id]).toEqual([false, true, true]);
  expect(hub.snapshot().agents[0]?.activity).toMatchObject({ tool: 'Read', target: '/home/dev/project/src/a.ts' });
  const inputs = {
    Bash: { command: 'quiet-command' },
    Grep: { pattern: 'quiet-pattern' },
    WebSearch: { query: 'quiet-search' },
  };
  for (const [tool_name, tool_input] of Object.entries(inputs)) {
    await hook('PreToolUse', { tool_name, tool_use_id: tool_name, tool_input });
    await hook('PostToolUseFailure', {
      tool_name,
      tool_use_id: tool_name,
      tool_input,
      error: 'Exit code 1\nquiet-error',
    });
  }
  await hook('StopFailure', { error: 'rate_limit', error_details: 'quiet-error' });
  expect(everything()).not.toContain('quiet-');
  expect(hub.snapshot().sessions[0]).toMatchObject({ title: '', counts: { toolCalls: 4, failures: 3 } });
  expect(store.events('s').every(({ payload }) => payload['unlogged'] === true)).toBe(true);
});

test('CNV-4 what was erased does not come back by its transcript, and what is said after it does', async () => {
  const room = setUp();
  const { hook, sources, pass, erase, everything, clock } = room;
  await hook('SessionStart', { source: 'startup' });
  await hook('UserPromptSubmit', { prompt: 'gone-prompt' });
  sources.write(transcript, line.user(0, 'gone-prompt'), { type: 'ai-title', aiTitle: 'gone-title' });
  await say(room, 100, 'm1', 'gone-reply');
  await pass(10_000);
  expect(everything()).toContain('gone-title');
  expect(await erase('s')).toEqual({ sessions: 1, events: expect.any(Number), left: [] });
  expect([everything().includes('gone-'), room.hub.snapshot().sessions]).toEqual([false, []]);
  expect(await erase('s')).toBe('unknown');
  await pass(1_000);
  await hook('UserPromptSubmit', { prompt: 'fresh-prompt' }, -60_000);
  await say(room, clock.now() - START, 'm2', 'fresh-reply');
  await pass(200_000);
  expect(everything()).not.toContain('gone-');
  expect(everything()).toContain('fresh-prompt');
});

test.each<readonly [string, string | undefined]>([
  ['a session', 's'],
  ['everything', undefined],
])(
  'CNV-5 after %s was erased its transcript tells only what was written since, by a clock that was set back, also to the next owner and once rewritten',
  async (_what, id) => {
    const room = setUp();
    const { hook, sources, pass, erase, everything, store, clock } = room;
    await hook('SessionStart', { source: 'startup' });
    await hook('UserPromptSubmit', { prompt: 'gone-prompt' });
    sources.write(transcript, line.user(0, 'gone-prompt'), line.user(1, 'gone-unheard'));
    await say(room, 100, 'm1', 'gone-reply');
    await erase(id);
    clock.set(-100 * 86_400_000);
    const at = () => clock.now() - START;
    await hook('UserPromptSubmit', { prompt: 'fresh-prompt' });
    sources.write(transcript, line.user(at(), 'fresh-prompt'));
    await pass(1_000);
    sources.write(transcript, line.user(at(), 'fresh-unheard'));
    await pass(60_000);
    room.watching.dispose();
    const next = setUp(store, clock, sources);
    await next.hook('UserPromptSubmit', { prompt: 'fresh-second' });
    sources.replace(transcript, line.user(0, 'gone-prompt'), line.user(1, 'gone-unheard'));
    await next.pass(60_000);
    expect(everything()).not.toContain('gone-');
    for (const word of ['fresh-prompt', 'fresh-unheard', 'fresh-second']) expect(everything()).toContain(word);
  },
);

test('CNV-4 in one backlog a private turn stays unkept to the end of its sub-agent, and what lists its commands again says no more', async () => {
  const { hook, rest, everything } = setUp();
  const asked = [
    hook('SessionStart', { source: 'startup' }, -9_000),
    hook('UserPromptSubmit', { prompt: '[private] x' }, -8_000),
    hook('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' }, -7_000),
    hook('Stop', { last_assistant_message: 'quiet-reply', background_tasks: [{ id: 'a1', type: 'subagent' }] }, -6_000),
    hook('UserPromptSubmit', { prompt: 'open-prompt' }, -5_000),
    hook('PreToolUse', { ...running('quiet-command'), agent_id: 'a1', agent_type: 'Explore' }, -4_000),
    hook('SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'quiet-result' }, -3_000),
    hook('Stop', { last_assistant_message: 'open-reply', background_tasks: [quietTask] }, -2_000),
  ];
  await Promise.all(asked);
  await rest();
  expect(everything()).not.toContain('quiet-');
  expect([everything().includes('open-prompt'), everything().includes('open-reply')]).toEqual([true, true]);
});

const running = (command: string) => ({
  tool_name: 'Bash',
  tool_use_id: command.replace('quiet-', 'call-'),
  tool_input: { command },
});
const quietTask = { id: 'bash1', type: 'shell', command: 'quiet-background', description: 'quiet-description' };

test('CNV-4 a call begun in a private turn ends unkept, whenever it ends, and the turn that goes on meanwhile is kept', async () => {
  const { hook, pass, everything } = setUp();
  await hook('UserPromptSubmit', { prompt: '[private] x', prompt_id: 'p1' });
  await pass(10);
  await hook('PreToolUse', { ...running('quiet-command'), prompt_id: 'p1' });
  await pass(10);
  await hook('UserPromptSubmit', { prompt: 'open-prompt', prompt_id: 'p2' });
  await pass(10);
  await hook('PostToolUse', { ...running('quiet-command'), tool_response: { stdout: 'quiet-output' } });
  await hook('Notification', { message: 'quiet-notice', notification_type: 'other', prompt_id: 'p1' });
  await hook('PreToolUse', running('open-command'));
  await hook('PostToolUse', { ...running('open-command'), tool_response: { stdout: 'open-output' } });
  expect(everything()).not.toContain('quiet-');
  expect([everything().includes('open-command'), everything().includes('open-output')]).toEqual([true, true]);
});

test('CNV-4 a prompt that steers a private turn is of that turn', async () => {
  const { hook, pass, everything } = setUp();
  const step = async (name: string, fields: object) => {
    await hook(name, { ...fields, prompt_id: 'p1' });
    await pass(10);
  };
  await step('UserPromptSubmit', { prompt: '[private] x' });
  await step('UserPromptSubmit', { prompt: 'quiet-too' });
  await step('Stop', { last_assistant_message: 'quiet-reply' });
  expect(everything()).not.toContain('quiet-');
});

const compaction = { agent_id: 'ac', agent_type: '', last_assistant_message: '<summary>quiet-summary' };

test('CNV-4 a compaction’s summary is not kept where it tells of a private turn, or of what was erased', async () => {
  const { hook, pass, erase, everything } = setUp();
  await hook('SessionStart', { source: 'startup' });
  await hook('UserPromptSubmit', { prompt: '[private] x' });
  await pass(10);
  await hook('UserPromptSubmit', { prompt: 'open-prompt' });
  await pass(10);
  await hook('SubagentStop', compaction);
  expect(everything()).not.toContain('quiet-');
  await erase('s');
  await pass(10);
  await hook('UserPromptSubmit', { prompt: 'fresh-prompt' });
  await pass(10);
  await hook('SubagentStop', compaction);
  await hook('PostCompact', { trigger: 'auto', compact_summary: 'quiet-summary' });
  expect([everything().includes('quiet-'), everything().includes('fresh-prompt')]).toEqual([false, true]);
});

test('CNV-4 what an erased conversation goes on with is not kept until the person asks anew', async () => {
  const { hook, pass, erase, everything } = setUp();
  await hook('UserPromptSubmit', { prompt: '[private] x' });
  await hook('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' });
  await pass(10);
  await erase('s');
  await pass(10);
  await hook('PreToolUse', running('quiet-command'));
  await hook('Stop', { last_assistant_message: 'quiet-reply' });
  await pass(10);
  await hook('UserPromptSubmit', { prompt: 'open-prompt' });
  await pass(10);
  for (const step of ['quiet-first', 'quiet-second'])
    await hook('PreToolUse', { ...running(step), agent_id: 'a1', agent_type: 'Explore' });
  await hook('Stop', { last_assistant_message: 'open-reply' });
  expect([everything().includes('quiet-'), everything().includes('open-reply')]).toEqual([false, true]);
});

test('CNV-4 what the file of a sub-agent says of its task comes back neither after an erasure nor from a private turn', async () => {
  const { hook, pass, erase, sources, everything } = setUp();
  const folder = `${transcript.replace(/\.jsonl$/, '')}/subagents`;
  const start = (id: string) => hook('SubagentStart', { agent_id: id, agent_type: 'Explore' });
  const write = async (id: string) => {
    sources.putFile(folder, `agent-${id}.meta.json`, { agentType: 'Explore', description: `task-of-${id}` });
    await pass(1_000);
  };
  await hook('SessionStart', { source: 'startup' });
  await hook('UserPromptSubmit', { prompt: 'gone' });
  await start('a1');
  await write('a1');
  expect(everything()).toContain('task-of-a1');
  await erase('s');
  await pass(10_000);
  await hook('UserPromptSubmit', { prompt: 'open' });
  await start('a2');
  await write('a2');
  expect(['a1', 'a2'].map((id) => everything().includes(`task-of-${id}`))).toEqual([false, true]);
  await hook('UserPromptSubmit', { prompt: '[private] x' });
  await start('a3');
  await pass(1_000);
  await hook('UserPromptSubmit', { prompt: 'open' });
  await write('a3');
  await start('a4');
  await write('a4');
  expect(['a3', 'a4'].map((id) => everything().includes(`task-of-${id}`))).toEqual([false, true]);
});

const other = `${config}/projects/-home-dev-project/n.jsonl`;

test('CNV-4 after everything was erased a new conversation has its title again, and one that goes on has not', async () => {
  const { hook, pass, erase, sources, clock, hub } = setUp();
  await hook('SessionStart', { source: 'startup' });
  sources.write(transcript, line.user(0, 'gone'));
  await erase(undefined);
  await pass(10_000);
  const at = clock.now() - START;
  await hook('UserPromptSubmit', { prompt: 'goes on' });
  sources.write(transcript, line.user(at, 'goes on'), {
    type: 'ai-title',
    aiTitle: 'gone-title',
  });
  await hook('SessionStart', { session_id: 'n', transcript_path: other, source: 'startup' });
  sources.write(other, line.user(at, 'new'), { type: 'ai-title', aiTitle: 'New title' });
  await pass(500);
  await pass(20_000);
  expect(hub.snapshot().sessions.map(({ title }) => title)).toEqual(['goes on', 'New title']);
});

test('CNV-4 SES-2 words and titles of private turns are not shown where only the transcript tells of them yet, nor in a copy of it', async () => {
  const { hook, pass, sources, hub, everything } = setUp();
  await hook('SessionStart', { source: 'startup' });
  await hook('UserPromptSubmit', { prompt: 'open' });
  await pass(1_000);
  sources.write(transcript, line.user(900, '[private] x'), line.assistant(950, 'm1', text('quiet-thought')));
  sources.write(transcript, { type: 'ai-title', aiTitle: 'quiet-title' });
  const copied = [line.user(-90_000, '[private] x'), line.assistant(-80_000, 'm0', text('quiet-reply'))];
  sources.write(other, ...copied, { type: 'ai-title', aiTitle: 'quiet-title' });
  await hook('SessionStart', { session_id: 'n', transcript_path: other, source: 'resume' });
  await pass(500);
  expect(JSON.stringify(hub.snapshot())).not.toContain('quiet-');
  await pass(200_000);
  expect(everything()).not.toContain('quiet-');
});
