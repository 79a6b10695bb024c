import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createBodies } from './bodies.ts';
import { othersTurn } from './breathe.ts';
import { collectorUnderTest } from './collector.testkit.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function connected(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  ending.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

test('SEC-3 SEC-4 strangers whose connections are let go hold nothing with what they send after it', async () => {
  const size = 4_000;
  // Room for all of theirs and, with theirs gone, for the person's.
  const bodies = createBodies(8 * size);
  const { collector, post } = await collectorUnderTest({ open: true, connectionsMax: 20, bodies });
  ending.push(() => collector.close());
  const { port } = collector;
  const head = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${size}`;
  const late = await Promise.all(
    Array.from({ length: 8 }, () => connected(port, `POST /ingest HTTP/1.1\r\n${head}\r\n\r\n `)),
  );
  // Until the first byte of each has been read.
  while (bodies.begin().fits(8 * size - 7)) await othersTurn();
  const refused = late.map(async (socket) => {
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const closed = once(socket, 'close');
    socket.end(' '.repeat(size - 1));
    await closed;
    return answer.toString().slice(0, 12);
  });
  for (let i = 0; i < 25; i++) await connected(port, 'POST /ingest HTTP/1.1\r\nHost:');
  expect(await Promise.all(refused)).toEqual(late.map(() => 'HTTP/1.1 503'));
  expect(bodies.begin().fits(8 * size)).toBe(true);
  expect((await post({ ...prompt, prompt: 'x'.repeat(size * 7) })).status).toBe(200);
});

test('SEC-3 what was released is final: nothing fits into it any more, and nobody else is short of it', () => {
  const bodies = createBodies(10);
  const share = bodies.begin();
  const before = [share.fits(10), share.take(6), bodies.begin().fits(5)];
  share.release();
  const after = [share.fits(0), share.take(1), bodies.begin().take(10)];
  share.release();
  expect([before, after, bodies.begin().fits(1)]).toEqual([[true, true, false], [false, false, true], false]);
});
