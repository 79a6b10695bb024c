import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { presentTools } from '../../scripts/install-tools.mjs';
import { type Headless, startHeadless, temporaryFolder } from '../process/headless.testkit.ts';

/** The page that a person opened by mistake. It tries all that a page can do and keeps what it could read. */
const page = readFileSync(path.join(import.meta.dirname, 'hostilePage.html'), 'utf8');

/** Resolves to loopback in this browser, as a name does whose owner has rebound it. */
const REBOUND = 'rebound.example';

const root = path.join(import.meta.dirname, '../..');
const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
};
const asAsked = (route: string) => route.replace('{id}', 'known');
const routes = [...Object.keys(paths).map(asAsked), '/', '/favicon.ico', '/nothing'];
const writing = Object.entries(paths).flatMap(([route, methods]) => ('post' in methods ? [asAsked(route)] : []));
/** All that change something, and one of each other kind. What refuses a page comes before any of them is looked for. */
const ofEachKind = [...writing, '/health', '/api/state', '/api/sessions/known/events', '/', '/nothing'];
/** The ways in for hooks, one route that reads, and none at all. */
const ofFewKinds = ['/ingest', '/api/hook', '/api/state', '/nothing'];
const documentWays = new Set(['form', 'form in plain text', 'frame', 'window']);

let browser: Browser;
let server: Server;
beforeAll(async () => {
  const { chromium: executablePath } = presentTools(['chromium']);
  if (executablePath === undefined) throw new Error('Chromium is not installed: run "node scripts/install-tools.mjs".');
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      // The browser's own wall between sites and this machine is down: ours has to hold alone.
      '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights,BlockInsecurePrivateNetworkRequests',
      `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost, EXCLUDE localhost`,
    ],
  });
  server = createServer((request, response) => {
    const isWorker = request.url?.startsWith('/worker.js') === true;
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isWorker ? worker : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => server?.close(resolve));
});

/** Asks from where no page is, and passes on what came. */
const worker = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', async (event) => {
  const { url, options } = event.data;
  let got = 'nothing';
  try {
    const response = await fetch(url, options);
    got = response.type === 'opaque' ? 'nothing' : 'status ' + response.status + ' ' + (await response.text());
  } catch {}
  event.ports[0].postMessage(got);
});
`;

let folder: ReturnType<typeof temporaryFolder> | undefined;
let headless: Headless | undefined;
afterEach(async () => {
  await headless?.end('SIGKILL');
  folder?.remove();
});

async function target(open: boolean): Promise<{ collector: Headless; port: number }> {
  folder = temporaryFolder();
  const settings = path.join(folder.dir, 'settings.json');
  writeFileSync(settings, JSON.stringify({ 'agentMascot.collector.allowUnauthenticatedIngest': open }));
  const [storage, home] = [path.join(folder.dir, 'store'), path.join(folder.dir, 'home')];
  headless = startHeadless(folder.dir, {
    args: ['--storage', storage, '--port', '0', '--home', home, '--settings', settings],
  });
  const { url } = await headless.ready;
  const known = { hook_event_name: 'UserPromptSubmit', session_id: 'known', cwd: '/p', prompt: 'private words' };
  expect((await headless.post(known)).status).toBe(200);
  return { collector: headless, port: Number(new URL(url).port) };
}

interface Attack {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly routes: readonly string[];
  /** For what makes a document of each; otherwise all of them. */
  readonly few?: readonly string[];
}

interface HostilePage {
  attack(base: string, routes: readonly string[], documentRoutes: readonly string[]): Promise<Tried[]>;
}

interface Tried {
  readonly how: string;
  readonly route: string;
  readonly got: string;
}

/** What an attacker sees of the collector and what the collector sees of the attacker, from a page at this address. */
async function attack({ from, to, port, routes: asked, few }: Attack): Promise<readonly Tried[]> {
  const context = await browser.newContext();
  try {
    const opened = await context.newPage();
    const own = (server.address() as AddressInfo).port;
    await opened.goto(`http://${from}:${own}/`);
    return await opened.evaluate(([base, all, few]) => (globalThis as unknown as HostilePage).attack(base, all, few), [
      `${to}:${port}`,
      asked,
      few ?? asked,
    ] as const);
  } finally {
    await context.close();
  }
}

/** What is only told by who has it: the answers’ own words, and that something was readable at all. */
const readable = (tried: readonly Tried[]) => tried.filter(({ got }) => got !== 'nothing');
const waysOf = (tried: readonly Tried[]) => [...new Set(tried.map(({ how }) => how))].toSorted();

/** With the routes that it loads as documents, which cost a browser as much as all the rest. */
const attacks: readonly (readonly [string, string, string, boolean, readonly string[]])[] = [
  // Where scripts are let in without a token there is one wall less.
  ['from another port', '127.0.0.1', '127.0.0.1', true, ofEachKind],
  ['from another port to localhost', 'localhost', 'localhost', true, ofFewKinds],
  ['from a name below localhost', 'evil.localhost', 'evil.localhost', true, ofFewKinds],
  ['by a name that was rebound', REBOUND, REBOUND, true, ofEachKind],
  ['from a foreign site', REBOUND, '127.0.0.1', true, ofEachKind],
  ['from a foreign site to whom nobody opened a door', REBOUND, '127.0.0.1', false, ofFewKinds],
];

test.each(attacks)('SEC-2 SEC-4 a hostile page %s reads nothing, posts nothing and changes nothing', async (...row) => {
  const [, from, to, open, few] = row;
  const { collector, port } = await target(open);
  const before = await stateOf(collector);
  const tried = await attack({ from, to, port, routes, few });
  for (const how of waysOf(tried)) {
    const asked = tried.filter((each) => each.how === how).map(({ route }) => route);
    expect(asked.toSorted(), how).toEqual([...(documentWays.has(how) ? few : routes)].toSorted());
  }
  expect(readable(tried)).toEqual([]);
  expect(await stateOf(collector)).toEqual(before);
  const real = { hook_event_name: 'UserPromptSubmit', session_id: 'known', cwd: '/p', prompt: 'more' };
  expect((await collector.post(real)).status).toBe(200);
  expect(collector.stderr()).toBe('');
});

test('SEC-2 the same page reads and posts at a server that looks at nothing: its ways do work', async () => {
  const posted: string[] = [];
  const naive = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'POST')
        posted.push(`${request.headers['content-type']}: ${Buffer.concat(chunks).toString()}`);
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*');
      response.setHeader('content-type', kinds[request.url ?? ''] ?? 'text/javascript');
      response.end(request.url === '/image' ? '<svg xmlns="http://www.w3.org/2000/svg"/>' : 'retry: 1\n\n');
    });
  });
  const sockets = new WebSocketServer({ server: naive });
  await new Promise<void>((resolve) => naive.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = naive.address() as AddressInfo;
    const tried = await attack({ from: '127.0.0.1', to: '127.0.0.1', port, routes: Object.keys(kinds) });
    expect(waysOf(readable(tried))).toEqual(waysOf(tried).filter((how) => !unreadable.has(how)));
    expect(posted.filter((text) => text.includes('stolen')).length).toBeGreaterThan(Object.keys(kinds).length * 5);
    expect(posted).toContain(
      'text/plain: {"hook_event_name":"UserPromptSubmit","session_id":"stolen","prompt":"="}\r\n',
    );
  } finally {
    sockets.close();
    naive.closeAllConnections();
    await new Promise((resolve) => naive.close(resolve));
  }
});

/** What each address of the server that looks at nothing says it is, so that each way finds something. */
const kinds: Readonly<Record<string, string>> = {
  '/script': 'text/javascript',
  '/image': 'image/svg+xml',
  '/style': 'text/css',
  '/events': 'text/event-stream',
};

/** These only send, or open what another origin’s page can’t look into, whatever the server says. */
const unreadable = new Set(['beacon', 'fetch no-cors', 'form', 'form in plain text', 'frame', 'window']);

test('SEC-2 by the rebound name a page and the collector even have one origin, and still nothing is read', async () => {
  const { collector, port } = await target(true);
  const before = await stateOf(collector);
  const context = await browser.newContext();
  const opened = await context.newPage();
  // As the browser sees it, what is asked for below is the page's own site: only the Host header tells.
  const answer = await opened.goto(`http://${REBOUND}:${port}/health`);
  expect([answer?.status(), await opened.locator('body').innerText()]).toEqual([
    403,
    expect.stringContaining('wrong Host'),
  ]);
  const got = await opened.evaluate(async () => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"hook_event_name":"Stop"}',
    };
    const answers = await Promise.all(
      [fetch('/health'), fetch('/api/state'), fetch('/ingest', post)].map((each) => each.catch(() => undefined)),
    );
    return answers.map((each) => each?.status ?? 403);
  });
  expect(got).toEqual([403, 403, 403]);
  await context.close();
  expect(await stateOf(collector)).toEqual(before);
});

/** All that could have changed. */
async function stateOf(collector: Headless): Promise<unknown> {
  const { sessions, agents } = await collector.get('/api/state');
  const { events } = await collector.get('/api/stats');
  const settled = (agents as { mood: string; moodSince: string }[]).map(
    ({ mood: _, moodSince: __, ...agent }) => agent,
  );
  return { sessions, agents: settled, events };
}
