import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { PipelineFullError } from '../../app/ports.ts';
import { hookOutputSchema } from '../../protocol/hookOutput.ts';
import { BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { applyPatch } from '../../domain/diff.ts';
import { recordings } from '../../domain/recordings.testkit.ts';
import { snapshotSchema } from '../../protocol/state.ts';
import { collectorUnderTest, streamReader } from './collector.testkit.ts';
import { idleParts } from './routeWorld.testkit.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };
const stop = { hook_event_name: 'Stop', session_id: 's', last_assistant_message: 'done' };

const opened: { close(): Promise<void> }[] = [];
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  return parts;
}
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

test('COL-3 health needs no token, and its header tells our collector from another server', async () => {
  const { ask } = await setUp();
  const answer = await ask('GET', '/health', undefined, { authorization: undefined });
  expect([answer.status, answer.text, answer.headers['x-agent-mascot']]).toEqual([200, 'ok', '9.9.9']);
});

test('FWD-3 health proves to a reader of the home’s key that it is ours, at the port that was asked', async () => {
  const { ask, collector } = await setUp();
  const answer = await ask('GET', '/health', undefined, { 'x-agent-mascot-challenge': 'abc' });
  const proof = createHmac('sha256', 'a-key-of-the-test').update(`abc:${collector.port}`).digest('hex');
  expect([answer.text, answer.headers['x-agent-mascot-proof']]).toEqual(['ok', proof]);
});

test('SEC-3 no error is made for a request that ends', async () => {
  const aborts = vi.spyOn(AbortController.prototype, 'abort');
  try {
    const { ask, post } = await setUp();
    await post(prompt);
    await ask('GET', '/health');
    await vi.waitFor(() => expect(aborts.mock.calls.length).toBeGreaterThanOrEqual(2));
    const reasons = new Set(aborts.mock.calls.map(([reason]) => reason as unknown));
    expect([...reasons]).toEqual([expect.any(Error)]);
  } finally {
    aborts.mockRestore();
  }
});

test('SEC-3 refused upgrades are closed, whatever their clients do, and hold up no stop', async () => {
  const { collector, ask } = await setUp();
  const upgrade = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  const sockets = Array.from({ length: 50 }, () =>
    connect({ port: collector.port, host: '127.0.0.1', allowHalfOpen: true }),
  );
  for (const socket of sockets) socket.on('error', () => undefined).write(upgrade);
  // They never read to the end nor close: the server has to.
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.resume().once('end', resolve))));
  expect((await ask('GET', '/health')).status).toBe(200);
  const held = connect({ port: collector.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  held.write(upgrade);
  await new Promise((resolve) => held.once('data', resolve));
  await collector.close();
  for (const socket of [...sockets, held]) socket.destroy();
});

test('COL-4 a good event is answered with its id when it is stored; again, it is a duplicate', async () => {
  const { post, store } = await setUp();
  const hook = { ...prompt, _meta: { delivery_id: 'd1' } };
  const first = await post(hook);
  const id = store.events('s')[0]?.id;
  expect([first.status, first.json()]).toMatchObject([200, { ok: true, id }]);
  expect(first.json()).not.toHaveProperty('duplicate');
  expect((await post(hook)).json()).toMatchObject({ ok: true, id, duplicate: true });
});

describe('bad input is answered, and the next good event works', () => {
  const table: readonly [string, number, unknown, Record<string, string | undefined>?][] = [
    ['COL-4 not JSON', 400, 'not json'],
    ['COL-4 an array', 400, []],
    ['COL-4 an empty body', 400, ''],
    ['COL-4 null', 400, null],
    ['COL-4 an object that names no event', 400, { session_id: 's' }],
    ['COL-4 an event name that is no text', 400, { hook_event_name: 5 }],
    ['SEC-3 five megabytes', 413, 'x'.repeat(5 * 1024 * 1024)],
    ['SEC-3 one byte too much', 413, ' '.repeat(BODY_MAX_BYTES + 1)],
    ['SEC-1 a wrong token', 401, prompt, { authorization: 'Bearer wrong' }],
    ['SEC-1 no token', 401, prompt, { authorization: undefined }],
    ['SEC-1 five megabytes without a token', 401, 'x'.repeat(5 * 1024 * 1024), { authorization: undefined }],
    ['SEC-2 a web page', 403, prompt, { origin: 'https://evil.example' }],
    ['SEC-2 a rebound host', 403, prompt, { host: 'evil.example' }],
    ['SEC-2 a plain text body', 415, prompt, { 'content-type': 'text/plain' }],
    ['NRM-1 an unknown event', 200, { hook_event_name: 'BrandNew', session_id: 's' }],
    ['NRM-1 a known event with wrong types', 200, { hook_event_name: 'PreToolUse', session_id: 's', tool_name: [] }],
    ['NRM-1 a broken _meta', 200, { ...stop, _meta: 'nonsense' }],
    [
      'NRM-1 a depth bomb',
      200,
      `{"hook_event_name":"Stop","session_id":"s","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ],
  ];
  test.each(table)('%s: %i', async (_name, status, body, headers) => {
    const { post, store } = await setUp();
    const answer = await post(body, headers);
    expect(answer.status, answer.text).toBe(status);
    if (status !== 200) {
      expect(answer.json()).toEqual({ ok: false, error: expect.any(String) as string });
      expect(answer.text).not.toContain('evil');
      expect(store.events('s')).toEqual([]);
    }
    expect((await post(prompt)).status).toBe(200);
    expect(store.events('s').map((event) => event.event_type)).toContain('user_prompt');
  });

  test('SEC-3 a body that does not come is given up, others are served meanwhile', async () => {
    const { raw, post, token, collector } = await setUp({ bodyDeadlineMs: 300 });
    const head = `POST /ingest HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"hook`;
    const slow = raw(head, false);
    expect((await post(prompt)).status).toBe(200);
    expect(await slow).toMatch(/^HTTP\/1\.1 408 /);
    expect((await post(stop)).status).toBe(200);
  });

  test('SEC-3 a chunked body without a length is cut at the limit too', async () => {
    const { raw, token, collector, post } = await setUp();
    const head = `POST /ingest HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const piece = `100000\r\n${' '.repeat(1024 * 1024)}\r\n`;
    expect(await raw(`${head}${piece.repeat(5)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    expect((await post(prompt)).status).toBe(200);
  });

  test.each([
    ['garbage', 'this is not http\r\n\r\n'],
    ['a huge header', `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(64 * 1024)}\r\n\r\n`],
    ['an address that is none', 'GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'],
    [
      'an upgrade to something else',
      'GET /ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    ],
  ])('SEC-3 %s does not disturb', async (_name, bytes) => {
    const { raw, post } = await setUp();
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await post(prompt)).status).toBe(200);
  });
});

test('COL-4 a store that fails is a 500, nothing is taken, and it works again afterwards', async () => {
  const { post, store } = await setUp();
  store.failAppendsWith(new Error('ENOSPC: no space left on /secret/path'));
  const answer = await post(prompt);
  expect([answer.status, answer.json()['ok']]).toEqual([500, false]);
  expect(answer.text).not.toContain('/secret/path');
  store.failAppendsWith(undefined);
  expect((await post(prompt)).status).toBe(200);
});

test('SEC-3 when too much waits the answer is 503 with a time to come again', async () => {
  const { post } = await setUp({ pipeline: { ingest: () => Promise.reject(new PipelineFullError('full')) } });
  const answer = await post(prompt);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
});

test('SEC-3 a header that does not come is given up', async () => {
  const { raw, collector, post } = await setUp();
  expect(await raw(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nX-Slow: `, false)).toMatch(
    /^HTTP\/1\.1 408 /,
  );
  expect((await post(prompt)).status).toBe(200);
});

test('SEC-1 the token is in no answer and no log line', async () => {
  const { post, get, token, log } = await setUp();
  await post(prompt);
  const answers = [
    await post(prompt, { authorization: 'Bearer wrong' }),
    await get('/api/state'),
    await get('/nothing'),
  ];
  expect([...answers.map(({ text }) => text), ...log.lines].join()).not.toContain(token);
});

test('COL-6 state, agents, sessions, one session and its events can be read, paged', async () => {
  const { post, get } = await setUp();
  for (let i = 0; i < 5; i++) await post({ ...prompt, session_id: `s${i}`, prompt: `number ${i}` });
  await post({ ...stop, session_id: 's0' });
  const state = snapshotSchema.parse((await get('/api/state')).json());
  expect([state.sessions.length, state.agents.length, state.owner?.app]).toEqual([5, 5, 'test']);
  for (const path of ['/api/sessions', '/api/agents', '/api/sessions/s0/events']) {
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = (await get(`${path}?limit=2${cursor}`)).json() as { items: { id: string }[]; next: string | null };
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`;
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(path.endsWith('events') ? 2 : 5);
  }
  expect((await get('/api/sessions/s0')).json()).toMatchObject({
    id: 's0',
    title: 'number 0',
    agents: [{ id: 's0/main' }],
  });
});

test('COL-6 a page of large events ends early, and its cursor goes on where it ended', async () => {
  const { post, get } = await setUp();
  const large = 'lorem ipsum '.repeat(80_000);
  for (let i = 0; i < 9; i++) await post({ ...prompt, prompt: `${i} ${large}` });
  const sizes: number[] = [];
  let cursor = '';
  do {
    const page = (await get(`/api/sessions/s/events?limit=500${cursor}`)).json() as {
      items: unknown[];
      next: string | null;
    };
    sizes.push(page.items.length);
    cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== '');
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(9);
});

test.each([
  ['/api/sessions?limit=0', 400],
  ['/api/sessions?limit=x', 400],
  ['/api/sessions?cursor=nonsense', 400],
  ['/api/sessions/none', 404],
  ['/api/sessions/none/events', 404],
  ['/api/sessions/%E0%A4%A', 404],
  ['/api', 404],
  ['/', 404],
])('COL-6 GET %s: %i', async (path, status) => {
  const { get } = await setUp();
  expect((await get(path)).status).toBe(status);
});

test('COL-6 only GET reads', async () => {
  const { ask } = await setUp();
  expect([
    (await ask('POST', '/api/state', '{}')).status,
    (await ask('GET', '/ingest')).status,
    (await ask('DELETE', '/api/sessions/s')).status,
  ]).toEqual([405, 405, 405]);
});

describe('COL-7 the stream', () => {
  test('COL-7 begins with a snapshot, goes on with patches without gaps, and both lead to the state', async () => {
    const { post, collector, hub, token } = await setUp();
    await post(prompt);
    const reader = await streamReader(collector.port, { authorization: `Bearer ${token}` });
    await reader.until(1);
    await post(stop);
    await post({ ...prompt, prompt: 'more' });
    const frames = await reader.until(3);
    const [first, ...patches] = frames;
    if (first?.type !== 'snapshot') throw new Error('the first frame is the snapshot');
    const end = patches.reduce((state, frame) => {
      if (frame.type !== 'patch') throw new Error('only patches follow');
      expect(frame.revision).toBe(state.revision + 1);
      return applyPatch(state, frame);
    }, first.state);
    expect(end).toEqual(JSON.parse(JSON.stringify(hub.snapshot())));
    expect(patches.flatMap((frame) => (frame.type === 'patch' ? frame.events.map(({ name }) => name) : []))).toContain(
      'agent-update',
    );
    reader.socket.terminate();
  });

  test('COL-7 a reader that missed something asks and gets a fresh snapshot', async () => {
    const { collector, token } = await setUp();
    const reader = await streamReader(collector.port, { authorization: `Bearer ${token}` });
    await reader.until(1);
    reader.socket.send(JSON.stringify({ type: 'resync', revision: 0 }));
    expect((await reader.until(2)).map((frame) => frame.type)).toEqual(['snapshot', 'snapshot']);
    reader.socket.terminate();
  });

  test('COL-7 a follower of another protocol, and words that are none, are shown the door', async () => {
    const { collector, token } = await setUp();
    const codes: number[] = [];
    for (const text of [
      JSON.stringify({ type: 'hello', protocol: 99, role: 'follower', app: 'x', version: '1' }),
      '{"type":"what"}',
      'noise',
    ]) {
      const reader = await streamReader(collector.port, { authorization: `Bearer ${token}` });
      reader.socket.send(text);
      codes.push(await reader.closed);
    }
    expect(codes).toEqual([4003, 4002, 4002]);
  });

  test.each([
    ['no token', {}, '401'],
    ['a wrong token', { authorization: 'Bearer wrong' }, '401'],
    ['a web page', { authorization: 'Bearer a-token-of-the-test', origin: 'https://evil.example' }, '403'],
    ['a rebound host', { authorization: 'Bearer a-token-of-the-test', host: 'evil.example' }, '403'],
  ])('SEC-1 the upgrade is refused before it happens: %s', async (_name, headers, code) => {
    const { collector } = await setUp();
    expect((await streamReader(collector.port, headers as Record<string, string>)).error).toContain(code);
  });
});

test('SEC-1 a new token refuses the former one, and whoever reads with that one is cut off', async () => {
  let now = 'first';
  const { collector, get, ask } = await setUp({ token: () => now });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const reader = await streamReader(collector.port, bearer('first'));
  await reader.until(1);
  now = 'second';
  collector.cut();
  await reader.closed;
  const again = await streamReader(collector.port, bearer('first'));
  const statuses = [(await ask('GET', '/api/state', undefined, bearer('first'))).status];
  statuses.push((await ask('GET', '/api/state', undefined, bearer('second'))).status, (await get('/health')).status);
  expect([again.error, statuses]).toEqual([expect.stringContaining('401'), [401, 200, 200]]);
});

test('COL-1 a taken port is answered with a free one, on loopback alone', async () => {
  const first = await setUp();
  const { startCollector } = await import('./server.ts');
  const second = await startCollector({
    ...idleParts(),
    source: first.hub,
    store: first.store,
    log: first.log,
    token: () => 't',
    version: '1',
    now: Date.now,
    port: first.collector.port,
    unauthenticatedIngest: () => false,
  });
  opened.push(second);
  // Every other address of this machine refuses: the socket is bound to one.
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  for (const host of ['127.0.0.2', ...elsewhere]) {
    const error = await new Promise((resolve) =>
      connect(second.port, host).on('error', resolve).on('connect', resolve),
    );
    expect(error, host).toMatchObject({ code: 'ECONNREFUSED' });
  }
  expect(second.port).not.toBe(first.collector.port);
  expect(second.url).toBe(`http://127.0.0.1:${second.port}`);
});

test('SEC-6 no answer to any recorded hook grants or denies anything, and only a start is told something', async () => {
  const { post } = await setUp();
  for (const { hooks } of recordings().filter(({ name }) => /permission|ask|perm|plan/.test(name))) {
    for (const { payload } of hooks) {
      const { output, ...answer } = (await post(payload)).json();
      const besides = ['context', 'notifications', 'suggestions', 'metadata'];
      expect(Object.keys(answer).filter((key) => !['ok', 'id', 'duplicate', ...besides].includes(key))).toEqual([]);
      if (output === undefined) continue;
      const { hookSpecificOutput: told, ...rest } = z.strictObject(hookOutputSchema.shape).parse(output);
      expect(Object.keys(rest)).toEqual(besides);
      if (told === undefined) continue;
      expect([payload['hook_event_name'], Object.keys(told)]).toEqual([
        'SessionStart',
        expect.toBeOneOf([['hookEventName', 'additionalContext'], ['hookEventName']]),
      ]);
    }
  }
});

test('COL-6 a client that has gone while its answer is made ends the reading, and is no failure', async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const projects = {
    async locate(path: string) {
      if (path === '/held') {
        asked.resolve();
        await held.promise;
      }
      return { path };
    },
  };
  let reads = 0;
  const { collector, ask, get, post, log, token } = await setUp({
    projects,
    readFrom: (store) => ({
      ...store,
      sessions: (page) => {
        reads++;
        return store.sessions({ ...page, limit: 1 });
      },
    }),
  });
  for (let i = 0; i < 20; i++) await post({ ...prompt, session_id: `s${i}` });
  await get('/api/context?cwd=/none');
  expect(reads).toBe(20);
  const leaving = request({
    host: '127.0.0.1',
    port: collector.port,
    path: '/api/context?cwd=/held',
    headers: { authorization: `Bearer ${token}` },
  }).on('error', () => undefined);
  leaving.end();
  await asked.promise;
  await new Promise((resolve) => leaving.once('close', resolve).destroy());
  // The server sees the end of the older connection before it answers on a newer one.
  await ask('GET', '/health');
  await ask('GET', '/health');
  reads = 0;
  held.resolve();
  await ask('GET', '/health');
  expect([reads, log.lines]).toEqual([1, []]);
});
