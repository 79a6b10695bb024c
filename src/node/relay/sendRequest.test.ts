import http, { createServer, type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { selfSigned } from '../../../forwarder/selfSigned.testkit.ts';
import { createSendRequest } from './sendRequest.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const patiently = { onAbandoned: () => ({ dispose: () => undefined }) };
const post = (url: string) => ({ method: 'POST' as const, url, headers: { authorization: 'Bot x' }, body: '{}' });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('RLY-3 nothing leaves without TLS but to this machine', async () => {
  const send = createSendRequest();
  for (const url of ['http://example.test/', 'ftp://127.0.0.1/', 'http://127.0.0.1.example.test/', 'no address'])
    expect((await send(post(url), patiently)).kind, url).toBe('unsent');
});

test('RLY-3 a redirect is an answer, and is not followed', async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked++;
    response.writeHead(302, { location: '/other' }).end();
  });
  expect(await createSendRequest()(post(url), patiently)).toMatchObject({ kind: 'answer', status: 302 });
  expect(asked).toBe(1);
});

test('RLY-2 what had no chance to be taken is told from what may have been', async () => {
  const hanging = await serve(() => undefined);
  expect((await createSendRequest(20)(post(hanging), patiently)).kind).toBe('unsure');
  servers.splice(0).forEach((server) => {
    server.closeAllConnections();
    server.close();
  });
  expect(await createSendRequest()(post(hanging), patiently)).toEqual({ kind: 'unsent', why: 'ECONNREFUSED' });
});

test('RLY-2 before there is a connection that is trusted nothing was taken, however it ends', async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect((await createSendRequest(20)(post(url), patiently)).kind).toBe('unsent');
  server.on('connection', (socket) => socket.once('data', () => socket.resetAndDestroy()));
  expect((await createSendRequest()(post(url), patiently)).kind).toBe('unsent');
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('RLY-2 a proxy of the editor’s that refuses to connect us took nothing, whatever it answers', async () => {
  const url = await serve((_, response) => void response.writeHead(503).end('<html>Squid</html>'));
  // So it comes: as the answer, over a connection that never got its TLS.
  const inTheClear = (_: unknown, options: http.RequestOptions) => http.request(url, options);
  const asking = vi.spyOn(https, 'request').mockImplementation(inTheClear as never);
  const heard = await createSendRequest()(post('https://example.test/'), patiently).finally(() => asking.mockRestore());
  expect(heard).toEqual({ kind: 'unsent', why: 'HTTP 503 of a proxy' });
});

test('RLY-2 a connection that ends after the request was written may have taken it', async () => {
  const url = await serve((request) => request.on('end', () => request.socket.resetAndDestroy()).resume());
  expect((await createSendRequest()(post(url), patiently)).kind).toBe('unsure');
});

test('RLY-2 an answer of any length ends, and its status holds', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200);
    const go = () => void (response.write('x'.repeat(65_536)) ? setImmediate(go) : response.once('drain', go));
    go();
  });
  expect(await createSendRequest()(post(url), patiently)).toMatchObject({ kind: 'answer', status: 200 });
});

test('RLY-2 what no header takes is an answer like any other, and never thrown', async () => {
  const headers = { authorization: 'Bot\nx' };
  const asked = { ...post('https://127.0.0.1:1/'), headers };
  expect((await createSendRequest()(asked, patiently)).kind).toBe('unsent');
});

test('SEC-8 sends nothing to an untrusted certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  let asked = 0;
  const server = https.createServer(selfSigned, (_, response) => {
    asked++;
    response.end('{}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const heard = await createSendRequest()(post(url), patiently).finally(() => vi.unstubAllEnvs());
  expect(heard).toEqual({ kind: 'unsent', why: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(asked).toBe(0);
});
