/** Sends hook payloads to a server as fast as it answers, from a number of clients that each wait for their answer. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';

/**
 * An ordinary finished tool call, different each time so that none is a duplicate.
 * @param {number} n
 */
export function toolCall(n) {
  return {
    hook_event_name: 'PostToolUse',
    session_id: `5e551011-0000-4000-8000-${String(n % 8).padStart(12, '0')}`,
    cwd: '/home/dev/project',
    transcript_path: '/home/dev/.claude/projects/-home-dev-project/none.jsonl',
    tool_name: 'Bash',
    tool_use_id: `toolu_${randomUUID()}`,
    tool_input: { command: `npm test -- --run ${n}`, description: 'Run the tests' },
    tool_response: { stdout: 'ok '.repeat(200), stderr: '', interrupted: false },
  };
}

/**
 * @param {number} n
 * @param {number} [bytes]  of the tool's output
 */
function envelope(n, bytes) {
  return JSON.stringify({
    ...toolCall(n),
    ...(bytes === undefined ? {} : { tool_response: { stdout: `line ${n} `.repeat(bytes / 10) } }),
    _meta: {
      delivery_id: randomUUID(),
      collected_at: new Date().toISOString(),
      provider: 'claude',
      workspace_id: 'project',
      terminal_session_id: 'bench',
    },
  });
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {{ clients: number, events: number, signal: AbortSignal, bytes?: number }} load
 * @returns {Promise<{ perSecond: number, latencies: number[] }>} latencies in milliseconds
 */
export async function sendLoad(server, { clients, events, signal, bytes }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  /** @type {number[]} */
  const latencies = [];
  let sent = 0;
  const client = async () => {
    while (sent < events) {
      signal.throwIfAborted();
      const body = envelope(sent++, bytes);
      const since = performance.now();
      const { status, text } = await post(server, agent, body);
      if (status !== 200) throw new Error(`the server answered ${status}: ${text.slice(0, 200)}`);
      latencies.push(performance.now() - since);
    }
  };
  const since = performance.now();
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    agent.destroy();
  }
  return { perSecond: events / ((performance.now() - since) / 1000), latencies };
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent | undefined} agent
 * @param {string} body
 */
export function post(server, agent, body) {
  return ask(server, agent, '/ingest', body);
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent | undefined} agent
 * @param {string} route  with its query
 */
export function get(server, agent, route) {
  return ask(server, agent, route);
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {http.Agent | undefined} agent
 * @param {string} route
 * @param {string} [body]  is posted; without it the route is read
 * @returns {Promise<{ status: number, text: string }>}
 */
function ask({ url, token }, agent, route, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      authorization: `Bearer ${token}`,
    };
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request(`${url}${route}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
