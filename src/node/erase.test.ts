import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { erasedSchema, storedSchema } from '../protocol/reading.ts';
import { readSettings, type Settings } from '../protocol/settings.ts';
import { createCollectorQuestions } from './cluster/collectorQuestions.ts';
import { ownerTests } from './owner.testkit.ts';

const { folder, start, stop } = ownerTests();

const at = (name: string) => path.join(folder(), name);

/** Every file of the store and of the home that holds this text, with its content as bytes. */
function filesWith(text: string): readonly string[] {
  const names = ['store', 'home'].flatMap((root) =>
    readdirSync(at(root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return names.filter((name) => readFileSync(name).includes(text)).map((name) => path.relative(folder(), name));
}

/** An owner as a window starts it: real store, real server, real spool. */
async function startOwning(changes: Partial<Settings> = {}) {
  const settings = { ...readSettings({}).settings, ...changes };
  const { home, log, url, headers } = await start({
    settings: () => settings,
  });
  const post = async (route: string, body: unknown) => {
    const answer = await fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  const get = async (route: string) => (await fetch(`${url}${route}`, { headers })).text();
  const hook = async (session: string, name: string, fields: object) => {
    const told = { hook_event_name: name, session_id: session, cwd: '/work/shop', ...fields };
    expect((await post('/ingest', told)).status).toBe(200);
  };
  const everywhere = async (session: string) => {
    const ofSession = ['', '/events', '/interactions', '/session-events', '/story', '/explanation'];
    const routes = ['/api/state', '/api/sessions', '/api/context', '/api/stats'];
    return (
      await Promise.all([...routes, ...ofSession.map((part) => `/api/sessions/${session}${part}`)].map(get))
    ).join();
  };
  return { home, log, url, headers, post, get, hook, everywhere };
}

type Owning = Awaited<ReturnType<typeof startOwning>>;

/** A turn whose every place holds words of its own. */
async function turn({ hook }: Pick<Owning, 'hook'>, session: string, mark: string, start = ''): Promise<void> {
  const call = {
    tool_name: 'Bash',
    tool_use_id: `t-${session}-${mark}`,
    tool_input: { command: `echo ${mark}-input` },
  };
  await hook(session, 'UserPromptSubmit', { prompt: `${start}please ${mark}-prompt` });
  await hook(session, 'PreToolUse', call);
  await hook(session, 'PostToolUse', { ...call, tool_response: { stdout: `${mark}-output` } });
  await hook(session, 'Notification', { notification_type: 'odd', message: `${mark}-notice` });
  await hook(session, 'SubagentStop', {
    agent_id: 'a1',
    agent_type: 'Explore',
    last_assistant_message: `${mark}-agent`,
  });
  await hook(session, 'Stop', { last_assistant_message: `done ${mark}-reply` });
}

/** A hook of a minute ago, as a forwarder leaves it. */
function waiting(home: Owning['home'], name: string, session: string, prompt: string): void {
  const _meta = { collected_at: new Date(Date.now() - 60_000).toISOString() };
  const told = { hook_event_name: 'UserPromptSubmit', session_id: session, cwd: '/work/shop', prompt, _meta };
  writeFileSync(path.join(home.spool, name), JSON.stringify(told));
}

function setAside(mark: string): void {
  mkdirSync(at('store/damaged'), { recursive: true });
  writeFileSync(at('store/damaged/journal-1-000001.from-20'), `${mark}-aside`);
}

test('CNV-4 an erased session is in no byte of the store and of the home, and the others are whole', async () => {
  const owner = await startOwning();
  await turn(owner, 'kept', 'KEPT');
  await turn(owner, 'gone', 'GONE');
  await stop();
  // By now the index has it; the next turn is in the log alone.
  const again = await startOwning();
  await turn(again, 'gone', 'GONE-again');
  setAside('GONE');
  const before = filesWith('GONE-');
  expect([...new Set(before.map((name) => name.replace(/\d+/g, 'N')))].toSorted()).toEqual([
    'store/damaged/journal-N-N.from-N',
    'store/index-gN.db',
    'store/log/N-gN.seg',
  ]);
  const { status, body } = await again.post('/api/sessions/gone/erase', {});
  expect([status, erasedSchema.parse(body)]).toEqual([200, { sessions: 1, events: 12, left: [] }]);
  expect([filesWith('GONE-'), filesWith('KEPT-prompt').length > 0]).toEqual([[], true]);
  expect(await again.everywhere('gone')).not.toContain('GONE-');
  expect(await again.everywhere('kept')).toContain('KEPT-reply');
  expect((await again.post('/api/sessions/gone/erase', {})).status).toBe(404);
});

test('CNV-4 everything goes: log, index, what was set aside, what waits, and drafts', async () => {
  const owner = await startOwning();
  await turn(owner, 'one', 'GONE');
  await turn(owner, 'two', 'GONE');
  await stop();
  const again = await startOwning();
  await turn(again, 'three', 'GONE');
  setAside('GONE');
  // A writer's own: the collector does not take it in.
  waiting(again.home, '.1700000000000-a.json.tmp', 'four', 'GONE-draft');
  const { body } = await again.post('/api/erase', { all: true });
  expect(erasedSchema.parse(body)).toEqual({ sessions: 3, events: 18, left: [] });
  expect([filesWith('GONE-'), filesWith('three')]).toEqual([[], []]);
  const stored = storedSchema.parse(JSON.parse(await again.get('/api/stored')));
  expect(stored).toMatchObject({ sessions: 0, events: 0, interactions: 0, oldest: null, spoolBytes: 0 });
});

test('CNV-4 only the session that is meant goes, whatever its id looks like', async () => {
  const owner = await startOwning();
  const questions = createCollectorQuestions(owner.home);
  const ids = ['kept', '.', '..', '%2e%2e', '~002e', 'a/../b', 'half \ud800', 'half \ufffd'];
  for (const id of ids) await turn(owner, id, 'WORDS');
  const there = async () => (await questions.sessions({ limit: 100 }))?.items.map(({ id }) => id).toSorted();
  expect(await there()).toEqual(ids.toSorted());
  for (const [index, id] of ids.entries()) {
    if (index === 0) continue;
    expect([id, (await questions.session(id))?.id]).toEqual([id, id]);
    expect([id, await questions.erase(id)]).toEqual([id, { sessions: 1, events: 6, left: [] }]);
    expect(await there()).toEqual([...ids.slice(index + 1), 'kept'].toSorted());
  }
});

test('CNV-4 all goes only where all is said, and never by an address that is folded', async () => {
  const owner = await startOwning();
  await turn(owner, 'kept', 'KEPT');
  const { url, headers } = owner;
  /** As it is written: `fetch` folds an address before it asks. */
  const ask = (route: string, body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      request({ hostname, port, method: 'POST', path: route, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      })
        .on('error', reject)
        .end(body);
    });
  for (const part of ['..', '.', '%2e%2E', '.%2e', 'x/..', '%2e']) {
    expect([part, await ask(`/api/sessions/${part}/erase`, '{"all":true}')]).toEqual([part, 400]);
  }
  expect(await ask('/api/sessions/x\\..\\..\\erase', '{"all":true}')).toBe(400);
  for (const body of ['', '{}', '{"all":1}', '[]', '{"all":true,"session":"kept"}']) {
    expect([body, await ask('/api/erase', body)]).toEqual([body, 400]);
  }
  for (const body of ['', '[]', '{"all":true}']) {
    expect([body, await ask('/api/sessions/kept/erase', body)]).toEqual([body, 400]);
  }
  expect((await owner.post('/api/erase', {})).body).toEqual({
    error: 'this takes away what can’t be brought back: send {"all": true}',
  });
  expect(await owner.everywhere('kept')).toContain('KEPT-reply');
});

test('CNV-4 what a disk refuses once it is erased is named, keeps nothing else from going, and is no failure', async () => {
  const owner = await startOwning();
  await turn(owner, 'gone', 'GONE');
  rmSync(owner.home.spool, { recursive: true });
  // Files where folders should be: neither can be listed.
  writeFileSync(owner.home.spool, '');
  writeFileSync(at('store/damaged'), '');
  const { status, body } = await owner.post('/api/sessions/gone/erase', {});
  expect([status, erasedSchema.parse(body)]).toEqual([
    200,
    { sessions: 1, events: 6, left: [owner.home.spool, at('store/damaged')] },
  ]);
  expect(filesWith('GONE-')).toEqual([]);
  expect((await owner.post('/api/sessions/gone/erase', {})).status).toBe(404);
});

test.each([-100, -30, 0, 1 / 48])(
  'CNV-5 after everything was erased each hook is stored again, by a clock that is %f days off, and also by the next owner',
  async (days) => {
    const owner = await startOwning();
    await turn(owner, 'gone', 'GONE');
    expect((await owner.post('/api/erase', { all: true })).status).toBe(200);
    const _meta = { collected_at: new Date(Date.now() + days * 86_400_000).toISOString() };
    const told = { hook_event_name: 'UserPromptSubmit', session_id: 'gone', cwd: '/work/shop', _meta };
    const answer = await owner.post('/ingest', { ...told, prompt: 'FRESH-first' });
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/./) } });
    expect(answer.body).not.toHaveProperty('duplicate');
    await owner.hook('new', 'UserPromptSubmit', { prompt: 'FRESH-new', _meta });
    await stop();
    const again = await startOwning();
    await again.hook('gone', 'UserPromptSubmit', { prompt: 'FRESH-second', _meta });
    const shown = `${await again.everywhere('gone')}${await again.everywhere('new')}`;
    for (const mark of ['FRESH-first', 'FRESH-second', 'FRESH-new']) expect(shown).toContain(mark);
    expect(filesWith('GONE-')).toEqual([]);
  },
);

test.each([30, -30])(
  'CNV-5 everything is erased while the clock is %i days off: hooks are stored then, and when it is right again, and nothing old',
  async (days) => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: now + days * 86_400_000 });
    try {
      const owner = await startOwning();
      await turn(owner, 'gone', 'GONE');
      await owner.post('/api/erase', { all: true });
      await owner.hook('gone', 'UserPromptSubmit', { prompt: 'FRESH-then' });
      vi.setSystemTime(now);
      await owner.hook('gone', 'UserPromptSubmit', { prompt: 'FRESH-now' });
      const shown = await owner.everywhere('gone');
      expect([shown.includes('FRESH-then'), shown.includes('FRESH-now'), filesWith('GONE-')]).toEqual([true, true, []]);
    } finally {
      vi.useRealTimers();
    }
  },
);

test('CNV-5 erases waiting files of the spool, and stores files that arrive later, whatever time they bear', async () => {
  const owner = await startOwning();
  await turn(owner, 'gone', 'GONE');
  waiting(owner.home, '1700000000000-a.json', 'gone', 'GONE-waited');
  await owner.post('/api/erase', { all: true });
  waiting(owner.home, '1700000000000-b.json', 'gone', 'FRESH-waited');
  await vi.waitFor(() => expect(readdirSync(owner.home.spool)).toEqual([]));
  await vi.waitFor(async () => expect(await owner.everywhere('gone')).toContain('FRESH-waited'));
  expect([filesWith('GONE-'), await owner.everywhere('gone')]).toEqual([[], expect.not.stringContaining('GONE-')]);
});

test('CNV-4 a turn that begins with the marker is nowhere, the turns beside it are, and a new owner goes on with it', async () => {
  const owner = await startOwning();
  await turn(owner, 's', 'FIRST');
  await turn(owner, 's', 'QUIET', '\n  [Private] ');
  await turn(owner, 'other', 'OTHER');
  await stop();
  const again = await startOwning();
  await again.hook('s', 'PreToolUse', { tool_name: 'Bash', tool_use_id: 't9', tool_input: { command: 'QUIET-after' } });
  await again.hook('s', 'Stop', { last_assistant_message: 'QUIET-after' });
  expect([filesWith('QUIET-'), await again.everywhere('s')]).toEqual([[], expect.not.stringContaining('QUIET-')]);
  await turn(again, 's', 'LATER');
  const shown = await again.everywhere('s');
  for (const mark of ['FIRST-prompt', 'FIRST-reply', 'LATER-prompt', 'LATER-reply', 'LATER-output']) {
    expect(shown).toContain(mark);
  }
  expect(await again.everywhere('other')).toContain('OTHER-reply');
  expect(JSON.parse(await again.get('/api/sessions/s'))).toMatchObject({
    title: 'please FIRST-prompt',
    counts: { prompts: 3 },
  });
});

test('CNV-4 a marked prompt that waited in the spool takes its turn from every byte that has it by then, and no other', async () => {
  const owner = await startOwning();
  const before = { collected_at: new Date(Date.now() - 90_000).toISOString() };
  const { hook } = owner;
  await turn({ hook: (id, name, fields) => hook(id, name, { ...fields, _meta: before }) }, 's', 'FIRST');
  await hook('s', 'PreToolUse', { tool_name: 'Bash', tool_use_id: 't9', tool_input: { command: 'QUIET-input' } });
  await hook('s', 'Stop', { last_assistant_message: 'QUIET-reply' });
  expect([filesWith('QUIET-').length > 0, await owner.everywhere('s')]).toEqual([
    true,
    expect.stringContaining('QUIET-reply'),
  ]);
  waiting(owner.home, '1700000000000-a.json', 's', '[private] QUIET-prompt');
  await vi.waitFor(() => expect(filesWith('QUIET-')).toEqual([]), { timeout: 20_000, interval: 50 });
  expect(await owner.everywhere('s')).toEqual(expect.not.stringContaining('QUIET-'));
  expect(await owner.everywhere('s')).toContain('FIRST-reply');
  expect(JSON.parse(await owner.get('/api/sessions/s'))).toMatchObject({ counts: { prompts: 2, toolCalls: 2 } });
});

test.each<[string, Partial<Settings>]>([
  ['altogether', { 'logging.enabled': false }],
  ['for its project', { 'logging.excludedProjects': ['/work/shop/'] }],
  ['for a folder above', { 'logging.excludedProjects': ['/elsewhere', '/work'] }],
])('CNV-4 logging is off %s: that something happens is shown, and nothing of what it says', async (_how, changes) => {
  const owner = await startOwning(changes);
  await turn(owner, 's', 'QUIET');
  expect([filesWith('QUIET-'), await owner.everywhere('s')]).toEqual([[], expect.not.stringContaining('QUIET-')]);
  expect(JSON.parse(await owner.get('/api/sessions/s'))).toMatchObject({
    title: '',
    phase: 'interactable',
    project: '/work/shop',
    counts: { prompts: 1, replies: 1, toolCalls: 1 },
  });
});

test('CNV-4 MEM-3 what a later session was told of an erased one goes with it', async () => {
  const owner = await startOwning();
  await turn(owner, 'gone', 'GONE');
  await owner.hook('gone', 'SessionEnd', { reason: 'other' });
  await owner.hook('later', 'SessionStart', { source: 'startup' });
  await turn(owner, 'later', 'LATER');
  expect(await owner.everywhere('later')).toContain('GONE-prompt');
  await owner.post('/api/sessions/gone/erase', {});
  expect([filesWith('GONE-'), await owner.everywhere('later')]).toEqual([[], expect.not.stringContaining('GONE-')]);
  expect(await owner.everywhere('later')).toContain('LATER-reply');
});

test('CNV-4 what is stored is told in numbers, with its folders and how long it stays', async () => {
  const owner = await startOwning({ 'retention.days': 7 });
  await turn(owner, 's', 'KEPT');
  const stored = storedSchema.parse(JSON.parse(await owner.get('/api/stored')));
  expect(stored).toMatchObject({
    folders: [at('store'), owner.home.spool],
    sessions: 1,
    events: 6,
    interactions: 3,
    retentionDays: 7,
    retentionMegabytes: 2_000,
    logging: true,
  });
  expect(stored.journalBytes).toBeGreaterThan(1_000);
  expect(Date.parse(stored.oldest ?? '')).toBeGreaterThan(Date.now() - 60_000);
});
