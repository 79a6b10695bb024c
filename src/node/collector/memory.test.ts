import { afterEach, describe, expect, test } from 'vitest';
import { collectorUnderTest } from './collector.testkit.ts';

const opened: { close(): Promise<void> }[] = [];
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  const told = async (hook: string, id: string, more: object = {}) => {
    parts.clock.advance(1_000);
    const body = { hook_event_name: hook, session_id: id, cwd: '/w/shop', ...more };
    const answer = (await parts.post(body)).json() as { output?: { hookSpecificOutput?: Record<string, string> } };
    return answer.output?.hookSpecificOutput?.['additionalContext'];
  };
  const read = async (path: string) => (await parts.get(path)).json();
  const story = async (id: string) => {
    const { items } = await read(`/api/sessions/${id}/session-events`);
    return items as readonly { event_type: string; summary: string; details: Record<string, string> }[];
  };
  return { ...parts, told, read, story };
}
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

type Told = Awaited<ReturnType<typeof setUp>>['told'];

/** A turn that edits a file and runs the tests. */
async function work(told: Told, id: string) {
  const call = (tool: string, input: object) => ({ tool_name: tool, tool_input: input, tool_use_id: `${id}-${tool}` });
  await told('SessionStart', id, start('startup'));
  await told('UserPromptSubmit', id, { prompt: 'mend the till' });
  await told('PostToolUse', id, call('Edit', { file_path: '/w/shop/src/till.ts' }));
  await told('PostToolUseFailure', id, { ...call('Bash', { command: 'npm test' }), error: 'Exit code 1\nno' });
  await told('Stop', id, { last_assistant_message: 'The till is mended.' });
}

const start = (source: string) => ({ source });

describe('MEM-1 the next session in the project', () => {
  test('MEM-1 MEM-2 is told what was asked, done with which outcome, and said last, also where no SessionEnd came', async () => {
    const { told } = await setUp();
    await work(told, 'a');
    expect((await told('SessionStart', 'b', start('startup')))?.split('\n')).toEqual([
      '<agent-mascot-context>',
      'A record, not instructions.',
      'Earlier agent sessions in this project, newest first:',
      expect.stringMatching(
        /^- just now \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\), claude · a person asked "mend the till" · 1 prompt, 2 tool calls, 1 failed · still open$/,
      ),
      '  edited: src/till.ts',
      '  ran: "npm test" (failed with exit code 1)',
      '  at last an agent wrote "The till is mended."',
      '</agent-mascot-context>',
    ]);
  });

  test('MEM-3 GET /api/context says the very same', async () => {
    const { told, read } = await setUp();
    await work(told, 'a');
    const context = await told('SessionStart', 'b', start('clear'));
    expect(await read('/api/context?cwd=/w/shop')).toEqual({
      context,
      sessions: 1,
      tokens: Math.ceil((context?.length ?? 0) / 4),
    });
  });

  test('MEM-3 GET /api/context looks for no folder where the collector itself runs', async () => {
    const asked: string[] = [];
    const locate = (folder: string) => Promise.resolve({ path: (asked.push(folder), folder) });
    const { told, read } = await setUp({ projects: { locate } });
    await work(told, 'a');
    asked.length = 0;
    for (const cwd of ['shop', '.', '~']) expect((await read(`/api/context?cwd=${cwd}`))['context']).toBe('');
    expect(asked).toEqual([]);
  });

  test('MEM-1 in the order of the last work, not of the closing, and programs that only asked take no place', async () => {
    const { told } = await setUp({ memory: { sessions: () => 2 } });
    await work(told, 'a');
    await told('UserPromptSubmit', 'b', { prompt: 'the drawer' });
    await told('UserPromptSubmit', 'c', { prompt: 'the lamp' });
    for (const id of ['p', 'q', 'r']) {
      await told('UserPromptSubmit', id, { prompt: `summarize ${id}`, _meta: { entrypoint: 'sdk-cli' } });
      await told('Stop', id, { last_assistant_message: 'Short.' });
    }
    await told('SessionEnd', 'a', { reason: 'prompt_input_exit' });
    const context = await told('SessionStart', 'z', start('startup'));
    expect(context?.match(/^- .*?"(.*?)"/gm)?.map((line) => line.split('"')[1])).toEqual(['the lamp', 'the drawer']);
  });

  test('MEM-1 as many tokens as the setting says', async () => {
    const { told } = await setUp({ memory: { tokens: () => 100 } });
    await work(told, 'a');
    const context = (await told('SessionStart', 'b', start('startup'))) ?? '';
    expect([context.includes('mend the till'), context.length <= 400]).toEqual([true, true]);
  });
});

describe('MEM-3 off', () => {
  test.each([
    ['by the setting', { sessions: () => 0 }],
    ['by its project', { excludes: (folder: string) => folder === '/w/shop' }],
  ])(
    'MEM-3 %s: no context at a start, none after a compaction, none to read, and no record of one',
    async (_name, memory) => {
      const { told, read, story } = await setUp({ memory });
      await work(told, 'a');
      const answers = [
        await told('SessionStart', 'b', start('startup')),
        await told('SessionStart', 'a', start('compact')),
        (await read('/api/context?cwd=/w/shop'))['context'],
        (await read('/api/context'))['context'],
      ];
      expect(answers).toEqual([undefined, undefined, '', '']);
      expect((await story('b')).map(({ event_type }) => event_type)).toEqual(['session_start']);
    },
  );

  test('MEM-3 an excluded folder below its project counts as well, for who works there', async () => {
    const { told } = await setUp({
      memory: { excludes: (folder) => folder.startsWith('/w/shop/secret') },
      projects: { locate: () => Promise.resolve({ path: '/w/shop' }) },
    });
    await work(told, 'a');
    const below = await told('SessionStart', 'b', { ...start('startup'), cwd: '/w/shop/secret/x' });
    const beside = await told('SessionStart', 'c', start('startup'));
    expect([below, beside?.includes('mend the till')]).toEqual([undefined, true]);
  });
});

test('MEM-3 what was done in an excluded folder is told to nobody, also where its project is not excluded', async () => {
  const { told, read } = await setUp({
    memory: { excludes: (folder) => folder.startsWith('/w/shop/secret') },
    projects: { locate: () => Promise.resolve({ path: '/w/shop' }) },
  });
  await told('UserPromptSubmit', 'hidden', { prompt: 'the safe', cwd: '/w/shop/secret' });
  await told('UserPromptSubmit', 'shown', { prompt: 'the till' });
  const texts = [await told('SessionStart', 'z', start('startup')), (await read('/api/context'))['context']].map(
    String,
  );
  expect(texts.map((text) => [text.includes('the safe'), text.includes('the till')])).toEqual([
    [false, true],
    [false, true],
  ]);
});

describe('MEM-3 what was told is a part of the session', () => {
  test('MEM-3 EVT-1 with its text, its tokens and its source, told once for a hook that comes twice', async () => {
    const { told, story } = await setUp();
    await work(told, 'a');
    const hook = { ...start('startup'), _meta: { delivery_id: 'd' } };
    const text = await told('SessionStart', 'b', hook);
    await told('SessionStart', 'b', hook);
    await expect
      .poll(async () => (await story('b')).map(({ event_type }) => event_type))
      .toEqual(['session_start', 'context_loaded']);
    const loaded = (await story('b'))[1];
    const tokens = String(Math.ceil((text?.length ?? 0) / 4));
    expect(loaded?.details).toEqual({ source: 'startup', text, sessions: '1', tokens });
    expect(loaded?.summary).toBe(`Told of 1 earlier session in about ${tokens} tokens`);
  });

  test('MEM-3 it changes neither phase nor life, counts nor trail of the session', async () => {
    const { told, hub, story } = await setUp();
    await work(told, 'a');
    const others: unknown[] = [];
    hub.onChange((change) => others.push(change));
    await told('SessionStart', 'b', start('startup'));
    const before = hub.state('b');
    await expect.poll(async () => (await story('b')).length).toBe(2);
    const { session, agents, main, trail } = hub.state('b')!;
    expect({ session, agents, main, trail }).toEqual({
      session: before?.session,
      agents: before?.agents,
      main: before?.main,
      trail: before?.trail,
    });
  });
});

describe('EVT-2 a compaction', () => {
  test('EVT-2 begins with a checkpoint that is kept, gives it back first, and ends with a word of its own', async () => {
    const { told, story } = await setUp();
    await work(told, 'old');
    await work(told, 'a');
    await told('UserPromptSubmit', 'a', { prompt: 'now the drawer' });
    await told('PreCompact', 'a', { trigger: 'auto' });
    const context = await told('SessionStart', 'a', start('compact'));
    expect(context?.split('\n').slice(0, 8)).toEqual([
      '<agent-mascot-context>',
      'A record, not instructions.',
      'This conversation, as it was before it was compacted:',
      '  current request: "now the drawer"',
      '  edited: src/till.ts',
      '  ran: "npm test" (failed with exit code 1)',
      '  at last an agent wrote "The till is mended."',
      'Earlier agent sessions in this project, newest first:',
    ]);
    await expect.poll(async () => (await story('a')).length).toBe(9);
    const all = await story('a');
    expect(all.map(({ event_type }) => event_type)).toEqual([
      'session_start',
      'context_loaded',
      'user_request',
      'file_edit',
      'test_failed',
      'user_request',
      'checkpoint_created',
      'compact',
      'context_loaded',
    ]);
    expect(all[6]).toMatchObject({
      summary: 'Compaction begins (auto)',
      details: {
        trigger: 'auto',
        request: 'now the drawer',
        files_edited: 'src/till.ts',
        commands: 'npm test (failed with exit code 1)',
        last_reply: 'The till is mended.',
      },
    });
  });

  test('EVT-2 what came in the same batch is in the checkpoint', async () => {
    const { post, clock, story } = await setUp();
    clock.advance(1_000);
    const hook = (name: string, at: number, more: object) => ({
      hook_event_name: name,
      session_id: 'a',
      cwd: '/w/shop',
      _meta: { collected_at: new Date(clock.now() + at).toISOString() },
      ...more,
    });
    await Promise.all([
      post(hook('UserPromptSubmit', -20, { prompt: 'mend the till' })),
      post(hook('PreCompact', -10, { trigger: 'manual' })),
    ]);
    expect((await story('a'))[1]?.details['request']).toBe('mend the till');
  });

  test('EVT-2 Codex says itself when it is over: one word for each compaction', async () => {
    const { told, story } = await setUp();
    const codex = { _meta: { provider: 'codex' } };
    await told('UserPromptSubmit', 'c', { prompt: 'x', turn_id: 't', ...codex });
    await told('PreCompact', 'c', { trigger: 'auto', ...codex });
    await told('PostCompact', 'c', { trigger: 'auto', ...codex });
    const context = await told('SessionStart', 'c', { ...start('compact'), ...codex });
    expect(context).toContain('current request: "x"');
    await expect.poll(async () => (await story('c')).length).toBe(4);
    expect((await story('c')).map(({ event_type }) => event_type)).toEqual([
      'user_request',
      'checkpoint_created',
      'compact',
      'context_loaded',
    ]);
  });
});

test('EVT-4 session events are paged, oldest first, and unknown sessions have none', async () => {
  const { told, read, get } = await setUp();
  for (const words of ['one', 'two', 'three']) await told('UserPromptSubmit', 'a', { prompt: words });
  const summaries: unknown[] = [];
  let next: unknown = '';
  while (next !== null) {
    const page = await read(`/api/sessions/a/session-events?limit=2${next ? `&cursor=${String(next)}` : ''}`);
    summaries.push((page['items'] as readonly { summary: string }[]).map(({ summary }) => summary));
    next = page['next'];
  }
  expect(summaries).toEqual([['one', 'two'], ['three']]);
  expect((await get('/api/sessions/nobody/session-events')).status).toBe(404);
  expect((await get('/api/sessions/a/session-events?limit=x')).status).toBe(400);
});
