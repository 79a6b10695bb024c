import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { CONNECT_DEADLINE_MS } from '../src/protocol/limits.ts';
import { replyReader } from './reply.ts';
import type { Reply } from './reply.ts';

/**
 * A request over a bare socket: loading node:http costs a hook half as much again as starting Node does, and it would
 * obey NODE_USE_ENV_PROXY, which must never see a prompt.
 */
export interface Request {
  /** Origin, and the path before ours if the collector is mounted below one. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string | undefined;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: string | undefined;
  readonly deadlineMs: number;
  readonly replyMaxBytes: number;
}

/** Why there is no reply. `dropped`: the connection stood and ended before the first byte of an answer. */
export type NoReply = 'refused' | 'unreachable' | 'connect-timeout' | 'timeout' | 'dropped' | 'malformed' | 'too-long';

/** A connecting socket, and the event after which it can be written to. */
export type Open = (url: URL) => readonly [socket: Socket, ready: 'connect' | 'secureConnect'];

export function send(request: Request, open: Open = openPlain): Promise<Reply | NoReply> {
  return new Promise((resolve) => {
    const [socket, ready] = open(request.url);
    const reader = replyReader();
    let size = 0;
    let connected = false;
    const finish = (outcome: Reply | NoReply) => {
      clearTimeout(connectTimer);
      clearTimeout(deadline);
      socket.destroy();
      resolve(outcome);
    };
    const connectMs = Math.min(CONNECT_DEADLINE_MS, request.deadlineMs);
    const connectTimer = setTimeout(() => finish('connect-timeout'), connectMs);
    const deadline = setTimeout(() => finish(connected ? 'timeout' : 'connect-timeout'), request.deadlineMs);
    const finishAtEnd = () => finish(size === 0 ? 'dropped' : reader.end());

    socket.on(ready, () => {
      connected = true;
      clearTimeout(connectTimer);
      socket.write(head(request));
      if (request.json !== undefined) socket.write(request.json);
    });
    socket.on('data', (piece: Buffer) => {
      size += piece.length;
      const reply = size > request.replyMaxBytes ? 'too-long' : reader.add(piece);
      if (reply !== 'incomplete') finish(reply);
    });
    socket.on('end', finishAtEnd);
    // A server that answers before it has read all of the body may reset: what it said until then still counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (connected) finishAtEnd();
      else finish(error.code === 'ECONNREFUSED' ? 'refused' : 'unreachable');
    });
  });
}

/** `localhost` is never looked up, because variables can redirect the lookup (HOSTALIASES, RES_OPTIONS). */
function openPlain({ hostname, port }: URL): ReturnType<Open> {
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '');
  return [connectTcp({ host, port: Number(port) || 80, noDelay: true }), 'connect'];
}

function head({ url, method, path, token, headers = {}, json }: Request): string {
  const lines = [
    `${method} ${url.pathname.replace(/\/$/, '')}${path} HTTP/1.1`,
    `Host: ${url.host}`,
    'Accept: application/json, text/plain',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  if (json !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A token goes into a header line: whatever could end that line is no token. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
