import { get } from 'node:http';
import { WebSocket } from 'ws';
import type { Connected, LinkHandlers, OwnerLinks } from '../../app/ports.ts';
import type { PortFile } from '../../protocol/discovery.ts';
import { type Explanation, explanationSchema } from '../../protocol/explanation.ts';
import { CONNECT_DEADLINE_MS } from '../../protocol/limits.ts';
import { type ClientFrame, closeCodes, serverFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import type { Home } from '../machine/home.ts';
import { readPortFile } from './portFile.ts';

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
      const found = await readPortFile(home.portFile);
      // Another one's is left over, or about to be replaced.
      if (found?.instance !== instance) return 'silent';
      const socket = new WebSocket(`${found.url.replace('http:', 'ws:')}/ws`, {
        headers: { authorization: `Bearer ${found.token}` },
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
        // No address can be made of some ids, half a surrogate pair for one; nobody can be asked about those.
        explain: (sessionId) => askExplanation(found, sessionId).catch(() => undefined),
        dispose: () => socket.terminate(),
      };
    },
  };
}

/** A socket that has just closed can't be written to; that it closed is told by itself. */
const ignore = () => undefined;

const EXPLANATION_MAX_BYTES = 1024 * 1024;

/** From the owner's route: the stream carries what people see, not how it came about. */
function askExplanation(owner: PortFile, sessionId: string): Promise<Explanation | undefined> {
  return new Promise((resolve) => {
    const url = `${owner.url}/api/sessions/${encodeURIComponent(sessionId)}/explanation`;
    const headers = { authorization: `Bearer ${owner.token}` };
    // No agent: a connection kept for the next question would keep the owner's port busy after it ends.
    const asked = get(url, { headers, agent: false, timeout: HANDSHAKE_DEADLINE_MS }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size > EXPLANATION_MAX_BYTES) asked.destroy();
        else parts.push(part);
      });
      response.on('end', () => {
        const answer = explanationSchema.safeParse(parsed(Buffer.concat(parts).toString('utf8')));
        resolve(response.statusCode === 200 && answer.success ? answer.data : undefined);
      });
      response.on('close', () => resolve(undefined));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
  });
}

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
    const frame = serverFrameSchema.safeParse(parsed(message.toString()));
    strange = !frame.success || (frame.data.type === 'snapshot' && frame.data.protocol !== WIRE_VERSION);
    if (frame.success && !strange) onFrame(frame.data);
    else socket.terminate();
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
