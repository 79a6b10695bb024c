import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Disposable, Log } from '../../app/ports.ts';
import { PRODUCT_HEADER } from '../../protocol/discovery.ts';
import { BODY_DEADLINE_MS, BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { BadCursorError } from '../store/cursor.ts';
import { StoreClosedError } from '../store/errors.ts';
import { type Gate, refusal } from './gate.ts';
import { STREAM_PATH } from './plainRoutes.ts';
import { createHookTimes, type HookTimes } from './hookTimes.ts';
import { readBody } from './readBody.ts';
import { refuseSocket } from './refuseSocket.ts';
import { BadQueryError, type Reply, type RouteWorld, type SentBody } from './route.ts';
import { routesAt } from './routes.ts';
import { createTrials, settingTrialsAside, type Trials } from './trials.ts';
import { createWsHub } from './wsHub.ts';

const clientErrors: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const HEADERS_MAX_BYTES = 16 * 1024;
const HEADERS_DEADLINE_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;
const REST_DEADLINE_MS = 2_000;
const CONNECTIONS_MAX = 1_200;

const toNobody: Reply = { status: 503, body: { error: 'the client has gone' } };

export interface CollectorParts extends Omit<RouteWorld, 'port' | 'trials' | 'hookTimes'> {
  /** Shared with the spool, which most of them come by. */
  readonly trials?: Trials;
  readonly hookTimes?: HookTimes;
  readonly log: Log;
  readonly token: string;
  readonly version: string;
  /** Tried first; any free port is taken when it is in use. */
  readonly port: number;
  readonly unauthenticatedIngest: () => boolean;
  readonly bodyDeadlineMs?: number;
}

export interface Collector extends Disposable {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** COL-1: the server that hooks and readers talk to, on loopback alone. */
export async function startCollector(parts: CollectorParts): Promise<Collector> {
  const { log } = parts;
  const streams = createWsHub(parts.source, log);
  const server = createServer(
    {
      maxHeaderSize: HEADERS_MAX_BYTES,
      headersTimeout: HEADERS_DEADLINE_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node looks for late headers only this often.
      connectionsCheckingInterval: HEADERS_DEADLINE_MS / 5,
    },
    (request, response) => {
      void answer(request, response).catch((error: unknown) => {
        log.error(`A request failed: ${String(error)}`);
        send(response, { status: 500, body: { ok: false, error: 'internal error' } });
      });
    },
  );
  // The body has a deadline of its own, which answers; Node's would cut the connection in silence.
  server.requestTimeout = 0;
  server.maxConnections = CONNECTIONS_MAX;
  // An upgraded or half-closed socket is none of the server's any more, but it keeps the process alive.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', upgrade);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseSocket(socket, clientErrors[error.code ?? ''] ?? 400);
  });

  const port = await listen(server, parts.port).catch((error: unknown) => {
    streams.dispose();
    throw error;
  });
  const gate: Gate = { port: () => port, token: parts.token, unauthenticatedIngest: parts.unauthenticatedIngest };

  const { trials = createTrials(), hookTimes = createHookTimes() } = parts;
  const pipeline = settingTrialsAside(parts.pipeline, trials, parts.now);
  const world: RouteWorld = { ...parts, pipeline, trials, hookTimes, port: () => port };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    const method = request.method ?? '';
    const refused = refusal(gate, { method, path: url.pathname, headers: request.headers });
    if (refused) send(response, { status: refused.status, body: { ok: false, error: refused.error } }, request);
    else send(response, await reply(request, response, url), request);
  }

  async function reply(request: IncomingMessage, response: ServerResponse, url: URL): Promise<Reply> {
    const method = request.method ?? '';
    const { routes, params } = routesAt(url.pathname);
    if (routes.length === 0) return { status: 404, body: { ok: false, error: 'not found' } };
    const route = routes.find((each) => each.method === method);
    if (!route) return notAllowed(routes.map((each) => each.method));
    const { signal } = untilClosed(response);
    const asked = { params, query: url.searchParams, headers: request.headers, body: () => sentBody(request), signal };
    try {
      return await route.answer(world, asked);
    } catch (error) {
      if (error instanceof BadQueryError) return { status: 400, body: { error: error.message } };
      if (error instanceof BadCursorError) return { status: 400, body: { error: 'bad cursor: take it from `next`' } };
      if (signal.aborted && error === signal.reason) return toNobody;
      if (error instanceof StoreClosedError) return { status: 503, body: { error: 'stopping: ask again' } };
      throw error;
    }
  }

  async function sentBody(request: IncomingMessage): Promise<SentBody> {
    const body = await readBody(request, {
      maxBytes: BODY_MAX_BYTES,
      deadlineMs: parts.bodyDeadlineMs ?? BODY_DEADLINE_MS,
    });
    if (!body.ok) return body;
    const json = parseJson(body.text);
    return json === undefined ? { ok: false, status: 400, error: 'the body is not JSON' } : { ok: true, ...json };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = urlOf(request).pathname;
    const refused = refusal(gate, { method: 'GET', path, headers: request.headers });
    const status = refused?.status ?? (path === STREAM_PATH ? undefined : 404);
    if (status === undefined) streams.upgrade(request, socket, head);
    else refuseSocket(socket, status);
  }

  function send(response: ServerResponse, reply: Reply, request?: IncomingMessage): void {
    if (response.headersSent) return void response.end();
    const isText = 'text' in reply;
    const text = isText ? reply.text : JSON.stringify(reply.body);
    response.statusCode = reply.status;
    response.setHeader('content-type', `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`);
    response.setHeader('content-length', Buffer.byteLength(text));
    response.setHeader(PRODUCT_HEADER, parts.version);
    response.setHeader('cache-control', 'no-store');
    for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
    if (reply.status === 503) response.setHeader('retry-after', '1');
    response.end(text);
    if (request && !request.complete) limitRest(request);
  }

  async function close(): Promise<void> {
    streams.dispose();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    });
  }

  return { port, url: `http://127.0.0.1:${port}`, close, dispose: () => void close() };
}

/**
 * Cutting the connection while the client still writes would cost it the answer. Node discards the rest of an unread body
 * after the response; this bounds how long it may take.
 */
function limitRest(request: IncomingMessage): void {
  const cut = setTimeout(() => request.destroy(), REST_DEADLINE_MS).unref();
  request.once('close', () => clearTimeout(cut)).resume();
}

async function listen(server: Server, wanted: number): Promise<number> {
  const taken = await tryListen(server, wanted);
  if (!taken) await tryListen(server, 0);
  return (server.address() as AddressInfo).port;
}

function tryListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      if (inUse && port !== 0) resolve(false);
      else reject(error);
    };
    server.once('error', onError);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', onError);
      resolve(true);
    });
  });
}

/** Closed, a response has been sent whole or has nobody left to be sent to. */
function untilClosed(response: ServerResponse): AbortController {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return closed;
}

function urlOf(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'http://127.0.0.1');
  } catch {
    return new URL('http://127.0.0.1/not-an-address');
  }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function notAllowed(methods: readonly string[]): Reply {
  const allow = methods.join(', ');
  return { status: 405, headers: { allow }, body: { ok: false, error: `method not allowed: ${allow} works here` } };
}
