import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createBodies } from './bodies.ts';
import { limitConnections } from './connections.ts';
import { collectorUnderTest, streamReader } from './collector.testkit.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  ending.push(() => parts.collector.close());
  const { port } = parts.collector;
  const host = `Host: 127.0.0.1:${port}`;
  const trusted = `${host}\r\nAuthorization: Bearer ${parts.token}`;
  const json = `${trusted}\r\nContent-Type: application/json`;
  /** A connection that is kept, with all that came on it. */
  async function open(bytes = ''): Promise<{ socket: Socket; text(): string; closed: Promise<void> }> {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    ending.push(() => socket.destroy());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return { socket, text: () => Buffer.concat(chunks).toString(), closed };
  }
  return { ...parts, host, trusted, json, open };
}

const body = JSON.stringify(prompt);

describe('SEC-3 what no honest client sends is answered or cut, and the next good event works', () => {
  type Heads = { host: string; trusted: string; json: string };
  const table: readonly [string, RegExp, (heads: Heads) => string][] = [
    ['CONNECT', /^HTTP\/1\.1 405 /, () => 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'],
    ['TRACE', /^HTTP\/1\.1 405 /, ({ trusted }) => `TRACE /health HTTP/1.1\r\n${trusted}\r\nConnection: close\r\n\r\n`],
    ['a method that nobody knows', /^HTTP\/1\.1 400 /, ({ trusted }) => `BREW /health HTTP/1.1\r\n${trusted}\r\n\r\n`],
    [
      'an address with a host',
      /^HTTP\/1\.1 400 /,
      ({ host }) => `GET http://evil.example/health HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`,
    ],
    [
      'two slashes before what looks like a host',
      /^HTTP\/1\.1 404 /,
      ({ trusted }) => `GET //evil.example/health HTTP/1.1\r\n${trusted}\r\nConnection: close\r\n\r\n`,
    ],
    ['a star', /^HTTP\/1\.1 400 /, ({ host }) => `OPTIONS * HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`],
    ['no Host', /^HTTP\/1\.1 400 /, () => 'GET /health HTTP/1.1\r\n\r\n'],
    ['HTTP/1.0 without a Host', /^HTTP\/1\.1 403 /, () => 'GET /health HTTP/1.0\r\n\r\n'],
    ['HTTP/2 at once', /^HTTP\/1\.1 400 /, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'two Hosts, the first of them ours',
      /^HTTP\/1\.1 400 /,
      ({ host }) => `GET /health HTTP/1.1\r\n${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    ],
    [
      'two tokens, one of them right',
      /^HTTP\/1\.1 400 /,
      ({ trusted }) => `GET /api/state HTTP/1.1\r\n${trusted}\r\nAuthorization: x\r\nConnection: close\r\n\r\n`,
    ],
    [
      'an Origin after more headers than Node counts',
      /^HTTP\/1\.1 431 /,
      ({ trusted }) =>
        `GET /api/state HTTP/1.1\r\n${trusted}\r\n${'a:\r\n'.repeat(2_100)}Origin: https://evil.example\r\nConnection: close\r\n\r\n`,
    ],
    [
      'a hundred and one headers',
      /^HTTP\/1\.1 431 /,
      ({ trusted }) => `GET /health HTTP/1.1\r\n${trusted}\r\n${'a: b\r\n'.repeat(98)}Connection: close\r\n\r\n`,
    ],
    [
      'two different lengths',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      /^HTTP\/1\.1 400 /,
      ({ json }) =>
        `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an encoding before the chunks',
      /^HTTP\/1\.1 400 /,
      ({ json }) =>
        `POST /ingest HTTP/1.1\r\n${json}\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an encoding that is none',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a negative length',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: -1\r\n\r\n`,
    ],
    [
      'a length beyond every number',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\n`,
    ],
    [
      'a chunk of a size that is no number',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    ],
    [
      'a body of no length',
      /^HTTP\/1\.1 400 /,
      ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    ],
    ['no body', /^HTTP\/1\.1 400 /, ({ json }) => `POST /ingest HTTP/1.1\r\n${json}\r\nConnection: close\r\n\r\n`],
    [
      'an offer of HTTP/2 where a WebSocket is',
      /^HTTP\/1\.1 426 /,
      ({ trusted }) => `GET /ws HTTP/1.1\r\n${trusted}\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
    ],
    [
      'an upgrade without a key',
      /^HTTP\/1\.1 400 /,
      ({ trusted }) => `GET /ws HTTP/1.1\r\n${trusted}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
    ],
    [
      'an upgrade by POST',
      /^HTTP\/1\.1 4\d\d /,
      ({ json }) =>
        `POST /ws HTTP/1.1\r\n${json}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n`,
    ],
    [
      'an expectation that nobody fulfils',
      /^HTTP\/1\.1 417 /,
      ({ json }) =>
        `POST /ingest HTTP/1.1\r\n${json}\r\nExpect: tea\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    ],
    [
      'garbage behind a good request',
      /^HTTP\/1\.1 (200|400) /,
      ({ host }) => `GET /health HTTP/1.1\r\n${host}\r\n\r\n\0\0\0\0garbage\r\n\r\n`,
    ],
    ['NULs', /^HTTP\/1\.1 400 /, () => '\0'.repeat(1_000)],
    ['line ends alone', /^(HTTP\/1\.1 4\d\d .*)?$/s, () => '\r\n'.repeat(1_000)],
  ];
  test.each(table)('SEC-3 %s: %s', async (_name, expected, request) => {
    const { raw, post, log, host, trusted, json } = await setUp();
    expect(await raw(request({ host, trusted, json }))).toMatch(expected);
    expect((await post(prompt)).status).toBe(200);
    expect(log.lines.filter((line) => !line.includes('A hook was refused (400)'))).toEqual([]);
  });

  test('SEC-3 a compressed body is refused, not guessed at', async () => {
    const { ask, post, store } = await setUp();
    const answer = await ask('POST', '/ingest', gzipSync(body), { 'content-encoding': 'gzip' });
    expect([answer.status, store.eventCount()]).toEqual([415, 0]);
    expect((await post(prompt, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  test('SEC-1 nobody is asked for a body before the headers have been looked at', async () => {
    const { raw, host, json } = await setUp();
    const request = (heads: string) =>
      `POST /ingest HTTP/1.1\r\n${heads}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await raw(`${request(`${host}\r\nContent-Type: application/json`)}`, false)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(`${request(json)}${body}`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

test('SEC-2 every answer forbids to keep, guess, embed and frame it, and none lets a page read it', async () => {
  const { ask, raw, host } = await setUp();
  const answers = [
    await ask('GET', '/health'),
    await ask('GET', '/api/state'),
    await ask('GET', '/nothing'),
    await ask('POST', '/ingest', body),
    await ask('POST', '/ingest', 'x'),
    await ask('GET', '/api/state', undefined, { authorization: undefined }),
    await ask('OPTIONS', '/ingest', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
      'access-control-request-private-network': 'true',
    }),
    await ask('GET', '/api/events'),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const upgrade = await raw(`GET /ws HTTP/1.1\r\n${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
  expect(upgrade).toContain("default-src 'none'; frame-ancestors 'none'");
});

describe('SEC-3 what is held at once', () => {
  test('SEC-3 bodies are bounded in bytes together: beyond it 503, and what was held is free again', async () => {
    const { open, post, json } = await setUp({ bodies: createBodies(10_000) });
    const head = (length: number) => `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: ${length}\r\n\r\n`;
    const slow = await open(`${head(9_000)}${' '.repeat(6_000)}`);
    const long = { ...prompt, prompt: 'x'.repeat(5_000) };
    let refused = await post(long);
    // The slow one’s bytes may not have been read yet.
    while (refused.status === 200) refused = await post(long);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect((await post(prompt)).status).toBe(200);
    slow.socket.destroy();
    let status = 503;
    while (status === 503) ({ status } = await post(long));
    expect(status).toBe(200);
    expect((await post({ ...long, prompt: 'x'.repeat(11_000) })).status).toBe(503);
  });

  test('SEC-3 a chunked body that grows beyond it is refused in the middle, and holds nothing then', async () => {
    const { open, post, json } = await setUp({ bodies: createBodies(10_000) });
    const chunk = `800\r\n${' '.repeat(2_048)}\r\n`;
    const growing = await open(
      `POST /ingest HTTP/1.1\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}`,
    );
    await once(growing.socket, 'data');
    expect(growing.text()).toMatch(/^HTTP\/1\.1 503 /);
    expect((await post({ ...prompt, prompt: 'x'.repeat(9_000) })).status).toBe(200);
  });

  test('SEC-3 a thousand slow bodies at once leave the next small one through', async () => {
    const { open, post, json } = await setUp();
    const head = `POST /ingest HTTP/1.1\r\n${json}\r\nContent-Length: 4000000\r\n\r\n`;
    await Promise.all(Array.from({ length: 1_000 }, () => open(`${head}${' '.repeat(20_000)}`)));
    expect((await post(prompt)).status).toBe(200);
  });

  test('SEC-3 more requests on one connection than anybody sends ahead are cut', async () => {
    const { open, post, trusted } = await setUp();
    const { closed, socket } = await open();
    socket.write(`GET /api/sessions HTTP/1.1\r\n${trusted}\r\n\r\n`.repeat(5_000));
    await closed;
    expect((await post(prompt)).status).toBe(200);
  });

  test('SEC-3 a few requests ahead are answered in order', async () => {
    const { raw, host } = await setUp();
    const one = `GET /health HTTP/1.1\r\n${host}\r\n`;
    const text = await raw(`${`${one}\r\n`.repeat(4)}${one}Connection: close\r\n\r\n`, false);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(5);
  });

  test('SEC-3 a client that does not take its answer is cut, one that does is not', async () => {
    const server = createServer();
    const connections = limitConnections(server, 10, 3_000);
    const cut = Promise.withResolvers<void>();
    server.on('request', (request, response) => {
      if (request.url === '/stuck') request.socket.once('close', () => cut.resolve());
      connections.begin(request.socket, response, () => undefined);
      // More than the sockets of both sides hold.
      response.end(Buffer.alloc(32 * 1024 * 1024));
      connections.limitAnswer(request.socket, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ending.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const stuck = connect(port, '127.0.0.1').on('error', () => undefined);
    ending.push(() => stuck.destroy());
    stuck.pause();
    stuck.write('GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n');
    await cut.promise;
    const read = await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
    expect(read.byteLength).toBe(32 * 1024 * 1024);
    ending.push(() => connections.destroyAll());
  });
});

describe('SEC-3 connections', () => {
  test('SEC-3 who holds every connection and says nothing keeps nobody out: the oldest is told 503', async () => {
    const { open, post, get } = await setUp({ connectionsMax: 20 });
    const held = await Promise.all(Array.from({ length: 20 }, () => open()));
    expect((await post(prompt)).status).toBe(200);
    expect((await get('/health')).status).toBe(200);
    await Promise.race(held.map(({ closed }) => closed));
    expect(held.filter(({ text }) => /^HTTP\/1\.1 503 .*Retry-After: 1/s.test(text())).length).toBeGreaterThan(0);
  });

  test('SEC-3 a window that reads is not let go for strangers, however many come', async () => {
    const { collector, token, open, post } = await setUp({ connectionsMax: 20 });
    const window = await streamReader(collector.port, { authorization: `Bearer ${token}` });
    ending.push(() => window.socket.terminate());
    await window.until(1);
    for (let i = 0; i < 100; i++) await open();
    expect((await post(prompt)).status).toBe(200);
    expect((await window.until(2))[1]?.type).toBe('patch');
  });

  test('SEC-3 idle connections go before anybody is refused', async () => {
    const { open, trusted, get } = await setUp({ connectionsMax: 10 });
    const idle = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const each = await open(`GET /health HTTP/1.1\r\n${trusted}\r\n\r\n`);
        await once(each.socket, 'data');
        return each;
      }),
    );
    expect((await get('/health')).status).toBe(200);
    await Promise.all(idle.map(({ closed }) => closed));
    expect(idle.map(({ text }) => text().startsWith('HTTP/1.1 200'))).toEqual(idle.map(() => true));
  });

  test('SEC-3 where all connections have shown the token and work, the newest is told to come again', async () => {
    const { open, json, get } = await setUp({ connectionsMax: 10 });
    const head = `POST /ingest HTTP/1.1\r\n${json}\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n`;
    await Promise.all(Array.from({ length: 10 }, async () => once((await open(head)).socket, 'data')));
    const answer = await get('/health');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  test('SEC-3 one that opens and sends nothing is cut', async () => {
    const { open } = await setUp();
    const { closed, text } = await open();
    await closed;
    expect(text()).toMatch(/^(HTTP\/1\.1 408 .*)?$/s);
  });
});

test('COL-4 an internal error is a 500 that shows nothing, and is told once for its kind, without what it was about', async () => {
  let reads = 0;
  const { get, log } = await setUp({
    readFrom: (store) => ({
      ...store,
      sessions: () => {
        reads++;
        throw Object.assign(new SyntaxError(`Unexpected token in "hunter2" ${reads}`), { code: 'EODD' });
      },
    }),
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => get('/api/sessions')));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['500 {"ok":false,"error":"internal error"}']),
  );
  expect([reads, log.lines.length]).toEqual([50, 1]);
  expect(log.lines[0]).toMatch(/^error A request failed inside: SyntaxError EODD at /);
  expect(log.lines[0]).not.toMatch(/hunter2|[\\/]/);
});
