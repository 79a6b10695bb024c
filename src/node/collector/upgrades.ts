import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The only other protocol that is spoken here. */
export function offersWebSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return listed(headers.upgrade ?? '').includes('websocket');
}

/**
 * An offer is no demand: a request that offers HTTP/2 (as `curl --http2` and Java do with each first one) is answered as if it
 * had not. Node before 24.9 can't be told so: it hands over the connection and has not begun the request. So the connection is
 * given back with the request's own bytes, without the offer; nothing can run twice. Answers that are due on it must be out, or
 * the next one would wait for them for ever.
 */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  if (!socket.writable) return void socket.destroy();
  // The one for idle connections, which the answer before has left.
  socket.setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), head]));
  server.emit('connection', socket);
}

const offering = new Set(['upgrade', 'http2-settings']);

function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const kept = name.toLowerCase() === 'connection' ? withoutOffer(value) : value;
    if (!offering.has(name.toLowerCase()) && kept !== undefined) lines.push(`${name}: ${kept}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Of `Connection: keep-alive, Upgrade, HTTP2-Settings` the first. */
function withoutOffer(connection: string): string | undefined {
  const kept = listed(connection).filter((each) => !offering.has(each));
  return kept.length > 0 ? kept.join(', ') : undefined;
}

function listed(value: string): readonly string[] {
  return value.split(',').map((each) => each.trim().toLowerCase());
}
