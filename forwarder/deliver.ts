import type { Collector } from './collector.ts';
import { isObject, parseObject } from './payload.ts';
import { send } from './request.ts';
import type { NoReply, Request } from './request.ts';
import type { Reply } from './reply.ts';

export type Outcome =
  | { readonly kind: 'delivered'; readonly output?: object | undefined }
  /** The collector will never take it, so keeping it would only repeat the refusal. */
  | {
      readonly kind: 'rejected';
      readonly why: string;
      /** In its own words, which may be anything. */ readonly said: string;
    }
  | { readonly kind: 'undelivered'; readonly why?: string | undefined };

/** A context is ten thousand characters at most; a reply a hundred times as long is not ours. */
const REPLY_MAX_BYTES = 1024 * 1024;

/** `until`: on the clock of `performance.now`, for all attempts together. */
export async function deliver(collector: Collector, json: string, until: number): Promise<Outcome> {
  const request = (): Request => ({
    url: collector.url,
    method: 'POST',
    path: '/ingest',
    token: collector.token,
    json,
    deadlineMs: Math.max(1, until - performance.now()),
    replyMaxBytes: REPLY_MAX_BYTES,
  });
  let reply = await send(request());
  // An owner that hands over drops its connections; the event carries its delivery_id, so twice is still once.
  if (reply === 'dropped') reply = await send(request());
  return typeof reply === 'string' ? undelivered(reply, collector) : judge(reply, collector);
}

function judge(reply: Reply, { url, token }: Collector): Outcome {
  const body = parseObject(reply.body);
  if (reply.status === 200 && body?.['ok'] === true) {
    // The agent obeys what is printed: only who was given the token has a say.
    const output = token === undefined ? undefined : body['output'];
    return { kind: 'delivered', output: isObject(output) ? output : undefined };
  }
  const where = `the collector at ${url.origin}`;
  switch (reply.status) {
    case 400:
      return { kind: 'rejected', why: `${where} refused the payload`, said: plain(body?.['error']) };
    case 401:
    case 403:
      return {
        kind: 'undelivered',
        why:
          token === undefined
            ? `${where} wants a token: set MASCOT_TOKEN, or turn on agentMascot.collector.allowUnauthenticatedIngest`
            : `${where} refused the token: correct MASCOT_TOKEN, or reload the VS Code window`,
      };
    case 413:
      return { kind: 'undelivered', why: `${where} finds the payload too large` };
    case 503:
      return { kind: 'undelivered', why: `${where} is overloaded (503)` };
    default:
      return reply.status >= 500
        ? { kind: 'undelivered', why: `${where} failed (${reply.status}); see the Agent Mascot output in VS Code` }
        : { kind: 'undelivered', why: `what answers at ${url.origin} is not Agent Mascot (${reply.status})` };
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
