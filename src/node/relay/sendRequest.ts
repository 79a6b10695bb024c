import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Heard } from '../../domain/relay/answers.ts';
import type { RelayRequest, Sign } from '../../domain/relay/requests.ts';
import type { SendRequest } from '../../app/relay/relayPorts.ts';

/** Chats answer in tenths of a second; what takes longer is lost or overloaded. */
const DEADLINE_MS = 10_000;

/** A message, as Discord gives it back, takes some thousand bytes. */
const ANSWER_MAX_BYTES = 256 * 1024;

/**
 * One request over a connection of its own: an editor that closes waits for none. A redirect is not followed, for what lets us in
 * is meant for the host that the person named, and is never sent without TLS but to this machine.
 */
export function createSendRequest(deadlineMs = DEADLINE_MS): SendRequest {
  return (asked, abandon) =>
    new Promise<Heard>((resolve) => {
      const address = addressOf(asked);
      if (!address) return resolve({ kind: 'unsent', why: 'the address is not one of https' });
      const made = begun(asked, address);
      if (!made) return resolve({ kind: 'unsent', why: 'it can’t be written as a request' });
      const sending = made;
      const isSecure = address.protocol === 'https:';
      // Before there is a connection, with TLS a trusted one, nothing can have been taken, whatever the system calls its end.
      let isConnected = false;
      sending.on('socket', (socket) => {
        // A proxy of the editor's hands over sockets that are ready.
        isConnected = isReady(socket, isSecure);
        socket.once(isSecure ? 'secureConnect' : 'connect', () => void (isConnected = true));
      });
      const deadline = setTimeout(() => give('no answer in time'), deadlineMs);
      const abandoning = abandon.onAbandoned(() => give('the window closes'));
      const settle = (heard: Heard) => {
        clearTimeout(deadline);
        abandoning.dispose();
        resolve(heard);
      };
      function give(why: string): void {
        settle({ kind: isConnected ? 'unsure' : 'unsent', why });
        sending.destroy();
      }
      sending.on('error', (error: NodeJS.ErrnoException) => {
        settle({ kind: isConnected ? 'unsure' : 'unsent', why: error.code ?? 'unknown' });
      });
      sending.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        if (isSecure && !isConnected) {
          // Its refusal to connect us comes as if it were the answer.
          settle({ kind: 'unsent', why: `HTTP ${status} of a proxy` });
          sending.destroy();
          return;
        }
        const chunks: Buffer[] = [];
        let size = 0;
        const answered = () => {
          const headers = Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
          );
          settle({ kind: 'answer', status, headers, body: Buffer.concat(chunks).toString('utf8') });
        };
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= ANSWER_MAX_BYTES) return void chunks.push(chunk);
          // The status says what became of it; nobody reads on.
          answered();
          sending.destroy();
        });
        response.on('end', answered);
        // A connection that broke after the status: what it says holds.
        response.on('error', answered);
        response.on('aborted', answered);
      });
      sending.end(asked.body);
    });
}

function isReady(socket: Socket, isSecure: boolean): boolean {
  return !socket.connecting && (!isSecure || ('secureConnecting' in socket && socket.secureConnecting === false));
}

/** Undefined: a header of it has letters that none takes, such as those of a token that was copied wrongly. */
function begun(asked: RelayRequest, address: URL): http.ClientRequest | undefined {
  const { request } = address.protocol === 'https:' ? https : http;
  try {
    return request(address, {
      method: asked.method,
      headers: headersOf(asked),
      agent: false,
      // SEC-8: set here, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the editor's environment would turn the check off.
      ...(address.protocol === 'https:' ? { rejectUnauthorized: true } : {}),
    });
  } catch {
    return undefined;
  }
}

function addressOf({ url }: RelayRequest): URL | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol === 'https:') return address;
  const isHere = address !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname);
  return address?.protocol === 'http:' && isHere ? address : undefined;
}

function headersOf({ headers, body }: RelayRequest): http.OutgoingHttpHeaders {
  return {
    ...headers,
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
}

/** `X-Agent-Mascot-Signature`. */
export const signWithHmac: Sign = (key, text) => createHmac('sha256', key).update(text).digest('hex');
