import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { PERSON_HEADER } from '../../protocol/discovery.ts';
import { isFromAgent } from './agentScope.ts';
import type { Capability } from './capabilities.ts';

export interface Refusal {
  readonly status: 401 | 403 | 415;
  readonly error: string;
}

export interface Gate {
  readonly port: () => number;
  /** The port file's token. */
  readonly token: () => string;
  /** SEC-7: the token of `person.key`; empty: no token is accepted as the person's. */
  readonly personToken: () => string;
  /** SEC-4: the two writing doors may be opened for scripts without a token. */
  readonly unauthenticatedIngest: () => boolean;
}

interface Asked {
  readonly method: string;
  /** What the route needs; undefined if there is no such route (the 404 needs a token too). */
  readonly needs: Capability | undefined;
  readonly headers: IncomingHttpHeaders;
}

const needsPerson =
  'this needs the person’s token: do it in the editor, or send the token in person.key, which is beside the port file';
const noAgent = 'an agent can’t do this: ask the person to do it in the editor, or in a terminal without an agent';

/**
 * Who may come in, told from the headers alone: nothing of a body is read before this has passed. Browsers always send an
 * Origin and can't forge a Host, command line clients send no Origin; that tells a web page from a hook.
 */
export function refusal(gate: Gate, { method, needs, headers }: Asked): Refusal | undefined {
  if (!isOurHost(headers.host, gate.port())) return { status: 403, error: 'forbidden: wrong Host' };
  if (headers.origin !== undefined || isFromPage(headers)) {
    return { status: 403, error: 'forbidden: requests from web pages are not served' };
  }
  if (needs === 'open') return undefined;
  if (!knowsToken(gate, headers) && !(needs === 'report' && gate.unauthenticatedIngest())) {
    return { status: 401, error: 'unauthorized: send the token of the port file as "Authorization: Bearer …"' };
  }
  if (method === 'POST' && !isJson(headers['content-type'])) {
    return { status: 415, error: 'unsupported media type: send application/json' };
  }
  if ((needs === 'person' || needs === 'everything') && isFromAgent(headers)) return { status: 403, error: noAgent };
  return needs === 'person' && !isPerson(gate, headers) ? { status: 403, error: needsPerson } : undefined;
}

/** Does the request carry one of the two tokens? */
export function knowsToken(gate: Pick<Gate, 'token' | 'personToken'>, headers: IncomingHttpHeaders): boolean {
  return [gate.token(), gate.personToken()].some((token) => isToken(bearerOf(headers), token));
}

/** Does the request carry the person's token, as the bearer or, as windows send it, in a header of its own? */
export function isPerson({ personToken }: Pick<Gate, 'personToken'>, headers: IncomingHttpHeaders): boolean {
  return [bearerOf(headers), String(headers[PERSON_HEADER] ?? '')].some((given) => isToken(given, personToken()));
}

/** Images, scripts and navigations carry no Origin, but no page can keep this header away; `none` is a person's typing. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'none';
}

function isOurHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`;
}

function bearerOf({ authorization }: IncomingHttpHeaders): string {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** The comparison takes the same time for every guess of the right length, which is no secret. */
function isToken(given: string, token: string): boolean {
  const [guess, right] = [Buffer.from(given), Buffer.from(token)];
  return token !== '' && guess.length === right.length && timingSafeEqual(guess, right);
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}
