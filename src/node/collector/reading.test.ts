import { afterEach, describe, expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { interactionSchema } from '../../protocol/reading.ts';
import { collectorUnderTest } from './collector.testkit.ts';

const MINUTE = 60_000;
const base = { session_id: 's', cwd: '/home/me/shop' };
const start = { ...base, hook_event_name: 'SessionStart', source: 'startup' };
const prompt = { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'hello' };
const stop = { ...base, hook_event_name: 'Stop', last_assistant_message: 'done' };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly next: string | null;
}

/** Each hook is a second later than the one before, from five minutes ago on. */
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  let at = parts.clock.now() - 5 * MINUTE;
  async function send(...hooks: readonly object[]): Promise<void> {
    for (const hook of hooks) {
      at += 1_000;
      const answer = await parts.post({ ...hook, _meta: { collected_at: new Date(at).toISOString() } });
      expect(answer.status, answer.text).toBe(200);
    }
  }
  async function read(path: string): Promise<Record<string, unknown>> {
    const answer = await parts.get(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.json();
  }
  const page = async (path: string) => (await read(path)) as unknown as Page;
  /** All of a list, in pages of `limit`. */
  async function all(path: string, limit = 500): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    let cursor = '';
    do {
      const part = await page(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
      expect(part.items.length).toBeLessThanOrEqual(limit);
      items.push(...part.items);
      cursor = part.next === null ? '' : `&cursor=${encodeURIComponent(part.next)}`;
    } while (cursor !== '');
    return items;
  }
  return { ...parts, send, read, page, all };
}

describe('COL-6 lists', () => {
  const lists = [
    '/api/agents',
    '/api/sessions',
    '/api/sessions/s/events',
    '/api/sessions/s/interactions',
    '/api/search?q=e',
    '/api/work-items',
  ];

  test.each(lists)('COL-6 %s is the same in pages of any size', async (path) => {
    const { send, all } = await setUp();
    for (const session_id of ['s', 'x', 'y', 'z', 'w'])
      await send({ ...prompt, session_id }, { ...prompt, session_id, prompt: 'more' }, { ...stop, session_id });
    const whole = await all(path);
    expect(whole.length).toBe(
      { '/api/work-items': 0, '/api/agents': 5, '/api/sessions': 5, '/api/search?q=e': 15 }[path] ?? 3,
    );
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    for (const limit of [1, 2, 3, 4]) expect(await all(path, limit)).toEqual(whole);
  });

  const bad: readonly [string, string][] = [
    ['limit=0', 'limit must be a whole number from 1 to 500'],
    ['limit=501', 'limit must be a whole number from 1 to 500'],
    ['limit=-1', 'limit must be a whole number'],
    ['limit=1.5', 'limit must be a whole number'],
    ['limit=1e2', 'limit must be a whole number'],
    ['limit=0x10', 'limit must be a whole number'],
    ['limit=', 'limit must be a whole number'],
    ['limit=x', 'limit must be a whole number'],
    ['limit=5&limit=x', 'limit must be a whole number'],
    ['cursor=', 'cursor must be the `next`'],
    ['cursor=nonsense', 'take it from `next`'],
    ['cursor=e30', 'take it from `next`'],
    [`cursor=${'x'.repeat(5_000)}`, 'cursor must be the `next`'],
  ];
  test.each(bad)('COL-6 %s is refused everywhere, with what to do', async (query, words) => {
    const { get, send } = await setUp();
    await send(prompt);
    for (const path of lists) {
      const answer = await get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      expect([path, answer.status, answer.json()]).toEqual([
        path,
        400,
        { error: expect.stringContaining(words) as string },
      ]);
    }
  });

  test('COL-6 the cursor of one list is none of another', async () => {
    const { get, page, send } = await setUp();
    for (const session_id of ['s', 't']) await send({ ...prompt, session_id }, { ...stop, session_id });
    const full = lists.filter((path) => path !== '/api/work-items').concat('/api/sessions/t/events');
    for (const from of full) {
      const { next } = await page(`${from}${from.includes('?') ? '&' : '?'}limit=1`);
      const answers = await Promise.all(
        full.map((path) => get(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(String(next))}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(full.map((path) => (path === from ? 200 : 400)));
    }
  });

  const parts = ['interactions', 'events', 'explanation', 'observations', 'statistics', 'session-events', 'story'];
  test.each(['', ...parts.map((part) => `/${part}`)])('COL-6 an unknown session%s: 404', async (part) => {
    const { get, send } = await setUp();
    await send(prompt);
    for (const id of ['none', '__proto__', '%00', '%E0%A4%A', 's%2Fmain', 'S']) {
      const answer = await get(`/api/sessions/${id}${part}`);
      expect([id, answer.status, answer.json()]).toEqual([id, 404, { error: 'no session has this id' }]);
    }
  });

  test.each(['a/b', '세션 1', 's?x=1#y', '%41', '{id}'])('COL-6 a session may be called anything: %s', async (id) => {
    const { read, all, send } = await setUp();
    await send({ ...prompt, session_id: id }, { ...stop, session_id: id });
    const path = `/api/sessions/${encodeURIComponent(id)}`;
    expect((await read(path))['id']).toBe(id);
    expect((await all(`${path}/events`)).map((event) => event['session_id'])).toEqual([id, id]);
  });

  test.each([
    '/api',
    '/api/',
    '/api/sessions/',
    '/api/sessions/s/',
    '/api/sessions/s/none',
    '/api/state/x',
    '/api//state',
    '//',
  ])('COL-6 %s is nothing', async (path) => {
    const { get, send } = await setUp();
    await send(prompt);
    expect((await get(path)).status).toBe(404);
  });
});

describe('COL-6 sessions', () => {
  test('COL-6 the newest are first, and each is as the live state shows it rather than as it was stored', async () => {
    const { send, all, read, clock, hub, store } = await setUp();
    await send({ ...prompt, session_id: 'a' }, { ...prompt, session_id: 'b' }, { ...stop, session_id: 'a' });
    clock.advance(16 * MINUTE);
    expect(JSON.parse(store.session('a')?.json ?? '')).toMatchObject({ session: { state: 'active' } });
    const live = hub.snapshot();
    expect(live.sessions.map(({ state }) => state)).toEqual(['idle', 'idle']);
    const sessions = ['a', 'b'].map((id) => live.sessions.find((session) => session.id === id));
    expect(await all('/api/sessions')).toEqual(JSON.parse(JSON.stringify(sessions)));
    expect(await read('/api/sessions/a')).toEqual({
      ...JSON.parse(JSON.stringify(sessions[0])),
      agents: JSON.parse(JSON.stringify(live.agents.filter(({ sessionId }) => sessionId === 'a'))),
    });
    expect(await read('/api/sessions/a/explanation')).toMatchObject({
      state: 'idle',
      phase: null,
      steps: [{ event: 'user_prompt' }, { event: 'turn_ended' }, { event: 'idle', by: 'silence' }],
    });
  });

  test('COL-6 a session that is live no more is read from the store, and has gone stale', async () => {
    const { send, read, page, post, clock, hub } = await setUp();
    await send({ ...prompt, session_id: 'old' });
    clock.advance(25 * 60 * MINUTE);
    await post({ ...prompt, session_id: 'new' });
    expect(hub.snapshot().sessions.map(({ id }) => id)).toEqual(['new']);
    expect((await page('/api/sessions')).items.map(({ id, state }) => [id, state])).toEqual([
      ['new', 'active'],
      ['old', 'stale'],
    ]);
    expect(await read('/api/sessions/old')).toMatchObject({
      state: 'stale',
      phase: null,
      agents: [{ id: 'old/main', mood: 'sleeping' }],
    });
    expect((await page('/api/sessions/old/interactions')).items.length).toBe(1);
    expect(await read('/api/stats')).toMatchObject({ sessions: 2, active: 1 });
  });

  test('COL-6 the explanation tells the steps to the present phase, and who told them', async () => {
    const { send, read } = await setUp();
    const call = { ...base, tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't1' };
    await send(
      start,
      prompt,
      { ...call, hook_event_name: 'PreToolUse' },
      { ...call, hook_event_name: 'PermissionRequest' },
    );
    const { steps, ...now } = await read('/api/sessions/s/explanation');
    const session = await read('/api/sessions/s');
    expect(now).toEqual({
      sessionId: 's',
      title: 'hello',
      agents: [expect.objectContaining({ id: 's/main', kind: 'main' })],
      state: 'active',
      phase: 'waiting_permission',
      because: session['phaseBecause'],
      since: session['phaseSince'],
    });
    expect((steps as { hook: string; to: { phase: string } }[]).map(({ hook, to }) => [hook, to.phase])).toEqual([
      ['SessionStart', 'interactable'],
      ['UserPromptSubmit', 'busy'],
      ['PermissionRequest', 'waiting_permission'],
    ]);
  });

  test('EVT-4 the events of a session are the normalised ones as they are stored', async () => {
    const { send, all, store } = await setUp();
    await send(start, prompt, stop);
    const events = await all('/api/sessions/s/events');
    expect(events).toEqual(store.events('s'));
    expect(events.map((event) => event['event_type'])).toEqual(['session_started', 'user_prompt', 'turn_ended']);
  });
});

describe('CNV-1 interactions', () => {
  test('CNV-1 prompts and replies, oldest first, also the final ones of sub-agents', async () => {
    const { send, all } = await setUp();
    const sub = { ...base, agent_id: 'a1', agent_type: 'Explore' };
    await send(
      start,
      prompt,
      { ...sub, hook_event_name: 'SubagentStart' },
      { ...sub, hook_event_name: 'SubagentStop', last_assistant_message: 'found it' },
      { ...base, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } },
      stop,
      { ...prompt, prompt: '<task-notification>background work is done</task-notification>' },
      { ...base, hook_event_name: 'StopFailure', error: 'rate_limit', last_assistant_message: 'API Error' },
      { ...prompt, session_id: 'other', prompt: 'elsewhere' },
    );
    const interactions = await all('/api/sessions/s/interactions');
    for (const each of interactions) expect(Object.keys(each)).toEqual(Object.keys(interactionSchema.shape));
    expect(interactions.map((each) => [each['role'], each['agentId'], each['skillName'], each['content']])).toEqual([
      ['user', 's/main', 'user_prompt', 'hello'],
      ['assistant', 's/a1', 'claude_response', 'found it'],
      ['assistant', 's/main', 'claude_response', 'done'],
    ]);
  });
});

test('CNV-1 a reply that only the transcript told is read and found like the others, one that a Stop told once', async () => {
  const { send, all, store } = await setUp();
  await send(
    prompt,
    { ...stop, last_assistant_message: undefined },
    { ...prompt, session_id: 't' },
    { ...stop, session_id: 't' },
  );
  for (const session_id of ['s', 't']) {
    const payload = { message: 'done' };
    const { ts } = store.events(session_id).at(-1)!;
    const event = anEvent(1, 'last_reply_found', payload, {
      id: `found-${session_id}`,
      session_id,
      ts,
      source: 'transcript',
    });
    await store.append([
      { event: { ...event, agent_id: `${session_id}/main` }, keys: [], rank: rankOf('last_reply_found') },
    ]);
  }
  for (const limit of [1, 500]) {
    const said = await Promise.all(['s', 't'].map((id) => all(`/api/sessions/${id}/interactions`, limit)));
    expect(said.map((each) => each.map(({ role, content }) => [role, content]))).toEqual([
      [
        ['user', 'hello'],
        ['assistant', 'done'],
      ],
      [
        ['user', 'hello'],
        ['assistant', 'done'],
      ],
    ]);
    const hits = await all('/api/search?q=DONE', limit);
    expect(hits.map((hit) => [hit['sessionId'], hit['sessionTitle'], hit['id'] === 'found-s'])).toEqual([
      ['t', 'hello', false],
      ['s', 'hello', true],
    ]);
  }
});

describe('COL-6 search', () => {
  const said = [
    'Fix THE login form',
    '로그인 화면을 고쳐 줘',
    '日本語のテストを書く',
    '100% of a_b',
    'say "hi"\n\\o/',
    'Élan',
  ];
  test.each([
    ['login FORM', ['Fix THE login form']],
    ['로그인', ['로그인 화면을 고쳐 줘']],
    ['로그인'.normalize('NFD'), ['로그인 화면을 고쳐 줘']],
    ['テスト', ['日本語のテストを書く']],
    ['の', ['日本語のテストを書く']],
    ['%', ['100% of a_b']],
    ['a_b', ['100% of a_b']],
    ['0_', []],
    ['"hi"\n\\', ['say "hi"\n\\o/']],
    ['éLAN', ['Élan']],
    ['  login  ', ['Fix THE login form']],
    ['done', ['done']],
    ['user_prompt', []],
    ['UserPromptSubmit', []],
    ['/home/me', []],
  ])('COL-6 finds %j where it was said, and nowhere else', async (q, expected) => {
    const { send, all } = await setUp();
    await send(...said.map((text) => ({ ...prompt, prompt: text })), stop);
    const hits = await all(`/api/search?q=${encodeURIComponent(q)}`);
    expect(hits.map((hit) => hit['content'])).toEqual(expected);
  });

  test('COL-6 hits are the newest first over all sessions, each with its session’s title', async () => {
    const { send, page, all } = await setUp();
    for (let i = 0; i < 4; i++) {
      const session_id = `s${i}`;
      await send(
        { ...prompt, session_id, prompt: `needle ${i}` },
        { ...stop, session_id, last_assistant_message: 'hay' },
      );
    }
    const expected = [3, 2, 1, 0].map((i) => [`s${i}`, `needle ${i}`, `needle ${i}`]);
    const row = (hit: Record<string, unknown>) => [hit['sessionId'], hit['content'], hit['sessionTitle']];
    expect((await all('/api/search?q=NEEDLE')).map(row)).toEqual(expected);
    const first = await page('/api/search?q=needle&limit=3');
    expect(first.items.map(row)).toEqual(expected.slice(0, 3));
    expect(first.next).not.toBeNull();
    expect(await page('/api/search?q=nowhere')).toEqual({ items: [], next: null });
  });

  test('CNV-3 a search is narrowed down by project, role and time', async () => {
    const projects = { locate: (path: string) => Promise.resolve({ path: path.split('/').slice(0, 3).join('/') }) };
    const { send, all } = await setUp({ projects });
    for (const [index, folder] of ['/p/shop/src', '/p/till', '/p/shop'].entries()) {
      const session = { session_id: `s${index}`, cwd: folder };
      await send(
        { ...prompt, ...session, prompt: `로그인 ${index}` },
        { ...stop, ...session, last_assistant_message: `로그인 화면 ${index}` },
      );
    }
    const found = async (filters: Record<string, string>) => {
      const hits = await all(`/api/search?${new URLSearchParams({ q: '로그인', ...filters }).toString()}`);
      return hits.map((hit) => hit['content']);
    };
    const [, , third = {}] = (await all('/api/search?q=%EB%A1%9C%EA%B7%B8%EC%9D%B8')).toReversed();
    const moment = String(third['ts']);
    expect({
      project: await found({ project: '/p/shop', role: 'user' }),
      folder: await found({ project: '/p/shop/docs/en', role: 'user' }),
      other: await found({ project: '/p/till' }),
      none: await found({ project: '/p/none' }),
      assistant: await found({ role: 'assistant' }),
      from: await found({ from: moment, role: 'user' }),
      zone: await found({ from: moment.replace('Z', '+00:00'), to: '2999-01-01T00:00:00+09:00', role: 'user' }),
      to: await found({ to: moment }),
      never: await found({ from: '9999-12-31T23:59:59-01:00' }),
      always: await found({ from: '0000-01-01T00:00:00+01:00', to: '9999-12-31T23:59:59-01:00', role: 'user' }),
    }).toEqual({
      project: ['로그인 2', '로그인 0'],
      folder: ['로그인 2', '로그인 0'],
      other: ['로그인 화면 1', '로그인 1'],
      none: [],
      assistant: ['로그인 화면 2', '로그인 화면 1', '로그인 화면 0'],
      from: ['로그인 2', '로그인 1'],
      zone: ['로그인 2', '로그인 1'],
      to: ['로그인 화면 0', '로그인 0'],
      never: [],
      always: ['로그인 2', '로그인 1', '로그인 0'],
    });
  });

  test.each([
    ['role=robot', /role/],
    ['from=yesterday', /from must be a moment like/],
    ['to=2026-01-31', /to must be a moment like/],
  ])('CNV-3 %s is refused with what to do', async (query, words) => {
    const { get } = await setUp();
    const answer = await get(`/api/search?q=x&${query}`);
    expect([answer.status, answer.json()]).toEqual([400, { error: expect.stringMatching(words) as string }]);
  });

  test.each(['', '?q=', '?q=%20%20', `?q=${'x'.repeat(201)}`])(
    'COL-6 /api/search%s says what is missing',
    async (query) => {
      const { get } = await setUp();
      const answer = await get(`/api/search${query}`);
      expect([answer.status, answer.json()]).toEqual([
        400,
        { error: expect.stringMatching(/q must be given/) as string },
      ]);
    },
  );
});

describe('MEM-3 context', () => {
  const projects = { locate: (path: string) => Promise.resolve({ path: path.split('/').slice(0, 3).join('/') }) };
  const titlesIn = (context: unknown) => String(context).match(/"[^"]+"/g) ?? [];

  test('MEM-3 the last sessions of the project of that folder, newest first', async () => {
    const { send, read } = await setUp({ projects });
    for (let i = 0; i < 8; i++) {
      const cwd = i % 2 === 0 ? '/p/shop/src' : '/p/till';
      await send({ ...prompt, session_id: `s${i}`, cwd, prompt: `job ${i}` });
    }
    // Started and left again: nothing to remember.
    await send({ ...start, session_id: 'idle', cwd: '/p/shop' });
    const answers = await Promise.all(
      ['?cwd=/p/shop/docs/en', '?cwd=/p/till&limit=2', '', '?cwd=/p/none', '?cwd=/p'].map((query) =>
        read(`/api/context${query}`),
      ),
    );
    expect(answers.map(({ context, sessions }) => [sessions, titlesIn(context)])).toEqual([
      [4, ['"job 6"', '"job 4"', '"job 2"', '"job 0"']],
      [2, ['"job 7"', '"job 5"']],
      [5, ['"job 7"', '"job 6"', '"job 5"', '"job 4"', '"job 3"']],
      [0, []],
      [0, []],
    ]);
    for (const { context, tokens } of answers) expect(tokens).toBe(Math.ceil(String(context).length / 4));
    expect(answers[0]?.['context']).toContain('4 minutes ago');
    expect(answers[2]?.['context']).toContain('project shop');
  });

  test.each(['limit=0', 'limit=51', 'limit=x', 'cwd=', `cwd=${'x'.repeat(4_097)}`])('MEM-3 %s: 400', async (query) => {
    const { get } = await setUp();
    const answer = await get(`/api/context?${query}`);
    expect([answer.status, Object.keys(answer.json())]).toEqual([400, ['error']]);
  });
});

test('COL-6 stats are the totals of all that is stored, also by provider', async () => {
  const { send, read, store } = await setUp();
  const call = { ...base, tool_name: 'Bash', tool_input: { command: 'false' }, tool_use_id: 't1' };
  await send(
    prompt,
    { ...call, hook_event_name: 'PreToolUse' },
    { ...call, hook_event_name: 'PostToolUseFailure', error: 'Exit code 1' },
    stop,
    { ...prompt, session_id: 'b' },
    { ...base, session_id: 'b', hook_event_name: 'SessionEnd', reason: 'other' },
  );
  const totals = {
    sessions: 2,
    active: 1,
    prompts: 2,
    replies: 1,
    toolCalls: 1,
    failures: 1,
    tokensIn: 0,
    tokensOut: 0,
  };
  expect(await read('/api/stats')).toEqual({
    ...totals,
    events: store.eventCount(),
    byProvider: { claude: totals },
    spool: { waiting: 0, bytes: 0, dropped: 0 },
    storing: { ok: true },
  });
});

test('COL-6 STO-3 the totals say whether events are stored, and /api/storing says it without counting', async () => {
  const { send, read, store, clock } = await setUp();
  await send(prompt);
  store.failAppendsWith(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
  const since = new Date(clock.now()).toISOString();
  await expect(send({ ...prompt, prompt: 'more' })).rejects.toThrow();
  const storing = { ok: false, code: 'ENOSPC', since, refused: 1 };
  expect(await read('/api/stats')).toMatchObject({ sessions: 1, storing });
  expect(await read('/api/storing')).toEqual({ spool: { waiting: 0, bytes: 0, dropped: 0 }, storing });
  store.failAppendsWith(undefined);
  await send({ ...prompt, prompt: 'again' });
  expect(await read('/api/storing')).toMatchObject({ storing: { ok: true } });
});

test('COL-6 an empty collector answers every list with an empty page', async () => {
  const { page, read } = await setUp();
  for (const path of ['agents', 'sessions', 'work-items', 'search?q=x'])
    expect(await page(`/api/${path}`)).toEqual({ items: [], next: null });
  expect(await read('/api/context')).toEqual({ context: '', sessions: 0, tokens: 0 });
});

test('COL-6 what people read is in camelCase', async () => {
  const { send, read } = await setUp();
  await send(start, prompt, stop);
  const paths = [
    'state',
    'agents',
    'sessions',
    'sessions/s',
    'sessions/s/interactions',
    'sessions/s/explanation',
    'search?q=h',
    'stats',
    'context',
  ];
  const odd = (await Promise.all(paths.map((path) => read(`/api/${path}`))))
    .flatMap(keysIn)
    .filter((key) => !/^[a-z][a-zA-Z]*$/.test(key));
  expect(odd).toEqual([]);
});

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}
