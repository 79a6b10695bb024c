/**
 * The door in front of code-server, which has none of its own: whoever reaches that has a shell as the person. Other accounts
 * of the machine reach 127.0.0.1 too, and so does a web page whose host name is rebound to it.
 */
import http from 'node:http';
import { createAdmission, LOOPBACK } from './admission.mjs';

const REFUSAL = 'Open the address that "npm start" printed: it has a key at its end, a new one with each start.\n';
/** They belong to one connection, and this program has two. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'upgrade', 'expect', 'proxy-authorization', 'proxy-connection'];

/** @typedef {{ socketPath: string } | { host: string, port: number }} Upstream */

/** @param {{ upstream: Upstream, port?: number | undefined }} options  port: undefined for a free one */
export async function startGuard({ upstream, port: wanted }) {
  /** @type {Set<import('node:stream').Duplex>} */
  const sockets = new Set();
  // Its own agent: the global one may take a proxy from the environment.
  const agent = new http.Agent();
  // A large upload may take longer than the default allows for a request.
  const server = http.createServer({ requestTimeout: 0 });
  server.on('connection', (socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server, wanted);
  const admission = createAdmission(port);
  let isOpen = false;

  server.on('request', (request, response) => {
    if (!admission.isOurs(request)) return answer(response, 403, REFUSAL);
    const unlocked = isOpen ? admission.unlocked(request) : undefined;
    if (unlocked !== undefined) {
      const headers = { Location: unlocked, 'Set-Cookie': admission.cookie, 'Referrer-Policy': 'no-referrer' };
      return answer(response, 302, '', headers);
    }
    // Until it is open, whoever starts code-server asks through here whether it is up.
    if (isOpen ? !admission.hasCookie(request) : request.url !== '/healthz') return answer(response, 403, REFUSAL);
    const onward = forward(request, {});
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.statusMessage, without(reply.headers, HOP_BY_HOP));
      reply.on('error', () => response.destroy()).pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) response.destroy();
      else answer(response, 502, 'code-server does not answer.\n');
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!isOpen || !admission.isOurs(request) || !admission.hasCookie(request)) {
      socket.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n${REFUSAL}`);
      return;
    }
    const onward = forward(request, { connection: 'Upgrade', upgrade: request.headers.upgrade });
    onward.on('upgrade', (reply, other, otherHead) => {
      other.on('error', () => other.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => other.destroy());
      socket.write(rawHead(reply, []));
      socket.write(otherHead);
      other.write(head);
      socket.pipe(other).pipe(socket);
    });
    onward.on('response', (reply) => {
      // Node has taken the body's framing off; this one ends with its connection.
      socket.write(rawHead(reply, ['transfer-encoding', 'content-length', 'connection', 'keep-alive']));
      reply.on('error', () => socket.destroy()).pipe(socket);
    });
    onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'));
    socket.on('close', () => onward.destroy());
    onward.end();
  });

  /**
   * @param {http.IncomingMessage} request
   * @param {http.OutgoingHttpHeaders} added
   */
  function forward(request, added) {
    const { method, url, headers } = request;
    const cookie = admission.foreignCookies(request).join('; ');
    // Host goes along, so that code-server's own checks see what the browser said.
    const kept = { ...without(headers, [...HOP_BY_HOP, 'cookie']), ...(cookie === '' ? {} : { cookie }), ...added };
    return http.request({ ...upstream, agent, method, path: url, headers: kept });
  }

  return {
    port,
    address: admission.address,
    /** From now on everybody with a key is let in; before, nobody is. */
    open() {
      isOpen = true;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

/**
 * @param {http.Server} server
 * @param {number | undefined} port
 */
async function listen(server, port = 0) {
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, LOOPBACK, () => resolve(undefined));
  }).catch((error) => {
    throw new Error(`Port ${port} can't be had (${error.code}): name another one with --port.`, { cause: error });
  });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/**
 * @param {http.ServerResponse} response
 * @param {number} status
 * @param {string} text
 * @param {http.OutgoingHttpHeaders} [headers]
 */
function answer(response, status, text, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers });
  response.end(text);
}

/**
 * @param {http.IncomingMessage} reply
 * @param {readonly string[]} dropped
 */
function rawHead({ statusCode, statusMessage, rawHeaders }, dropped) {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !dropped.includes(name.toLowerCase()) ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}

/**
 * @param {http.IncomingHttpHeaders} headers
 * @param {readonly string[]} names
 */
function without(headers, names) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
