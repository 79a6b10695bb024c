import { providerIds } from '../../protocol/providers.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { PipelineFullError } from '../../app/ports.ts';
import { BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };

const opened: { close(): Promise<void> }[] = [];
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  const hook = (body: unknown, changes?: Record<string, string | undefined>) =>
    parts.ask('POST', '/api/hook', typeof body === 'string' ? body : JSON.stringify(body), changes);
  return { ...parts, hook };
}
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

describe('COL-5 the ways to say what the agent sent', () => {
  const { hook_event_name: event, ...fields } = prompt;
  const table: readonly [string, unknown][] = [
    ['the fields beside provider', { provider: 'claude', ...prompt }],
    ['the fields under payload', { provider: 'claude', payload: prompt }],
    ['the payload without a name, which event tells', { provider: 'claude', event, payload: fields }],
    ['the payload with its own name, and event too', { provider: 'claude', event: 'Stop', payload: prompt }],
    ['event beside fields that name none', { provider: 'claude', event, ...fields }],
    ['an older name', { provider: 'claude', hook_type: 'user-prompt-submit', ...fields }],
    ['provider goes before what _meta says', { provider: 'claude', ...prompt, _meta: { provider: 'gemini' } }],
    ['_meta beside payload', { provider: 'claude', payload: prompt, _meta: { terminal_session_id: 'tty1' } }],
    ['_meta in the payload', { provider: 'claude', payload: { ...prompt, _meta: { terminal_session_id: 'tty1' } } }],
  ];
  test.each(table)('COL-5 %s', async (_name, body) => {
    const { hook, store } = await setUp();
    const answer = await hook(body);
    expect([answer.status, answer.json()]).toEqual([200, { ok: true }]);
    const [stored, ...more] = store.events('s');
    expect(more).toEqual([]);
    expect([stored?.event_type, stored?.provider, wordsOf(stored?.payload ?? {})['prompt']]).toEqual([
      'user_prompt',
      'claude',
      'hello',
    ]);
    const told = JSON.stringify(body).includes('tty1') ? 'tty1' : 'unknown';
    expect(stored?.terminal_session_id).toBe(told);
    // What the sender says about the payload is no part of it.
    expect(Object.keys(stored?.raw ?? {}).filter((key) => !(key in prompt) && key !== 'hook_type')).toEqual([]);
  });

  test('COL-5 a field called payload or event of the agent’s own stays in the payload', async () => {
    const { hook, store } = await setUp();
    await hook({ provider: 'claude', ...prompt, payload: { a: 1 }, event: 'mine' });
    expect(store.events('s')[0]?.raw).toEqual({ ...prompt, payload: { a: 1 }, event: 'mine' });
  });

  test.each(providerIds)('COL-5 the provider picks who reads it: %s', async (provider) => {
    const { hook, store } = await setUp();
    expect((await hook({ provider, hook_event_name: 'SessionStart', session_id: 's' })).status).toBe(200);
    expect(store.events('s').map((event) => event.provider)).toEqual([provider]);
  });

  test('COL-5 the same delivery again is good, and changes nothing', async () => {
    const { hook, store } = await setUp();
    const body = { provider: 'claude', ...prompt, _meta: { delivery_id: 'd1' } };
    expect([(await hook(body)).json(), (await hook(body)).json()]).toEqual([{ ok: true }, { ok: true }]);
    expect(store.eventCount()).toBe(1);
  });
});

describe('COL-5 what is refused takes nothing in, and the next one works', () => {
  const invalid = { error: 'invalid JSON' };
  const unknown = { error: 'unknown provider' };
  const anyError = { error: expect.any(String) as string };
  const table: readonly [string, number, unknown, unknown, Record<string, string | undefined>?][] = [
    ['not JSON', 400, 'nonsense', invalid],
    ['nothing', 400, '', invalid],
    ['half of it', 400, '{"provider":"claude"', invalid],
    ['a list', 400, [prompt], anyError],
    ['null', 400, null, anyError],
    ['no provider', 400, prompt, unknown],
    ['a provider that nobody knows', 400, { ...prompt, provider: 'hal' }, unknown],
    ['a provider by another name', 400, { ...prompt, provider: 'Claude' }, unknown],
    ['a provider of the prototype', 400, { ...prompt, provider: 'constructor' }, unknown],
    ['a provider that is no text', 400, { ...prompt, provider: ['claude'] }, unknown],
    ['no event', 400, { provider: 'claude', session_id: 's' }, { error: expect.stringContaining('event') as string }],
    ['no event in the payload', 400, { provider: 'claude', payload: {} }, anyError],
    ['an event that is no text', 400, { provider: 'claude', event: 5, payload: {} }, anyError],
    ['too much', 413, ' '.repeat(BODY_MAX_BYTES + 1), anyError],
    ['no token', 401, { ...prompt, provider: 'claude' }, { ok: false, ...anyError }, { authorization: undefined }],
    [
      'a web page',
      403,
      { ...prompt, provider: 'claude' },
      { ok: false, ...anyError },
      { origin: 'https://evil.example' },
    ],
    [
      'plain text',
      415,
      { ...prompt, provider: 'claude' },
      { ok: false, ...anyError },
      { 'content-type': 'text/plain' },
    ],
  ];
  test.each(table)('COL-5 %s: %i', async (_name, status, body, expected, headers) => {
    const { hook, store } = await setUp();
    const answer = await hook(body, headers);
    expect([answer.status, answer.json(), store.eventCount()]).toEqual([status, expected, 0]);
    expect((await hook({ provider: 'claude', ...prompt })).status).toBe(200);
    expect(store.eventCount()).toBe(1);
  });

  test('COL-5 only POST writes, and the answer says so', async () => {
    const { ask } = await setUp();
    const answer = await ask('GET', '/api/hook');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  test('COL-5 a store that fails is a 500 without a word about the disk; nothing is taken', async () => {
    const { hook, store } = await setUp();
    store.failAppendsWith(new Error('ENOSPC: /secret/path'));
    const answer = await hook({ provider: 'claude', ...prompt });
    expect([answer.status, Object.keys(answer.json()), answer.text.includes('secret')]).toEqual([
      500,
      ['error'],
      false,
    ]);
    store.failAppendsWith(undefined);
    expect((await hook({ provider: 'claude', ...prompt })).status).toBe(200);
  });

  test('COL-5 when too much waits the answer is 503 with a time to come again', async () => {
    const { hook } = await setUp({ pipeline: { ingest: () => Promise.reject(new PipelineFullError('full')) } });
    const answer = await hook({ provider: 'claude', ...prompt });
    expect([answer.status, answer.headers['retry-after'], answer.json()]).toEqual([
      503,
      '1',
      { error: 'busy: try again' },
    ]);
  });
});

test('SEC-4 with the door open for scripts no token is needed, but a page stays outside', async () => {
  const { hook } = await setUp({ open: true });
  const body = { provider: 'claude', ...prompt };
  expect([
    (await hook(body, { authorization: undefined })).status,
    (await hook(body, { authorization: undefined, origin: 'https://evil.example' })).status,
  ]).toEqual([200, 403]);
});

test('MSK-1 what comes through this door is masked as well', async () => {
  const { hook, store } = await setUp();
  const secret = `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}AA`;
  await hook({ provider: 'claude', payload: { ...prompt, prompt: `use ${secret}` } });
  const stored = JSON.stringify(store.events('s'));
  expect([stored.includes('use '), stored.includes(secret)]).toEqual([true, false]);
});
