import { WebSocket } from 'ws';
import type { Connected, LinkHandlers, OwnerLinks } from '../../app/ports.ts';
import { explanationSchema } from '../../protocol/explanation.ts';
import { CONNECT_DEADLINE_MS } from '../../protocol/limits.ts';
import { toPathPart } from '../../protocol/pathPart.ts';
import { type ClientFrame, closeCodes, readerFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import type { Home } from '../machine/home.ts';
import { askOwner } from './askOwner.ts';
import { ownerHeaders, readOwner } from './portFile.ts';

/** A machine under load answers a handshake in time; a process that hangs does not. */
const HANDSHAKE_DEADLINE_MS = CONNECT_DEADLINE_MS * 10;

export interface LinkIdentity {
  readonly app: string;
  readonly version: string;
}

/** How a follower hears its owner: the same stream that any reader of `/ws` gets. */
export function createOwnerLinks(home: Home, { app, version }: LinkIdentity): OwnerLinks {
  return {
    async connect(handlers, instance) {
      const found = await readOwner(home);
      // Another one's is left over, or about to be replaced.
      if (found?.instance !== instance) return 'silent';
      const socket = new WebSocket(`${found.url.replace('http:', 'ws:')}/ws`, {
        headers: ownerHeaders(found),
        handshakeTimeout: HANDSHAKE_DEADLINE_MS,
        perMessageDeflate: false,
      });
      const outcome = await opened(socket);
      if (outcome !== 'open') return outcome;
      const post = (frame: ClientFrame) => socket.send(JSON.stringify(frame), ignore);
      post({ type: 'hello', protocol: WIRE_VERSION, role: 'follower', app, version });
      listen(socket, handlers);
      return {
        resync: (revision) => post({ type: 'resync', revision }),
        ping: () => {
          if (socket.readyState === socket.OPEN) socket.ping(ignore);
        },
        explain: (sessionId) =>
          askOwner(found, { path: `/api/sessions/${toPathPart(sessionId)}/explanation` }, explanationSchema),
        dispose: () => socket.terminate(),
      };
    },
  };
}

/** A socket that has just closed can't be written to; that it closed is told by itself. */
const ignore = () => undefined;

function opened(socket: WebSocket): Promise<'open' | Exclude<Connected, object>> {
  return new Promise((resolve) => {
    socket.once('open', () => {
      // Paused until somebody listens, or the first frame, which comes with the handshake's answer, would be lost.
      socket.pause();
      resolve('open');
    });
    // Any answer, a refusal too, is made by a process that does not hang.
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      socket.terminate();
      resolve('answered');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'silent'));
  });
}

function listen(socket: WebSocket, { onFrame, onSign, onClosed }: LinkHandlers): void {
  let strange = false;
  socket.on('ping', onSign);
  socket.on('pong', onSign);
  socket.on('message', (message) => {
    onSign();
    const frame = readerFrameSchema.safeParse(parsed(message.toString()));
    strange = !frame.success || (frame.data.type === 'snapshot' && frame.data.protocol !== WIRE_VERSION);
    if (!frame.success || strange) return socket.terminate();
    // Told to plain readers, which this one is taken for until its hello is heard.
    if (frame.data.type !== 'session-event') onFrame(frame.data);
  });
  socket.on('close', (code) => onClosed(strange || code === closeCodes.otherProtocol ? 'protocol' : 'gone'));
  socket.resume();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
