import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { z } from 'zod';
import { type Disposable, type Log, type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { CHALLENGE_HEADER, HEALTH_TEXT, PRODUCT_HEADER, PROOF_HEADER, proofText } from '../../protocol/discovery.ts';
import { hookEnvelopeSchema } from '../../protocol/hook.ts';
import { BODY_DEADLINE_MS, BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { BadCursorError } from '../store/cursor.ts';
import { type Gate, refusal } from './gate.ts';
import { readBody } from './readBody.ts';
import { refuseSocket } from './refuseSocket.ts';
import { type ReadingParts, readRoute, type Reply } from './routes.ts';
import { createWsHub } from './wsHub.ts';

const CHALLENGE_MAX = 200;
const clientErrors: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const HEADERS_MAX_BYTES = 16 * 1024;
const HEADERS_DEADLINE_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;
const REST_DEADLINE_MS = 2_000;
const CONNECTIONS_MAX = 1_200;

export interface CollectorParts extends ReadingParts {
  readonly pipeline: Pipeline;
  readonly log: Log;
  readonly token: string;
  /** What only this person's processes can read; see `proofText`. */
  readonly proofKey: string;
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

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    const method = request.method ?? '';
    const refused = refusal(gate, { method, path: url.pathname, headers: request.headers });
    if (refused) send(response, { status: refused.status, body: { ok: false, error: refused.error } }, request);
    else if (url.pathname === '/health' && method === 'GET') sendHealth(response, request.headers[CHALLENGE_HEADER]);
    else if (url.pathname === '/ingest') send(response, await ingestRoute(request, method), request);
    else if (method !== 'GET') send(response, { status: 405, body: { error: 'method not allowed' } }, request);
    else send(response, read(url));
  }

  async function ingestRoute(request: IncomingMessage, method: string): Promise<Reply> {
    if (method !== 'POST') return { status: 405, body: { ok: false, error: 'method not allowed: POST a hook here' } };
    const body = await readBody(request, {
      maxBytes: BODY_MAX_BYTES,
      deadlineMs: parts.bodyDeadlineMs ?? BODY_DEADLINE_MS,
    });
    if (!body.ok) return { status: body.status, body: { ok: false, error: body.error } };
    const json = parseJson(body.text);
    if (json === undefined) return { status: 400, body: { ok: false, error: 'the body is not JSON' } };
    const hook = hookEnvelopeSchema.safeParse(json.value);
    if (!hook.success) return { status: 400, body: { ok: false, error: firstIssue(hook.error) } };
    return await ingest(hook.data);
  }

  async function ingest(hook: Parameters<Pipeline['ingest']>[0]): Promise<Reply> {
    try {
      const { id, duplicate } = await parts.pipeline.ingest(hook);
      return { status: 200, body: duplicate ? { ok: true, id, duplicate } : { ok: true, id } };
    } catch (error) {
      if (error instanceof PipelineFullError) return { status: 503, body: { ok: false, error: 'busy: try again' } };
      return { status: 500, body: { ok: false, error: 'the event could not be stored; it was not taken' } };
    }
  }

  function read(url: URL): Reply {
    try {
      return readRoute(parts, url);
    } catch (error) {
      if (error instanceof BadCursorError) return { status: 400, body: { error: 'bad cursor: take it from `next`' } };
      throw error;
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = urlOf(request).pathname;
    const refused = refusal(gate, { method: 'GET', path, headers: request.headers });
    const status = refused?.status ?? (path === '/ws' ? undefined : 404);
    if (status === undefined) streams.upgrade(request, socket, head);
    else refuseSocket(socket, status);
  }

  function send(response: ServerResponse, { status, body }: Reply, unread?: IncomingMessage): void {
    if (response.headersSent) return void response.end();
    const text = JSON.stringify(body);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', Buffer.byteLength(text));
    response.setHeader(PRODUCT_HEADER, parts.version);
    response.setHeader('cache-control', 'no-store');
    if (status === 503) response.setHeader('retry-after', '1');
    response.end(text);
    if (unread && !unread.complete) limitRest(unread);
  }

  function sendHealth(response: ServerResponse, challenge: string | string[] | undefined): void {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.setHeader(PRODUCT_HEADER, parts.version);
    if (typeof challenge === 'string' && challenge.length <= CHALLENGE_MAX) {
      const proof = createHmac('sha256', parts.proofKey).update(proofText(challenge, port)).digest('hex');
      response.setHeader(PROOF_HEADER, proof);
    }
    response.end(HEALTH_TEXT);
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

function firstIssue(error: z.ZodError): string {
  return `the hook was not understood: ${error.issues[0]?.message ?? 'not a hook'}`;
}
