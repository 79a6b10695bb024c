import { get } from 'node:http';
import { WebSocket } from 'ws';
import type { LinkHandlers, OwnerLinks } from '../../app/ports.ts';
import type { PortFile } from '../../protocol/discovery.ts';
import { type Explanation, explanationSchema } from '../../protocol/explanation.ts';
import { CONNECT_DEADLINE_MS } from '../../protocol/limits.ts';
import { type ClientFrame, serverFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import type { Home } from '../machine/home.ts';
import { isProvenDead } from '../machine/processes.ts';
import { readPortFile } from './portFile.ts';

/** The owner pings every 15 s; twice that without a sign means that it hangs. */
const SILENCE_MS = 35_000;

export interface LinkIdentity {
  readonly app: string;
  readonly version: string;
}

/** How a follower hears its owner: the same stream that any reader of `/ws` gets. */
export function createOwnerLinks(home: Home, { app, version }: LinkIdentity): OwnerLinks {
  return {
    async connect(handlers) {
      const found = await readPortFile(home.portFile);
      if (!found || (await isProvenDead(found))) return undefined;
      const socket = new WebSocket(`${found.url.replace('http:', 'ws:')}/ws`, {
        headers: { authorization: `Bearer ${found.token}` },
        handshakeTimeout: CONNECT_DEADLINE_MS * 10,
        perMessageDeflate: false,
      });
      const post = (frame: ClientFrame) => socket.send(JSON.stringify(frame));
      if (!(await opened(socket))) return undefined;
      post({ type: 'hello', protocol: WIRE_VERSION, role: 'follower', app, version });
      listen(socket, handlers);
      return {
        resync: (revision) => post({ type: 'resync', revision }),
        // No address can be made of some ids, half a surrogate pair for one; nobody can be asked about those.
        explain: (sessionId) => askExplanation(found, sessionId).catch(() => undefined),
        dispose: () => socket.terminate(),
      };
    },
  };
}

const EXPLANATION_MAX_BYTES = 1024 * 1024;

/** From the owner's route: the stream carries what people see, not how it came about. */
function askExplanation(owner: PortFile, sessionId: string): Promise<Explanation | undefined> {
  return new Promise((resolve) => {
    const url = `${owner.url}/api/sessions/${encodeURIComponent(sessionId)}/explanation`;
    const headers = { authorization: `Bearer ${owner.token}` };
    // No agent: a connection kept for the next question would keep the owner's port busy after it ends.
    const asked = get(url, { headers, agent: false, timeout: CONNECT_DEADLINE_MS * 10 }, (response) => {
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

function opened(socket: WebSocket): Promise<boolean> {
  // Paused until somebody listens, or the first frame, which comes with the handshake's answer, would be lost.
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.pause();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function listen(socket: WebSocket, { onFrame, onClosed }: LinkHandlers): void {
  const silence = setTimeout(() => socket.terminate(), SILENCE_MS).unref();
  socket.on('ping', () => silence.refresh());
  socket.on('error', () => undefined);
  socket.on('message', (message) => {
    silence.refresh();
    const frame = serverFrameSchema.safeParse(parsed(message.toString()));
    if (frame.success) onFrame(frame.data);
    else socket.terminate();
  });
  socket.on('close', () => {
    clearTimeout(silence);
    onClosed();
  });
  socket.resume();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
