import type { Collector } from './collector.ts';
import { readOutput } from './output.ts';
import { parseObject } from './payload.ts';
import type { Payload } from './payload.ts';
import { provesAnswer } from './proof.ts';
import { send } from './request.ts';
import type { NoReply, Open, Request } from './request.ts';
import type { Reply } from './reply.ts';

export type Outcome =
  /** `output`: what the agent should read; only from a collector that proved its identity. */
  | { readonly kind: 'delivered'; readonly output?: string | undefined; readonly why?: string | undefined }
  /** The collector will never take it, so keeping it would only repeat the refusal. */
  | {
      readonly kind: 'rejected';
      readonly why: string;
      /** In its own words, which may be anything. */ readonly said: string;
    }
  | { readonly kind: 'undelivered'; readonly why?: string | undefined };

/** A context is ten thousand characters at most; a reply a hundred times as long is not ours. */
const REPLY_MAX_BYTES = 1024 * 1024;

/** Sends to a collector on this machine. `until`: deadline of all attempts together, on the clock of `performance.now`. */
export function deliver(collector: Collector, json: string, until: number, home: string): Promise<Outcome> {
  const isProven = (reply: Reply) => provesAnswer(home, Number(collector.url.port), json, reply);
  return deliverTo(collector, json, until, isProven);
}

/** SEC-8: returns the answer's output only if `isProven` accepts the reply, because an agent obeys what its hook prints. */
export async function deliverTo(
  collector: Collector,
  json: string,
  until: number,
  isProven: (reply: Reply) => boolean | Promise<boolean>,
  open?: Open,
): Promise<Outcome> {
  const request = (): Request => ({
    url: collector.url,
    method: 'POST',
    path: '/ingest',
    token: collector.token,
    json,
    deadlineMs: Math.max(1, until - performance.now()),
    replyMaxBytes: REPLY_MAX_BYTES,
  });
  let reply = await send(request(), open);
  // An owner that hands over drops its connections; the event carries its delivery_id, so twice is still once.
  if (reply === 'dropped') reply = await send(request(), open);
  if (typeof reply === 'string') return undelivered(reply, collector);
  const body = parseObject(reply.body);
  if (reply.status !== 200 || body?.['ok'] !== true) return refused(reply, body, collector);
  const output = readOutput(body['output']);
  if (output === undefined || (await isProven(reply))) return { kind: 'delivered', output };
  const why = `the answer of the collector at ${collector.url.origin} was not printed: the collector did not prove that it is yours (reload the VS Code window)`;
  return { kind: 'delivered', why };
}

function refused(reply: Reply, body: Payload | undefined, { url, token }: Collector): Outcome {
  const where = `the collector at ${url.origin}`;
  const { status } = reply;
  return status === 400
    ? { kind: 'rejected', why: `${where} refused the payload`, said: plain(body?.['error']) }
    : { kind: 'undelivered', why: why() };

  function why(): string {
    if (status === 401 || status === 403)
      return token === undefined
        ? `${where} wants a token: set MASCOT_TOKEN, or turn on agentMascot.collector.allowUnauthenticatedIngest`
        : `${where} refused the token: correct MASCOT_TOKEN, or reload the VS Code window`;
    if (status === 413) return `${where} finds the payload too large`;
    if (status === 503) return `${where} is overloaded (503)`;
    if (status >= 500) return `${where} failed (${status}); see the Agent Mascot output in VS Code`;
    return `what answers at ${url.origin} is not Agent Mascot (${status})`;
  }
}

function undelivered(reason: NoReply, { url }: Collector): Outcome {
  const where = `the collector at ${url.origin}`;
  const foreign = `what answers at ${url.origin} is not Agent Mascot`;
  const reasons: Readonly<Record<NoReply, string | undefined>> = {
    refused: undefined,
    unreachable: `${where} can't be reached`,
    'connect-timeout': `${where} did not take the connection in time`,
    timeout: `${where} did not answer in time`,
    dropped: `${where} dropped the connection`,
    malformed: foreign,
    'too-long': foreign,
  };
  return { kind: 'undelivered', why: reasons[reason] };
}

/** What a server says goes to a terminal: no control characters, and not for ever. */
function plain(error: unknown): string {
  return typeof error === 'string' ? error.replace(/\p{Cc}+/gu, ' ').slice(0, 200) : 'no reason given';
}
