import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { collectorUnderTest, streamReader } from './collector.testkit.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };
const hello = JSON.stringify({ type: 'hello', protocol: 1, role: 'follower', app: 'x', version: '1' });
const plain = JSON.stringify({ type: 'hello', protocol: 1, role: 'reader', app: 'x', version: '1' });

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function setUp() {
  const parts = await collectorUnderTest();
  ending.push(() => parts.collector.close());
  const join = async () => {
    const reader = await streamReader(parts.collector.port, { authorization: `Bearer ${parts.token}` });
    ending.push(() => reader.socket.terminate());
    return reader;
  };
  return { ...parts, join };
}

describe('SEC-3 a reader that floods is shut out, and nobody else notices', () => {
  const floods: readonly [string, (socket: WebSocket) => void][] = [
    ['100,000 resyncs', (socket) => socket.send('{"type":"resync","revision":0}')],
    ['100,000 pings', (socket) => socket.ping('x'.repeat(100))],
    ['100,000 pongs that nobody asked for', (socket) => socket.pong('x'.repeat(100))],
    ['100,000 greetings', (socket) => socket.send(plain)],
  ];
  test.each(floods)('SEC-3 %s', async (_name, send) => {
    const { join, post, get } = await setUp();
    const quiet = await join();
    await quiet.until(1);
    const flooder = await join();
    await flooder.until(1);
    for (let i = 0; i < 100_000; i++) send(flooder.socket);
    const frames = flooder.frames.length;
    expect(await flooder.closed).toBe(4004);
    expect(flooder.frames.length - frames).toBeLessThanOrEqual(10);
    expect((await post(prompt)).status).toBe(200);
    expect((await quiet.until(2))[1]?.type).toBe('patch');
    expect((await get('/health')).status).toBe(200);
  });

  test('SEC-3 snapshots that are asked for in one breath are sent once', async () => {
    const { join } = await setUp();
    const reader = await join();
    await reader.until(1);
    for (let i = 0; i < 8; i++) reader.socket.send('{"type":"resync","revision":0}');
    const answered = once(reader.socket, 'pong');
    reader.socket.ping();
    await answered;
    await reader.until(2);
    expect(reader.frames.length).toBeLessThan(8);
  });

  test('SEC-3 one that pings and never reads the answers is cut off', async () => {
    const { collector, token, get } = await setUp();
    const socket = connect({ port: collector.port, host: '127.0.0.1' }).on('error', () => undefined);
    ending.push(() => socket.destroy());
    socket.pause();
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${token}\r\nUpgrade: websocket\r\n` +
        'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 100, 0, 0, 0, 0]), Buffer.alloc(100)]);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(Buffer.concat(Array.from({ length: 100_000 }, () => ping)));
    expect((await get('/health')).status).toBe(200);
    await closed;
  });

  test('MWN-2 a ping each second is answered, for as long as one likes', async () => {
    const { join } = await setUp();
    const { socket, closed, until } = await join();
    await until(1);
    // Thirty seconds’ worth at once is within the limit of one.
    for (let i = 0; i < 30; i++) {
      const answered = once(socket, 'pong');
      socket.ping(String(i));
      expect(String((await answered)[0])).toBe(String(i));
    }
    socket.close();
    expect(await closed).toBe(1005);
  });
});

describe('MWN-1 plain readers can’t keep windows out', () => {
  test('MWN-1 with every plain place taken a window still gets in, a plain reader does not', async () => {
    const { join, post, ask } = await setUp();
    await Promise.all(Array.from({ length: 64 }, async () => (await join()).until(1)));
    expect((await ask('GET', '/api/events')).status).toBe(503);
    const window = await join();
    window.socket.send(hello);
    expect((await window.until(1))[0]?.type).toBe('snapshot');
    await post(prompt);
    expect((await window.until(2))[1]?.type).toBe('patch');
    const reader = await join();
    reader.socket.send(plain);
    expect(await reader.closed).toBe(4005);
    expect(reader.frames).toEqual([]);
  });

  test('MWN-1 windows give their plain place back when they say what they are', async () => {
    const { join } = await setUp();
    for (let i = 0; i < 64; i++) {
      const { socket, until } = await join();
      await until(1);
      socket.send(hello);
      const answered = once(socket, 'pong');
      socket.ping();
      await answered;
    }
    const reader = await join();
    expect((await reader.until(1))[0]?.type).toBe('snapshot');
  });

  test('MWN-1 those that are let in on trust are few, and the next is told to come again', async () => {
    const { join } = await setUp();
    await Promise.all(Array.from({ length: 64 }, async () => (await join()).until(1)));
    const waiting = await Promise.all(Array.from({ length: 16 }, () => join()));
    expect(waiting.map(({ error }) => error)).toEqual(waiting.map(() => ''));
    expect((await join()).error).toContain('503');
    expect(await Promise.all(waiting.map(({ closed }) => closed))).toEqual(waiting.map(() => 4005));
    const window = await join();
    window.socket.send(hello);
    expect((await window.until(1))[0]?.type).toBe('snapshot');
  });
});
