import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Disposable, Log, StateSource } from '../../app/ports.ts';
import { STREAM_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import { clientFrameSchema, closeCodes, type ServerFrame, WIRE_VERSION } from '../../protocol/wire.ts';
import { refuseSocket } from './refuseSocket.ts';

/** A reader has no long words for us. */
const FRAME_MAX_BYTES = 16 * 1024;
const READERS_MAX = 64;
const HEARTBEAT_MS = 15_000;

export interface WsHub extends Disposable {
  /** The request has passed the gate. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** COL-7: a snapshot first, then every patch; a reader that can't keep up is dropped, never waited for. */
export function createWsHub(source: StateSource, log: Log): WsHub {
  const server = new WebSocketServer({ noServer: true, maxPayload: FRAME_MAX_BYTES, perMessageDeflate: false });
  const silent = new WeakSet<WebSocket>();
  /** A snapshot may be larger than any backlog; who was just sent one is not slow for it. */
  const allowance = new WeakMap<WebSocket, number>();

  const changes = source.onChange((change) => {
    if (change.type === 'reset') return server.clients.forEach(snapshot);
    const text = JSON.stringify({ type: 'patch', ...change.patch } satisfies ServerFrame);
    for (const reader of server.clients) post(reader, text);
  });
  const heartbeat = setInterval(() => {
    for (const reader of server.clients) {
      if (silent.has(reader)) reader.terminate();
      silent.add(reader);
      reader.ping();
    }
  }, HEARTBEAT_MS).unref();

  function snapshot(reader: WebSocket): void {
    const state = source.snapshot();
    const frame: ServerFrame = { type: 'snapshot', protocol: WIRE_VERSION, revision: state.revision, state };
    const text = JSON.stringify(frame);
    allowance.set(reader, text.length);
    post(reader, text);
  }

  function post(reader: WebSocket, text: string): void {
    if (reader.readyState !== reader.OPEN) return;
    if (reader.bufferedAmount > STREAM_BACKLOG_MAX_BYTES + (allowance.get(reader) ?? 0)) {
      log.warn('A stream reader was too slow and has been dropped; it may come again for a snapshot.');
      reader.close(closeCodes.tooSlow, 'too slow');
      reader.terminate();
    } else {
      reader.send(text);
    }
  }

  function receive(reader: WebSocket, text: string): void {
    const frame = clientFrameSchema.safeParse(parsed(text));
    if (!frame.success) reader.close(closeCodes.badFrame, 'frame not understood');
    else if (frame.data.type === 'resync') snapshot(reader);
    else if (frame.data.protocol !== WIRE_VERSION)
      reader.close(closeCodes.otherProtocol, `protocol ${WIRE_VERSION} is spoken here`);
    else log.debug(`A ${frame.data.role} of ${frame.data.app} ${frame.data.version} reads the stream.`);
  }

  server.on('connection', (reader) => {
    reader.on('error', (error) => log.debug(`A stream reader failed: ${error.message}`));
    reader.on('pong', () => silent.delete(reader));
    reader.on('message', (message, binary) => receive(reader, binary ? '' : message.toString()));
    snapshot(reader);
  });

  return {
    upgrade(request, socket, head) {
      if (server.clients.size >= READERS_MAX) {
        return refuseSocket(socket, 503, ['Retry-After: 1']);
      }
      server.handleUpgrade(request, socket, head, (reader) => server.emit('connection', reader, request));
    },
    dispose() {
      changes.dispose();
      clearInterval(heartbeat);
      for (const reader of server.clients) {
        reader.close(closeCodes.stopping, 'stopping');
        reader.terminate();
      }
      server.close();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
