import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkAnswer } from '../../app/windowPorts.ts';
import type { PortFile } from '../../protocol/discovery.ts';
import { aWorkItem } from '../../../test/webview/fixtures.ts';
import { homeAt } from '../machine/home.ts';
import { createCollectorQuestions } from './collectorQuestions.ts';

let server: Server;
let folder = '';
let answer: { status: number; body: unknown };
let asked: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'work-questions-'));
  asked = [];
  server = createServer((request, response) => {
    let sent = '';
    request.on('data', (part: Buffer) => (sent += part.toString()));
    request.on('end', () => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''} ${sent}`.trim());
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function questions() {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const portFile = path.join(folder, 'collector.json');
  const content: PortFile = {
    ...{ version: 1, url: `http://127.0.0.1:${port}`, port, token: 'a'.repeat(64), pid: process.pid },
    ...{ instance: 'i', generation: 1, startedAt: new Date().toISOString(), app: 'test' },
  };
  writeFileSync(portFile, JSON.stringify(content), { mode: 0o600 });
  return createCollectorQuestions(homeAt(folder));
}

const net = { id: 'net', project: '/p/one two' };

test('GRD-1 a window makes, starts and ends items of a project, and is given each as it is then', async () => {
  const item = aWorkItem({ id: 'net' });
  answer = { status: 200, body: { item, changed: true } };
  const ask = questions();
  const creation = { id: 'net', title: 'Net', project: '/p', start: true };
  expect(await ask.createWork(creation)).toEqual({ kind: 'done', item, changed: true });
  await ask.startWork(net);
  await ask.endWork({ ...net, id: '..', cancel: true });
  expect(asked).toEqual([
    `POST /api/work-items ${JSON.stringify(creation)}`,
    'POST /api/work-items/net/start {"project":"/p/one two"}',
    'POST /api/work-items/~002e002e/end {"project":"/p/one two","cancel":true}',
  ]);
});

const refusals: readonly (readonly [number, unknown, WorkAnswer])[] = [
  [409, { error: 'x', reason: 'needs-open', needs: ['a', 'b'] }, { kind: 'needs-open', needs: ['a', 'b'] }],
  [409, { error: 'x', reason: 'exists' }, { kind: 'exists' }],
  [404, { error: 'x', reason: 'unknown' }, { kind: 'unknown' }],
  [500, { error: 'x' }, { kind: 'refused' }],
  [200, { item: {} }, { kind: 'refused' }],
  // An owner of an older version has no such route.
  [404, { error: 'no such route' }, { kind: 'silent' }],
];
test.each(refusals)('GRD-4 what refuses with %i and %o is told by its reason', async (status, body, told) => {
  answer = { status, body };
  expect(await questions().startWork(net)).toEqual(told);
});

test('GRD-1 without a collector nobody can be asked', async () => {
  const nobody = createCollectorQuestions(homeAt(path.join(folder, 'none')));
  expect([await nobody.startWork(net), await nobody.tracking('/p')]).toEqual([{ kind: 'silent' }, undefined]);
});

test('GRD-2 a window asks what edits in a folder are held to, and whose folder it is', async () => {
  answer = { status: 200, body: { mode: 'strict', autoCreate: true, gaps: 2, project: '/p' } };
  expect(await questions().tracking('/p/src')).toEqual(answer.body);
  expect(asked).toEqual(['GET /api/tracking?project=%2Fp%2Fsrc']);
});
