import type { IncomingMessage } from 'node:http';
import type { Collector } from '../../../forwarder/collector.ts';

const LIMIT_MS = 2_000;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;

export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** A string: why there is no answer. */
export async function answerOf({ url, token }: Collector, route: string): Promise<Answered | string> {
  // Loaded here, because most runs of `mascot` ask nobody this way.
  const { Agent, get } = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const address = new URL(`${url.href.replace(/\/$/, '')}${route}`);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    // An agent of its own obeys no proxy of the environment, which must not see the token.
    const request = get(address, { headers, agent: new Agent() }, (response: IncomingMessage) =>
      collect(response, resolve),
    );
    const limit = setTimeout(() => request.destroy(new Error('no answer in time')), LIMIT_MS);
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on('close', () => clearTimeout(limit));
  });
}

function collect(response: IncomingMessage, done: (answer: Answered | string) => void): void {
  const parts: Buffer[] = [];
  let size = 0;
  response.on('data', (part: Buffer) => {
    size += part.length;
    if (size <= ANSWER_MAX_BYTES) parts.push(part);
  });
  response.on('error', (error) => done(error.message));
  response.on('end', () => done({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }));
}
