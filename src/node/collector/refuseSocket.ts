import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** A client that does not read its answer must not keep the socket: nothing else would ever close it. */
const LINGER_MS = 2_000;

/** Answers on a socket that is past HTTP's own handling, and closes it whatever the client does. */
export function refuseSocket(socket: Duplex, status: number, headers: readonly string[] = []): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Length: 0',
    ...headers,
  ];
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}
