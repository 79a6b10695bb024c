import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import type * as Tls from 'node:tls';
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

export async function send(request: Request): Promise<Reply | NoReply> {
  const isSecure = request.url.protocol === 'https:';
  const tls = isSecure ? await import('node:tls') : undefined;
  return new Promise((resolve) => {
    // Opened here, not awaited: a connection can fail before anything awaited comes back.
    const socket = open(request.url, tls);
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

    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
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

function open({ hostname, port }: URL, tls: Pick<typeof Tls, 'connect'> | undefined): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  return tls
    ? tls.connect({ host, port: Number(port) || 443, servername: host })
    : connectTcp({ host, port: Number(port) || 80, noDelay: true });
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
