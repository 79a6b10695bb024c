import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Disposable, Log, SessionEventSource, StateSource } from '../../app/ports.ts';
import { PRODUCT_HEADER } from '../../protocol/discovery.ts';
import { BadCursorError } from '../store/cursor.ts';
import { StoreClosedError } from '../log/errors.ts';
import { guardHeaders } from './answerHeaders.ts';
import type { Bodies } from './bodies.ts';
import { limitConnections } from './connections.ts';
import { type AgentScope, agentScope, isFromAgent, refusalOfReading } from './agentScope.ts';
import { capabilityOf } from './capabilities.ts';
import { type Gate, isPerson, knowsToken, refusal } from './gate.ts';
import { oddityOf } from './oddities.ts';
import { createOnceAKind } from './onceAKind.ts';
import { STREAM_PATH } from './plainRoutes.ts';
import { refuseSocket } from './refuseSocket.ts';
import {
  type Asked,
  BadQueryError,
  NoSessionError,
  noSessionReply,
  type Reply,
  type Route,
  type RouteWorld,
} from './route.ts';
import { type Found, routesAt } from './routes.ts';
import { sessionWithAgents } from './shownSessions.ts';
import { createSeats } from './seats.ts';
import { createBodyReader } from './sentBody.ts';
import { createSseHub } from './sseHub.ts';
import { createStateText } from './stateText.ts';
import { settingTrialsAside, type Trials } from './trials.ts';
import { declineUpgrade, offersWebSocket } from './upgrades.ts';
import { createWsHub } from './wsHub.ts';

const clientErrors: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const HEADERS_MAX_BYTES = 16 * 1024;
const HEADERS_DEADLINE_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;
const REST_DEADLINE_MS = 2_000;

/** Plain readers of both streams, beside the windows: each is a program that somebody started to watch agents. */
const READERS_MAX = 64;

/** Why a request's signal is aborted. Every request ends so, and without a reason Node makes an error with a stack for each. */
const nobodyWaits = new Error('nobody waits for the answer');
const toNobody: Reply = { status: 503, body: { error: 'the client has gone' } };

export interface CollectorParts extends Omit<RouteWorld, 'port' | 'events'> {
  readonly source: StateSource & SessionEventSource;
  /** Shared with the spool, which most of them come by. */
  readonly trials: Trials;
  readonly log: Log;
  /** The port file's token. */
  readonly token: () => string;
  /** The person's token; empty: none is accepted. */
  readonly personToken: () => string;
  readonly version: string;
  /** Tried first; any free port is taken when it is in use. */
  readonly port: number;
  readonly unauthenticatedIngest: () => boolean;
  readonly bodyDeadlineMs?: number;
  /** Of all connections, and of all bodies on their way; smaller in tests. */
  readonly connectionsMax?: number;
  readonly bodies?: Bodies;
}

export interface Collector extends Disposable {
  readonly port: number;
  readonly url: string;
  /** Ends every connection, the streams included: each was let in by a token that may be another now. */
  cut(): void;
  close(): Promise<void>;
}

/** What a request is for. */
interface Wanted {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly found: Found;
  readonly route: Route | undefined;
}

/** COL-1: the server that hooks and readers talk to, on loopback alone. */
export async function startCollector(parts: CollectorParts): Promise<Collector> {
  const { log, source } = parts;
  const sentBody = createBodyReader({ bodies: parts.bodies, deadlineMs: parts.bodyDeadlineMs });
  const failed = createOnceAKind(log);
  const guests = createSeats(READERS_MAX);
  const stateText = createStateText(source);
  const streams = createWsHub({ source, stateText, guests, log });
  const events = createSseHub({ source, stateText, seats: guests, log });
  const server = createServer({
    maxHeaderSize: HEADERS_MAX_BYTES,
    headersTimeout: HEADERS_DEADLINE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node looks for late headers only this often.
    connectionsCheckingInterval: HEADERS_DEADLINE_MS / 5,
    shouldUpgradeCallback: offersWebSocket,
  });
  // Those beyond a limit of Node's would not be seen, an Origin among them; the bytes are limited, and we count.
  server.maxHeadersCount = 0;
  // The body has a deadline of its own, which answers; Node's would cut the connection in silence.
  server.requestTimeout = 0;
  const connections = limitConnections(server, parts.connectionsMax);
  server.on('request', serve);
  // Without this Node asks for the body before anybody has looked at the headers.
  server.on('checkContinue', serve);
  server.on('upgrade', upgrade);
  server.on('connect', (_request, socket) => refuseSocket(socket, 405));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second answer would stand in the middle of the first.
    if (connections.isAnswering(socket as Socket)) socket.destroy();
    else refuseSocket(socket, clientErrors[error.code ?? ''] ?? 400);
  });

  const port = await listen(server, parts.port).catch((error: unknown) => {
    streams.dispose();
    events.dispose();
    throw error;
  });
  const { token, personToken, unauthenticatedIngest } = parts;
  const gate: Gate = { port: () => port, token, personToken, unauthenticatedIngest };

  const pipeline = settingTrialsAside(parts.pipeline, parts.trials, parts.now);
  const world: RouteWorld = { ...parts, events, pipeline, port: () => port };

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const closed = new AbortController();
    if (!connections.begin(request.socket, response, () => closed.abort(nobodyWaits))) return;
    void answer(request, response, closed.signal).catch((error: unknown) => {
      failed(error);
      if (!closed.signal.aborted) send(response, { status: 500, body: { ok: false, error: 'internal error' } });
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const url = urlOf(request);
    const { headers, socket, method = '' } = request;
    const found = routesAt(url.pathname);
    const route = found.routes.find((each) => each.method === method);
    const needs = route && capabilityOf(route);
    const refused = oddityOf(request) ?? refusal(gate, { method, needs, headers });
    if (refused) return send(response, { status: refused.status, body: { ok: false, error: refused.error } }, request);
    if (connections.isStranger(socket) && knowsToken(gate, headers)) connections.trust(socket);
    const answered = await reply(request, response, { url, signal, found, route });
    // On a connection that is being refused there stands another answer already.
    if (!signal.aborted) send(response, answered, request);
  }

  async function reply(
    request: IncomingMessage,
    response: ServerResponse,
    { url, signal, found, route }: Wanted,
  ): Promise<Reply> {
    const { routes, params } = found;
    if (routes.length === 0) return { status: 404, body: { ok: false, error: 'not found' } };
    if (!route) return notAllowed(routes.map((each) => each.method));
    const sent = sentBody(request, response, signal);
    const { headers } = request;
    const asked = {
      ...{ params, query: url.searchParams, headers, body: sent.read, signal },
      hasToken: knowsToken(gate, headers),
      isPerson: !isFromAgent(headers) && isPerson(gate, headers),
    };
    try {
      const scope = await scopeOf(route, asked);
      return scope && 'status' in scope ? scope : await route.answer(world, { ...asked, scope });
    } catch (error) {
      if (error instanceof BadQueryError) return { status: 400, body: { error: error.message } };
      if (error instanceof NoSessionError) return noSessionReply;
      if (error instanceof BadCursorError) return { status: 400, body: { error: 'bad cursor: take it from `next`' } };
      if (signal.aborted && error === signal.reason) return toNobody;
      if (error instanceof StoreClosedError) return { status: 503, body: { error: 'stopping: ask again' } };
      throw error;
    } finally {
      sent.end();
    }
  }

  /** SEC-7: the calling agent's scope, or why it is refused; undefined if no agent calls. */
  async function scopeOf(
    route: Route,
    { headers, params }: Omit<Asked, 'scope'>,
  ): Promise<AgentScope | Reply | undefined> {
    const needs = capabilityOf(route);
    if (!isFromAgent(headers) || (needs !== 'session' && needs !== 'project')) return undefined;
    const scope = await agentScope(world, headers);
    if (needs === 'project' || 'status' in scope) return scope;
    return refusalOfReading(scope, sessionWithAgents(world, params['id'] ?? '')) ?? scope;
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!offersWebSocket(request)) {
      return connections.afterAnswers(request.socket, () => declineUpgrade(server, request, request.socket, head));
    }
    socket.on('error', () => socket.destroy());
    const { pathname } = urlOf(request);
    const route = routesAt(pathname).routes.find(({ method }) => method === 'GET');
    const needs = route && capabilityOf(route);
    const refused = oddityOf(request) ?? refusal(gate, { method: 'GET', needs, headers: request.headers });
    const status = refused?.status ?? (pathname === STREAM_PATH ? undefined : 404);
    if (status !== undefined) return refuseSocket(socket, status);
    connections.trust(request.socket);
    streams.upgrade(request, socket, head);
  }

  function send(response: ServerResponse, reply: Reply, request?: IncomingMessage): void {
    if (response.headersSent) return void response.end();
    response.statusCode = reply.status;
    response.setHeader(PRODUCT_HEADER, parts.version);
    for (const [name, value] of Object.entries({ ...guardHeaders, ...reply.headers })) response.setHeader(name, value);
    if (reply.status === 503) response.setHeader('retry-after', '1');
    if ('stream' in reply) {
      response.setHeader('content-type', 'text/event-stream; charset=utf-8');
      return reply.stream(response);
    }
    const isText = 'text' in reply;
    const text = isText ? reply.text : JSON.stringify(reply.body);
    if (!response.hasHeader('content-type')) {
      response.setHeader('content-type', `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`);
    }
    response.setHeader('content-length', Buffer.byteLength(text));
    response.end(text);
    connections.limitAnswer(response.req.socket, response);
    if (request && !request.complete) limitRest(request);
  }

  async function close(): Promise<void> {
    streams.dispose();
    events.dispose();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      connections.destroyAll();
    });
  }

  return { port, url: `http://127.0.0.1:${port}`, cut: connections.destroyAll, close, dispose: () => void close() };
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
    // Put together, not resolved: two slashes at the front would name another host.
    return new URL(`http://127.0.0.1${request.url ?? '/'}`);
  } catch {
    return new URL('http://127.0.0.1/not-an-address');
  }
}

function notAllowed(methods: readonly string[]): Reply {
  const allow = methods.join(', ');
  return { status: 405, headers: { allow }, body: { ok: false, error: `method not allowed: ${allow} works here` } };
}
