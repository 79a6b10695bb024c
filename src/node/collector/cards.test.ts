import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Collector } from '../../app/windowPorts.ts';
import { emptyCast } from '../../domain/cast.ts';
import { type CastFile } from '../../protocol/cast.ts';
import type { PortFile } from '../../protocol/discovery.ts';
import { createCollectorQuestions } from '../cluster/collectorQuestions.ts';
import { createCastFile } from '../machine/castFile.ts';
import { collectorUnderTest } from './collector.testkit.ts';

type UnderTest = Awaited<ReturnType<typeof collectorUnderTest>>;
let open: UnderTest | undefined;
let folder = '';

afterEach(async () => {
  await open?.collector.close();
  open = undefined;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A window that follows, or the owner itself: both ask by the port file. */
async function setUp(): Promise<{ under: UnderTest; questions: Collector; portFile: string }> {
  folder = mkdtempSync(path.join(tmpdir(), 'cards-'));
  const under = await collectorUnderTest();
  open = under;
  const portFile = path.join(folder, 'collector.json');
  const personKey = path.join(folder, 'person.key');
  writeFileSync(personKey, under.personToken, { mode: 0o600 });
  const { url, port } = under.collector;
  const content: PortFile = {
    version: 1,
    url,
    port,
    token: under.token,
    pid: process.pid,
    instance: 'i',
    generation: 1,
    startedAt: new Date().toISOString(),
    app: 'test',
  };
  writeFileSync(portFile, JSON.stringify(content), { mode: 0o600 });
  return { under, questions: createCollectorQuestions({ portFile, personKey }), portFile };
}

const hook = (hook_event_name: string, more: Record<string, unknown> = {}) => ({
  hook_event_name,
  session_id: 's 1/ü',
  cwd: '/p',
  ...more,
});

test('CNV-1 long replies in letters of three bytes come in pages, none of which is too large to be read', async () => {
  const { under, questions } = await setUp();
  const reply = '가'.repeat(350_000);
  for (let turn = 0; turn < 6; turn++) {
    await under.post(hook('UserPromptSubmit', { prompt: `p${turn}` }));
    await under.post(hook('Stop', { last_assistant_message: `${turn}${reply}` }));
  }
  const replies: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await questions.list('s 1/ü', 'interactions', { limit: 500, cursor });
    if (page === undefined || page === 'unknown') throw new Error('nobody answers');
    for (const { role, content } of page.items) if (role === 'assistant') replies.push(content.slice(0, 3));
    if (page.next === null) break;
    cursor = page.next;
  }
  // They came within a millisecond or two.
  expect(replies.toSorted()).toEqual(['0가가', '1가가', '2가가', '3가가', '4가가', '5가가']);
});

test('UI-3 any window gets the story of a session, and of one that nobody knows none', async () => {
  const { under, questions } = await setUp();
  await under.post(hook('UserPromptSubmit', { prompt: 'hello' }));
  const call = { tool_name: 'Read', tool_input: { file_path: '/p/a.ts' }, tool_use_id: 't1' };
  await under.post(hook('PreToolUse', call));
  await under.post(hook('PostToolUse', { ...call, tool_response: {} }));
  const story = await questions.story('s 1/ü');
  expect(story?.steps.map(({ kind, target }) => [kind, target])).toEqual([
    ['tool', '/p/a.ts'],
    ['prompt', undefined],
  ]);
  expect(story?.files.map(({ path: file }) => file)).toEqual(['/p/a.ts']);
  expect(await questions.story('nobody')).toBeUndefined();
  expect(await questions.story('\ud800')).toBeUndefined();
});

test('CNV-3 a conversation comes whole over its pages', async () => {
  const { under, questions } = await setUp();
  for (let index = 0; index < 230; index++) {
    const collected_at = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    await under.post(hook('UserPromptSubmit', { prompt: `prompt ${index}`, _meta: { collected_at } }));
  }
  const contents: string[] = [];
  for (let cursor: string | undefined, end = false; !end;) {
    const page = await questions.list('s 1/ü', 'interactions', { limit: 200, cursor });
    if (page === undefined || page === 'unknown') break;
    contents.push(...page.items.map(({ content }) => content));
    end = page.next === null;
    cursor = page.next ?? undefined;
  }
  expect(contents).toEqual(Array.from({ length: 230 }, (_, index) => `prompt ${index}`));
  expect(await questions.list('nobody', 'interactions', {})).toBe('unknown');
});

test('AGT-1 a look is changed by any window, and what can’t be is refused with what to do', async () => {
  const { under, questions } = await setUp();
  await under.post(hook('SessionStart', { source: 'startup' }));
  expect(await questions.changeLook('s 1/ü/main', { name: 'Ada' })).toBe('changed');
  expect(under.hub.snapshot().agents[0]?.name).toBe('Ada');
  expect(await questions.changeLook('nobody', { name: 'Ada' })).toBe('unknown');
  const look = `/api/agents/${encodeURIComponent('s 1/ü/main')}/look`;
  const asked = async (body: string) => {
    const { status, json } = await under.ask('POST', look, body);
    return [status, json()['error']];
  };
  expect(await asked(JSON.stringify({ name: 'x'.repeat(41) }))).toEqual([
    400,
    'name: must be 40 characters at the most',
  ]);
  expect((await asked('{"pinned":"yes"}'))[0]).toBe(400);
  expect((await asked('{"seed":5}'))[0]).toBe(400);
  expect((await asked('nonsense'))[0]).toBe(400);
  expect(await asked('{}')).toEqual([400, 'the body: must hold name, pinned or hidden']);
});

test('AGT-1 a look can be changed by nobody who has no token', async () => {
  const { under } = await setUp();
  await under.post(hook('SessionStart', { source: 'startup' }));
  const look = `/api/agents/${encodeURIComponent('s 1/ü/main')}/look`;
  const answer = await under.ask('POST', look, '{"name":"Eve"}', { authorization: undefined });
  expect([answer.status, under.hub.snapshot().agents[0]?.name]).not.toContain('Eve');
  expect(answer.status).toBe(401);
});

test('UI-3 without a collector nobody is asked for long', async () => {
  const { under, questions, portFile } = await setUp();
  await under.collector.close();
  open = undefined;
  expect(await questions.story('s')).toBeUndefined();
  expect(await questions.changeLook('a', { name: 'Ada' })).toBe('silent');
  rmSync(portFile);
  expect(await questions.list('s', 'interactions', {})).toBeUndefined();
});

test('AGT-1 names and pins are kept in a file that a person can read, and a broken one is set aside', async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cards-'));
  const file = path.join(folder, 'cast.json');
  const lines: string[] = [];
  const log = { warn: (line: string) => void lines.push(line) };
  const cast: CastFile = {
    version: 1,
    mascots: [{ bearers: [{ agentId: 'a/main', sessionId: 'a' }], name: 'Ada', at: '2026-01-01T00:00:00.000Z' }],
  };
  await createCastFile(file, log).update(() => cast);
  expect(await createCastFile(file, log).read()).toEqual(cast);
  writeFileSync(file, '{"version":1,"mascots":[{"name":');
  expect(await createCastFile(file, log).read()).toEqual(emptyCast);
  await createCastFile(file, log).update(() => cast);
  expect(await createCastFile(file, log).read()).toEqual(cast);
  expect(lines.join('\n')).toContain('cast.json.broken');
});

test('EVT-1 any window asks for a session’s report, and tells one that is gone from an owner that makes none', async () => {
  const { under, questions, portFile } = await setUp();
  await under.post(hook('UserPromptSubmit', { prompt: 'Fix the light' }));
  const report = await questions.report('s 1/ü');
  expect(typeof report === 'object' && report.requests.items.map(({ text }) => text)).toEqual(['Fix the light']);
  expect(await questions.report('nobody')).toBe('unknown');
  // As a collector answers that has never heard of reports.
  const older = createServer((_, response) => response.writeHead(404).end('{"ok":false,"error":"not found"}'));
  await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
  const { port } = older.address() as AddressInfo;
  const file = JSON.parse(readFileSync(portFile, 'utf8')) as PortFile;
  writeFileSync(portFile, JSON.stringify({ ...file, port, url: `http://127.0.0.1:${port}` }), { mode: 0o600 });
  expect(await questions.report('s 1/ü')).toBeUndefined();
  await new Promise((resolve) => older.close(resolve));
});
