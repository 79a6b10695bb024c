import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { guardHeaders } from './answerHeaders.ts';

/** A client that does not read its answer must not keep the socket: nothing else would ever close it. */
const LINGER_MS = 2_000;

/**
 * Answers on a socket that is past HTTP's own handling, and closes it whatever the client does: as soon as the answer is out,
 * or after `lingerMs` where somebody still reads what the client sends.
 */
export function refuseSocket(
  socket: Duplex,
  status: number,
  headers: readonly string[] = [],
  { lingerMs }: { readonly lingerMs?: number } = {},
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Length: 0',
    ...Object.entries(guardHeaders).map(([name, value]) => `${name}: ${value}`),
    ...headers,
  ];
  const cut = setTimeout(() => socket.destroy(), lingerMs ?? LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => {
    if (lingerMs === undefined) socket.destroy();
  });
}
