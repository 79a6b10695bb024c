import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { collectorUnderTest } from './collector.testkit.ts';
import { limitConnections } from './connections.ts';
import { declineUpgrade, offersWebSocket } from './upgrades.ts';

const body = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' });
const offer = 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

test.each([
  ['a length', `Content-Length: ${body.length}\r\n\r\n${body}`],
  ['chunks', `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
])('SEC-4 COL-4 a POST with %s that offers HTTP/2 is taken in, once', async (_name, rest) => {
  const { collector, raw, token, store } = await collectorUnderTest();
  ending.push(() => collector.close());
  const heads = `Host: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
  const text = await raw(`POST /ingest HTTP/1.1\r\n${heads}\r\n${offer}\r\n${rest}`, false);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(store.events('s')).toHaveLength(1);
});

test.each([
  ['without a token', 401, ''],
  ['with an Origin', 403, 'Origin: https://evil.example\r\n'],
  ['with two tokens', 400, 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
])('SEC-1 SEC-2 an offer of HTTP/2 %s lets nobody in', async (_name, status, more) => {
  const { collector, raw, store } = await collectorUnderTest();
  ending.push(() => collector.close());
  const heads = `Host: 127.0.0.1:${collector.port}\r\n${more}Content-Type: application/json\r\nContent-Length: ${body.length}`;
  expect(await raw(`POST /ingest HTTP/1.1\r\n${heads}\r\n${offer}\r\n\r\n${body}`, false)).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} `),
  );
  expect(store.events('s')).toEqual([]);
});

test('COL-7 a WebSocket is taken also where HTTP/2 is offered beside it', () => {
  const offers = ['websocket', 'WebSocket', 'h2c, websocket', 'h2c', '', 'websockets'];
  expect(offers.filter((upgrade) => offersWebSocket({ headers: { upgrade } }))).toEqual(offers.slice(0, 3));
});

/** As Node is before 24.9: it hands over whatever offers an upgrade. */
describe('SEC-4 where Node hands the connection over', () => {
  interface Seen {
    readonly line: string;
    readonly headers: IncomingMessage['headers'];
    readonly text: string;
  }

  async function setUp() {
    const seen: Seen[] = [];
    const closed: string[] = [];
    const server: Server = createServer({ shouldUpgradeCallback: () => true });
    const connections = limitConnections(server, 10);
    server.on('upgrade', (request, _socket, head) => {
      connections.afterAnswers(request.socket, () => declineUpgrade(server, request, request.socket, head));
    });
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      const begun = connections.begin(request.socket, response, () => closed.push(request.url ?? ''));
      if (!begun) return;
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const line = `${request.method} ${request.url} ${request.httpVersion} ${String(request.headers.upgrade)}`;
        seen.push({ line, headers: request.headers, text: Buffer.concat(chunks).toString() });
        response.end(`answer ${seen.length}`);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ending.push(() => connections.destroyAll());
    ending.push(() => server.close());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const until = async (what: string) => {
      while (!text.includes(what)) await once(socket, 'data');
    };
    return { seen, closed, socket, until };
  }

  const kept = `Host: x\r\nX-Odd: caf\u00e9\r\n${offer.replace('close', 'keep-alive')}`;

  test('SEC-4 it is answered as if nothing had been offered, whole, once, and the connection goes on', async () => {
    const { seen, closed, socket, until } = await setUp();
    const long = 'y'.repeat(300_000);
    socket.write(`POST /a?b=%20 HTTP/1.1\r\n${kept}\r\nContent-Length: ${long.length + 3}\r\n\r\nabc`, 'latin1');
    socket.write(long);
    await until('answer 1');
    socket.write(`POST /second HTTP/1.1\r\n${kept}\r\nContent-Length: 2\r\n\r\nhi`, 'latin1');
    await until('answer 2');
    expect(seen).toEqual([
      {
        line: 'POST /a?b=%20 1.1 undefined',
        headers: { host: 'x', 'x-odd': 'caf\u00e9', connection: 'keep-alive', 'content-length': '300003' },
        text: `abc${long}`,
      },
      {
        line: 'POST /second 1.1 undefined',
        headers: { host: 'x', 'x-odd': 'caf\u00e9', connection: 'keep-alive', 'content-length': '2' },
        text: 'hi',
      },
    ]);
    socket.end();
    await once(socket, 'close');
    expect(closed).toEqual(['/a?b=%20', '/second']);
  });

  test('SEC-4 behind another request on the same connection, and byte by byte', async () => {
    const { seen, socket, until } = await setUp();
    const request = `GET /first HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\n${kept}\r\nContent-Length: 3\r\n\r\nabc`;
    for (const byte of Buffer.from(request, 'latin1')) {
      await new Promise<void>((resolve) => socket.write(Buffer.of(byte), () => resolve()));
    }
    await until('answer 2');
    expect(seen.map(({ line, text }) => [line, text])).toEqual([
      ['GET /first 1.1 undefined', ''],
      ['POST /b 1.1 undefined', 'abc'],
    ]);
    socket.destroy();
  });
});
