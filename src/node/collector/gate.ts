import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Refusal {
  readonly status: 401 | 403 | 415;
  readonly error: string;
}

export interface Gate {
  readonly port: () => number;
  /** The one that lets in now. */
  readonly token: () => string;
  /** SEC-4: the two writing doors may be opened for scripts without a token. */
  readonly unauthenticatedIngest: () => boolean;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

const openDoors = new Set(['/ingest', '/api/hook']);

/**
 * Who may come in, told from the headers alone: nothing of a body is read before this has passed. Browsers always send an
 * Origin and can't forge a Host, command line clients send no Origin; that tells a web page from a hook.
 */
export function refusal(gate: Gate, { method, path, headers }: Asked): Refusal | undefined {
  if (!isOurHost(headers.host, gate.port())) return { status: 403, error: 'forbidden: wrong Host' };
  if (headers.origin !== undefined || isFromPage(headers)) {
    return { status: 403, error: 'forbidden: requests from web pages are not served' };
  }
  if (path === '/health' && method === 'GET') return undefined;
  const open = method === 'POST' && openDoors.has(path) && gate.unauthenticatedIngest();
  if (!open && !knowsToken(gate, headers)) {
    return { status: 401, error: 'unauthorized: send the token of the port file as "Authorization: Bearer …"' };
  }
  if (method === 'POST' && !isJson(headers['content-type'])) {
    return { status: 415, error: 'unsupported media type: send application/json' };
  }
  return undefined;
}

export function knowsToken(gate: Pick<Gate, 'token'>, headers: IncomingHttpHeaders): boolean {
  return hasToken(headers.authorization, gate.token());
}

/** Images, scripts and navigations carry no Origin, but no page can keep this header away; `none` is a person's typing. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'none';
}

function isOurHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`;
}

/** Hashes have one length, so the comparison takes the same time for every guess. */
function hasToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer ([^\s]+)$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}
