import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseSocket } from './refuseSocket.ts';

/** As many requests as may wait (SEC-3), the readers of the streams, and some for health. */
const CONNECTIONS_MAX = 1_200;

/** Nobody of ours sends a request before the one before it is answered. */
const PIPELINED_MAX = 16;

/** Over loopback the largest answer takes a fraction of a second to somebody who reads it. */
const ANSWER_DEADLINE_MS = 30_000;

/** A refused client reads its answer within this; those beyond the number are cut without one. */
const REFUSED_LINGER_MS = 500;
const CLOSING_MAX = 200;

export interface Connections {
  /** False: it is not to be answered; too many wait on this connection, or it is being closed. */
  begin(socket: Socket, response: ServerResponse, over: () => void): boolean;
  /** It has shown the token: it is not let go in favour of somebody who has not. */
  trust(socket: Socket): void;
  isStranger(socket: Socket): boolean;
  /** An answer has begun that has not ended. */
  isAnswering(socket: Socket): boolean;
  /** At once where no answer is due on it. */
  afterAnswers(socket: Socket, call: () => void): void;
  /** Cuts a client that does not take its answer; called when the answer has been given whole. */
  limitAnswer(socket: Socket, response: ServerResponse): void;
  destroyAll(): void;
}

/**
 * SEC-3: whoever holds connections without a token can't keep the person's own windows out. At the limit idle connections go
 * first, then the oldest that has shown no token, with a 503; only where all have, the newest is refused.
 */
export function limitConnections(server: Server, max = CONNECTIONS_MAX, deadlineMs = ANSWER_DEADLINE_MS): Connections {
  // An upgraded or half-closed socket is none of the server's any more, but it keeps the process alive.
  const sockets = new Set<Socket>();
  /** Oldest first. */
  const strangers = new Set<Socket>();
  const waiting = new Map<Socket, Map<ServerResponse, () => void>>();
  const closing = new Set<Socket>();

  server.on('connection', (socket) => {
    // Given back by an upgrade that was declined.
    if (sockets.has(socket)) return;
    if (sockets.size >= max) makeRoom();
    if (sockets.size >= max) return refuse(socket);
    sockets.add(socket);
    strangers.add(socket);
    socket.once('close', () => leave(socket));
  });

  function makeRoom(): void {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.destroyed) leave(socket);
    if (sockets.size < max) return;
    const [oldest] = strangers;
    if (oldest) refuse(oldest);
  }

  function refuse(socket: Socket): void {
    leave(socket);
    // Where an answer has begun already, a second one would stand in its middle.
    if (socket.bytesWritten > 0 || closing.size >= CLOSING_MAX) return void socket.destroy();
    closing.add(socket);
    socket.once('close', () => closing.delete(socket));
    refuseSocket(socket, 503, ['Retry-After: 1'], { lingerMs: REFUSED_LINGER_MS });
  }

  function leave(socket: Socket): void {
    sockets.delete(socket);
    strangers.delete(socket);
    const overs = waiting.get(socket);
    waiting.delete(socket);
    overs?.forEach((over) => over());
  }

  return {
    begin(socket, response, over) {
      // What a refused one sends meanwhile is read, or its end would cost it the answer, but that is all.
      if (!sockets.has(socket)) return false;
      const overs = waiting.get(socket) ?? new Map<ServerResponse, () => void>();
      if (overs.size >= PIPELINED_MAX) {
        socket.destroy();
        return false;
      }
      waiting.set(socket, overs.set(response, over));
      response.once('close', () => {
        if (overs.delete(response)) over();
      });
      return true;
    },
    trust: (socket) => void strangers.delete(socket),
    isStranger: (socket) => strangers.has(socket),
    isAnswering: (socket) => [...(waiting.get(socket)?.keys() ?? [])].some((response) => response.headersSent),
    afterAnswers(socket, call) {
      const last = [...(waiting.get(socket)?.keys() ?? [])].at(-1);
      if (last) last.once('close', call);
      else call();
    },
    limitAnswer(socket, response) {
      // Most answers are out at once and need no timer.
      if (response.writableLength === 0) return;
      const cut = setTimeout(() => socket.destroy(), deadlineMs).unref();
      response.once('close', () => clearTimeout(cut));
    },
    destroyAll() {
      for (const socket of [...sockets, ...closing]) socket.destroy();
    },
  };
}
